import Foundation
public import IAPModel

/// A purchase that somebody has beside its owner, because the app shares purchases.
enum ShareRecord {
  static func document(_ subject: LedgerSubject, with customer: CustomerID) -> DocumentWrite {
    DocumentWrite(
      key(subject, customer),
      shelf: customer.rawValue,
      body: [
        "environment": .string(subject.scope.environment.rawValue),
        "original": .string(subject.original.rawValue),
      ],
      condition: .ifAbsent
    )
  }

  static func key(_ subject: LedgerSubject, _ customer: CustomerID) -> DocumentKey {
    DocumentKey(
      .share,
      app: subject.scope.app,
      name: "\(subject.scope.environment):\(subject.original):\(customer)"
    )
  }

  /// The most purchases that are shared with one customer.
  static let sharedMax = 10_000
}

extension LedgerReading {
  /// The purchases that somebody else owns and shares with a customer.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - app: The app.
  /// - Returns: The purchases, in the order in which they were shared.
  /// - Throws: ``StorageError``.
  public func subjects(
    sharedWith customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject] {
    let documents = try documents(
      .share,
      app: app,
      shelf: customer.rawValue,
      after: 0,
      limit: ShareRecord.sharedMax
    )
    return try documents.map { document throws(StorageError) in
      guard let environment = document.body["environment"]?.stringValue,
        let original = document.body["original"]?.stringValue
      else { throw StorageError(.corrupt, "a document of a share cannot be read") }
      return LedgerSubject(
        scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment)),
        original: OriginalTransactionID(original)
      )
    }
  }

  /// The purchases of a customer that may open something: its own and shared ones, in one app and
  /// environment, without those of which everything is used up.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - scope: The app and the environment.
  /// - Returns: The purchases.
  /// - Throws: ``StorageError``.
  public func subjects(
    opening customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [LedgerSubject] {
    let shared = try subjects(sharedWith: customer, app: scope.app).filter { $0.scope == scope }
    let own = try lastingSubjects(ownedBy: customer, in: scope)
    return own + shared.filter { !own.contains($0) }
  }
}
