import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// What keeps the server running: signs of life and counters.
struct OperatingUseCase: Sendable {
  let parts: ServerParts

  private static let status = Shape.object([.required("status", .word(["ok"]))])

  var routes: [Route] {
    [
      Route(
        .get,
        "/healthz",
        "Says whether the ledger can be read.",
        access: .open,
        answers: [Route.Answer(200, Self.status)],
        run: { _ async throws(ServerError) in try await read() }
      ),
      Route(
        .get,
        "/readyz",
        "Says whether requests can be answered: the ledger can be read and written.",
        access: .open,
        answers: [
          Route.Answer(
            200,
            .object([
              .required("status", .word(["ok"])), .required("webhooks", .word(["ok", "behind"])),
            ])
          )
        ],
        run: { call async throws(ServerError) in
          try await write(at: call.now)
          return try await ready(at: call.now)
        }
      ),
      Route(
        .get,
        "/metrics",
        "Shows the counters, for Prometheus.",
        access: .backend,
        answers: [Route.Answer(200, nil, mediaType: "text/plain")],
        run: { _ async throws(ServerError) in try await metrics() }
      ),
    ]
  }

  /// Writes nothing, which goes through the writer and its flush; says what is wrong.
  private func write(at now: Date) async throws(ServerError) {
    do throws(StorageError) {
      _ = try await parts.ledger.commit(LedgerWrite(date: now))
    } catch {
      throw ServerError(
        503,
        .unavailable,
        .storageUnavailable,
        "The ledger cannot be written: \(error.code).",
        retryAfterSeconds: 1,
        inside: error.description
      )
    }
  }

  private func read() async throws(ServerError) -> Reply {
    _ = try await parts.read { reader throws(StorageError) in try reader.counts() }
    return .ok(["status": "ok"])
  }

  /// Endpoints that do not answer are no reason to send nobody here, but somebody should know.
  private func ready(at now: Date) async throws(ServerError) -> Reply {
    let isBehind = try await backlog().isBehind(at: now)
    return .ok(["status": "ok", "webhooks": .string(isBehind ? "behind" : "ok")])
  }

  private func backlog() async throws(ServerError) -> WebhookBacklog {
    let configuration = parts.configuration
    return try await parts.read { reader throws(StorageError) in
      var sum = WebhookBacklog()
      for app in configuration.apps {
        sum.add(try .all(of: app.bundleID, configuration.limits.webhooks, reader))
      }
      return sum
    }
  }

  private func metrics() async throws(ServerError) -> Reply {
    let backlog = try await backlog()
    let now = await parts.clock.now()
    let age = backlog.oldest.map { max(0, Int(now.timeIntervalSince($0))) } ?? 0
    let counts = try await parts.read { reader throws(StorageError) in try reader.counts() }
    let isSimulated = parts.configuration.isSimulated
    let text = parts.metrics.text(gauges: [
      ("iap_ledger_facts", "Facts in the ledger.", counts.facts),
      ("iap_ledger_subjects", "Purchases and subscriptions in the ledger.", counts.subjects),
      ("iap_ledger_transactions", "Transactions in the ledger.", counts.transactions),
      ("iap_ledger_entries", "Grants, clawbacks and regrants in the ledger.", counts.entries),
      ("iap_ledger_orders", "Orders in the ledger.", counts.orders),
      ("iap_ledger_conflicts", "Purchases presented by another customer.", counts.conflicts),
      ("iap_ledger_outbox", "Events for the app's own backend.", counts.outbox),
      ("iap_webhook_pending", "Events that endpoints were not told yet.", Int(backlog.pending)),
      (
        "iap_webhook_held_lanes", "Customers whose events wait for one that did not arrive.",
        Int(backlog.heldLanes)
      ),
      ("iap_webhook_dead_letters", "Events that were given up.", Int(backlog.dead)),
      ("iap_webhook_oldest_seconds", "Age of the oldest event that was not told yet.", age),
      ("iap_simulated", "Whether simulated stores are trusted.", isSimulated ? 1 : 0),
    ])
    return .whole(
      HTTPResponse(
        status: 200,
        headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
        body: Array(text.utf8)
      )
    )
  }
}
