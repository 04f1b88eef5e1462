import Foundation
import IAPModel

/// What an offer changes about a period.
///
/// - **Source:** the lifecycle facts, section 5.
enum OfferRule {
  /// The length and price of one period, and the offer that explains them.
  struct Conditions: Hashable, Sendable {
    /// How long it is.
    var period: SubscriptionPeriod
    /// What it costs, in thousandths of the currency's main unit.
    var priceMilliunits: Int64
    /// The offer.
    var offer: AppliedOffer?
    /// How many more periods the offer holds for.
    var periodsLeft: Int
  }

  /// The first period of a purchase: the offer that was asked for, else the introductory one.
  static func firstPeriod(
    of product: CatalogProduct,
    _ subscription: CatalogSubscription,
    offer: OfferReference? = nil,
    isEligible: Bool
  ) -> Conditions {
    if let offer, let found = subscription.offer(offer) {
      return conditions(of: found, offer, count: found.periodCount)
    }
    guard isEligible, let introductory = subscription.introductoryOffer else {
      return full(product.priceMilliunits, subscription)
    }
    return conditions(of: introductory, .introductory, count: introductory.periodCount)
  }

  /// A renewal: an offer that waits starts, one that runs goes on while it has periods left and
  /// the product stays.
  ///
  /// - Parameters:
  ///   - product: What is renewed.
  ///   - subscription: Its plan.
  ///   - record: The subscription so far.
  ///   - running: The offer of the newest period.
  /// - Returns: The length and price of the renewal.
  static func renewal(
    of product: CatalogProduct,
    _ subscription: CatalogSubscription,
    after record: SubscriptionRecord,
    running: OfferReference?
  ) -> Conditions {
    let isRunning =
      record.period.introductoryPeriodsLeft > 0 && record.period.productID == product.id
    let waiting = record.scheduledOffer
    if isRunning, waiting?.startsAfterRunning != false, let running,
      let offer = subscription.offer(running)
    {
      return conditions(of: offer, running, count: record.period.introductoryPeriodsLeft)
    }
    if let waiting, let offer = subscription.offer(waiting.offer) {
      return conditions(of: offer, waiting.offer, count: offer.periodCount)
    }
    return full(record.price(of: product), subscription)
  }

  private static func full(_ price: Int64, _ subscription: CatalogSubscription) -> Conditions {
    Conditions(period: subscription.period, priceMilliunits: price, offer: nil, periodsLeft: 0)
  }

  private static func conditions(
    of offer: CatalogOffer,
    _ reference: OfferReference,
    count: Int
  ) -> Conditions {
    let isPeriodic = offer.paymentMode == .payAsYouGo
    return Conditions(
      period: isPeriodic ? offer.period : offer.wholePeriod,
      priceMilliunits: CatalogProduct.milliunits(offer.price),
      offer: AppliedOffer(
        type: reference.type,
        id: reference.id,
        discountType: offer.discountType,
        period: offer.wholePeriod
      ),
      periodsLeft: isPeriodic ? count - 1 : 0
    )
  }
}

extension SubscriptionRecord {
  /// What a renewal costs without an offer: who subscribed earlier may pay an earlier price.
  func price(of product: CatalogProduct) -> Int64 {
    guard product.id == period.productID else { return product.priceMilliunits }
    if let priceIncrease { return priceIncrease.priceMilliunits }
    return keptPriceMilliunits ?? product.priceMilliunits
  }
}
