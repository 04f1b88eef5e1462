internal import Dispatch
public import Foundation
internal import IAPModel
internal import PostgresAdapter
public import ServerStorage

extension PostgresLedger {
  /// Makes the parts of the logs for the months to come, and drops those that are old enough: whole
  /// months, without looking at their rows.
  public func keepLogs(
    _ retention: LogRetention,
    at now: Date
  ) async throws(StorageError) -> LogUpkeep {
    let place = place
    let result: Result<LogUpkeep, StorageError> = await withCheckedContinuation { continuation in
      upkeep.async {
        do throws(StorageError) {
          continuation.resume(returning: .success(try Self.keepLogs(retention, at: now, place)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  private static func keepLogs(
    _ retention: LogRetention,
    at now: Date,
    _ place: PostgresPlace
  ) throws(StorageError) -> LogUpkeep {
    let database = try place.connect()
    let schema = place.options.schema
    var done = LogUpkeep()
    done.partsMade = try PostgresLogs.makeAhead(at: now.milliseconds, database, schema: schema)
    let days = [("outbox", retention.outboxDays), ("audit", retention.auditDays)]
    for (table, days) in days {
      guard let end = LogRetention.end(days, at: now) else { continue }
      let dropped = try PostgresLogs.drop(
        before: end.milliseconds,
        of: table,
        database,
        schema: schema
      )
      done.partsDropped += dropped.parts
      done.rowsDropped += dropped.rows
    }
    return done
  }
}
