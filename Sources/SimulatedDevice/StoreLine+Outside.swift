import AppStoreSimulator
import IAPModel

// What the person does without the app's own purchase calls.
extension StoreLine {
  func requireReach() throws(SimulatorError) {
    guard let failure = failureOfReach else { return }
    throw SimulatorError(.unreachable, "\(device): \(failure.rawValue)")
  }

  /// The account's purchase that a transaction is, or that a restored copy stands for.
  func purchase(behind id: TransactionID) -> StoreTransactionRecord? {
    guard let record = store.transaction(id), record.account == account, record.bundleID == app
    else { return nil }
    return record.restoredFrom.flatMap { store.transaction($0) } ?? record
  }

  /// Redeems an offer code.
  ///
  /// - Throws: `SimulatorError` with `unreachable`, or `notAllowed` for a code that nobody knows or
  ///   that is not meant for this account.
  func redeem(_ code: OfferCode) throws(SimulatorError) -> PurchaseOutcome {
    try requireReach()
    guard let product = store.product(of: code, app: app) else {
      throw SimulatorError(.notAllowed, "no product has an offer with the code \"\(code)\"")
    }
    return try buyOutside(product, .code(code))
  }

  /// Does what the person wants with a subscription; `group` limits it to what a sheet shows.
  ///
  /// - Throws: `SimulatorError` with `unreachable`, `unknownSubscription`, `unknownProduct` or
  ///   `notAllowed`.
  func fulfil(
    _ wish: SubscriptionWish,
    in shown: SubscriptionGroupID? = nil
  ) throws(SimulatorError) -> PurchaseOutcome? {
    try requireReach()
    let group = try group(of: wish)
    guard shown == nil || shown == group else {
      throw SimulatorError(.notAllowed, "the sheet shows the group \"\(shown ?? "")\" only")
    }
    let own = subscriptions(in: group).map(\.subscription).last { $0.sharedFrom == nil }
    guard let own else {
      throw SimulatorError(.unknownSubscription, "there is no subscription in \"\(group)\"")
    }
    switch wish {
    case .cancel, .resume:
      let isOn = if case .resume = wish { true } else { false }
      guard own.isRunning else {
        throw SimulatorError(.notAllowed, "the subscription in \"\(group)\" is over")
      }
      guard own.willAutoRenew != isOn else {
        throw SimulatorError(
          .notAllowed,
          "the renewal in \"\(group)\" is \(isOn ? "on" : "off") already"
        )
      }
      try store.setAutoRenew(isOn, of: own.originalTransactionID)
      return nil
    case .change(let product): return try buyOutside(product, nil)
    }
  }

  private func group(of wish: SubscriptionWish) throws(SimulatorError) -> SubscriptionGroupID {
    switch wish {
    case .cancel(let group), .resume(let group): return group
    case .change(let product):
      guard let group = catalog?[product]?.subscription?.groupID else {
        throw SimulatorError(.unknownProduct, "there is no subscription \"\(product)\"")
      }
      return group
    }
  }

  /// Buys where no app asks for it.
  ///
  /// - Throws: `SimulatorError` with `notAllowed` and the store's reason when it refuses.
  func buyOutside(
    _ product: ProductID,
    _ offer: OfferUse?
  ) throws(SimulatorError) -> PurchaseOutcome {
    let request = PurchaseRequest(device: device, productID: product, offerUse: offer)
    let outcome = try store.purchase(request)
    guard case .failed(let failure) = outcome else { return outcome }
    throw SimulatorError(.notAllowed, "the store does not sell \"\(product)\": \(failure.rawValue)")
  }
}
