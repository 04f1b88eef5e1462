public import Foundation

/// How long a ledger keeps its logs.
///
/// They are the entries in the order of recording, and the notes for people; what they are about
/// stays for ever.
public struct LogRetention: Hashable, Sendable {
  /// The fewest days that a log may be kept: what reads it has to come by meanwhile.
  public static let daysMin = 31

  /// For how many days the outbox is kept; 0 for ever.
  public var outboxDays = 0
  /// For how many days the audit log is kept; 0 for ever.
  public var auditDays = 0

  /// Keeps everything.
  public init() {}

  /// The instant before which a log may be forgotten; nil when it is kept for ever.
  ///
  /// - Parameters:
  ///   - days: For how many days it is kept.
  ///   - now: The present instant.
  /// - Returns: The instant.
  public static func end(_ days: Int, at now: Date) -> Date? {
    days == 0 ? nil : now.addingTimeInterval(-TimeInterval(max(days, daysMin)) * 86_400)
  }
}

/// What was done to keep the logs in shape.
public struct LogUpkeep: Hashable, Sendable {
  /// How many parts were made for the time to come.
  public var partsMade = 0
  /// The names of the parts that are gone.
  public var partsDropped: [String] = []
  /// How many rows are gone that were in no part of their own.
  public var rowsDropped = 0

  /// Nothing yet.
  public init() {}

  /// Whether there was nothing to do.
  public var isNothing: Bool { self == LogUpkeep() }
}

extension Ledger {
  /// Nothing: a ledger without logs on a disk has nothing to keep in shape.
  public func keepLogs(
    _ retention: LogRetention,
    at now: Date
  ) async throws(StorageError) -> LogUpkeep { LogUpkeep() }
}
