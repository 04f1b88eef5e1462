public import Foundation

extension Product {
  public struct SubscriptionPeriod: Equatable, Hashable, CustomDebugStringConvertible, Sendable {
    public enum Unit: Equatable, Hashable, CustomDebugStringConvertible, Sendable, Comparable {
      case day
      case week
      case month
      case year

      public static func < (
        lhs: Product.SubscriptionPeriod.Unit,
        rhs: Product.SubscriptionPeriod.Unit
      ) -> Bool {
        lhs.rank < rhs.rank
      }

      private var rank: Int {
        switch self {
        case .day: 0
        case .week: 1
        case .month: 2
        case .year: 3
        }
      }

      public func formatted<S>(_ format: S) -> S.FormatOutput
      where S: Foundation.FormatStyle, S.FormatInput == Product.SubscriptionPeriod.Unit {
        format.format(self)
      }

      public var debugDescription: String {
        switch self {
        case .day: "Day"
        case .week: "Week"
        case .month: "Month"
        case .year: "Year"
        }
      }
    }

    public let unit: Product.SubscriptionPeriod.Unit
    public let value: Int

    package init(value: Int, unit: Unit) {
      self.value = value
      self.unit = unit
    }

    public static var weekly: Product.SubscriptionPeriod { Self(value: 1, unit: .week) }
    public static var monthly: Product.SubscriptionPeriod { Self(value: 1, unit: .month) }
    public static var yearly: Product.SubscriptionPeriod { Self(value: 1, unit: .year) }
    public static var everyThreeDays: Product.SubscriptionPeriod { Self(value: 3, unit: .day) }
    public static var everyTwoWeeks: Product.SubscriptionPeriod { Self(value: 2, unit: .week) }
    public static var everyTwoMonths: Product.SubscriptionPeriod { Self(value: 2, unit: .month) }
    public static var everyThreeMonths: Product.SubscriptionPeriod { Self(value: 3, unit: .month) }
    public static var everySixMonths: Product.SubscriptionPeriod { Self(value: 6, unit: .month) }

    public var debugDescription: String { "\(value) \(unit)" }

    /// The ISO 8601 duration, as signed data has it.
    package var iso8601: String {
      switch unit {
      case .day: "P\(value)D"
      case .week: "P\(value)W"
      case .month: "P\(value)M"
      case .year: "P\(value)Y"
      }
    }
  }
}

extension DateComponents {
  public init(subscriptionPeriod period: Product.SubscriptionPeriod) {
    self.init()
    switch period.unit {
    case .day: day = period.value
    case .week: day = period.value * 7
    case .month: month = period.value
    case .year: year = period.value
    }
  }
}
