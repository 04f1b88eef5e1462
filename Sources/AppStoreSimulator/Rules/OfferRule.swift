import Foundation
import IAPModel

/// What an introductory offer changes about a period.
///
/// - **Source:** the lifecycle facts, section 5: once for each account and group.
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

  /// The first period of a purchase.
  static func firstPeriod(
    of product: CatalogProduct,
    _ subscription: CatalogSubscription,
    isEligible: Bool
  ) -> Conditions {
    guard isEligible, let offer = subscription.introductoryOffer else {
      return full(product, subscription)
    }
    return conditions(of: offer, count: offer.periodCount)
  }

  /// A renewal: the offer goes on while it has periods left and the product stays.
  static func renewal(
    of product: CatalogProduct,
    _ subscription: CatalogSubscription,
    after period: BillingPeriod
  ) -> Conditions {
    guard period.introductoryPeriodsLeft > 0, period.productID == product.id,
      let offer = subscription.introductoryOffer
    else { return full(product, subscription) }
    return conditions(of: offer, count: period.introductoryPeriodsLeft)
  }

  /// What the next renewal costs.
  static func renewalPrice(_ record: SubscriptionRecord, _ product: CatalogProduct) -> Int64 {
    guard let subscription = product.subscription else { return product.priceMilliunits }
    return renewal(of: product, subscription, after: record.period).priceMilliunits
  }

  private static func full(
    _ product: CatalogProduct,
    _ subscription: CatalogSubscription
  ) -> Conditions {
    Conditions(
      period: subscription.period,
      priceMilliunits: product.priceMilliunits,
      offer: nil,
      periodsLeft: 0
    )
  }

  private static func conditions(of offer: CatalogOffer, count: Int) -> Conditions {
    let isPeriodic = offer.paymentMode == .payAsYouGo
    return Conditions(
      period: isPeriodic ? offer.period : offer.wholePeriod,
      priceMilliunits: CatalogProduct.milliunits(offer.price),
      offer: AppliedOffer(
        type: .introductory,
        id: nil,
        discountType: offer.discountType,
        period: offer.wholePeriod
      ),
      periodsLeft: isPeriodic ? count - 1 : 0
    )
  }
}
