public import IAPKit
public import IAPModel

/// What has to be said about a product before it is bought, in words.
///
/// Amounts are the store's own texts. ``price`` is what is charged: show it more prominently than
/// every other amount.
public struct ProductTerms: Hashable, Sendable {
  /// The product's name.
  public var title: String
  /// What is in it.
  public var details: String
  /// What is charged, with its rhythm: "$49.99 per year".
  public var price: String
  /// What a month costs when more than a month is paid at once: for comparing, in small print.
  public var unitPrice: String?
  /// The length of what is paid for: "1 year".
  public var length: String?
  /// What is paid at first and then: "1 week free, then $49.99 per year"; nil for whoever cannot
  /// have the offer.
  public var offer: String?
  /// Whether and how it renews.
  public var renewal: String?
  /// Whether the family can use it too.
  public var sharing: String?

  /// Puts a product into words.
  ///
  /// - Parameters:
  ///   - product: The product.
  ///   - type: Its type, for StoreKit 1, which does not say it.
  ///   - accessPeriod: How long a non-renewing subscription gives access.
  ///   - eligibility: Whether this customer may have the introductory offer.
  ///   - language: The language.
  public init(
    _ product: IAPProduct,
    type: ProductType? = nil,
    accessPeriod: SubscriptionPeriod? = nil,
    eligibility: OfferEligibility = .unknown,
    language: IAPError.Language
  ) {
    let type = product.type ?? type
    title = product.displayName
    details = product.description
    price = product.priceText(language)
    length = (product.subscriptionPeriod ?? accessPeriod)?.text(language)
    unitPrice = product.monthlyText(language)
    offer = product.offerText(eligibility, language)
    if product.subscriptionPeriod != nil {
      renewal = Words(
        "Renews automatically for \(price) until you cancel it in your App Store account.",
        zh: "将按\(price)自动续订，直到您在 App Store 账户中取消。"
      )(language)
    } else {
      renewal = Self.once(type, length, language)
    }
    if product.isFamilyShareable {
      sharing = Words("Can be shared with your family.", zh: "可与家人共享。")(language)
    }
  }

  private static func once(
    _ type: ProductType?,
    _ length: String?,
    _ language: IAPError.Language
  ) -> String? {
    switch (type, length) {
    case (.nonRenewable?, let length?):
      Words("Lasts \(length) and does not renew.", zh: "有效期 \(length)，不会自动续订。")(language)
    case (.nonRenewable?, nil): Words("Does not renew.", zh: "不会自动续订。")(language)
    case (.consumable?, _), (.nonConsumable?, _):
      Words("A single payment.", zh: "一次性付款。")(language)
    // Nobody has said what it is.
    default: nil
    }
  }
}

extension IAPProduct {
  /// What a month costs, when more than one is paid at once.
  fileprivate func monthlyText(_ language: IAPError.Language) -> String? {
    guard let period = subscriptionPeriod, period.isLongerThanMonth,
      let monthly = price(per: .month)
    else { return nil }
    let amount = monthly.displayPrice
    return Words("that is \(amount) per month", zh: "相当于每月 \(amount)")(language)
  }

  /// The introductory offer, as far as this customer may have it.
  fileprivate func offerText(
    _ eligibility: OfferEligibility,
    _ language: IAPError.Language
  ) -> String? {
    guard let text = offerText(language) else { return nil }
    switch eligibility {
    case .eligible: return text
    case .notEligible: return nil
    case .unknown: return Words("New subscribers: \(text)", zh: "新订阅用户：\(text)")(language)
    }
  }
}

extension SubscriptionPeriod {
  fileprivate var isLongerThanMonth: Bool {
    switch unit {
    case .day: value > 31
    case .week: value > 4
    case .month: value > 1
    case .year: true
    }
  }
}
