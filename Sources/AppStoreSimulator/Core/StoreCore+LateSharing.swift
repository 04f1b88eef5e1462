import Foundation
import IAPModel

// Copies that reach a family some time after the purchase.
extension StoreCore {
  /// Plans the copy of something that is new to the member, when copies take time.
  ///
  /// - Returns: Whether it comes later.
  mutating func sharesLate(
    _ record: StoreTransactionRecord,
    with member: AccountID,
    at now: Date
  ) -> Bool {
    guard options.familyDelay > 0 else { return false }
    // What the member has already is renewed at once.
    guard copy(of: record.originalTransactionID, heldBy: member)?.isRunning != true else {
      return false
    }
    let due = now.addingTimeInterval(options.familyDelay)
    perform(.wake(due, .familyCopy(record.transactionID, member)))
    return true
  }

  /// Gives the copy that was planned, if it is still to be shared.
  mutating func shareLate(
    _ id: TransactionID,
    with member: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try transaction(id)
    guard isShared(record.account, member) else { return }
    if record.type == .autoRenewable {
      guard let subscription = state.subscription(record.originalTransactionID),
        subscription.isEntitled,
        copy(of: record.originalTransactionID, heldBy: member)?.isRunning != true
      else { return }
      try share(subscription, with: member, at: now)
    } else {
      let hasOne = state.sharedTransactions(from: id).contains {
        $0.account == member && $0.revocationDate == nil
      }
      let product = state.app(record.bundleID)?.catalog[record.productID]
      guard !hasOne, FamilyRule.isShared(record, product) else { return }
      try giveCopy(of: record, nil, to: member, at: now)
    }
  }
}
