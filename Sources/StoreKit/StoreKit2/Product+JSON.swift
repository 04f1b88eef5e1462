public import Foundation

extension Product {
  /// The product as JSON: what two descriptions of a product are compared by.
  ///
  /// Apple does not publish the layout. `id`, `type` and the members of `attributes` that Apple's
  /// own code reads (`icuLocale`, `subscriptionFamilyRank`, `subscriptionFamilyName`) have Apple's
  /// names; the others are ours.
  public var jsonRepresentation: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts, whole numbers and lists of them: there is nothing that cannot be encoded.
    return (try? encoder.encode(ProductJSON(self))) ?? Data()
  }
}

private struct ProductJSON: Encodable {
  struct Attributes: Encodable {
    let name: String
    let description: String
    let price: String
    let displayPrice: String
    let currencyCode: String
    let icuLocale: String
    let storefront: String
    let isFamilyShareable: Bool
    let subscriptionFamilyId: String?
    let subscriptionFamilyName: String?
    let subscriptionFamilyRank: Int?
    let recurringSubscriptionPeriod: String?
    let offers: [Offer]
  }

  struct Offer: Encodable {
    let id: String?
    let type: String
    let paymentMode: String
    let price: String
    let period: String
    let periodCount: Int

    init(_ offer: Product.SubscriptionOffer) {
      id = offer.id
      type = offer.type.rawValue
      paymentMode = offer.paymentMode.rawValue
      price = "\(offer.price)"
      period = offer.period.iso8601
      periodCount = offer.periodCount
    }
  }

  let id: String
  let type: String
  let attributes: Attributes

  init(_ product: Product) {
    let subscription = product.subscription
    let offers: [Product.SubscriptionOffer?] =
      [subscription?.introductoryOffer] + (subscription?.promotionalOffers ?? [])
      + (subscription?.winBackOffers ?? [])
    id = product.id
    type = product.type.rawValue
    attributes = Attributes(
      name: product.displayName,
      description: product.description,
      price: "\(product.price)",
      displayPrice: product.displayPrice,
      currencyCode: product.currencyCode,
      icuLocale: product.priceLocale.identifier,
      storefront: product.storefrontID,
      isFamilyShareable: product.isFamilyShareable,
      subscriptionFamilyId: subscription?.subscriptionGroupID,
      subscriptionFamilyName: subscription?.groupDisplayName,
      subscriptionFamilyRank: subscription?.groupLevel,
      recurringSubscriptionPeriod: subscription?.subscriptionPeriod.iso8601,
      offers: offers.compactMap { $0.map(Offer.init) }
    )
  }
}
