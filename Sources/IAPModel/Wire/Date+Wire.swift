public import Foundation

extension Date {
  /// The most milliseconds before or after 1970 that a date on the wire may have.
  ///
  /// It is 100 million days, as in ECMAScript: more is no date but a mistake or an attack.
  static let millisecondsMax = 8.64e15

  /// The instant that lies this many milliseconds after 1970-01-01 UTC: how Apple writes dates.
  ///
  /// - Parameter milliseconds: UNIX milliseconds; may be negative.
  public init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// UNIX milliseconds, rounded to the nearest one; at most 100 million days from 1970.
  public var milliseconds: Int64 {
    let exact = (timeIntervalSince1970 * 1000).rounded()
    return Int64(min(max(exact, -Self.millisecondsMax), Self.millisecondsMax))
  }
}
