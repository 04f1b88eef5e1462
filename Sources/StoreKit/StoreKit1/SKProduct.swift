public import Foundation

public final class SKProduct: NSObject, Sendable {
  private let product: Product

  package init(_ product: Product) {
    self.product = product
    super.init()
  }

  public var productIdentifier: String { product.id }
  public var localizedTitle: String { product.displayName }
  public var localizedDescription: String { product.description }
  public var price: NSDecimalNumber { NSDecimalNumber(decimal: product.price) }
  public var priceLocale: Locale { product.priceLocale }
  public var isFamilyShareable: Bool { product.isFamilyShareable }

  // The App Store hosts no content for products any more, so there is nothing to download.
  public var isDownloadable: Bool { false }
  public var downloadContentLengths: [NSNumber] { [] }
  public var downloadContentVersion: String { "" }
  public var contentVersion: String { "" }
  // The older names of macOS.
  public var downloadable: Bool { isDownloadable }
  public var contentLengths: [NSNumber] { downloadContentLengths }

  public var subscriptionGroupIdentifier: String? { product.subscription?.subscriptionGroupID }

  public var subscriptionPeriod: SKProductSubscriptionPeriod? {
    (product.subscription?.subscriptionPeriod).map(SKProductSubscriptionPeriod.init)
  }

  public var introductoryPrice: SKProductDiscount? {
    product.subscription?.introductoryOffer.map {
      SKProductDiscount($0, priceLocale: product.priceLocale)
    }
  }

  public var discounts: [SKProductDiscount] {
    (product.subscription?.promotionalOffers ?? []).map {
      SKProductDiscount($0, priceLocale: product.priceLocale)
    }
  }

  public enum PeriodUnit: UInt, BitwiseCopyable, Sendable {
    case day = 0
    case week = 1
    case month = 2
    case year = 3
  }
}

public final class SKProductSubscriptionPeriod: NSObject, Sendable {
  private let period: Product.SubscriptionPeriod

  init(_ period: Product.SubscriptionPeriod) {
    self.period = period
    super.init()
  }

  public var numberOfUnits: Int { period.value }

  public var unit: SKProduct.PeriodUnit {
    switch period.unit {
    case .day: .day
    case .week: .week
    case .month: .month
    case .year: .year
    }
  }
}

public final class SKProductDiscount: NSObject, Sendable {
  private let offer: Product.SubscriptionOffer
  public let priceLocale: Locale

  init(_ offer: Product.SubscriptionOffer, priceLocale: Locale) {
    self.offer = offer
    self.priceLocale = priceLocale
    super.init()
  }

  public var identifier: String? { offer.id }
  public var price: NSDecimalNumber { NSDecimalNumber(decimal: offer.price) }
  public var numberOfPeriods: Int { offer.periodCount }

  public var subscriptionPeriod: SKProductSubscriptionPeriod {
    SKProductSubscriptionPeriod(offer.period)
  }

  public var paymentMode: SKProductDiscount.PaymentMode {
    switch offer.paymentMode {
    case .freeTrial: .freeTrial
    case .payUpFront: .payUpFront
    default: .payAsYouGo
    }
  }

  public var type: SKProductDiscount.`Type` {
    offer.type == .introductory ? .introductory : .subscription
  }

  public enum PaymentMode: UInt, BitwiseCopyable, Sendable {
    case payAsYouGo = 0
    case payUpFront = 1
    case freeTrial = 2
  }

  public enum `Type`: UInt, BitwiseCopyable, Sendable {
    case introductory = 0
    case subscription = 1
  }
}

public final class SKStorefront: NSObject, Sendable {
  private let storefront: Storefront

  package init(_ storefront: Storefront) {
    self.storefront = storefront
    super.init()
  }

  public var countryCode: String { storefront.countryCode }
  public var identifier: String { storefront.id }
}
