import Foundation
import IAPModel

// Asking for money back, and what comes of it.
extension StoreCore {
  /// Writes down that a customer asks for money back, and asks the app's server for the use.
  mutating func requestRefund(
    _ id: TransactionID,
    _ reason: ConsumptionRequestReason,
    at now: Date
  ) throws(SimulatorError) {
    let record = try ownTransaction(id)
    guard record.revocationDate == nil else {
      throw SimulatorError(.notAllowed, "\(id) was refunded before")
    }
    guard record.refundRequest == nil else {
      throw SimulatorError(.notAllowed, "a refund of \(id) was asked for before")
    }
    append(.refundRequested(id, reason), at: now)
    notify(.consumptionRequest, nil, about: record, consumption: reason, at: now)
    // Who wants the money back is not charged again.
    if let subscription = state.subscription(record.originalTransactionID) {
      try act(on: subscription.originalTransactionID, .autoRenewSet(false), at: now)
    }
    switch options.refundAnswer {
    case nil, .waiting?: break
    case .granted?: try refund(id, Revocation(reason: .other), at: now)
    case .declined?: try declineRefund(id, at: now)
    }
  }

  /// Does not pay back what a customer asked for.
  mutating func declineRefund(_ id: TransactionID, at now: Date) throws(SimulatorError) {
    let record = try ownTransaction(id)
    guard record.refundRequest?.answer == .waiting else {
      throw SimulatorError(.notAllowed, "no refund of \(id) waits for an answer")
    }
    append(.refundDeclined(id), at: now)
    notify(.refundDeclined, nil, about: record, at: now)
  }

  /// Takes a transaction back.
  mutating func refund(
    _ id: TransactionID,
    _ revocation: Revocation,
    at now: Date
  ) throws(SimulatorError) {
    let record = try ownTransaction(id)
    guard record.revocationDate == nil else {
      throw SimulatorError(.notAllowed, "\(id) was refunded before")
    }
    if let percentage = revocation.percentage {
      guard (1...100_000).contains(percentage) else {
        throw SimulatorError(
          .notAllowed,
          "\(percentage) thousandths of a percent cannot be paid back; 1 to 100000 can"
        )
      }
    }
    append(.refunded(id, revocation), at: now)
    try announceRefund(id, .refunded(id), .refund, .refunded, at: now)
    for copy in state.sharedTransactions(from: id) where copy.revocationDate == nil {
      // The member's copy has the purchaser's reason.
      try revokeCopy(copy, reason: revocation.reason, at: now)
    }
  }

  /// Gives a transaction back whose refund was taken back.
  mutating func reverseRefund(_ id: TransactionID, at now: Date) throws(SimulatorError) {
    let record = try ownTransaction(id)
    guard record.revocationDate != nil else {
      throw SimulatorError(.notAllowed, "\(id) was not refunded")
    }
    append(.refundReversed(id), at: now)
    try announceRefund(id, .refundReversed(id), .refundReversed, .refundReversed, at: now)
    // Who left the family and came back has several copies; only the newest comes back.
    let copies = state.sharedTransactions(from: id)
    for (place, copy) in copies.enumerated() where copy.revocationDate != nil {
      let isNewest = !copies[(place + 1)...].contains { $0.account == copy.account }
      guard isNewest, isShared(record.account, copy.account) else { continue }
      append(.refundReversed(copy.transactionID), at: now)
      let current = try transaction(copy.transactionID)
      tellDevices(of: copy.account, with: copy.bundleID, .transaction(current, .refundReversed))
      if copy.type == .autoRenewable {
        try act(
          on: copy.originalTransactionID,
          .refundReversed(copy.transactionID),
          about: copy.transactionID,
          at: now
        )
      } else {
        notify(.oneTimeCharge, nil, about: current, at: now)
      }
    }
  }

  private func ownTransaction(_ id: TransactionID) throws(SimulatorError) -> StoreTransactionRecord
  {
    guard let record = state.transaction(id) else {
      throw SimulatorError(.unknownTransaction, "there is no transaction \(id)")
    }
    guard record.ownership == .purchased else {
      throw SimulatorError(.notAllowed, "\(id) is shared: only its purchaser is paid back")
    }
    return record
  }

  private mutating func announceRefund(
    _ id: TransactionID,
    _ event: SubscriptionEvent,
    _ type: NotificationType,
    _ cause: TransactionCause,
    at now: Date
  ) throws(SimulatorError) {
    let record = try transaction(id)
    tellDevices(of: record.account, with: record.bundleID, .transaction(record, cause))
    if record.type == .autoRenewable {
      try act(on: record.originalTransactionID, event, about: id, at: now)
    } else {
      notify(type, nil, about: record, at: now)
    }
  }
}
