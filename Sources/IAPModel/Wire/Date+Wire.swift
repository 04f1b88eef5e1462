public import Foundation

extension Date {
  /// The instant that lies this many milliseconds after 1970-01-01 UTC: how Apple writes dates.
  ///
  /// - Parameter milliseconds: UNIX milliseconds; may be negative.
  public init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// UNIX milliseconds, rounded to the nearest one.
  public var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
