import Foundation
import HTTPValues
import ServerStorage

/// A ledger whose reads and commits are counted and timed, and named in the log when they are slow.
struct MeasuredLedger: Ledger {
  private enum Operation: String {
    case read, commit

    var inFlight: ServerMetrics.Gauge {
      switch self {
      case .read: .readsInFlight
      case .commit: .commitsInFlight
      }
    }
  }

  let ledger: any Ledger
  let metrics: ServerMetrics
  let world: ServerWorld
  /// From how long an operation is slow; nil for never.
  let slow: Duration?

  var load: LedgerLoad { ledger.load }

  func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome {
    try await measured(.commit) { () async throws(StorageError) in
      try await ledger.commit(write)
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    try await measured(.read) { () async throws(StorageError) in try await ledger.read(body) }
  }

  func keepLogs(
    _ retention: LogRetention,
    at now: Date
  ) async throws(StorageError) -> LogUpkeep {
    try await ledger.keepLogs(retention, at: now)
  }

  func stamp() -> LedgerStamp? { ledger.stamp() }

  func close() async { await ledger.close() }

  private func measured<Value>(
    _ operation: Operation,
    _ body: () async throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    metrics.enter(operation.inFlight)
    let begin = world.uptime()
    defer {
      metrics.enter(operation.inFlight, -1)
      note(operation, world.uptime() - begin)
    }
    do throws(StorageError) {
      return try await body()
    } catch {
      metrics.count(
        .ledgerErrors,
        ["operation": operation.rawValue, "code": error.code.rawValue]
      )
      throw error
    }
  }

  private func note(_ operation: Operation, _ duration: Duration) {
    metrics.observe(.ledgerSeconds, duration, ["operation": operation.rawValue])
    guard let slow, duration >= slow else { return }
    metrics.count(.slow, ["what": operation.rawValue])
    var fields: [ServerEvent.Field] = [
      .init("what", operation.rawValue),
      .init("milliseconds", "\(Int(duration / .milliseconds(1)))"),
    ]
    if let trace = RequestTrace.current {
      fields += [
        .init("route", trace.route), .init("request_id", trace.requestID),
        .init("trace_id", trace.context.trace),
      ]
    }
    world.log(ServerEvent(.notice, "slowQuery", fields))
  }
}
