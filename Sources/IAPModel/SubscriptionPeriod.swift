/// A length of calendar time, as the App Store counts it.
///
/// - **Shape:** the ISO 8601 durations of one unit that Apple uses: `P3D`, `P1W`, `P1M`, `P1Y`.
public struct SubscriptionPeriod: Hashable, Sendable, Codable, CustomStringConvertible {
  /// A calendar unit.
  public enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
    /// A day of 24 hours.
    case day = "D"
    /// Seven days.
    case week = "W"
    /// A calendar month.
    case month = "M"
    /// A calendar year.
    case year = "Y"
  }

  /// How many units; at least one.
  public let value: Int
  /// The unit.
  public let unit: Unit

  /// Makes a period.
  ///
  /// - Parameters:
  ///   - value: How many units; must be at least one.
  ///   - unit: The unit.
  public init(_ value: Int, _ unit: Unit) {
    precondition(value >= 1, "a period has at least one unit")
    self.value = value
    self.unit = unit
  }

  /// Reads an ISO 8601 duration of one unit; nil for anything else.
  public init?(iso8601 text: String) {
    guard text.utf8.count >= 3, text.first == "P", let last = text.last,
      let unit = Unit(rawValue: String(last)),
      let value = Int(text.dropFirst().dropLast()), (1...10_000).contains(value)
    else { return nil }
    self.init(value, unit)
  }

  /// The ISO 8601 duration.
  public var iso8601: String { "P\(value)\(unit.rawValue)" }

  /// The ISO 8601 duration.
  public var description: String { iso8601 }
}
