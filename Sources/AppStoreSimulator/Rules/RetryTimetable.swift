public import Foundation

/// How often a notification is sent again when the server does not take it.
///
/// - **Source:** App Store Server Notifications, "Responding to notifications".
public struct RetryTimetable: Hashable, Sendable {
  /// Seconds between an attempt and the next one, first to last.
  public let delays: [TimeInterval]

  /// Makes a timetable.
  ///
  /// - Parameter delays: Seconds between an attempt and the next one, first to last.
  public init(delays: [TimeInterval]) { self.delays = delays }

  /// Production: 1, 12, 24, 48 and 72 hours after the attempt before.
  public static let production = RetryTimetable(delays: [1, 12, 24, 48, 72].map { $0 * 3600 })
  /// Production for notifications of version 1: 6, 24 and 48 hours after the attempt before.
  public static let productionVersion1 = RetryTimetable(delays: [6, 24, 48].map { $0 * 3600 })
  /// The sandbox: one attempt only.
  public static let sandbox = RetryTimetable(delays: [])

  /// The timetable of a version, this one being that of version 2.
  func of(_ version: NotificationVersion) -> RetryTimetable {
    switch version {
    case .version2: self
    case .version1: delays.isEmpty ? self : .productionVersion1
    }
  }

  /// The most attempts.
  public var attemptCountMax: Int { delays.count + 1 }

  /// When the next attempt is due.
  ///
  /// - Parameters:
  ///   - count: How many attempts were made.
  ///   - last: When the last one was made.
  /// - Returns: The instant; nil when there is no further attempt.
  public func nextAttempt(after count: Int, last: Date) -> Date? {
    guard count >= 1, count <= delays.count else { return nil }
    return last.addingTimeInterval(delays[count - 1])
  }

  /// Whether the server took it: a status from 200 to 206.
  public static func isSuccess(_ status: Int?) -> Bool {
    status.map { (200...206).contains($0) } ?? false
  }
}
