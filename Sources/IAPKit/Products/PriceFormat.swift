import Foundation

/// Writes and rounds amounts of one currency the way one locale does.
struct PriceFormat {
  private let formatter: NumberFormatter

  /// Makes a format.
  ///
  /// - Parameters:
  ///   - locale: The store's locale, never the device's.
  ///   - currency: The ISO 4217 code; nil for the locale's own.
  init(locale: Locale, currency: String?) {
    formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = locale
    if let currency { formatter.currencyCode = currency }
  }

  /// The amount as text.
  func text(_ amount: Decimal) -> String? {
    formatter.string(from: NSDecimalNumber(decimal: amount))
  }

  /// The amount with as many decimals as the currency has; a half is rounded up.
  func rounded(_ amount: Decimal) -> Decimal {
    var (exact, rounded) = (amount, Decimal())
    NSDecimalRound(&rounded, &exact, decimals, .plain)
    return rounded
  }

  /// How many decimals the formatter writes.
  ///
  /// They are counted in a text: what the formatter says of itself differs among platforms.
  private var decimals: Int {
    let digits = text(Decimal(1) / 3)?.filter(\.isWholeNumber).count ?? 1
    return max(0, digits - 1)
  }
}
