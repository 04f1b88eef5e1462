import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit

extension Product {
  /// What StoreKit shows of a product of the catalog.
  init(
    _ product: CatalogProduct,
    locale: String,
    storefront: AppStoreSimulator.Storefront,
    host: any StoreHost
  ) {
    let texts = product.localization(for: locale)
    let priceLocale = Locale(identifier: "\(locale)@currency=\(storefront.currency)")
    self.init(
      id: product.id.rawValue,
      type: .init(rawValue: product.type.rawValue),
      displayName: texts?.displayName ?? "",
      description: texts?.description ?? "",
      price: product.price,
      currencyCode: storefront.currency,
      priceLocale: priceLocale,
      storefrontID: storefront.id.rawValue,
      isFamilyShareable: product.isFamilyShareable,
      subscription: product.subscription.map {
        SubscriptionInfo($0, currency: storefront.currency, priceLocale: priceLocale, host: host)
      },
      host: host
    )
  }
}

extension Product.SubscriptionInfo {
  fileprivate init(
    _ subscription: CatalogSubscription,
    currency: String,
    priceLocale: Locale,
    host: any StoreHost
  ) {
    func offer(
      _ offer: CatalogOffer,
      _ type: Product.SubscriptionOffer.OfferType
    )
      -> Product.SubscriptionOffer
    {
      Product.SubscriptionOffer(
        offer,
        type: type,
        displayPrice: Product.display(offer.price, currencyCode: currency, locale: priceLocale)
      )
    }
    self.init(
      introductoryOffer: subscription.introductoryOffer.map { offer($0, .introductory) },
      promotionalOffers: subscription.promotionalOffers.map { offer($0, .promotional) },
      winBackOffers: subscription.winBackOffers.map { offer($0, .winBack) },
      subscriptionGroupID: subscription.groupID.rawValue,
      subscriptionPeriod: .init(subscription.period),
      groupLevel: subscription.level,
      groupDisplayName: subscription.groupName ?? "",
      host: host
    )
  }
}

extension Product.SubscriptionOffer {
  fileprivate init(_ offer: CatalogOffer, type: OfferType, displayPrice: String) {
    let paymentMode: PaymentMode =
      switch offer.paymentMode {
      case .free: .freeTrial
      case .payAsYouGo: .payAsYouGo
      case .payUpFront: .payUpFront
      }
    self.init(
      id: offer.id?.rawValue,
      type: type,
      price: offer.price,
      displayPrice: displayPrice,
      period: .init(offer.period),
      periodCount: offer.periodCount,
      paymentMode: paymentMode
    )
  }
}

extension Product.SubscriptionPeriod {
  init(_ period: IAPModel.SubscriptionPeriod) {
    let unit: Unit =
      switch period.unit {
      case .day: .day
      case .week: .week
      case .month: .month
      case .year: .year
      }
    self.init(value: period.value, unit: unit)
  }
}

extension StoreKit.Storefront {
  init(_ storefront: AppStoreSimulator.Storefront) {
    self.init(
      countryCode: storefront.countryCode,
      id: storefront.id.rawValue,
      currencyCode: storefront.currency
    )
  }
}
