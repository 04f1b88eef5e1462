public import Foundation
public import IAPModel

/// How fast subscriptions live.
///
/// - **Source:** the lifecycle facts, section 15.
public enum RenewalPace: Hashable, Sendable {
  /// As in production.
  case realTime
  /// The sandbox, by the minutes that a month takes: 3, 5, 15, 30 or 60.
  case sandbox(monthMinutes: Int)
  /// TestFlight: every renewal after a day, six of them.
  case testFlight
  /// Tests in Xcode, by the number in a `.storekit` file; unknown numbers are real time.
  case xcode(timeRate: Int)

  /// How long a period lasts, in seconds; nil for calendar time.
  ///
  /// - Parameter period: The period as it is sold.
  /// - Returns: Seconds, or nil.
  public func seconds(of period: SubscriptionPeriod) -> TimeInterval? {
    switch self {
    case .realTime: nil
    case .testFlight: Self.day
    case .sandbox, .xcode: scale.map { $0.seconds(of: period) }
    }
  }

  /// How long access goes on after a failed charge, in seconds; nil for what is set up.
  func grace(of period: SubscriptionPeriod) -> TimeInterval? {
    switch self {
    case .realTime: nil
    case .testFlight: Self.day
    case .sandbox, .xcode: scale?.grace(of: period)
    }
  }

  /// How long a failed charge is tried again, in seconds; nil for what is set up.
  var retry: TimeInterval? {
    switch self {
    case .realTime: nil
    case .testFlight: 2 * Self.day
    case .sandbox, .xcode: scale?.retry
    }
  }

  /// After how many renewals auto-renewal ends; nil for never.
  public var renewalCountMax: Int? {
    switch self {
    case .realTime, .xcode: nil
    case .sandbox: 12
    case .testFlight: 6
    }
  }

  private static let day: TimeInterval = 24 * 3600

  private var scale: Scale? {
    switch self {
    case .realTime, .testFlight: nil
    case .sandbox(let minutes): .months(TimeInterval(minutes) * 60)
    case .xcode(let rate):
      switch rate {
      case 1: .days(3600)
      case 2: .days(1800)
      case 3: .days(300)
      case 4: .days(60)
      case 5: .days(30)
      case 6: .days(1)
      case 10: .months(3600)
      case 11: .months(1800)
      case 12: .months(900)
      case 13: .months(300)
      case 15: .months(30)
      case 1000: .all(900)
      case 1001: .all(300)
      case 1002: .all(60)
      case 1003: .all(30)
      case 1004: .all(10)
      case 1005: .all(2)
      default: nil
      }
    }
  }
}

/// How calendar time becomes seconds.
private enum Scale {
  /// A month takes so long; weeks have a table of their own.
  case months(TimeInterval)
  /// A day takes so long.
  case days(TimeInterval)
  /// Everything takes so long.
  case all(TimeInterval)

  var month: TimeInterval {
    switch self {
    case .months(let seconds), .all(let seconds): seconds
    case .days(let seconds): seconds * 30
    }
  }

  var week: TimeInterval {
    switch self {
    case .days(let seconds): return seconds * 7
    case .all(let seconds): return seconds
    case .months(let seconds):
      let table: [TimeInterval: TimeInterval] = [
        30: 10, 180: 180, 300: 180, 900: 300, 1800: 600, 3600: 900,
      ]
      return table[seconds] ?? seconds / 4
    }
  }

  var retry: TimeInterval { month * 2 }

  func seconds(of period: SubscriptionPeriod) -> TimeInterval {
    let count = TimeInterval(period.value)
    switch self {
    case .all(let seconds): return seconds
    case .days(let seconds):
      switch period.unit {
      case .day: return seconds * count
      case .week: return seconds * 7 * count
      case .month: return seconds * 30 * count
      case .year: return seconds * 365 * count
      }
    case .months(let seconds):
      switch period.unit {
      // Trials of days go by their share of a month.
      case .day: return seconds / 30 * count
      case .week: return week * count
      case .month: return seconds * count
      case .year: return seconds * 12 * count
      }
    }
  }

  func grace(of period: SubscriptionPeriod) -> TimeInterval {
    switch self {
    case .all(let seconds): seconds
    case .days, .months: period.unit == .week ? (week * 6 / 7).rounded() : month / 2
    }
  }
}
