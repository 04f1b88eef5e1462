public import Foundation
import IAPModel

/// How a developer set up the billing grace period.
///
/// - **Source:** the lifecycle facts, section 3.
public struct GraceSettings: Hashable, Sendable {
  /// Which failed charges have one.
  public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// All renewals.
    case all
    /// Renewals of paid periods only: the first charge after a free trial has none.
    case paidToPaid
  }

  /// The lengths that App Store Connect offers, in days.
  public static let lengths = [3, 16, 28]

  /// The longest that is taken, in seconds: a year.
  public static let lengthMax: TimeInterval = 365 * 24 * 3600

  /// How long access goes on, in seconds.
  public var length: TimeInterval
  /// Which failed charges have one.
  public var scope: Scope

  /// Sets it up.
  ///
  /// - Parameters:
  ///   - length: How long access goes on, in seconds.
  ///   - scope: Which failed charges have one.
  public init(length: TimeInterval, scope: Scope = .all) {
    self.length = length
    self.scope = scope
  }

  /// Sets it up in days.
  ///
  /// - Parameters:
  ///   - days: Usually one of ``lengths``.
  ///   - scope: Which failed charges have one.
  public init(days: Int, scope: Scope = .all) {
    self.init(length: TimeInterval(days) * 24 * 3600, scope: scope)
  }
}

/// How long access goes on after a failed charge.
enum GraceRule {
  /// The longest grace period of a weekly subscription: 6 days.
  static let weeklyMax: TimeInterval = 6 * 24 * 3600

  /// The seconds behind the end of the period; nil when there is no grace period.
  static func length(
    _ settings: GraceSettings?,
    pace: RenewalPace,
    plan: SubscriptionPeriod,
    wasFreeTrial: Bool,
    end: Date,
    calendar: BillingCalendar
  ) -> TimeInterval? {
    guard let settings else { return nil }
    guard settings.scope == .all || !wasFreeTrial else { return nil }
    if let compressed = pace.grace(of: plan) { return compressed }
    let isWeekly = plan.unit == .week || (plan.unit == .day && plan.value <= 7)
    let length = isWeekly ? min(settings.length, weeklyMax) : settings.length
    let days = Int(length / 86_400)
    guard days >= 1, Double(days) * 86_400 == length else { return length }
    // Whole days end at the same time of day, also over a change to summer time.
    return calendar.end(from: end, of: SubscriptionPeriod(days, .day)).timeIntervalSince(end)
  }
}
