public import IAPModel

// Codes for offers that the developer gives out.
extension SimulatedAppStore {
  /// Makes one word that many customers redeem, each of them once.
  ///
  /// - Parameters:
  ///   - code: The word.
  ///   - terms: What it is for.
  ///   - redemptionCountMax: How many customers may redeem it; nil for any number.
  ///   - app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp`, `unknownProduct`, `duplicate`, or
  ///   `notAllowed` for terms that make no sense.
  public func addOfferCode(
    _ code: OfferCode,
    _ terms: OfferCodeTerms,
    redemptionCountMax: Int? = nil,
    app: BundleID? = nil
  ) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    try command { core, now throws(SimulatorError) in
      try core.addCode(
        code,
        terms,
        redemptionCountMax: redemptionCountMax,
        in: bundleID,
        at: now
      )
    }
  }

  /// Makes codes that work once each.
  ///
  /// - Parameters:
  ///   - count: How many, from 1 to 1,000.
  ///   - terms: What they are for.
  ///   - app: The app; nil for the first one.
  /// - Returns: The codes.
  /// - Throws: ``SimulatorError`` with `unknownApp`, `unknownProduct`, or `notAllowed` for terms
  ///   that make no sense.
  public func makeOneTimeCodes(
    _ count: Int,
    _ terms: OfferCodeTerms,
    app: BundleID? = nil
  ) throws(SimulatorError) -> [OfferCode] {
    let bundleID = app ?? configuration.bundleID
    return try command { core, now throws(SimulatorError) in
      try core.makeCodes(count, terms, in: bundleID, at: now).map(\.code)
    }
  }

  /// All codes that were given out, with who redeemed them, oldest first.
  public var offerCodes: [OfferCodeRecord] { read { $0.state.codes } }

  /// What a code is for: one that was given out, or the reference name of an offer in the catalog.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - app: The app; nil for the first one.
  /// - Returns: The product; nil when there is no such code.
  public func product(of code: OfferCode, app: BundleID? = nil) -> ProductID? {
    read { core in
      let bundleID = app ?? configuration.bundleID
      if let known = core.state.code(code, in: bundleID) { return known.productID }
      return core.state.app(bundleID)?.catalog.products.first { product in
        product.subscription?.codeOffers.contains { $0.referenceName == code.rawValue } == true
      }?.id
    }
  }
}
