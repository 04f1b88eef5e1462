import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Endpoints: made, changed, given new secrets, told again from an earlier place, and looked at.
struct WebhookUseCase: Sendable {
  let parts: ServerParts

  /// How often a change is worked in again when somebody else wrote in between.
  private static let attemptsMax = 16

  private var limits: WebhookLimits { parts.configuration.limits.webhooks }
  private var now: Date? { parts.webhooks?.now() }

  var routes: [Route] {
    makingRoutes + [
      Route(
        .post,
        "/v1/webhooks/{id}/secret",
        "Makes a new secret; the one before signs beside it for a while.",
        access: .backend,
        body: .object(WebhookShapes.rotation(limits)),
        parameters: [.app],
        answers: [Route.Answer(200, WebhookShapes.endpoint)],
        errors: [404],
        repetition: .natural,
        run: { call async throws(ServerError) in try await rotate(call) }
      ),
      Route(
        .post,
        "/v1/webhooks/{id}/replay",
        "Sends events again: all behind a place or an instant, one, or the dead letters.",
        access: .backend,
        body: .object(WebhookShapes.replay),
        parameters: [.app],
        answers: [Route.Answer(200, .object([.required("queued", .count)]))],
        errors: [404],
        repetition: .replayed,
        run: { call async throws(ServerError) in
          try await WebhookReplay(parts: parts).answer(call)
        }
      ),
      Route(
        .get,
        "/v1/webhooks/{id}/deliveries",
        "Lists what became of events at an endpoint, with the last attempts.",
        access: .backend,
        parameters: [
          .app, .after, .limit,
          Route.Parameter(
            name: "state",
            place: .query,
            shape: .word(WebhookDelivery.State.allCases.map(\.rawValue)),
            note: "Only those that stand so; dead unless it is given."
          ),
        ],
        answers: [
          Route.Answer(
            200,
            .object([
              .required("deliveries", .list(WebhookShapes.delivery, max: 1000)),
              .optional("next", .count),
            ])
          )
        ],
        errors: [404],
        run: { call async throws(ServerError) in try await deliveries(call) }
      ),
    ]
  }

  private var makingRoutes: [Route] {
    let one = [Route.Answer(200, WebhookShapes.endpoint)]
    return [
      Route(
        .get,
        "/v1/webhooks",
        "Lists the endpoints that events are sent to, and how far each has been told.",
        access: .backend,
        parameters: [.app],
        answers: [
          Route.Answer(
            200,
            .object([.required("webhooks", .list(WebhookShapes.endpoint, max: 64))])
          )
        ],
        run: { call async throws(ServerError) in try await list(call) }
      ),
      Route(
        .post,
        "/v1/webhooks",
        "Makes an endpoint; its secret is shown in this answer and never again.",
        access: .backend,
        body: .object(WebhookShapes.creation(limits)),
        parameters: [.app],
        answers: one,
        errors: [409],
        repetition: .natural,
        run: { call async throws(ServerError) in try await make(call) }
      ),
      Route(
        .get,
        "/v1/webhooks/{id}",
        "Shows an endpoint.",
        access: .backend,
        parameters: [.app],
        answers: one,
        errors: [404],
        run: { call async throws(ServerError) in
          let found = try await endpoint(call)
          return .ok(try await answer(found.endpoint))
        }
      ),
      Route(
        .patch,
        "/v1/webhooks/{id}",
        "Changes an endpoint's address, types or note, or switches it off and on.",
        access: .backend,
        body: .object(WebhookShapes.change(limits)),
        parameters: [.app],
        answers: one,
        errors: [404],
        repetition: .natural,
        run: { call async throws(ServerError) in try await change(call) }
      ),
      Route(
        .delete,
        "/v1/webhooks/{id}",
        "Forgets an endpoint, its secrets and what became of events there.",
        access: .backend,
        parameters: [.app],
        answers: [Route.Answer(200, .object([.required("deleted", .bool)]))],
        repetition: .natural,
        run: { call async throws(ServerError) in try await remove(call) }
      ),
    ]
  }

  private func make(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let url = try url(call.body["url"]?.stringValue ?? "")
    // A request that is sent again names the endpoint that it made the first time.
    let id = WebhookID("whk_" + Hexadecimal.text((call.naming ?? parts.world.random(8)).prefix(8)))
    var endpoint = WebhookEndpoint(
      id: id,
      app: app,
      url: url,
      types: types(call) ?? [],
      createdDate: call.now
    )
    endpoint.note = call.body["note"]?.stringValue
    endpoint.rotate(to: newSecret(call), overlap: 0, most: limits.secretsMax)
    let most = limits.endpointsMax
    let (count, isKnown, place, ordinal) = try await parts.read { reader throws(StorageError) in
      (
        try reader.documents(.webhook, app: app, shelf: nil, after: 0, limit: most).count,
        try reader.document(WebhookEndpoint.key(id, app)) != nil,
        try EventSearch.end(of: app, reader), try reader.eventCount(of: app)
      )
    }
    if !isKnown {
      guard count < most else {
        throw ServerError(
          409,
          .conflict,
          .tooManyThere,
          "An app has at most \(most) endpoints.",
          parameter: "url"
        )
      }
      var write = LedgerWrite(date: call.now)
      write.documents = [
        endpoint.document(.mustBeAbsent),
        WebhookProgress(position: place, ordinal: ordinal).document(id, app, .always),
      ]
      write.audit = [audit("webhook.created", call, endpoint)]
      if try await !parts.commit(write).isRefused {
        return .ok(try await answer(endpoint, secret: endpoint.secrets.first?.text))
      }
    }
    return .ok(try await answer(try await self.endpoint(id, app).endpoint))
  }

  private func change(_ call: Call) async throws(ServerError) -> Reply {
    var address: String?
    if let text = call.body["url"]?.stringValue { address = try url(text) }
    let url = address
    let changed = try await rewrite(call, "webhook.changed") { endpoint in
      if let url { endpoint.url = url }
      if let types = types(call) { endpoint.types = types }
      if let note = call.body["note"]?.stringValue { endpoint.note = note }
      guard let isEnabled = call.body["enabled"]?.boolValue else { return }
      endpoint.state = isEnabled ? .enabled : .disabled
      endpoint.reason = isEnabled ? nil : "switchedOff"
    }
    return .ok(try await answer(changed))
  }

  private func rotate(_ call: Call) async throws(ServerError) -> Reply {
    let overlap = call.body["overlapSeconds"]?.integerValue ?? Int64(limits.overlapSeconds)
    let made = newSecret(call)
    let most = limits.secretsMax
    let changed = try await rewrite(call, "webhook.secretRotated") { endpoint in
      endpoint.rotate(to: made, overlap: TimeInterval(overlap), most: most)
    }
    // What the same request made before, if it was sent before.
    let shown = changed.secrets.first { $0.naming != nil && $0.naming == made.naming }
    return .ok(try await answer(changed, secret: (shown ?? changed.secrets.first)?.text))
  }

  private func newSecret(_ call: Call) -> WebhookSecret {
    var secret = WebhookSecret(
      bytes: parts.world.random(WebhookSecret.byteCount),
      createdDate: now ?? call.now
    )
    secret.naming = call.naming.map { Hexadecimal.text($0.prefix(Self.namingBytes)) }
    return secret
  }

  /// How much of a request's name tells it from the others.
  private static let namingBytes = 16

  private func remove(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let id = WebhookID(call.parameter("id"))
    let found = try await parts.read {
      [limits] reader throws(StorageError) -> [DocumentKey]? in
      guard try reader.document(WebhookEndpoint.key(id, app)) != nil else { return nil }
      let held = try reader.documents(
        .webhookLane,
        app: app,
        shelf: id.rawValue,
        after: 0,
        limit: limits.heldLanesMax + limits.pageMax
      )
      return held.map(\.key)
    }
    guard let lanes = found else { return .ok(["deleted": false]) }
    var write = LedgerWrite(date: call.now)
    write.removals = [WebhookEndpoint.key(id, app), WebhookProgress.key(id, app)] + lanes
    write.audit = [
      parts.audit("webhook.deleted", call, app, ["webhook": .string(id.rawValue)])
    ]
    _ = try await parts.commit(write)
    return .ok(["deleted": true])
  }

  private func list(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let endpoints = try await parts.read { [limits] reader throws(StorageError) in
      var endpoints: [WebhookEndpoint] = []
      for document in try reader.documents(
        .webhook,
        app: app,
        shelf: nil,
        after: 0,
        limit: limits.endpointsMax
      ) {
        endpoints.append(try WebhookEndpoint(document))
      }
      return endpoints
    }
    var answers: [JSONValue] = []
    for endpoint in endpoints { answers.append(.object(try await answer(endpoint))) }
    return .ok(["webhooks": .array(answers)])
  }

  private func deliveries(_ call: Call) async throws(ServerError) -> Reply {
    let (endpoint, _) = try await endpoint(call)
    let (after, limit) = try call.page()
    let word = call.request.queryValue("state") ?? WebhookDelivery.State.dead.rawValue
    guard let state = WebhookDelivery.State(rawValue: word) else {
      let words = WebhookDelivery.State.allCases.map(\.rawValue).joined(separator: ", ")
      throw RequestMembers.invalid("state", "one of " + words)
    }
    let (deliveries, next) = try await parts.read { reader throws(StorageError) in
      let documents = try reader.documents(
        .webhookDelivery,
        app: endpoint.app,
        shelf: WebhookDelivery.shelf(endpoint.id, state),
        after: after,
        limit: limit
      )
      var deliveries: [WebhookDelivery] = []
      for document in documents { deliveries.append(try WebhookDelivery(document)) }
      return (deliveries, documents.count == limit ? documents.last?.sequence : nil)
    }
    var answer: JSONObject = ["deliveries": .array(deliveries.map { .object($0.answer) })]
    answer["next"] = next.map { .integer($0) }
    return .ok(answer)
  }

  private func answer(
    _ endpoint: WebhookEndpoint,
    secret: String? = nil
  ) async throws(ServerError) -> JSONObject {
    let (progress, backlog) = try await parts.read { [limits] reader throws(StorageError) in
      (
        try reader.document(WebhookProgress.key(endpoint.id, endpoint.app)).map {
          document throws(StorageError) in try WebhookProgress(document)
        },
        try WebhookBacklog.of(endpoint.id, endpoint.app, limits, reader)
      )
    }
    return WebhookShapes.answer(
      endpoint,
      progress ?? WebhookProgress(position: 0, ordinal: 0),
      backlog,
      secret: secret
    )
  }

  private func endpoint(
    _ call: Call
  ) async throws(ServerError) -> (endpoint: WebhookEndpoint, version: Int64) {
    try await endpoint(WebhookID(call.parameter("id")), try call.app().bundleID)
  }

  /// Looks an endpoint up.
  func endpoint(
    _ id: WebhookID,
    _ app: BundleID
  ) async throws(ServerError) -> (endpoint: WebhookEndpoint, version: Int64) {
    let found = try await parts.read {
      reader throws(StorageError) -> (WebhookEndpoint, Int64)? in
      guard let document = try reader.document(WebhookEndpoint.key(id, app)) else { return nil }
      return (try WebhookEndpoint(document), document.version)
    }
    guard let found else {
      throw ServerError(404, .notFound, .nothingThere, "There is no such endpoint.")
    }
    return found
  }

  private func rewrite(
    _ call: Call,
    _ action: String,
    _ change: (inout WebhookEndpoint) -> Void
  ) async throws(ServerError) -> WebhookEndpoint {
    for _ in 0..<Self.attemptsMax {
      var (endpoint, version) = try await endpoint(call)
      change(&endpoint)
      var write = LedgerWrite(date: call.now)
      write.documents = [endpoint.document(.mustHaveVersion(version))]
      write.audit = [audit(action, call, endpoint)]
      if try await !parts.commit(write).isRefused { return endpoint }
    }
    throw Self.busy
  }

  static let busy = ServerError(
    503,
    .unavailable,
    .storageUnavailable,
    "Others changed the same endpoint at the same moment; try again.",
    retryAfterSeconds: 1
  )

  /// The log says which endpoint and which host; the rest of a URL may hold a secret.
  private func audit(_ action: String, _ call: Call, _ endpoint: WebhookEndpoint) -> AuditRecord {
    let address = try? WebhookAddress(endpoint.url, allowsLoopback: true)
    return parts.audit(
      action,
      call,
      endpoint.app,
      [
        "webhook": .string(endpoint.id.rawValue), "host": .string(address?.host ?? ""),
        "enabled": .bool(endpoint.state == .enabled),
      ]
    )
  }

  private func types(_ call: Call) -> [EventType]? {
    call.body["types"]?.arrayValue?.compactMap(\.stringValue).map { EventType(rawValue: $0) }
  }

  private func url(_ text: String) throws(ServerError) -> String {
    let allows = parts.webhooks?.allowsLoopback ?? false
    return try WebhookAddress(text, allowsLoopback: allows).url
  }
}
