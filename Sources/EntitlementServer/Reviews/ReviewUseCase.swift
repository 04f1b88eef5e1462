import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// The queue of cases for people: clients report, the server finds, people decide.
struct ReviewUseCase: Sendable {
  let parts: ServerParts

  /// How often a report is worked in again when somebody else wrote in between.
  private static let attemptsMax = 8

  var routes: [Route] {
    [
      Route(
        .post,
        "/v1/reviews",
        "Reports a purchase that the client has set aside; equal reports are one case.",
        access: .app,
        body: .object(ReviewShapes.report(parts.configuration.limits)),
        parameters: [.app],
        answers: [Route.Answer(200, ReviewShapes.outcome)],
        repetition: .natural,
        run: { call async throws(ServerError) in try await report(call) }
      ),
      Route(
        .get,
        "/v1/reviews",
        "Lists the cases, oldest first.",
        access: .backend,
        parameters: [
          .app, .after, .limit,
          Route.Parameter(
            name: "state",
            place: .query,
            shape: .word(ReviewRecord.State.allCases.map(\.rawValue)),
            note: "Only cases that stand so."
          ),
        ],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("reviews", .list(ReviewShapes.review, max: 1000)),
              .optional("next", .count),
            ])
          )
        ],
        run: { call async throws(ServerError) in try await list(call) }
      ),
      Route(
        .get,
        "/v1/reviews/{id}",
        "Shows a case with everything that was reported.",
        access: .backend,
        parameters: [.app],
        answers: [Route.Answer(200, ReviewShapes.review)],
        errors: [404],
        run: { call async throws(ServerError) in
          .ok(ReviewShapes.answer(try await review(call).record, isWhole: true))
        }
      ),
      Route(
        .post,
        "/v1/reviews/{id}/resolve",
        "Decides a case: deliver, refuse, or resolve it without effect.",
        access: .backend,
        body: .object(ReviewShapes.decision(parts.configuration.limits)),
        parameters: [.app],
        answers: [Route.Answer(200, ReviewShapes.review)],
        errors: [404, 409],
        repetition: .natural,
        run: { call async throws(ServerError) in try await decide(call) }
      ),
    ]
  }

  private func report(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    guard let transaction = call.body["transactionId"]?.stringValue else {
      preconditionFailure("the gate has checked the shape")
    }
    let id = Self.quarantineID(TransactionID(transaction), parts.verifiers)
    var told = JSONObject(
      ReviewShapes.reportMembers.compactMap { name in
        call.body[name].flatMap { $0 == .null ? nil : JSONMember(name, $0) }
      }
    )
    if told["account"] == nil {
      told["account"] = call.customer.map { .string($0.customer.rawValue) }
    }
    for _ in 0..<Self.attemptsMax {
      let known = try await found(id, app)
      if let known, Self.saysNothingNew(told, known.record) {
        return .ok(ReviewShapes.outcome(known.record))
      }
      var record =
        known?.record
        ?? ReviewRecord(id: id, app: app, kind: .quarantine, openedDate: call.now, details: [:])
      for member in told.members { record.details[member.name] = member.value }
      var write = LedgerWrite(date: call.now)
      write.documents = [
        record.document(known.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent)
      ]
      write.audit = [
        parts.audit(
          known == nil ? "review.opened" : "review.reportedAgain",
          call,
          app,
          ["review": .string(id.rawValue)]
        )
      ]
      if try await !parts.commit(write).isRefused {
        parts.metrics.count(.reviews, ["kind": "quarantine", "event": "reported"])
        return .ok(ReviewShapes.outcome(record))
      }
    }
    throw Self.busy
  }

  /// The name of the case about a transaction that a client has set aside.
  static func quarantineID(_ id: TransactionID, _ verifiers: ServerVerifiers) -> ReviewID {
    let digest = verifiers.digest(Array("quarantine:\(id)".utf8))
    return ReviewID("qua_" + Hexadecimal.text(digest.prefix(12)))
  }

  private static func saysNothingNew(_ told: JSONObject, _ record: ReviewRecord) -> Bool {
    // What was decided is not reopened by hearing of it again.
    record.state != .open || told.members.allSatisfy { record.details[$0.name] == $0.value }
  }

  private static let busy = ServerError(
    503,
    .unavailable,
    .storageUnavailable,
    "Others wrote to the same case at the same moment; try again.",
    retryAfterSeconds: 1
  )

  private func found(
    _ id: ReviewID,
    _ app: BundleID
  ) async throws(ServerError) -> (record: ReviewRecord, version: Int64)? {
    try await parts.read { reader throws(StorageError) -> (ReviewRecord, Int64)? in
      guard let document = try reader.document(ReviewRecord.key(id, app: app)) else { return nil }
      return (try ReviewRecord(document), document.version)
    }
  }

  private func review(
    _ call: Call
  ) async throws(ServerError) -> (record: ReviewRecord, version: Int64) {
    let app = try call.app().bundleID
    guard let found = try await found(ReviewID(call.parameter("id")), app) else {
      throw ServerError(404, .notFound, .nothingThere, "There is no such case.", parameter: "id")
    }
    return found
  }

  private func list(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let (after, limit) = try call.page()
    let state = call.request.queryValue("state")
    if let state, ReviewRecord.State(rawValue: state) == nil {
      let words = ReviewRecord.State.allCases.map(\.rawValue).joined(separator: ", ")
      throw RequestMembers.invalid("state", "one of " + words)
    }
    let documents = try await parts.read { reader throws(StorageError) in
      try reader.documents(.review, app: app, shelf: state, after: after, limit: limit)
    }
    let records = try await stored { () async throws(StorageError) in
      var records: [ReviewRecord] = []
      for document in documents { records.append(try ReviewRecord(document)) }
      return records
    }
    var answer: JSONObject = [
      "reviews": .array(records.map { .object(ReviewShapes.answer($0, isWhole: false)) })
    ]
    if documents.count == limit, let last = documents.last {
      answer["next"] = .integer(last.sequence)
    }
    return .ok(answer)
  }

  private func decide(_ call: Call) async throws(ServerError) -> Reply {
    guard let action = call.body["action"]?.stringValue.flatMap({ ReviewAction(rawValue: $0) })
    else { preconditionFailure("the gate has checked the shape") }
    for _ in 0..<Self.attemptsMax {
      let (known, version) = try await review(call)
      if known.state == action.state {
        return .ok(ReviewShapes.answer(known, isWhole: true))
      }
      // What was handed over cannot be taken back by a word.
      guard known.state != .delivered else {
        throw ServerError(
          409,
          .conflict,
          .alreadyDecided,
          "The goods of this case are delivered already.",
          parameter: "action"
        )
      }
      var record = known
      record.state = action.state
      record.details["note"] = call.body["note"]
      record.details["decidedBy"] = .string(call.caller.auditName)
      record.details["decidedDate"] = .integer(call.now.milliseconds)
      var write = LedgerWrite(date: call.now)
      write.documents = [record.document(.mustHaveVersion(version))]
      if action == .deliver { write.ownership = ReviewShapes.transfer(known, at: call.now) }
      write.audit = [
        parts.audit(
          "review.\(action.state.rawValue)",
          call,
          known.app,
          ["review": .string(known.id.rawValue), "kind": .string(known.kind.rawValue)]
        )
      ]
      if try await !parts.commit(write).isRefused {
        parts.metrics.count(
          .reviews,
          ["kind": known.kind.rawValue, "event": action.state.rawValue]
        )
        return .ok(ReviewShapes.answer(record, isWhole: true))
      }
    }
    throw Self.busy
  }
}

/// What people can do with a case.
enum ReviewAction: String, CaseIterable {
  case deliver, refuse, resolve

  /// How the case stands then.
  var state: ReviewRecord.State {
    switch self {
    case .deliver: .delivered
    case .refuse: .refused
    case .resolve: .resolved
    }
  }
}
