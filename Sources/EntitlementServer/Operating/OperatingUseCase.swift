import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// What keeps the server running: signs of life and counters.
struct OperatingUseCase: Sendable {
  let parts: ServerParts

  private static let status = Shape.object([.required("status", .word(["ok"]))])

  private static let problem = Shape.object([
    .required("code", .text(max: 64)), .required("message", .text(max: 1000)),
  ])

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
        "Says whether requests can be answered: the ledger can be read and written. Names in words "
          + "what should be looked at although requests are answered.",
        access: .open,
        answers: [
          Route.Answer(
            200,
            .object([
              .required("status", .word(["ok"])), .required("webhooks", .word(["ok", "behind"])),
              .required("problems", .list(Self.problem, max: 1000)),
            ])
          )
        ],
        run: { call async throws(ServerError) in
          try await ready(at: call.now)
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

  private func read() async throws(ServerError) -> Reply {
    _ = try await parts.read { reader throws(StorageError) in try reader.counts() }
    return .ok(["status": "ok"])
  }

  /// Whether the ledger takes writes, and what else should be looked at: that alone is no reason to
  /// send nobody here.
  private func ready(at now: Date) async throws(ServerError) -> Reply {
    let health = HealthReport(parts: parts)
    try await health.write(at: now)
    let backlog = try await health.backlog()
    let problems = health.problems(backlog, at: now)
    return .ok([
      "status": "ok", "webhooks": backlog.isBehind(at: now) ? "behind" : "ok",
      "problems": .array(
        problems.map { ["code": .string($0.code), "message": .string($0.message)] }
      ),
    ])
  }

  private func metrics() async throws(ServerError) -> Reply {
    let text = parts.metrics.text(try await MetricsPage(parts: parts).readings())
    return .whole(
      HTTPResponse(
        status: 200,
        headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
        body: Array(text.utf8)
      )
    )
  }
}
