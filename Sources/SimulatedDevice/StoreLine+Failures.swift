import AppStoreSimulator

// Calls that fail on command.
extension StoreLine {
  /// How a call fails: as a test wants it, else as the catalog's file says.
  func failure(of call: FailableCall) -> ForcedFailure? {
    if let failure = controls.failure(of: call) { return failure }
    guard let name = call.nameInCatalogs, catalog?.settings.fails(name) == true else { return nil }
    // What the numbers in such files stand for is not documented.
    return call == .verification ? .verification(.invalidSignature) : .general(.unknown)
  }

  /// Fails when the call shall fail.
  func check(_ call: FailableCall) throws {
    if let error = failure(of: call)?.storeKit2 { throw error }
  }

  /// Whether the account may buy; a parent can forbid it.
  var mayBuy: Bool {
    let account = account
    return store.accounts.first { $0.id == account }?.mayBuy ?? true
  }
}

extension FailableCall {
  /// What `.storekit` files call it; nil for what the store lets fail itself.
  fileprivate var nameInCatalogs: String? {
    switch self {
    case .loadProducts, .purchase: nil
    case .verification: "Verification"
    case .synchronization: "App Store Sync"
    case .subscriptionStatus: "Subscription Status"
    case .appTransaction: "App Transaction"
    case .manageSubscriptions: "Manage Subscriptions Sheet"
    case .refundRequest: "Refund Request Sheet"
    case .offerCodeRedemption: "Offer Code Redeem Sheet"
    }
  }
}
