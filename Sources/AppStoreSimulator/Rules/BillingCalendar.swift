public import Foundation
public import IAPModel

/// How long periods are.
///
/// Months and years are calendar ones in the time of Apple's headquarters; a day that the month
/// does not have becomes its last day.
///
/// - **Source:** the lifecycle facts, section 2.
public struct BillingCalendar: Hashable, Sendable {
  private let calendar: Calendar
  private let pace: RenewalPace

  /// The time zone that Apple's billing counts in.
  public static let timeZoneName = "America/Los_Angeles"

  /// Makes the calendar.
  ///
  /// - Parameter pace: How fast subscriptions live.
  public init(pace: RenewalPace = .realTime) {
    self.pace = pace
    var calendar = Calendar(identifier: .gregorian)
    // Without zone data the arithmetic stays right except for the hour of summer time.
    calendar.timeZone =
      TimeZone(identifier: BillingCalendar.timeZoneName) ?? TimeZone(secondsFromGMT: -8 * 3600)
      ?? .gmt
    self.calendar = calendar
  }

  /// The instant that lies as many periods behind the start.
  ///
  /// - Parameters:
  ///   - start: Where to count from.
  ///   - period: The length of one.
  ///   - count: How many.
  /// - Returns: The end of the last one.
  public func end(from start: Date, of period: SubscriptionPeriod, count: Int = 1) -> Date {
    if let seconds = pace.seconds(of: period) {
      return start.addingTimeInterval(seconds * Double(count))
    }
    let unit: Calendar.Component
    var value = period.value * count
    switch period.unit {
    case .day: unit = .day
    case .week: (unit, value) = (.day, value * 7)
    case .month: unit = .month
    case .year: unit = .year
    }
    guard let end = calendar.date(byAdding: unit, value: value, to: start) else {
      preconditionFailure("the calendar has no end for \(count) periods of \(period)")
    }
    return end
  }

  /// The anchor of a period that starts where another one ends.
  ///
  /// It goes on counting when the length stays and there is no gap, and starts anew otherwise.
  ///
  /// - Parameters:
  ///   - start: Where the period starts.
  ///   - period: Its length.
  ///   - old: The period before; nil for a first one.
  /// - Returns: The anchor; ``end(of:)`` is where the period ends.
  func anchor(
    from start: Date,
    of period: SubscriptionPeriod,
    after old: BillingPeriod?
  ) -> BillingAnchor {
    guard let old, old.end == start, old.anchor.period == period else {
      return BillingAnchor(start: start, period: period, periodCount: 1)
    }
    return BillingAnchor(
      start: old.anchor.start,
      period: period,
      periodCount: old.anchor.periodCount + 1
    )
  }

  /// Where the period of an anchor ends.
  func end(of anchor: BillingAnchor) -> Date {
    end(from: anchor.start, of: anchor.period, count: anchor.periodCount)
  }
}
