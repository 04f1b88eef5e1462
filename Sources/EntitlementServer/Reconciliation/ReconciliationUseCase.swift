import AppStoreServerAPI
import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Comparisons of the ledger with the App Store: begun, watched and read.
struct ReconciliationUseCase: Sendable {
  let parts: ServerParts

  private static let finding = Shape.object([
    .required("kind", .text(max: 64)), .required("id", .text(max: 256)),
    .optional("what", .text(max: 64)), .optional("product", .text(max: 256)),
    .optional("type", .text(max: 256)), .optional("subtype", .text(max: 256)),
    .optional("sent", .text(max: 256)),
  ])

  static let shape = Shape.object([
    .required("id", .text(max: 64)),
    .required("state", .word(ReconciliationRecord.State.allCases.map(\.rawValue))),
    .required("environment", .text(max: 64)), .required("start", .date), .required("end", .date),
    .required("stage", .word(ReconciliationRecord.Stage.allCases.map(\.rawValue))),
    .optional("problem", .text(max: 2000)), .optional("retryAt", .date),
    .required(
      "counts",
      .object(ReconciliationRecord.counted.map { .required($0, .count) })
    ),
    .required("findings", .list(finding, max: ReconciliationRecord.findingsMax)),
    .optional("replay", .object(NotificationReplay.fields)),
  ])

  var routes: [Route] { comparisons + replays }

  private var comparisons: [Route] {
    [
      Route(
        .post,
        "/v1/reconciliations",
        "Begins to compare the ledger with the App Store, and to fill the gaps.",
        access: .backend,
        body: .object(
          .object([
            .optional("originalTransactionId", .text(max: 64)), .optional("start", .date),
          ])
        ),
        parameters: [.app, .environment],
        answers: [Route.Answer(200, Self.shape)],
        errors: [501],
        repetition: .replayed,
        run: { call async throws(ServerError) in try await begin(call) }
      ),
      Route(
        .get,
        "/v1/reconciliations/{id}",
        "Shows how far a comparison is, and what was missing.",
        access: .backend,
        parameters: [.app],
        answers: [Route.Answer(200, Self.shape)],
        errors: [404],
        run: { call async throws(ServerError) in try await show(call) }
      ),
    ]
  }

  private var replays: [Route] {
    [
      Route(
        .post,
        "/v1/notifications/replays",
        "Begins to read again what the App Store sent, and to record what is missing.",
        access: .backend,
        body: .object(
          .object(
            NotificationReplay.fields + [
              .optional("originalTransactionId", .text(max: 64)), .optional("start", .date),
              .optional("end", .date),
            ]
          )
        ),
        parameters: [.app, .environment],
        answers: [Route.Answer(200, Self.shape)],
        errors: [501],
        repetition: .replayed,
        run: { call async throws(ServerError) in try await beginReplay(call) }
      ),
      Route(
        .get,
        "/v1/notifications/replays/{id}",
        "Shows how far a replay is, and what was missing.",
        access: .backend,
        parameters: [.app],
        answers: [Route.Answer(200, Self.shape)],
        errors: [404],
        run: { call async throws(ServerError) in try await show(call) }
      ),
    ]
  }

  private func beginReplay(_ call: Call) async throws(ServerError) -> Reply {
    let replay = NotificationReplay(call.body)
    if let problem = replay.problem(isOfOne: call.body["originalTransactionId"] != nil) {
      throw problem
    }
    return try await begin(call, replay)
  }

  private func begin(
    _ call: Call,
    _ replay: NotificationReplay? = nil
  ) async throws(ServerError) -> Reply {
    let scope = try call.scope()
    let access = parts.apple[scope.app]
    guard replay == nil ? access?.canCompare == true : access?.background != nil else {
      throw ServerError(
        501,
        .unsupported,
        .transactionLookupUnsupported,
        "This server cannot ask the App Store: its configuration names no key for that."
      )
    }
    let earliest = call.now.addingTimeInterval(-NotificationQuery.reach + Self.reachMargin)
    var start = earliest
    if let given = call.body["start"]?.integerValue {
      start = max(earliest, Date(milliseconds: given))
    }
    guard start < call.now else {
      throw RequestMembers.invalid("start", "in the past")
    }
    let end = call.body["end"]?.integerValue.map { Date(milliseconds: $0) } ?? call.now
    guard start < end else { throw RequestMembers.invalid("end", "behind start") }
    let name = call.naming.map { Array($0.prefix(12)) } ?? parts.world.random(12)
    var record = ReconciliationRecord(
      id: (replay == nil ? "rec_" : "rep_") + Hexadecimal.text(name),
      scope: scope,
      start: start,
      end: min(end, call.now)
    )
    record.replay = replay
    record.only = call.body["originalTransactionId"]?.stringValue
      .map { OriginalTransactionID($0) }
    var write = LedgerWrite(date: call.now)
    write.documents = [record.document(.ifAbsent)]
    write.audit = [
      parts.audit(
        replay == nil ? "reconciliation.begin" : "notifications.replay",
        call,
        scope.app,
        ["id": .string(record.id)]
      )
    ]
    let outcome = try await parts.commit(write)
    return .ok(Self.shown(outcome.documents.first?.document?.body ?? record.body))
  }

  /// The App Store's clock may be a little ahead of ours.
  private static let reachMargin: TimeInterval = 3600

  private func show(_ call: Call) async throws(ServerError) -> Reply {
    let key = ReconciliationRecord.key(call.parameter("id"), app: try call.app().bundleID)
    let found = try await parts.read { reader throws(StorageError) in try reader.document(key) }
    guard let found else {
      throw ServerError(
        404,
        .notFound,
        .nothingThere,
        "There is no such reconciliation.",
        parameter: "id"
      )
    }
    return .ok(Self.shown(found.body))
  }

  /// What people see: not where the lists are.
  private static func shown(_ body: JSONObject) -> JSONObject {
    var body = body
    for name in ["mark", "current", "after", "only"] { body[name] = nil }
    return body
  }
}
