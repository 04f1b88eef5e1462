public import IAPModel

/// One app in one environment: what belongs to one never meets what belongs to another.
public struct LedgerScope: Hashable, Sendable {
  /// The app.
  public let app: BundleID
  /// Where the purchases were made.
  public let environment: StoreEnvironment

  /// Makes a scope.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - environment: Where the purchases were made.
  public init(app: BundleID, environment: StoreEnvironment) {
    self.app = app
    self.environment = environment
  }
}

/// One purchase or subscription: what facts are gathered and folded for.
public struct LedgerSubject: Hashable, Sendable {
  /// The app and the environment.
  public let scope: LedgerScope
  /// The purchase or subscription.
  public let original: OriginalTransactionID

  /// Makes a subject.
  ///
  /// - Parameters:
  ///   - scope: The app and the environment.
  ///   - original: The purchase or subscription.
  public init(scope: LedgerScope, original: OriginalTransactionID) {
    self.scope = scope
    self.original = original
  }
}
