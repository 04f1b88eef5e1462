import Foundation
import IAPModel

extension StoreCore {
  /// Lets something happen to a subscription, and does what its rules ask for.
  mutating func act(
    on id: OriginalTransactionID,
    _ event: SubscriptionEvent,
    about transaction: TransactionID? = nil,
    at now: Date
  ) throws(SimulatorError) {
    let old = try subscription(id)
    let (new, actions) = SubscriptionReducer.reduce(old, event, at: now, terms: state.terms)
    guard new != old || !actions.isEmpty else { return }
    append(.subscription(id, event), at: now)
    for action in actions {
      switch action {
      case .notify(let type, let subtype):
        let subject = try self.transaction(transaction ?? new.period.transactionID)
        notify(type, subtype, about: subject, at: now)
      case .charge(let product, let start, let kind):
        try renew(new, to: product, from: start, kind, at: now)
      }
    }
    let current = try subscription(id)
    // A charge has told of the new period already.
    let hasCharged = actions.contains { if case .charge = $0 { true } else { false } }
    let isNewPeriod = if case .periodBought = event { true } else { false }
    guard current != old || isNewPeriod, !hasCharged else { return }
    tellDevices(of: old.account, with: old.bundleID, .subscriptionChanged(id, old.groupID))
    if let due = SubscriptionReducer.nextDue(current, terms: state.terms) {
      perform(.wake(due, .subscription(id)))
    }
  }

  /// Does what time has made due for a subscription.
  mutating func wakeSubscription(
    _ id: OriginalTransactionID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try subscription(id)
    guard let due = SubscriptionReducer.nextDue(record, terms: state.terms), due <= now else {
      return
    }
    let catalog = try app(record.bundleID).catalog
    let event = SubscriptionReducer.dueEvent(
      record,
      at: now,
      paymentWorks: try account(record.account).paymentWorks && !catalog.settings.failsRenewals,
      isForSale: catalog[record.renewalProductID]?.subscription != nil
    )
    guard let event else { return }
    try act(on: id, event, at: now)
  }

  /// Changes whether charges go through; waiting charges are tried at once.
  mutating func setPayment(
    works: Bool,
    of id: AccountID,
    at now: Date
  ) throws(SimulatorError) {
    guard try account(id).paymentWorks != works else { return }
    append(.paymentChanged(id, works: works), at: now)
    guard works else { return }
    for record in state.subscriptions where record.account == id {
      try act(on: record.originalTransactionID, .paymentRecovered, at: now)
    }
  }

  /// Takes a transaction back.
  mutating func refund(
    _ id: TransactionID,
    reason: RevocationReason,
    at now: Date
  ) throws(SimulatorError) {
    guard let record = state.transaction(id) else {
      throw SimulatorError(.unknownTransaction, "there is no transaction \(id) to refund")
    }
    guard record.revocationDate == nil else {
      throw SimulatorError(.notAllowed, "\(id) was refunded before")
    }
    append(.refunded(id, reason), at: now)
    try announceRefund(id, .refunded(id), .refund, .refunded, at: now)
  }

  /// Gives a transaction back whose refund was taken back.
  mutating func reverseRefund(_ id: TransactionID, at now: Date) throws(SimulatorError) {
    guard let record = state.transaction(id) else {
      throw SimulatorError(.unknownTransaction, "there is no transaction \(id)")
    }
    guard record.revocationDate != nil else {
      throw SimulatorError(.notAllowed, "\(id) was not refunded")
    }
    append(.refundReversed(id), at: now)
    try announceRefund(id, .refundReversed(id), .refundReversed, .refundReversed, at: now)
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
