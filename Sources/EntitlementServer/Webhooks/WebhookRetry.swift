import Foundation

/// When an event that did not arrive is tried again.
///
/// Source: Standard Webhooks 1.0, "Failure handling": waits that grow, with chance in them, and the
/// receiver's own `Retry-After`; RFC 9110, section 10.2.3.
enum WebhookRetry {
  /// The instant of the next attempt.
  ///
  /// - Parameters:
  ///   - attempts: How many were made, from 1.
  ///   - reply: What came of the last one.
  ///   - now: The wall clock.
  ///   - chance: From 0 to below 1.
  ///   - limits: How long waits are.
  /// - Returns: The instant; nil when there is no further attempt.
  static func next(
    after attempts: Int64,
    _ reply: WebhookReply,
    at now: Date,
    chance: Double,
    _ limits: WebhookLimits
  ) -> Date? {
    guard attempts < limits.attemptsMax else { return nil }
    let index = min(Int(attempts) - 1, limits.retrySeconds.count - 1)
    let wait = limits.retrySeconds[index] * (1 + limits.jitter * (2 * chance - 1))
    var asked: TimeInterval = 0
    if case .response(_, let text?) = reply {
      asked = min(seconds(text, at: now) ?? 0, limits.retryAfterSecondsMax)
    }
    return now.addingTimeInterval(max(wait, asked))
  }

  /// How long an endpoint at which nothing arrives is left alone.
  static func pause(_ pauses: Int64, chance: Double, _ limits: WebhookLimits) -> TimeInterval {
    let base = limits.retrySeconds.first ?? 1
    let grown = base * pow(2, Double(min(pauses, 20)))
    return min(grown, limits.pauseSecondsMax) * (1 + limits.jitter * (2 * chance - 1))
  }

  /// What `Retry-After` asks for, in seconds; nil when it cannot be read.
  static func seconds(_ text: String, at now: Date) -> TimeInterval? {
    if let seconds = Int64(text), seconds >= 0 { return TimeInterval(seconds) }
    return date(text).map { max(0, $0.timeIntervalSince(now)) }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func date(_ text: String) -> Date? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]),
      let month = months.firstIndex(of: String(words[2])), let year = Int(words[3])
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int($0) }
    guard time.count == 3 else { return nil }
    var parts = DateComponents()
    (parts.year, parts.month, parts.day) = (year, month + 1, day)
    (parts.hour, parts.minute, parts.second) = (time[0], time[1], time[2])
    parts.timeZone = TimeZone(identifier: "UTC")
    return Calendar(identifier: .gregorian).date(from: parts)
  }
}
