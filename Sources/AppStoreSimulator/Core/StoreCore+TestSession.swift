import Foundation
import IAPModel

// What Xcode's test session does and Apple's store never would.
extension StoreCore {
  /// Deletes a transaction with its renewals and its copies.
  mutating func delete(_ id: TransactionID, at now: Date) throws(SimulatorError) {
    try requireTestSession()
    let record = try transaction(id)
    guard !record.isRestoredCopy else {
      delete([id], of: [record], at: now)
      return
    }
    var gone = [record]
    if record.type == .autoRenewable {
      let held = state.held(by: record.account, in: record.bundleID)
      gone += held.filter { $0.originalTransactionID == record.originalTransactionID }
        .drop { $0.transactionID != id }.dropFirst()
    }
    gone += gone.flatMap { state.sharedTransactions(from: $0.transactionID) }
    let ids = gone.map(\.transactionID)
    delete(ids + restoredCopies(of: Set(ids)), of: gone, at: now)
  }

  /// Deletes everything that was bought in an app, and what waits for an answer.
  mutating func clear(_ bundleID: BundleID, at now: Date) throws(SimulatorError) {
    try requireTestSession()
    _ = try app(bundleID)
    for pending in state.pendings where pending.answer == .waiting {
      guard state.device(pending.request.device)?.bundleID == bundleID else { continue }
      append(.answered(pending.id, .lapsed), at: now)
    }
    let gone = state.transactions.filter { $0.bundleID == bundleID }
    guard !gone.isEmpty else { return }
    let ids = gone.map(\.transactionID)
    delete(ids + restoredCopies(of: Set(ids)), of: gone, at: now)
  }

  private func restoredCopies(of ids: Set<TransactionID>) -> [TransactionID] {
    state.copies.filter { $0.restoredFrom.map(ids.contains) == true }.map(\.transactionID)
  }

  private mutating func delete(
    _ ids: [TransactionID],
    of gone: [StoreTransactionRecord],
    at now: Date
  ) {
    append(.deleted(ids), at: now)
    let holders = Set(gone.map { StoreState.Holder(account: $0.account, bundleID: $0.bundleID) })
    for device in state.devices where device.receipt != nil {
      guard holders.contains(.init(account: device.account, bundleID: device.bundleID)) else {
        continue
      }
      append(.receiptRefreshed(device.id), at: now)
    }
    // A subscription that goes back to an earlier period renews from there.
    for record in state.subscriptions where gone.contains(where: { record.isOf($0) }) {
      tellDevices(
        of: record.account,
        with: record.bundleID,
        .subscriptionChanged(record.originalTransactionID, record.groupID)
      )
      guard record.sharedFrom == nil,
        let due = SubscriptionReducer.nextDue(record, terms: state.terms)
      else { continue }
      perform(.wake(due, .subscription(record.originalTransactionID)))
    }
  }

  private func requireTestSession() throws(SimulatorError) {
    guard environment == .xcode || environment == .localTesting else {
      throw SimulatorError(
        .notAllowed,
        "transactions are deleted in Xcode's environment only, and this is \(environment.rawValue)"
      )
    }
  }
}

extension SubscriptionRecord {
  fileprivate func isOf(_ record: StoreTransactionRecord) -> Bool {
    record.originalTransactionID == originalTransactionID
  }
}
