public import Foundation

/// An amount in one currency.
///
/// - **Units:** thousandths of the currency's main unit, as Apple's signed data has it: 9.99 USD is
///   9,990 and 300 JPY is 300,000. Amounts of different currencies are never added.
public struct Money: Hashable, Sendable, Codable {
  /// The amount in thousandths.
  public let milliunits: Int64
  /// The ISO 4217 code, for example `USD`.
  public let currency: String

  /// Makes an amount.
  public init(milliunits: Int64, currency: String) {
    self.milliunits = milliunits
    self.currency = currency
  }

  /// The amount in the currency's main unit, exactly.
  public var amount: Decimal { Decimal(milliunits) / 1000 }
}
