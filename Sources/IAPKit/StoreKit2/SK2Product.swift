import Foundation
import IAPModel
import StoreKit

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension IAPProduct {
  /// Flattens a StoreKit 2 product.
  init(_ product: Product) {
    self.init(
      id: product.id,
      type: ProductType(product.type),
      displayName: product.displayName,
      description: product.description,
      price: product.price,
      currency: product.priceFormatStyle.currencyCode,
      displayPrice: product.displayPrice,
      priceLocale: product.priceFormatStyle.locale,
      isFamilyShareable: product.isFamilyShareable,
      subscription: product.subscription.map(Subscription.init)
    )
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension IAPProduct.Subscription {
  /// Flattens what StoreKit 2 says about a subscription.
  init(_ info: Product.SubscriptionInfo) {
    self.init(
      groupID: info.subscriptionGroupID,
      period: IAPModel.SubscriptionPeriod(info.subscriptionPeriod),
      introductoryOffer: info.introductoryOffer.map(IAPOffer.init),
      promotionalOffers: info.promotionalOffers.map(IAPOffer.init)
    )
    if #available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *) {
      groupLevel = info.groupLevel
    }
    if #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
      winBackOffers = info.winBackOffers.map(IAPOffer.init)
    }
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension IAPOffer {
  /// Flattens a StoreKit 2 offer.
  init(_ offer: Product.SubscriptionOffer) {
    self.init(
      id: offer.id,
      type: OfferType(offer.type),
      paymentMode: OfferDiscountType(offer.paymentMode),
      price: offer.price,
      displayPrice: offer.displayPrice,
      period: IAPModel.SubscriptionPeriod(offer.period),
      periodCount: offer.periodCount
    )
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension ProductType {
  /// Maps StoreKit's type; one that is not known here keeps StoreKit's spelling.
  init(_ type: Product.ProductType) {
    switch type {
    case .consumable: self = .consumable
    case .nonConsumable: self = .nonConsumable
    case .nonRenewable: self = .nonRenewable
    case .autoRenewable: self = .autoRenewable
    default: self.init(rawValue: type.rawValue)
    }
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension IAPModel.SubscriptionPeriod {
  /// Maps StoreKit's period; nil for a unit that is not known here.
  init?(_ period: Product.SubscriptionPeriod) {
    guard period.value >= 1 else { return nil }
    switch period.unit {
    case .day: self.init(period.value, .day)
    case .week: self.init(period.value, .week)
    case .month: self.init(period.value, .month)
    case .year: self.init(period.value, .year)
    @unknown default: return nil
    }
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension OfferType {
  /// Maps StoreKit's kind of offer; nil for one that is not known here.
  init?(_ type: Product.SubscriptionOffer.OfferType) {
    if #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *),
      type == .winBack
    {
      self = .winBack
      return
    }
    switch type {
    case .introductory: self = .introductory
    case .promotional: self = .promotional
    default: return nil
    }
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension OfferDiscountType {
  /// Maps StoreKit's way of paying for an offer; nil for one that is not known here.
  init?(_ mode: Product.SubscriptionOffer.PaymentMode) {
    switch mode {
    case .freeTrial: self = .freeTrial
    case .payAsYouGo: self = .payAsYouGo
    case .payUpFront: self = .payUpFront
    default: return nil
    }
  }
}
