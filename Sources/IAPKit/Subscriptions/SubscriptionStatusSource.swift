package import IAPModel

/// What StoreKit 2 says about subscriptions beside their transactions.
///
/// StoreKit 1 has no such source.
package protocol SubscriptionStatusSource: Sendable {
  /// The state of every subscription that is known; the groups are for systems that cannot list
  /// them.
  func subscriptionStatuses(in groups: Set<SubscriptionGroupID>) async -> [StoreSubscriptionStatus]
  /// Changes from now on, also those without a transaction; ends with the task that reads it.
  func statusUpdates() -> AsyncStream<StoreSubscriptionStatus>
}

/// What StoreKit 2 says about one subscription.
package struct StoreSubscriptionStatus: Hashable, Sendable {
  package var status: IAPModel.SubscriptionStatus
  /// The period that the state is about, verified or not.
  package var transaction: StoreTransaction
  /// What is known of the renewal; nil when its signature does not hold.
  package var renewal: RenewalInfoPayload?

  package init(
    status: IAPModel.SubscriptionStatus,
    transaction: StoreTransaction,
    renewal: RenewalInfoPayload?
  ) {
    self.status = status
    self.transaction = transaction
    self.renewal = renewal
  }
}
