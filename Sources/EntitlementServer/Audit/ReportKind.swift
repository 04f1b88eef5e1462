/// Which of Apple's reports a file is, as the names of its columns show.
///
/// - **Source:** App Store Connect Help, "Summary Sales Report", "Subscriber Report",
///   "Subscription Report", "Subscription Event Report", "Financial report fields".
enum ReportKind: String, Hashable, Sendable, CaseIterable {
  /// What was sold, by the day on which it was bought.
  case sales
  /// What is paid for, by Apple's fiscal month.
  case financial
  /// What subscribers paid, by the day of the event.
  case subscriber
  /// What happened to subscriptions; it says how often, not for how much.
  case subscriptionEvent
  /// How many subscriptions there are; nothing is sold in it.
  case subscription

  /// Whether its rows are money that can be compared with the ledger.
  var isCompared: Bool {
    switch self {
    case .sales, .financial, .subscriber: true
    case .subscriptionEvent, .subscription: false
    }
  }

  /// The columns without which it is not this report.
  var needed: [ReportColumn] {
    switch self {
    case .sales: [.sku, .productType, .units, .beginDate, .endDate]
    case .financial: [.startDate, .endDate, .vendorIdentifier, .quantity, .partnerShareCurrency]
    case .subscriber: [.eventDate, .subscriptionAppleID, .subscriberID, .customerPrice]
    case .subscriptionEvent: [.eventDate, .event, .subscriptionAppleID, .quantity]
    case .subscription: [.subscriptionAppleID, .appAppleID, .customerPrice]
    }
  }

  /// Every column that is known of it.
  var known: [ReportColumn] {
    switch self {
    case .sales:
      needed + [
        .provider, .providerCountry, .developer, .title, .version, .developerProceeds,
        .customerCurrency, .countryCode, .currencyOfProceeds, .appleIdentifier, .customerPrice,
        .promoCode, .parentIdentifier, .subscription, .period, .category, .cmb, .device,
        .supportedPlatforms, .proceedsReason, .preservedPricing, .client, .orderType,
      ]
    case .financial:
      needed + [
        .upc, .isrc, .partnerShare, .extendedPartnerShare, .saleOrReturn, .salesOrReturn,
        .appleIdentifier, .artist, .title, .label, .grid, .productType, .isan, .countryOfSale,
        .preorder, .promoCode, .customerPrice, .customerCurrency,
      ]
    case .subscriber:
      needed + Self.aboutSubscriptions + [
        .customerCurrency, .subscriberIDReset, .refund, .purchaseDate, .units,
        .marketingOptInDuration,
      ]
    case .subscriptionEvent, .subscription: needed + Self.aboutSubscriptions
    }
  }

  private static let aboutSubscriptions: [ReportColumn] = [
    .appName, .appAppleID, .subscriptionName, .subscriptionGroupID, .standardDuration, .offerName,
    .promotionalOfferID, .offerType, .offerDuration, .developerProceeds, .proceedsCurrency,
    .preservedPricing, .proceedsReason, .client, .device, .country, .state,
  ]

  /// The report with these columns; nil when it is none that is known.
  static func of(_ columns: Set<String>) -> ReportKind? {
    allCases.first { kind in kind.needed.allSatisfy { columns.contains($0.rawValue) } }
  }
}

/// The name of a column, in small letters.
enum ReportColumn: String, Hashable, Sendable {
  case appAppleID = "app apple id"
  case appName = "app name"
  case appleIdentifier = "apple identifier"
  case artist = "artist/show/developer/author"
  case beginDate = "begin date"
  case category
  case client
  case cmb
  case country
  case countryCode = "country code"
  case countryOfSale = "country of sale"
  case currencyOfProceeds = "currency of proceeds"
  case customerCurrency = "customer currency"
  case customerPrice = "customer price"
  case developer
  case developerProceeds = "developer proceeds"
  case device
  case endDate = "end date"
  case event
  case eventDate = "event date"
  case extendedPartnerShare = "extended partner share"
  case grid
  case isan = "isan/other identifier"
  case isrc = "isrc/isbn"
  case label = "label/studio/network/developer/publisher"
  case marketingOptInDuration = "marketing opt-in duration"
  case offerDuration = "subscription offer duration"
  case offerName = "subscription offer name"
  case offerType = "subscription offer type"
  case orderType = "order type"
  case parentIdentifier = "parent identifier"
  case partnerShare = "partner share"
  case partnerShareCurrency = "partner share currency"
  case period
  case preorder = "pre-order flag"
  case preservedPricing = "preserved pricing"
  case proceedsCurrency = "proceeds currency"
  case proceedsReason = "proceeds reason"
  case productType = "product type identifier"
  case promoCode = "promo code"
  case promotionalOfferID = "promotional offer id"
  case provider
  case providerCountry = "provider country"
  case purchaseDate = "purchase date"
  case quantity
  case refund
  case saleOrReturn = "sale or return"
  case salesOrReturn = "sales or return"
  case sku
  case standardDuration = "standard subscription duration"
  case startDate = "start date"
  case state
  case subscriberID = "subscriber id"
  case subscriberIDReset = "subscriber id reset"
  case subscription
  case subscriptionAppleID = "subscription apple id"
  case subscriptionGroupID = "subscription group id"
  case subscriptionName = "subscription name"
  case supportedPlatforms = "supported platforms"
  case title
  case units
  case upc
  case vendorIdentifier = "vendor identifier"
  case version
}
