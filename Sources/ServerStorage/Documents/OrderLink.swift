import Foundation
public import IAPModel

/// Which order a transaction belongs to that does not carry its number: a purchase through the
/// first StoreKit.
public struct OrderLink: Hashable, Sendable {
  /// The order.
  public var number: OrderNumber
  /// The app and the environment of the transaction.
  public var scope: LedgerScope
  /// The transaction.
  public var transactionID: TransactionID

  /// Makes a link.
  ///
  /// - Parameters:
  ///   - number: The order.
  ///   - scope: The app and the environment of the transaction.
  ///   - transactionID: The transaction.
  public init(number: OrderNumber, scope: LedgerScope, transactionID: TransactionID) {
    self.number = number
    self.scope = scope
    self.transactionID = transactionID
  }

  /// The wish to have it written: a transaction belongs to the order that named it first.
  public var document: DocumentWrite {
    DocumentWrite(
      Self.key(transactionID, in: scope),
      shelf: number.description,
      body: [
        "order": .string(number.description), "environment": .string(scope.environment.rawValue),
        "transaction": .string(transactionID.rawValue),
      ],
      condition: .ifAbsent
    )
  }

  static func key(_ transaction: TransactionID, in scope: LedgerScope) -> DocumentKey {
    DocumentKey(.orderLink, app: scope.app, name: "\(scope.environment):\(transaction)")
  }

  /// The most transactions of one order that are looked at.
  static let linksMax = 1000
}

extension LedgerReading {
  /// The transactions that were tied to an order.
  ///
  /// - Parameters:
  ///   - number: The order.
  ///   - app: The app.
  /// - Returns: The links, in the order in which they were made.
  /// - Throws: ``StorageError``.
  public func links(
    to number: OrderNumber,
    app: BundleID
  ) throws(StorageError) -> [OrderLink] {
    let documents = try documents(
      .orderLink,
      app: app,
      shelf: number.description,
      after: 0,
      limit: OrderLink.linksMax
    )
    return try documents.map { document throws(StorageError) in
      guard let environment = document.body["environment"]?.stringValue,
        let transaction = document.body["transaction"]?.stringValue
      else { throw StorageError(.corrupt, "a document of an order cannot be read") }
      return OrderLink(
        number: number,
        scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment)),
        transactionID: TransactionID(transaction)
      )
    }
  }

  /// The order that a transaction was tied to.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - scope: The app and the environment.
  /// - Returns: The order's number; nil when the transaction was tied to none.
  /// - Throws: ``StorageError``.
  public func orderNumber(
    of transaction: TransactionID,
    in scope: LedgerScope
  ) throws(StorageError) -> OrderNumber? {
    try document(OrderLink.key(transaction, in: scope))?.body["order"]?.stringValue
      .flatMap { OrderNumber($0) }
  }

  /// The customer that a name stands for, and what is known about it.
  ///
  /// - Parameters:
  ///   - name: A customer's own name, or a second one.
  ///   - app: The app.
  /// - Returns: The customer.
  /// - Throws: ``StorageError``.
  public func canonical(
    _ name: CustomerID,
    app: BundleID
  ) throws(StorageError) -> (customer: CustomerID, record: CustomerRecord) {
    let record = try customer(name, app: app)
    // A second name is never given to a second name, so one step is enough.
    guard let other = record.aliasOf else { return (name, record) }
    return (other, try customer(other, app: app))
  }
}
