import AppStoreServerAPI
import Foundation
import IAPModel
import ServerStorage

/// Looks up what is only known when somebody asks: the size of the ledger, backlogs, budgets.
struct MetricsPage: Sendable {
  let parts: ServerParts

  typealias Reading = ServerMetrics.Reading

  /// The readings of one instant.
  ///
  /// - Returns: The readings.
  /// - Throws: ``ServerError`` with 503 when the ledger cannot be read.
  func readings() async throws(ServerError) -> [Reading] {
    try await ledger() + webhooks() + server() + apple()
  }

  private func ledger() async throws(ServerError) -> [Reading] {
    let load = parts.ledger.load
    let counts = try await parts.read { reader throws(StorageError) in try reader.counts() }
    return [
      Reading(.facts, counts.facts), Reading(.subjects, counts.subjects),
      Reading(.transactions, counts.transactions), Reading(.ledgerEntries, counts.entries),
      Reading(.orders, counts.orders), Reading(.conflicts, counts.conflicts),
      Reading(.outbox, counts.outbox), Reading(.readersMax, load.readers),
      Reading(.readersBusy, load.busyReaders), Reading(.readsWaiting, load.waitingReads),
      Reading(.writesWaiting, load.waitingWrites),
    ]
  }

  private func webhooks() async throws(ServerError) -> [Reading] {
    let backlog = try await HealthReport(parts: parts).backlog()
    let now = await parts.clock.now()
    let age = backlog.oldest.map { max(0, Int(now.timeIntervalSince($0))) } ?? 0
    return [
      Reading(.webhookPending, Int(backlog.pending)),
      Reading(.heldLanes, Int(backlog.heldLanes)), Reading(.deadLetters, Int(backlog.dead)),
      Reading(.oldestWebhook, age),
    ]
  }

  private func server() -> [Reading] {
    let uptime = parts.world.uptime()
    var readings = [
      Reading(.servers, parts.servers.count),
      Reading(.clockApart, Int(parts.servers.apartSeconds.rounded())),
      Reading(.uptime, Int(uptime / .seconds(1))),
      Reading(.simulated, parts.configuration.isSimulated ? 1 : 0),
    ]
    if let age = parts.metrics.workAge(at: uptime) {
      readings.append(Reading(.workAge, Int(age / .seconds(1))))
    }
    return readings
  }

  private func apple() -> [Reading] {
    var readings: [Reading] = []
    for (app, access) in parts.apple.sorted(by: { $0.key < $1.key }) {
      for (name, client) in [("request", access.client), ("background", access.background)] {
        for level in client?.budgetLevels ?? [] {
          readings.append(
            Reading(
              .appleBudget,
              Int(level.remaining),
              [
                "app": app.rawValue, "client": name, "endpoint": level.endpoint.rawValue,
                "environment": level.isProduction ? "Production" : "Sandbox",
              ]
            )
          )
        }
      }
    }
    return readings
  }
}
