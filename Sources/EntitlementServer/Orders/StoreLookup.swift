public import IAPModel

/// The number of an order that the App Store writes on a customer's receipt.
public struct AppStoreOrderID: Identifier {
  /// The spelling, for example `MK5TYWHT8V`.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Asks the App Store what the ledger does not know.
public protocol StoreLookup: Sendable {
  /// The transactions of an order that a customer names.
  ///
  /// - Parameters:
  ///   - order: The number on the customer's receipt.
  ///   - app: The app.
  /// - Returns: What the App Store said.
  func transactions(of order: AppStoreOrderID, app: BundleID) async -> StoreLookupAnswer
}

/// What the App Store said.
public enum StoreLookupAnswer: Hashable, Sendable {
  /// The texts of signed transactions, which are verified like any others.
  case found([[UInt8]])
  /// The App Store does not know it.
  case unknown
  /// It was not possible to ask; after how many seconds it makes sense to try again.
  case unavailable(retryAfterSeconds: Int)
}
