internal import Foundation

/// A month of UTC, for which a log has a part.
struct LogMonth: Hashable, Comparable, Sendable {
  /// Months since January of year 0.
  private let count: Int

  private init(count: Int) { self.count = count }

  /// The month that an instant lies in.
  ///
  /// - Parameter milliseconds: UNIX milliseconds.
  init(of milliseconds: Int64) {
    let second = Double(milliseconds) / 1000
    let parts = Self.calendar.dateComponents(
      [.year, .month],
      from: Date(timeIntervalSince1970: second.rounded(.down))
    )
    count = (parts.year ?? 0) * 12 + (parts.month ?? 1) - 1
  }

  /// The month after this one.
  var next: LogMonth { LogMonth(count: count + 1) }

  /// The first millisecond.
  var start: Int64 {
    let parts = DateComponents(year: count / 12, month: count % 12 + 1, day: 1)
    return Int64((Self.calendar.date(from: parts)?.timeIntervalSince1970 ?? 0) * 1000)
  }

  /// The first millisecond of the next month.
  var end: Int64 { next.start }

  /// The month as a part of a table's name, for example `2026_12`.
  var name: String {
    let month = count % 12 + 1
    return "\(count / 12)_\(month < 10 ? "0" : "")\(month)"
  }

  static func < (left: Self, right: Self) -> Bool { left.count < right.count }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .gmt
    return calendar
  }()
}
