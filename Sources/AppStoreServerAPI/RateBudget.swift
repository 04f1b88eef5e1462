public import Foundation

/// How many requests Apple allows in a second, in production; a tenth of it in the sandbox.
///
/// Every endpoint has a budget of its own.
///
/// - **Source:** App Store Server API, "Identifying rate limits".
public enum RateClass: Int, Hashable, Sendable, CaseIterable {
  /// Histories, transactions, statuses, consumption.
  case fifty = 50
  /// Renewal dates and account tokens.
  case twenty = 20
  /// Order ids and refunds.
  case ten = 10
  /// Mass extensions and test notifications.
  case one = 1
}

/// What is left of a rate: a bucket that fills evenly and holds a minute's worth.
///
/// Apple counts by the hour, so a minute's burst is safe as long as the average holds.
///
/// - **Units:** seconds and requests.
public struct RateBudget: Hashable, Sendable {
  /// How many seconds of the rate may be used at once.
  public static let burstSeconds = 60.0

  /// Requests in a second.
  public let rate: Double
  private var available: Double
  private var filledAt: Date
  private var closedUntil: Date?
  private var servers = 1

  /// Makes a full bucket.
  ///
  /// - Parameters:
  ///   - rate: Requests in a second, above zero.
  ///   - now: The present instant.
  public init(rate: Double, at now: Date) {
    precondition(rate > 0, "a rate is above zero")
    self.rate = rate
    available = max(1, rate * Self.burstSeconds)
    filledAt = now
  }

  /// Divides the rate among servers that ask with the same key; what was saved up is divided too.
  ///
  /// - Parameters:
  ///   - count: How many servers there are.
  ///   - now: The present instant.
  public mutating func divide(among count: Int, at now: Date) {
    let count = max(1, count)
    guard count != servers else { return }
    fill(at: now)
    servers = count
    available = min(available, capacity)
  }

  /// The part of the rate that may be used here.
  private var share: Double { rate / Double(servers) }
  private var capacity: Double { max(1, share * Self.burstSeconds) }

  /// Takes one request out, or says how long to wait before asking again.
  ///
  /// - Parameter now: The present instant; one before the last counts as the last.
  /// - Returns: Seconds to wait, 0 when the request may be sent.
  public mutating func take(at now: Date) -> TimeInterval {
    fill(at: now)
    if let closedUntil, closedUntil > now { return closedUntil.timeIntervalSince(now) }
    guard available < 1 else {
      available -= 1
      return 0
    }
    return (1 - available) / share
  }

  /// How many requests may be sent at once.
  ///
  /// - Parameter now: The present instant.
  /// - Returns: The number; 0 while the App Store wants none.
  func remaining(at now: Date) -> Double {
    var copy = self
    copy.fill(at: now)
    return closedUntil.map { $0 > now } == true ? 0 : copy.available
  }

  /// Takes note that the App Store wants no request before an instant.
  ///
  /// - Parameter date: When it may be asked again.
  public mutating func close(until date: Date) {
    closedUntil = max(closedUntil ?? date, date)
    available = min(available, 1)
  }

  private mutating func fill(at now: Date) {
    let seconds = now.timeIntervalSince(filledAt)
    guard seconds > 0 else { return }
    available = min(capacity, available + seconds * share)
    filledAt = now
  }
}
