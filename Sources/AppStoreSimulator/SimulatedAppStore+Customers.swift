public import IAPModel

// What people do: buy, approve, cancel, ask for money back.
extension SimulatedAppStore {
  /// Buys, or asks a parent.
  ///
  /// - Parameter request: What and where.
  /// - Returns: What came of it; refusals are values.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  @discardableResult
  public func purchase(_ request: PurchaseRequest) throws(SimulatorError) -> PurchaseOutcome {
    let verdict = try offerVerdict(request)
    return try command { core, now throws(SimulatorError) in
      try core.purchase(request, verdict, at: now)
    }
  }

  /// A parent approves, or the customer settles an interruption: every device hears of the sale.
  ///
  /// - Parameter id: What waits.
  /// - Returns: What came of it.
  /// - Throws: ``SimulatorError`` with `unknownPending`, or `notAllowed` when it was answered.
  @discardableResult
  public func approve(_ id: PendingID) throws(SimulatorError) -> PurchaseOutcome {
    let outcome = try command { core, now throws(SimulatorError) in
      try core.answer(id, .approved, at: now)
    }
    guard let outcome else {
      throw SimulatorError(.notAllowed, "\(id) came to nothing")
    }
    return outcome
  }

  /// A parent declines.
  ///
  /// - Parameter id: What waits.
  /// - Throws: ``SimulatorError`` with `unknownPending`, or `notAllowed` when it was answered.
  public func decline(_ id: PendingID) throws(SimulatorError) {
    _ = try command { core, now throws(SimulatorError) in
      try core.answer(id, .declined, at: now)
    }
  }

  /// What waits or waited for an answer, oldest first.
  public var pendingPurchases: [PendingPurchase] { read { $0.state.pendings } }

  /// Switches a subscription's auto-renewal, as the customer does in the settings.
  ///
  /// - Parameters:
  ///   - isOn: Whether it renews.
  ///   - original: The subscription.
  /// - Throws: ``SimulatorError`` with `unknownSubscription`, or `notAllowed` when it is over or
  ///   shared by somebody else.
  public func setAutoRenew(
    _ isOn: Bool,
    of original: OriginalTransactionID
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.setAutoRenew(isOn, of: original, at: now)
    }
  }

  /// All subscriptions, in the order in which they began.
  public var subscriptions: [SubscriptionRecord] { read { $0.state.subscriptions } }

  /// All transactions of an account, oldest first; restored copies are not among them.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - app: The app; nil for the first one.
  /// - Returns: The records.
  public func transactions(
    of account: AccountID,
    app: BundleID? = nil
  ) -> [StoreTransactionRecord] {
    read { $0.state.held(by: account, in: app ?? configuration.bundleID) }
  }

  /// A transaction or restored copy by its identifier.
  public func transaction(_ id: TransactionID) -> StoreTransactionRecord? {
    read { $0.state.transaction(id) ?? $0.state.copy(id) }
  }
}
