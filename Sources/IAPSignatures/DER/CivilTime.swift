import Foundation

/// A date and time of day in UTC, by the Gregorian calendar, without a calendar object.
struct CivilTime: Hashable, Sendable {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  var second: Int

  init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The date and time of an instant, fractions of a second cut off.
  init(_ date: Date) {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    let days = Self.floorDivide(seconds, 86_400)
    let rest = seconds - days * 86_400
    (year, month, day) = Self.date(days: days)
    (hour, minute, second) = (rest / 3600, rest % 3600 / 60, rest % 60)
  }

  /// Whether every part lies in its range.
  var isValid: Bool {
    guard (1...12).contains(month), (1...Self.dayCount(year: year, month: month)).contains(day)
    else { return false }
    return (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
  }

  /// The instant.
  var date: Date {
    let seconds = Self.days(year: year, month: month, day: day) * 86_400
    return Date(timeIntervalSince1970: Double(seconds + hour * 3600 + minute * 60 + second))
  }

  private static func dayCount(year: Int, month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ value: Int, _ by: Int) -> Int {
    let quotient = value / by
    return value % by < 0 ? quotient - 1 : quotient
  }

  // Years begin in March here, which puts the leap day at the end of a 400-year era's arithmetic.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(days: Int) -> (Int, Int, Int) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// A number with leading zeros.
  static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension CivilTime {
  /// The date and time by RFC 3339, in UTC, to the second.
  var text: String {
    let day = [Self.padded(year, 4), Self.padded(month, 2), Self.padded(day, 2)]
    let time = [hour, minute, second].map { Self.padded($0, 2) }
    return day.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
  }
}
