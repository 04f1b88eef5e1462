public import IAPModel

// What the developer changes in App Store Connect, and what tests force.
extension SimulatedAppStore {
  /// Changes a product's price: for new customers at once, for subscribers as the choice says.
  ///
  /// - Parameters:
  ///   - milliunits: The price in thousandths of the main unit.
  ///   - product: The product.
  ///   - choice: What it means for those who are subscribed.
  ///   - app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp`, `unknownProduct`, or `notAllowed` for a
  ///   negative price.
  public func setPrice(
    _ milliunits: Int64,
    of product: ProductID,
    existing choice: PriceChoice = .keep,
    app: BundleID? = nil
  ) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    try command { core, now throws(SimulatorError) in
      try core.setPrice(milliunits, of: product, in: bundleID, choice, at: now)
    }
  }

  /// Tells one subscriber of a higher price.
  ///
  /// - Parameters:
  ///   - milliunits: The new price in thousandths.
  ///   - original: The subscription.
  ///   - needsConsent: Whether the customer has to agree.
  /// - Throws: ``SimulatorError`` with `unknownSubscription`, or `notAllowed` when it is not
  ///   running or the price is not higher.
  public func raisePrice(
    to milliunits: Int64,
    of original: OriginalTransactionID,
    needsConsent: Bool
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.raisePrice(to: milliunits, of: original, needsConsent: needsConsent, at: now)
    }
  }

  /// A customer agrees to a higher price, or does not, which switches auto-renewal off.
  ///
  /// - Parameters:
  ///   - agrees: Whether.
  ///   - original: The subscription.
  /// - Throws: ``SimulatorError`` with `unknownSubscription`, or `notAllowed` when nothing waits.
  public func answerPriceIncrease(
    _ agrees: Bool,
    of original: OriginalTransactionID
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.answerPrice(agrees, of: original, at: now)
    }
  }

  /// Removes a product from sale, or sells it again; subscriptions to it end at their renewal.
  ///
  /// - Parameters:
  ///   - isForSale: Whether.
  ///   - product: The product.
  ///   - app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp` or `unknownProduct`.
  public func setForSale(
    _ isForSale: Bool,
    _ product: ProductID,
    app: BundleID? = nil
  ) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    try command { core, now throws(SimulatorError) in
      try core.setForSale(isForSale, product, in: bundleID, at: now)
    }
  }

  /// Sets up the grace period; charges that failed before keep what they had.
  ///
  /// - Parameter settings: The grace period; nil for none.
  /// - Throws: ``SimulatorError`` with `notAllowed` when it has no length.
  public func setGracePeriod(_ settings: GraceSettings?) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in try core.setGrace(settings, at: now) }
  }

  /// Renews at once: the present period ends now, auto-renewal is on, a higher price is forgotten.
  ///
  /// - Parameter original: The subscription.
  /// - Throws: ``SimulatorError`` with `unknownSubscription`, or `notAllowed` when it is not
  ///   active, its next period was charged already, or its product is not sold any more.
  public func forceRenewal(of original: OriginalTransactionID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.forceRenewal(of: original, at: now)
    }
  }

  /// Ends a subscription at once, with auto-renewal off.
  ///
  /// - Parameter original: The subscription.
  /// - Throws: ``SimulatorError`` with `unknownSubscription`, or `notAllowed` when it is not
  ///   running or its next period was charged already.
  public func expire(_ original: OriginalTransactionID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in try core.expire(original, at: now) }
  }
}
