// Apple's calls for these sheets need a scene, a window or a view controller, so this module does
// not have them. Their twins without one are for code of this package only: they do on a simulated
// device what the sheets do on a real one.

extension Transaction {
  /// Shows the sheet for asking the money of this transaction back.
  package func beginRefundRequest() async throws -> Transaction.RefundRequestStatus {
    try await host.answering { try await host.requestRefund(transactionID: id) }
  }

  /// Shows the sheet for asking the money of a transaction back.
  @MainActor package static func beginRefundRequest(
    for transactionID: UInt64
  ) async throws -> Transaction.RefundRequestStatus {
    let host = StoreHostBinding.required()
    return try await host.answering { try await host.requestRefund(transactionID: transactionID) }
  }
}

extension AppStore {
  /// Shows the account's subscriptions, or those of one group; returns when the sheet is closed.
  @MainActor package static func showManageSubscriptions(
    subscriptionGroupID: String? = nil
  ) async throws {
    let host = StoreHostBinding.required()
    try await host.answering { try await host.showSubscriptions(in: subscriptionGroupID) }
  }

  /// Shows where offer codes are entered; returns when the sheet is closed.
  @MainActor package static func presentOfferCodeRedeemSheet() async throws {
    let host = StoreHostBinding.required()
    try await host.answering { try await host.showOfferCodeEntry() }
  }
}

extension Message {
  /// Shows the message to the customer.
  @MainActor package func display() throws {
    StoreHostBinding.required().display(self)
  }
}
