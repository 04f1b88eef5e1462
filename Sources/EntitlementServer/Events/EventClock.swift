import Foundation
import IAPModel
import ServerStorage

/// Looks again at purchases whose access the clock has changed, so that the end of a period is an
/// event although no fact says so.
///
/// The hour up to which everything was looked at is in the ledger; several servers can do it, for
/// a purchase that was looked at twice has changed only once.
struct EventClock: Sendable {
  let parts: ServerParts

  /// How many purchases are looked at in one write.
  static let pageMax = 100
  /// How many hours one call passes over.
  static let hoursMax = 10_000
  /// How many hours before the first call are looked at.
  static let hoursBack: Int64 = 24 * 400

  private static func key(_ app: BundleID) -> DocumentKey {
    DocumentKey(.eventClock, app: app, name: "")
  }

  /// Looks at what is due; how many purchases that were.
  func step(_ app: BundleID, at now: Date) async throws(ServerError) -> Int {
    let current = EventWatch.hour(of: now)
    let stored = try await parts.read { reader throws(StorageError) in
      try reader.document(Self.key(app))?.body["hour"]?.integerValue ?? current - Self.hoursBack
    }
    // One hour more than needed, for writers whose clock is behind.
    let start = stored - 1
    var count = 0
    var hour = start
    var passed = 0
    while hour <= current, passed < Self.hoursMax, count < Self.pageMax, !Task.isCancelled {
      let (next, due) = try await due(app, from: hour, to: current, now)
      passed += Int(next - hour) + 1
      hour = next
      guard !due.isEmpty else {
        if hour >= current { break }
        hour += 1
        continue
      }
      var write = LedgerWrite(date: now)
      write.rechecks = due
      _ = try await parts.commit(write)
      count += due.count
    }
    guard hour > stored else { return count }
    var write = LedgerWrite(date: now)
    write.documents = [
      DocumentWrite(
        Self.key(app),
        body: ["hour": .integer(min(hour, current))],
        condition: .always
      )
    ]
    _ = try await parts.commit(write)
    return count
  }

  /// The first hour in which something is due, and what; without anything, the last hour looked at.
  private func due(
    _ app: BundleID,
    from start: Int64,
    to end: Int64,
    _ now: Date
  ) async throws(ServerError) -> (hour: Int64, due: [LedgerSubject]) {
    try await parts.read { reader throws(StorageError) in
      for hour in start...min(end, start + 1000) {
        var found: [LedgerSubject] = []
        var after: Int64 = 0
        repeat {
          let page = try reader.watches(of: app, dueIn: hour, after: after, limit: Self.pageMax)
          found += page.map(\.watch).filter { ($0.due ?? .distantFuture) <= now }.map(\.subject)
          guard page.count == Self.pageMax, found.count < Self.pageMax, let last = page.last else {
            break
          }
          after = last.sequence
        } while after > 0
        if !found.isEmpty { return (hour, Array(found.prefix(Self.pageMax))) }
      }
      return (min(end, start + 1000), [])
    }
  }
}

extension DocumentKind {
  /// Up to which hour the clock's changes were looked at.
  static let eventClock = Self(rawValue: "eventClock")
}
