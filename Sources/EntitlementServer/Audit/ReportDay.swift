import Foundation

/// A day as Apple's reports count them: from midnight to midnight in California.
///
/// - **Source:** App Store Connect Help, sales and trends; decision 0340.
struct ReportDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The day as one number, 20260131.
  let number: Int

  /// The day of a number such as 20260131; nil when there is no such day.
  init?(number: Int) {
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
    guard (2008...9998).contains(year), (1...12).contains(month),
      (1...Self.lengths(year)[month - 1]).contains(day)
    else { return nil }
    self.number = number
  }

  /// The day on which an instant falls in California.
  init(of date: Date) {
    let parts = Self.calendar.dateComponents([.year, .month, .day], from: date)
    guard let year = parts.year, let month = parts.month, let day = parts.day else {
      preconditionFailure("a date has a day")
    }
    number = year * 10_000 + month * 100 + day
  }

  /// Reads `01/31/2026`, `2026-01-31` or `20260131`; nil when there is no such day.
  init?(_ text: some StringProtocol) {
    let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2F || $0 == 0x2D }
    guard digits, text.utf8.count <= 10 else { return nil }
    let slashed = text.split(separator: "/", omittingEmptySubsequences: false)
    let dashed = text.split(separator: "-", omittingEmptySubsequences: false)
    let parts: [Substring]
    if slashed.count == 3 {
      parts = [Substring(slashed[2]), Substring(slashed[0]), Substring(slashed[1])]
    } else if dashed.count == 3 {
      parts = dashed.map { Substring($0) }
    } else {
      guard text.utf8.count == 8, let number = Int(text) else { return nil }
      self.init(number: number)
      return
    }
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == 3, parts[0].count == 4, (1...2).contains(parts[1].count),
      (1...2).contains(parts[2].count)
    else { return nil }
    self.init(number: numbers[0] * 10_000 + numbers[1] * 100 + numbers[2])
  }

  /// The day after it.
  var next: ReportDay {
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
    if day < Self.lengths(year)[month - 1] { return ReportDay(known: number + 1) }
    if month < 12 { return ReportDay(known: year * 10_000 + (month + 1) * 100 + 1) }
    return ReportDay(known: (year + 1) * 10_000 + 101)
  }

  private init(known number: Int) { self.number = number }

  /// `2026-01-31`.
  var description: String {
    let digits = String(number)
    let month = digits.dropFirst(4).prefix(2)
    return "\(digits.prefix(4))-\(month)-\(digits.suffix(2))"
  }

  static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  private static func lengths(_ year: Int) -> [Int] {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    guard let zone = TimeZone(identifier: "America/Los_Angeles") else {
      preconditionFailure("the time zone of Apple's reports is known")
    }
    calendar.timeZone = zone
    return calendar
  }()
}
