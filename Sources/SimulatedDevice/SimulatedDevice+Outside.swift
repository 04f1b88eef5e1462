public import AppStoreSimulator

// What the person does on the device outside of the app.
extension SimulatedDevice {
  /// The sheets and messages of the system that the person saw, the oldest first; open sheets are
  /// not among them yet.
  public var visits: [SheetVisit] { log.visits }

  /// The person redeems an offer code in the App Store.
  ///
  /// The app hears of it at once when it is running, and otherwise at its next launch.
  ///
  /// - Parameter code: The code.
  /// - Returns: What came of it.
  /// - Throws: `SimulatorError` with `unreachable`, or `notAllowed` for a code that nobody knows or
  ///   that is not meant for this account.
  @discardableResult
  public func redeem(_ code: OfferCode) throws(SimulatorError) -> PurchaseOutcome {
    let outcome = try line.redeem(code)
    livingHost?.hearOutside(outcome, .purchasedElsewhere)
    return outcome
  }

  /// The person changes a subscription in the settings.
  ///
  /// The app hears of a purchase at once when it is running, and otherwise at its next launch.
  ///
  /// - Parameter wish: What the person wants.
  /// - Returns: What came of a change; nil for the renewal.
  /// - Throws: `SimulatorError` with `unreachable`, `unknownSubscription`, `unknownProduct`, or
  ///   `notAllowed` when it is so already, the subscription is over, or the store refuses.
  @discardableResult
  public func manageSubscription(
    _ wish: SubscriptionWish
  ) throws(SimulatorError) -> PurchaseOutcome? {
    let outcome = try line.fulfil(wish)
    livingHost?.hearOutside(outcome, .purchasedElsewhere)
    return outcome
  }
}
