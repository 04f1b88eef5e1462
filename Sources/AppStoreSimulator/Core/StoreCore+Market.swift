import Foundation
import IAPModel

// What the developer changes in App Store Connect, and what tests force.
extension StoreCore {
  /// Changes a product's price for new customers at once, and for subscribers as the choice says.
  mutating func setPrice(
    _ price: Int64,
    of id: ProductID,
    in bundleID: BundleID,
    _ choice: PriceChoice,
    at now: Date
  ) throws(SimulatorError) {
    let product = try product(id, in: bundleID)
    guard price >= 0 else { throw SimulatorError(.notAllowed, "a price is not negative") }
    try requirePrice(price)
    let old = product.priceMilliunits
    guard price != old || choice != .keep else { return }
    append(.priceChanged(bundleID, id, price), at: now)
    guard let plan = product.subscription else { return }
    for record in state.subscriptions {
      guard record.bundleID == bundleID, record.sharedFrom == nil, record.isRunning,
        record.period.productID == id, record.renewalProductID == id
      else { continue }
      let paid = record.keptPriceMilliunits ?? old
      let original = record.originalTransactionID
      if price <= paid {
        // A lower price holds from the next renewal on, without a word.
        if record.keptPriceMilliunits != nil || record.priceIncrease != nil {
          try act(on: original, .priceKept(nil), at: now)
        }
        continue
      }
      guard choice != .keep else {
        try act(on: original, .priceKept(paid), at: now)
        continue
      }
      let needsConsent =
        choice == .raiseWithConsent
        || choice == .raise
          && PriceIncreaseRule.needsConsent(
            from: paid,
            to: price,
            period: plan.period,
            hadIncreaseWithinYear: record.priceIncreaseDate.map {
              now.timeIntervalSince($0) < 365 * 24 * 3600
            } ?? false
          )
      try act(
        on: original,
        .priceRaised(from: paid, to: price, needsConsent: needsConsent),
        at: now
      )
    }
  }

  /// Tells one subscriber of a higher price, as a test asks for it.
  mutating func raisePrice(
    to price: Int64,
    of original: OriginalTransactionID,
    needsConsent: Bool,
    at now: Date
  ) throws(SimulatorError) {
    let record = try subscription(original)
    guard record.isRunning, record.sharedFrom == nil else {
      throw SimulatorError(.notAllowed, "\(original) is not a running subscription of its own")
    }
    let product = try product(record.period.productID, in: record.bundleID)
    let paid = record.keptPriceMilliunits ?? product.priceMilliunits
    guard price > paid else {
      throw SimulatorError(.notAllowed, "\(price) is not more than \(paid)")
    }
    try requirePrice(price)
    try act(
      on: original,
      .priceRaised(from: paid, to: price, needsConsent: needsConsent),
      at: now
    )
  }

  /// A customer agrees to a higher price, or does not.
  mutating func answerPrice(
    _ agrees: Bool,
    of original: OriginalTransactionID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try subscription(original)
    guard record.isRunning, record.priceIncrease?.isAgreed == false else {
      throw SimulatorError(.notAllowed, "no higher price of \(original) waits for an answer")
    }
    try act(on: original, .priceAnswered(agrees), at: now)
  }

  mutating func setForSale(
    _ isForSale: Bool,
    _ id: ProductID,
    in bundleID: BundleID,
    at now: Date
  ) throws(SimulatorError) {
    guard try product(id, in: bundleID).isForSale != isForSale else { return }
    append(.availabilityChanged(bundleID, id, isForSale: isForSale), at: now)
  }

  mutating func setGrace(_ settings: GraceSettings?, at now: Date) throws(SimulatorError) {
    guard settings.map({ $0.length > 0 }) ?? true else {
      throw SimulatorError(.notAllowed, "a grace period has a length")
    }
    guard settings.map({ $0.length <= GraceSettings.lengthMax }) ?? true else {
      throw SimulatorError(.notAllowed, "a grace period lasts a year at most")
    }
    guard settings != state.grace else { return }
    append(.graceChanged(settings), at: now)
  }

  /// Renews at once, as a test asks for it: the present period ends now.
  mutating func forceRenewal(
    of original: OriginalTransactionID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try subscription(original)
    guard record.phase == .active, record.sharedFrom == nil else {
      throw SimulatorError(.notAllowed, "\(original) is not active")
    }
    guard record.period.start <= now else {
      throw SimulatorError(.notAllowed, "\(original) was charged for the next period already")
    }
    guard state.app(record.bundleID)?.catalog[record.renewalProductID]?.isForSale == true else {
      throw SimulatorError(.notAllowed, "\(record.renewalProductID) is not sold any more")
    }
    cut(record, at: now)
    try act(on: original, .autoRenewSet(true), at: now)
    if record.priceIncrease != nil { try act(on: original, .priceKept(nil), at: now) }
    let current = try subscription(original)
    try renew(current, to: current.renewalProductID, from: now, .renewed, at: now)
  }

  /// Ends a subscription at once, as a test asks for it.
  mutating func expire(
    _ original: OriginalTransactionID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try subscription(original)
    guard record.isRunning, record.sharedFrom == nil else {
      throw SimulatorError(.notAllowed, "\(original) is not running")
    }
    guard record.period.start <= now else {
      throw SimulatorError(.notAllowed, "\(original) was charged for the next period already")
    }
    cut(record, at: now)
    try act(on: original, .expiredNow, at: now)
  }

  /// Lets the present period and its copies end now.
  private mutating func cut(_ record: SubscriptionRecord, at now: Date) {
    let copies = state.shared(from: record.originalTransactionID).filter(\.isRunning)
    for running in [record] + copies where running.period.end > now {
      append(.periodCut(running.originalTransactionID, now), at: now)
    }
  }

  private func requirePrice(_ price: Int64) throws(SimulatorError) {
    guard price <= CatalogProduct.priceMilliunitsMax else {
      throw SimulatorError(
        .notAllowed,
        "\(price) is more than a price can be: \(CatalogProduct.priceMilliunitsMax) thousandths"
      )
    }
  }

  private func product(
    _ id: ProductID,
    in bundleID: BundleID
  ) throws(SimulatorError) -> CatalogProduct {
    guard let product = try app(bundleID).catalog[id] else {
      throw SimulatorError(.unknownProduct, "\(bundleID) has no \"\(id)\"")
    }
    return product
  }
}

/// What a new price means for those who are subscribed.
public enum PriceChoice: String, Hashable, Sendable, CaseIterable {
  /// They keep theirs.
  case keep
  /// They pay it too; whether they have to agree is decided by Apple's rule.
  case raise
  /// They pay it too if they agree.
  case raiseWithConsent
  /// They pay it too and are told.
  case raiseWithoutConsent
}
