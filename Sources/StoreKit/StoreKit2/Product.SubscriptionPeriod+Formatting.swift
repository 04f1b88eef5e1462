public import Foundation

extension Product.SubscriptionPeriod {
  /// From the date to the end of the period, by the Gregorian calendar.
  public func dateRange(referenceDate: Date = .now) -> Range<Date> {
    let calendar = Calendar(identifier: .gregorian)
    let end = calendar.date(byAdding: component, value: value, to: referenceDate)
    return referenceDate..<(end ?? referenceDate)
  }

  public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
  where S: Foundation.FormatStyle, S.FormatInput == Range<Date> {
    format.format(dateRange(referenceDate: referenceDate))
  }

  public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
  where S: Foundation.FormatStyle, S.FormatInput == Duration {
    let range = dateRange(referenceDate: referenceDate)
    return format.format(.seconds(range.upperBound.timeIntervalSince(range.lowerBound)))
  }

  private var component: Calendar.Component {
    switch unit {
    case .day: .day
    case .week: .weekOfYear
    case .month: .month
    case .year: .year
    }
  }
}

extension Product.SubscriptionPeriod.Unit {
  /// Writes the name of a unit.
  ///
  /// The names of units are not among what Foundation translates on this platform, so every locale
  /// gets the English one, in lower case.
  public struct FormatStyle: Foundation.FormatStyle {
    public typealias FormatInput = Product.SubscriptionPeriod.Unit
    public typealias FormatOutput = String

    private let locale: Locale

    package init(locale: Locale) {
      self.locale = locale
    }

    public init(from decoder: any Decoder) throws {
      locale = try decoder.container(keyedBy: CodingKeys.self).decode(Locale.self, forKey: .locale)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(locale, forKey: .locale)
    }

    public func format(_ value: Product.SubscriptionPeriod.Unit) -> String {
      value.debugDescription.lowercased()
    }

    public func locale(_ locale: Locale) -> Product.SubscriptionPeriod.Unit.FormatStyle {
      Self(locale: locale)
    }

    private enum CodingKeys: CodingKey {
      case locale
    }
  }
}

extension Product {
  public var subscriptionPeriodUnitFormatStyle: Product.SubscriptionPeriod.Unit.FormatStyle {
    Product.SubscriptionPeriod.Unit.FormatStyle(locale: priceLocale)
  }
}
