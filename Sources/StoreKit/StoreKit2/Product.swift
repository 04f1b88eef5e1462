public import Foundation

/// A product that the App Store sells in this app.
public struct Product: Identifiable, Sendable {
  public typealias ID = String

  public let id: String
  public let type: Product.ProductType
  public let displayName: String
  public let description: String
  public let price: Decimal
  public let displayPrice: String
  public let isFamilyShareable: Bool
  public let subscription: Product.SubscriptionInfo?

  /// The ISO 4217 code of the price.
  package let currencyCode: String
  /// How prices are written in the storefront.
  package let priceLocale: Locale
  /// The storefront that the price is for.
  package let storefrontID: String
  package let host: any StoreHost

  package init(
    id: String,
    type: Product.ProductType,
    displayName: String,
    description: String,
    price: Decimal,
    currencyCode: String,
    priceLocale: Locale,
    storefrontID: String,
    isFamilyShareable: Bool,
    subscription: Product.SubscriptionInfo?,
    host: any StoreHost
  ) {
    self.id = id
    self.type = type
    self.displayName = displayName
    self.description = description
    self.price = price
    self.displayPrice = Self.display(price, currencyCode: currencyCode, locale: priceLocale)
    self.currencyCode = currencyCode
    self.priceLocale = priceLocale
    self.storefrontID = storefrontID
    self.isFamilyShareable = isFamilyShareable
    self.subscription = subscription
    self.host = host
  }

  public var priceFormatStyle: Decimal.FormatStyle.Currency {
    Decimal.FormatStyle.Currency(code: currencyCode, locale: priceLocale)
  }

  /// A price as the store shows it.
  package static func display(_ price: Decimal, currencyCode: String, locale: Locale) -> String {
    price.formatted(Decimal.FormatStyle.Currency(code: currencyCode, locale: locale))
  }
}

extension Product {
  public struct ProductType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let consumable = Product.ProductType(rawValue: "Consumable")
    public static let nonConsumable = Product.ProductType(rawValue: "Non-Consumable")
    public static let nonRenewable = Product.ProductType(rawValue: "Non-Renewing Subscription")
    public static let autoRenewable = Product.ProductType(rawValue: "Auto-Renewable Subscription")
  }
}

extension Product: Equatable, Hashable {
  public static func == (lhs: Product, rhs: Product) -> Bool { lhs.facts == rhs.facts }

  public func hash(into hasher: inout Hasher) { hasher.combine(facts) }

  private var facts: Facts {
    Facts(
      id: id,
      type: type,
      texts: [displayName, description, displayPrice, currencyCode, storefrontID],
      price: price,
      isFamilyShareable: isFamilyShareable,
      subscription: subscription
    )
  }

  // What two descriptions of a product are compared by: everything but the host.
  private struct Facts: Hashable {
    let id: String
    let type: Product.ProductType
    let texts: [String]
    let price: Decimal
    let isFamilyShareable: Bool
    let subscription: Product.SubscriptionInfo?
  }
}

extension Product: CustomDebugStringConvertible {
  public var debugDescription: String {
    String(decoding: jsonRepresentation, as: UTF8.self)
  }
}

extension Product {
  public static func products<Identifiers>(
    for identifiers: Identifiers
  ) async throws -> [Product]
  where Identifiers: Collection, Identifiers.Element == String {
    let host = StoreHostBinding.required()
    let identifiers = Array(identifiers)
    return try await host.answering { try await host.products(for: identifiers) }
  }

  public var latestTransaction: VerificationResult<Transaction>? {
    get async { await Transaction.latest(for: id, host: host) }
  }

  public var currentEntitlement: VerificationResult<Transaction>? {
    get async { await Transaction.currentEntitlement(for: id, host: host) }
  }

  public var currentEntitlements: Transaction.Transactions {
    Transaction.Transactions(host: host, listing: .currentEntitlements(productID: id))
  }
}
