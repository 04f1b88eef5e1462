public import Foundation
public import IAPModel

/// A product as the App Store describes it to this customer, the same for both StoreKit
/// generations.
///
/// A value that the generation in use does not offer is absent, never invented.
///
/// - **Units:** ``price`` is in the main unit of ``currency``; text is in the store's language and
///   format, never the device's.
public struct IAPProduct: Hashable, Sendable, Identifiable {
  /// The product's id, as it is set up in App Store Connect.
  public let id: String
  /// The product's type.
  ///
  /// StoreKit 1 tells only auto-renewable subscriptions apart; for the others it is nil.
  public let type: ProductType?
  /// The localised name.
  public let displayName: String
  /// The localised description.
  public let description: String
  /// The price in the main unit of ``currency``.
  public let price: Decimal
  /// The ISO 4217 code of the price's currency.
  public let currency: String?
  /// The price as the store writes it.
  public let displayPrice: String
  /// The locale in which the store writes prices; never the device's.
  public let priceLocale: Locale?
  /// Whether a purchase can be shared with the family.
  public let isFamilyShareable: Bool
  /// The group of an auto-renewable subscription.
  public let subscriptionGroupID: String?
  /// The length of one period of an auto-renewable subscription.
  public let subscriptionPeriod: IAPModel.SubscriptionPeriod?
  /// The place in the subscription group; 1 is the highest level of service.
  public let subscriptionGroupLevel: Int?
  /// The introductory offer, whether or not this customer may still use it.
  public let introductoryOffer: IAPOffer?
  /// Promotional offers; each needs a signature from the app's server.
  public let promotionalOffers: [IAPOffer]
  /// Offers for lapsed subscribers; StoreKit 2 on iOS 18 and later.
  public let winBackOffers: [IAPOffer]

  /// Makes a product with what every product has; what is left out is absent.
  ///
  /// - Parameters:
  ///   - id: The product's id.
  ///   - type: The type, when it is known.
  ///   - displayName: The localised name.
  ///   - description: The localised description.
  ///   - price: The price in the currency's main unit.
  ///   - currency: The ISO 4217 code, when it is known.
  ///   - displayPrice: The price as the store writes it.
  ///   - priceLocale: The locale in which the store writes prices, when it is known.
  ///   - isFamilyShareable: Whether a purchase can be shared.
  ///   - subscription: What a subscription has beside that.
  public init(
    id: String,
    type: ProductType?,
    displayName: String,
    description: String,
    price: Decimal,
    currency: String?,
    displayPrice: String,
    priceLocale: Locale? = nil,
    isFamilyShareable: Bool = false,
    subscription: Subscription? = nil
  ) {
    self.id = id
    self.type = type
    self.displayName = displayName
    self.description = description
    self.price = price
    self.currency = currency
    self.displayPrice = displayPrice
    self.priceLocale = priceLocale
    self.isFamilyShareable = isFamilyShareable
    subscriptionGroupID = subscription?.groupID
    subscriptionPeriod = subscription?.period
    subscriptionGroupLevel = subscription?.groupLevel
    introductoryOffer = subscription?.introductoryOffer
    promotionalOffers = subscription?.promotionalOffers ?? []
    winBackOffers = subscription?.winBackOffers ?? []
  }

  /// What only an auto-renewable subscription has.
  public struct Subscription: Hashable, Sendable {
    /// The group.
    public var groupID: String?
    /// The length of one period.
    public var period: IAPModel.SubscriptionPeriod?
    /// The place in the group; 1 is the highest.
    public var groupLevel: Int?
    /// The introductory offer.
    public var introductoryOffer: IAPOffer?
    /// Promotional offers.
    public var promotionalOffers: [IAPOffer]
    /// Win-back offers.
    public var winBackOffers: [IAPOffer]

    /// Makes the values; what is left out is absent.
    public init(
      groupID: String?,
      period: IAPModel.SubscriptionPeriod?,
      groupLevel: Int? = nil,
      introductoryOffer: IAPOffer? = nil,
      promotionalOffers: [IAPOffer] = [],
      winBackOffers: [IAPOffer] = []
    ) {
      self.groupID = groupID
      self.period = period
      self.groupLevel = groupLevel
      self.introductoryOffer = introductoryOffer
      self.promotionalOffers = promotionalOffers
      self.winBackOffers = winBackOffers
    }
  }
}

/// An offer of a subscription: cheaper, or free, for a time.
public struct IAPOffer: Hashable, Sendable {
  /// The offer's id; an introductory offer has none.
  public let id: String?
  /// The kind of offer.
  public let type: OfferType?
  /// How it is paid.
  public let paymentMode: OfferDiscountType?
  /// The price of one period of the offer, in the product's currency.
  public let price: Decimal
  /// That price as the store writes it.
  public let displayPrice: String
  /// The length of one period of the offer.
  public let period: IAPModel.SubscriptionPeriod?
  /// How many periods it lasts.
  public let periodCount: Int

  /// Makes an offer.
  public init(
    id: String?,
    type: OfferType?,
    paymentMode: OfferDiscountType?,
    price: Decimal,
    displayPrice: String,
    period: IAPModel.SubscriptionPeriod?,
    periodCount: Int
  ) {
    self.id = id
    self.type = type
    self.paymentMode = paymentMode
    self.price = price
    self.displayPrice = displayPrice
    self.period = period
    self.periodCount = periodCount
  }
}
