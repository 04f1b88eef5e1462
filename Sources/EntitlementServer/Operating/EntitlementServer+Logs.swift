import Foundation
import ServerStorage
import Synchronization

extension EntitlementServer {
  /// Looks after the ledger's logs once an hour.
  ///
  /// It makes room for the time to come, and forgets what is older than it has to be kept. Several
  /// servers may do it; each does what is left to do.
  public func keepLogs() async {
    guard parts.logsKept.begins(at: parts.world.uptime()) else { return }
    let limits = parts.configuration.limits
    do throws(StorageError) {
      let done = try await parts.ledger.keepLogs(limits.logs, at: await parts.clock.now())
      parts.metrics.count(.jobs, ["job": "logs", "outcome": "done"])
      guard !done.isNothing else { return }
      parts.world.log(
        ServerEvent(
          .info,
          "logs",
          [
            .init("made", "\(done.partsMade)"),
            .init("dropped", done.partsDropped.joined(separator: ",")),
            .init("rows", "\(done.rowsDropped)"),
          ]
        )
      )
    } catch {
      parts.metrics.count(.jobs, ["job": "logs", "outcome": "failed"])
      parts.world.log(ServerEvent(.error, "logs", [.init("inside", error.description)]))
    }
  }
}

/// Whose turn it is to look after the logs: once an hour of a clock that never jumps.
final class LogTurn: Sendable {
  /// How long lies between two turns.
  static let interval = Duration.seconds(3_600)
  private let last = Mutex<Duration?>(nil)

  /// Whether a turn begins now.
  func begins(at uptime: Duration) -> Bool {
    last.withLock { last in
      if let last, uptime - last < Self.interval { return false }
      last = uptime
      return true
    }
  }
}
