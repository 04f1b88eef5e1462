public import Foundation
public import IAPModel

/// What one day, week, month or year of a subscription costs.
public struct PeriodPrice: Hashable, Sendable {
  /// The length that is paid with ``amount``.
  public let unit: IAPModel.SubscriptionPeriod.Unit
  /// The amount in the currency's main unit, rounded to the currency's decimals.
  public let amount: Decimal
  /// The amount in the store's locale and format.
  public let displayPrice: String
}

extension IAPProduct {
  /// What one day, week, month or year costs, computed from the price of a period.
  ///
  /// The price that is charged stays the one to show most prominently; this one is for comparing.
  ///
  /// - **Units:** a week has 7 days, a year 365 days or 12 months, so a month is 365/12 days. The
  ///   result is rounded to the currency's decimals, a half upwards.
  ///
  /// - Parameter unit: The length.
  /// - Returns: The price; nil for what is no subscription, where the store's locale is not known,
  ///   and for a positive price of which nothing is left when it is rounded.
  public func price(per unit: IAPModel.SubscriptionPeriod.Unit) -> PeriodPrice? {
    guard let period = subscriptionPeriod, let priceLocale else { return nil }
    if period == IAPModel.SubscriptionPeriod(1, unit) {
      return PeriodPrice(unit: unit, amount: price, displayPrice: displayPrice)
    }
    let format = PriceFormat(locale: priceLocale, currency: currency)
    let parts = Decimal(period.value * period.unit.twelfthsOfDay)
    let amount = format.rounded(price * Decimal(unit.twelfthsOfDay) / parts)
    guard amount != 0 || price == 0, let text = format.text(amount) else { return nil }
    return PeriodPrice(unit: unit, amount: amount, displayPrice: text)
  }
}

extension IAPModel.SubscriptionPeriod.Unit {
  /// A common measure of all units.
  fileprivate var twelfthsOfDay: Int {
    switch self {
    case .day: 12
    case .week: 7 * 12
    case .month: 365
    case .year: 365 * 12
    }
  }
}
