import Foundation
import IAPModel
import StoreKit

extension IAPProduct {
  /// Flattens a StoreKit 1 product.
  ///
  /// StoreKit 1 does not tell types apart, except that only an auto-renewable subscription has both
  /// a group and a period; the app's configuration may say the rest.
  init(_ product: SKProduct, configuredType: ProductType?) {
    let period = product.subscriptionPeriod.flatMap(IAPModel.SubscriptionPeriod.init)
    let group = product.subscriptionGroupIdentifier
    self.init(
      id: product.productIdentifier,
      type: configuredType ?? (product.isAutoRenewable ? .autoRenewable : nil),
      displayName: product.localizedTitle,
      description: product.localizedDescription,
      price: product.price.decimalValue,
      currency: product.priceLocale.currencyCode,
      displayPrice: SK1Price.text(product.price, product.priceLocale),
      priceLocale: product.priceLocale,
      isFamilyShareable: product.isFamilyShareable,
      subscription: group == nil && period == nil
        ? nil
        : Subscription(
          groupID: group,
          period: period,
          introductoryOffer: product.introductoryPrice.map(IAPOffer.init),
          promotionalOffers: product.discounts.filter { $0.type == .subscription }
            .map(IAPOffer.init)
        )
    )
  }
}

extension SKProduct {
  /// Whether it is an auto-renewable subscription: only those have both a group and a period.
  var isAutoRenewable: Bool { subscriptionGroupIdentifier != nil && subscriptionPeriod != nil }
}

extension IAPOffer {
  /// Flattens a StoreKit 1 discount.
  init(_ discount: SKProductDiscount) {
    self.init(
      id: discount.identifier,
      type: OfferType(discount.type),
      paymentMode: OfferDiscountType(discount.paymentMode),
      price: discount.price.decimalValue,
      displayPrice: SK1Price.text(discount.price, discount.priceLocale),
      period: IAPModel.SubscriptionPeriod(discount.subscriptionPeriod),
      periodCount: discount.numberOfPeriods
    )
  }
}

/// Writes prices the way the store's own locale does.
enum SK1Price {
  /// The price as text, in the locale that came with it.
  static func text(_ price: NSDecimalNumber, _ locale: Locale) -> String {
    PriceFormat(locale: locale, currency: locale.currencyCode).text(price.decimalValue)
      ?? price.stringValue
  }
}

extension IAPModel.SubscriptionPeriod {
  /// Maps StoreKit's period; nil for a unit that is not known here.
  init?(_ period: SKProductSubscriptionPeriod) {
    guard period.numberOfUnits >= 1 else { return nil }
    switch period.unit {
    case .day: self.init(period.numberOfUnits, .day)
    case .week: self.init(period.numberOfUnits, .week)
    case .month: self.init(period.numberOfUnits, .month)
    case .year: self.init(period.numberOfUnits, .year)
    @unknown default: return nil
    }
  }
}

extension OfferType {
  /// Maps StoreKit's kind of discount; nil for one that is not known here.
  init?(_ type: SKProductDiscount.`Type`) {
    switch type {
    case .introductory: self = .introductory
    case .subscription: self = .promotional
    @unknown default: return nil
    }
  }
}

extension OfferDiscountType {
  /// Maps StoreKit's way of paying for a discount; nil for one that is not known here.
  init?(_ mode: SKProductDiscount.PaymentMode) {
    switch mode {
    case .payAsYouGo: self = .payAsYouGo
    case .payUpFront: self = .payUpFront
    case .freeTrial: self = .freeTrial
    @unknown default: return nil
    }
  }
}
