internal import Dispatch
public import Foundation
internal import IAPModel
internal import SQLiteAdapter
public import ServerStorage

extension SQLiteLedger {
  /// How many rows of a log are looked at in one transaction, so that writes wait shortly.
  static let logRowsPerStep: Int64 = 5_000

  /// Forgets the rows of the logs that are old enough; the newest stays, for numbers go on from it.
  public func keepLogs(
    _ retention: LogRetention,
    at now: Date
  ) async throws(StorageError) -> LogUpkeep {
    let ends = [
      ("outbox", LogRetention.end(retention.outboxDays, at: now)),
      ("audit", LogRetention.end(retention.auditDays, at: now)),
    ]
    guard ends.contains(where: { $0.1 != nil }) else { return LogUpkeep() }
    let (path, timeout) = (path, busyTimeoutMilliseconds)
    let result: Result<LogUpkeep, StorageError> = await withCheckedContinuation { continuation in
      upkeep.async {
        do throws(StorageError) {
          let connection = try SQLiteConnection(
            path: path,
            mode: .readWrite,
            busyTimeoutMilliseconds: timeout
          )
          try connection.execute("PRAGMA secure_delete = ON")
          var done = LogUpkeep()
          for (table, end) in ends {
            guard let end else { continue }
            done.rowsDropped += try Self.forget(table, before: end, connection)
          }
          continuation.resume(returning: .success(done))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  private static func forget(
    _ table: String,
    before end: Date,
    _ connection: SQLiteConnection
  ) throws(StorageError) -> Int {
    var sum = 0
    var count = 0
    repeat {
      // Rows lie in the order of recording, which hardly differs from that of their dates.
      count = try connection.run(
        """
        DELETE FROM \(table) WHERE date_ms < ?
          AND sequence < (SELECT min(sequence) FROM \(table)) + \(logRowsPerStep)
          AND sequence < (SELECT max(sequence) FROM \(table))
        """,
        .integer(end.milliseconds)
      )
      sum += count
    } while count > 0
    return sum
  }
}
