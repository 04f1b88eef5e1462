import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit
import Synchronization

// What is listed, with the ways that differ among systems.
extension ProcessHost {
  /// What `Transaction.all` lists, oldest first.
  var listed: [StoreTransactionRecord] {
    options.includesConsumableHistory ? line.history() : line.all()
  }

  /// What `Transaction.currentEntitlements` lists, oldest first.
  var entitlements: [StoreTransactionRecord] {
    var ids = Set(line.currentEntitlements().map(\.transactionID))
    if options.listsBillingRetry {
      let retried = line.subscriptions(in: nil).filter { $0.status == .billingRetry }
      ids.formUnion(retried.map(\.transaction.transactionID))
    }
    if options.listsEveryNonRenewing {
      let owned = line.all().filter { $0.type == .nonRenewable && $0.revocationDate == nil }
      ids.formUnion(owned.map(\.transactionID))
    }
    return line.all().filter {
      ids.contains($0.transactionID) && !isFresh($0.transactionID, options.entitlementLag)
    }
  }

  /// A transaction has come to the device just now.
  func arrives(_ record: StoreTransactionRecord) {
    guard max(options.entitlementLag, options.renewalStatusLag) > 0 else { return }
    let now = line.store.clock.now
    arrivals.withLock { $0[record.transactionID] = now }
  }

  private func isFresh(_ id: TransactionID, _ lag: TimeInterval) -> Bool {
    guard lag > 0, let arrival = arrivals.withLock({ $0[id] }) else { return false }
    return line.store.clock.now < arrival.addingTimeInterval(lag)
  }

  /// The status as it is told: around a renewal it may still be the one of the old period.
  func withRenewalLag(_ status: Product.SubscriptionInfo.Status) -> Product.SubscriptionInfo.Status
  {
    let transaction = status.transaction.unsafePayloadValue
    guard transaction.reason == .renewal,
      isFresh(TransactionID(String(transaction.id)), options.renewalStatusLag)
    else { return status }
    return Product.SubscriptionInfo.Status(
      state: .expired,
      transaction: status.transaction,
      renewalInfo: status.renewalInfo
    )
  }

  /// The answer about an introductory offer, or the first one that this process gave.
  func remembered(eligibility: Bool, in group: SubscriptionGroupID) -> Bool {
    guard options.keepsFirstOfferEligibility else { return eligibility }
    return eligibilities.withLock { answers in
      if let answer = answers[group] { return answer }
      answers[group] = eligibility
      return eligibility
    }
  }
}
