public import IAPModel

// Amounts come from the store's texts; only the words around them depend on the language.

extension IAPModel.SubscriptionPeriod {
  /// The length in words: "3 months", "3 个月".
  ///
  /// - Parameter language: The language.
  /// - Returns: A number and a unit.
  public func text(_ language: IAPError.Language) -> String { Self.text(value, unit, language) }

  /// The rhythm in words: "per month", "every 3 months"; in Chinese it stands before the price.
  fileprivate func rhythm(_ language: IAPError.Language) -> String {
    switch language {
    case .english: value == 1 ? "per \(unit.english)" : "every \(text(language))"
    case .simplifiedChinese: value == 1 ? "每\(unit.chinese)" : "每 \(text(language))"
    }
  }

  fileprivate static func text(
    _ count: Int,
    _ unit: Unit,
    _ language: IAPError.Language
  ) -> String {
    switch language {
    case .english: "\(count) \(unit.english)\(count == 1 ? "" : "s")"
    case .simplifiedChinese: "\(count) \(unit == .month ? "个月" : unit.chinese)"
    }
  }
}

extension IAPModel.SubscriptionPeriod.Unit {
  fileprivate var english: String {
    switch self {
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .year: "year"
    }
  }

  fileprivate var chinese: String {
    switch self {
    case .day: "天"
    case .week: "周"
    case .month: "月"
    case .year: "年"
    }
  }
}

extension IAPOffer {
  /// What the customer pays and gets, in words: "1 week free", "$0.99 per month for 3 months".
  ///
  /// - Parameter language: The language of the words; the price is the store's own text.
  /// - Returns: A phrase; nil when the store does not say enough for one.
  public func text(_ language: IAPError.Language) -> String? {
    guard let period, periodCount >= 1, let paymentMode else { return nil }
    let whole = IAPModel.SubscriptionPeriod.text(
      period.value * periodCount,
      period.unit,
      language
    )
    let price = displayPrice.isolatedFromWords
    switch (paymentMode, language) {
    case (.freeTrial, .english): return "\(whole) free"
    case (.freeTrial, .simplifiedChinese):
      return type == .introductory ? "免费试用 \(whole)" : "免费 \(whole)"
    case (.payUpFront, .english): return "\(whole) for \(price)"
    case (.payUpFront, .simplifiedChinese): return "\(whole)共 \(price)"
    case (.payAsYouGo, .english): return "\(price) \(period.rhythm(language)) for \(whole)"
    case (.payAsYouGo, .simplifiedChinese): return "\(whole)内\(period.rhythm(language)) \(price)"
    default: return nil
    }
  }
}

extension IAPProduct {
  /// The price with its rhythm: "$4.99 per month"; for what is no subscription the price alone.
  ///
  /// - Parameter language: The language of the words; the price is the store's own text.
  /// - Returns: A phrase.
  public func priceText(_ language: IAPError.Language) -> String {
    let price = displayPrice.isolatedFromWords
    guard let period = subscriptionPeriod else { return price }
    switch language {
    case .english: return "\(price) \(period.rhythm(language))"
    case .simplifiedChinese: return "\(period.rhythm(language)) \(price)"
    }
  }

  /// An offer with what follows it: "1 week free, then $49.99 per year".
  ///
  /// - Parameters:
  ///   - language: The language of the words.
  ///   - offer: An offer of this product; its introductory offer when it is left out.
  /// - Returns: A phrase; nil without an offer, or when the store does not say enough for one.
  public func offerText(
    _ language: IAPError.Language,
    for offer: IAPOffer? = nil
  ) -> String? {
    guard let first = (offer ?? introductoryOffer)?.text(language) else { return nil }
    switch language {
    case .english: return "\(first), then \(priceText(language))"
    case .simplifiedChinese: return "\(first)，之后\(priceText(language))"
    }
  }
}

extension String {
  /// The text, kept from mixing with words of another direction when it is written from right to
  /// left.
  ///
  /// - **Source:** Unicode Standard Annex 9: first strong isolate and its end.
  fileprivate var isolatedFromWords: String {
    let isRightToLeft = unicodeScalars.contains { scalar in
      (0x0590...0x08FF).contains(scalar.value) || scalar.value == 0x200F
    }
    return isRightToLeft ? "\u{2068}\(self)\u{2069}" : self
  }
}
