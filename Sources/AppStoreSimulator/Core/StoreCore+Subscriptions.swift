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
    let terms = state.terms(for: old)
    let isCopy = old.sharedFrom != nil
    let (new, planned) = SubscriptionReducer.reduce(old, event, at: now, terms: terms)
    // A family member's copy is never charged: it follows the purchaser's.
    let actions = planned.filter { !isCopy || !$0.isCharge }
    if new != old || !actions.isEmpty {
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
      let hasCharged = actions.contains(where: \.isCharge)
      let isNewPeriod = if case .periodBought = event { true } else { false }
      if current != old || isNewPeriod, !hasCharged {
        tellDevices(of: old.account, with: old.bundleID, .subscriptionChanged(id, old.groupID))
        if !isCopy, let due = SubscriptionReducer.nextDue(current, terms: state.terms) {
          perform(.wake(due, .subscription(id)))
        }
      }
    }
    if !isCopy { try mirror(event, of: id, at: now) }
  }

  /// Does what time has made due for a subscription.
  mutating func wakeSubscription(
    _ id: OriginalTransactionID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try subscription(id)
    guard record.sharedFrom == nil else { return }
    guard let due = SubscriptionReducer.nextDue(record, terms: state.terms), due <= now else {
      return
    }
    let catalog = try app(record.bundleID).catalog
    let event = SubscriptionReducer.dueEvent(
      record,
      at: now,
      paymentWorks: try account(record.account).paymentWorks && !catalog.settings.failsRenewals,
      isForSale: catalog[record.renewalProductID]?.isForSale == true
    )
    guard let event else { return }
    try act(on: id, event, at: now)
  }

  /// Switches the renewal of a customer's own subscription, as the settings do.
  mutating func setAutoRenew(
    _ isOn: Bool,
    of id: OriginalTransactionID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try subscription(id)
    guard record.isRunning else {
      throw SimulatorError(.notAllowed, "\(id) is over: it has to be bought again")
    }
    guard record.sharedFrom == nil else {
      throw SimulatorError(.notAllowed, "\(id) is shared: its purchaser decides")
    }
    try act(on: id, .autoRenewSet(isOn), at: now)
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
    for record in state.subscriptions where record.account == id && record.sharedFrom == nil {
      // A product that is gone is not charged for any more.
      let product = state.app(record.bundleID)?.catalog[record.renewalProductID]
      guard product?.isForSale == true else { continue }
      try act(on: record.originalTransactionID, .paymentRecovered, at: now)
    }
  }
}

extension SubscriptionAction {
  var isCharge: Bool { if case .charge = self { true } else { false } }
}
