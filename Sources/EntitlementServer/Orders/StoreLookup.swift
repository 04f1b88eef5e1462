public import AppStoreServerAPI
public import IAPModel

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
  /// There is no key to ask with, or the App Store has no answer for such apps.
  case unsupported
  /// It was not possible to ask; after how many seconds it makes sense to try again.
  case unavailable(retryAfterSeconds: Int)
}
