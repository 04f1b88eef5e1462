public import Foundation
public import IAPModel

/// A product as a `.storekit` file describes it.
public struct CatalogProduct: Hashable, Sendable {
  /// The product.
  public let id: ProductID
  /// The kind.
  public let type: ProductType
  /// The name for the developer; absent in some files.
  public let referenceName: String?
  /// The price of one, in the main unit of the storefront's currency.
  public internal(set) var price: Decimal
  /// Names and descriptions in the order of the file.
  public let localizations: [CatalogLocalization]
  /// Whether family members share it.
  public let isFamilyShareable: Bool
  /// What only an auto-renewable subscription has.
  public let subscription: CatalogSubscription?
  /// Whether it is sold; a product that was removed from sale is not.
  public internal(set) var isForSale = true

  /// The price of one in thousandths of the currency's main unit.
  public var priceMilliunits: Int64 { CatalogProduct.milliunits(price) }

  /// The texts for a language: the exact locale, else the same language, else the first.
  ///
  /// - Parameter locale: An identifier such as `en_US` or `zh-Hans`.
  /// - Returns: The texts; nil when the file has none at all.
  public func localization(for locale: String) -> CatalogLocalization? {
    let wanted = locale.replacing("-", with: "_")
    let language = wanted.split(separator: "_").first.map(String.init) ?? wanted
    return localizations.first { $0.locale == wanted }
      ?? localizations.first { $0.locale.split(separator: "_").first.map(String.init) == language }
      ?? localizations.first
  }

  /// The highest price, in thousandths of the currency's main unit: a billion of it.
  ///
  /// Far above what Apple allows anywhere, and far below where a computer's numbers end.
  public static let priceMilliunitsMax: Int64 = 1_000_000_000_000

  /// An amount in thousandths, rounded to the nearest one.
  static func milliunits(_ amount: Decimal) -> Int64 {
    var (scaled, rounded) = (amount * 1000, Decimal())
    NSDecimalRound(&rounded, &scaled, 0, .plain)
    return NSDecimalNumber(decimal: rounded).int64Value
  }
}

/// The name and description of a product in one language.
public struct CatalogLocalization: Hashable, Sendable {
  /// The locale with an underscore, for example `en_US`.
  public let locale: String
  /// The name; may be empty.
  public let displayName: String
  /// The description; may be empty.
  public let description: String
}

/// What only an auto-renewable subscription has.
public struct CatalogSubscription: Hashable, Sendable {
  /// The group.
  public let groupID: SubscriptionGroupID
  /// The group's name; absent in some files.
  public let groupName: String?
  /// The level of service: 1 is the highest.
  public let level: Int
  /// How long one period is.
  public let period: SubscriptionPeriod
  /// The offer for those who never had one in the group.
  public let introductoryOffer: CatalogOffer?
  /// Offers that the app signs for.
  public let promotionalOffers: [CatalogOffer]
  /// Offers behind codes.
  public let codeOffers: [CatalogOffer]
  /// Offers for lapsed subscribers.
  public let winBackOffers: [CatalogOffer]

  /// The offer that a reference means.
  ///
  /// - Parameter reference: The kind and the identifier; for codes the reference name.
  /// - Returns: The offer; nil when there is none any more.
  public func offer(_ reference: OfferReference) -> CatalogOffer? {
    switch reference.type {
    case .introductory: introductoryOffer
    case .promotional: promotionalOffers.first { $0.id == reference.id }
    case .code: codeOffers.first { $0.referenceName == reference.id?.rawValue }
    case .winBack: winBackOffers.first { $0.id == reference.id }
    default: nil
    }
  }
}

/// An offer as a `.storekit` file describes it.
public struct CatalogOffer: Hashable, Sendable {
  /// How it is paid.
  public enum PaymentMode: String, Hashable, Sendable {
    /// Nothing is paid.
    case free
    /// The offer's price in each of its periods.
    case payAsYouGo
    /// The offer's price once.
    case payUpFront
  }

  /// Who may redeem a code.
  public enum Eligibility: String, Hashable, Sendable, CaseIterable {
    /// Who never subscribed in the group.
    case new
    /// Who is subscribed.
    case existing
    /// Whose subscription is over.
    case expired
  }

  /// The offer's identifier; absent for introductory offers.
  public let id: OfferID?
  /// The name for the developer; what a test redeems a code by.
  public let referenceName: String?
  /// How it is paid.
  public let paymentMode: PaymentMode
  /// The length of one of its periods.
  public let period: SubscriptionPeriod
  /// How many periods.
  public let periodCount: Int
  /// The price of a period, or of the whole; zero when free.
  public let price: Decimal
  /// Who may redeem the code; empty for everybody and for other offers.
  public var eligibility: [Eligibility] = []
  /// Whether the introductory offer stays available beside the code.
  public var isStackable = false
  /// Whether the file makes everybody eligible for a win-back offer, or nobody; nil for the rules.
  public var isEligible: Bool?

  /// Apple's spelling of how it is paid.
  public var discountType: OfferDiscountType {
    switch paymentMode {
    case .free: .freeTrial
    case .payAsYouGo: .payAsYouGo
    case .payUpFront: .payUpFront
    }
  }

  /// The length of the whole offer.
  public var wholePeriod: SubscriptionPeriod {
    SubscriptionPeriod(period.value * periodCount, period.unit)
  }
}

/// What the `settings` of a `.storekit` file switch on.
public struct CatalogSettings: Hashable, Sendable {
  /// The language that texts are shown in.
  public var locale = "en_US"
  /// The country of the storefront.
  public var storefront = "USA"
  /// Every purchase asks a parent.
  public var asksToBuy = false
  /// Every purchase fails.
  public var failsTransactions = false
  /// What Xcode lets fail, with names as `Load Products` and `Purchase`; empty while nothing shall.
  public var failures: [CatalogFailure] = []
  /// Every purchase is interrupted.
  public var interruptsPurchases = false
  /// Every renewal fails.
  public var failsRenewals = false
  /// A failed renewal has a grace period.
  public var hasGracePeriod = false
  /// Xcode's number of the renewal speed; zero is real time.
  public var timeRate = 0

  /// Whether a part of StoreKit fails, by Xcode's name for it.
  public func fails(_ name: String) -> Bool { failures.contains { $0.name == name } }
}

/// A failure that a `.storekit` file switches on.
public struct CatalogFailure: Hashable, Sendable {
  /// What fails, as Xcode calls it.
  public let name: String
  /// Where Xcode takes the error from: `generic`, `purchase` or `verification`.
  public let type: String?
  /// Xcode's number of the error; what it stands for is not documented.
  public let index: Int?
}
