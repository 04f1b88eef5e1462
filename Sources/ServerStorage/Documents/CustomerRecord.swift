public import IAPModel

/// What is known about a customer beside purchases.
public struct CustomerRecord: Hashable, Sendable {
  /// How often the customer's tokens were withdrawn: older tokens are good no more.
  public var tokenGeneration: Int64 = 0
  /// The customer whose second name this is; nil when the name is a customer's own.
  public var aliasOf: CustomerID?

  /// What is known about somebody who was never mentioned.
  public init() {}

  /// Under what it is filed.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - app: The app.
  /// - Returns: The key of its document.
  public static func key(_ customer: CustomerID, app: BundleID) -> DocumentKey {
    DocumentKey(.customer, app: app, name: customer.rawValue)
  }

  /// The wish to have it written.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - app: The app.
  ///   - condition: What has to be true for it.
  /// - Returns: The wish.
  public func document(
    _ customer: CustomerID,
    app: BundleID,
    condition: DocumentWrite.Condition
  ) -> DocumentWrite {
    var body: JSONObject = ["tokenGeneration": .integer(tokenGeneration)]
    body["aliasOf"] = aliasOf.map { .string($0.rawValue) }
    return DocumentWrite(
      Self.key(customer, app: app),
      shelf: aliasOf?.rawValue,
      body: body,
      condition: condition
    )
  }

  /// Reads a document.
  public init(_ document: LedgerDocument) {
    tokenGeneration = document.body["tokenGeneration"]?.integerValue ?? 0
    aliasOf = document.body["aliasOf"]?.stringValue.map { CustomerID($0) }
  }
}

extension LedgerReading {
  /// What is known about a customer beside purchases.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - app: The app.
  /// - Returns: The record; an empty one when there is none.
  /// - Throws: ``StorageError``.
  public func customer(
    _ customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> CustomerRecord {
    try document(CustomerRecord.key(customer, app: app)).map { CustomerRecord($0) }
      ?? CustomerRecord()
  }
}
