import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Sends events to an endpoint again.
///
/// From a place or an instant on, everything comes again in its order: the endpoint's progress goes
/// back there. Single events and dead letters come again beside the order, once for each request.
struct WebhookReplay: Sendable {
  let parts: ServerParts

  private static let attemptsMax = 16
  /// The most dead letters that one request sends again.
  static let deadLettersMax = 1000

  private enum Wish {
    case place(Int64), instant(Date), deadLetters, event(EventID)
  }

  func answer(_ call: Call) async throws(ServerError) -> Reply {
    let app = try call.app().bundleID
    let wish = try wish(call)
    let found = try await WebhookUseCase(parts: parts).endpoint(
      WebhookID(call.parameter("id")),
      app
    )
    let endpoint = found.endpoint
    for _ in 0..<Self.attemptsMax {
      var (write, count) = try await write(wish, endpoint, call)
      write.audit = [
        parts.audit(
          "webhook.replayed",
          call,
          app,
          ["webhook": .string(endpoint.id.rawValue), "queued": .integer(count)]
        )
      ]
      guard try await !parts.commit(write).isRefused else { continue }
      parts.bell.ring()
      return .ok(["queued": .integer(count)])
    }
    throw WebhookUseCase.busy
  }

  private func wish(_ call: Call) throws(ServerError) -> Wish {
    let body = call.body
    let given = body.members.filter { $0.value != .null }
    if given.count == 1 {
      if let place = body["after"]?.integerValue { return .place(place) }
      if let date = body["since"]?.integerValue { return .instant(Date(milliseconds: date)) }
      if body["deadLetters"]?.boolValue == true { return .deadLetters }
      if let event = body["event"]?.stringValue { return .event(EventID(event)) }
    }
    throw RequestMembers.missing(
      "after",
      "Exactly one of after, since, event and deadLetters (true) has to be there."
    )
  }

  private func write(
    _ wish: Wish,
    _ endpoint: WebhookEndpoint,
    _ call: Call
  ) async throws(ServerError) -> (LedgerWrite, Int64) {
    switch wish {
    case .place(let place): return try await rewind(endpoint, call, place: place)
    case .instant(let date):
      let place = try await parts.read { reader throws(StorageError) in
        try EventSearch.place(in: endpoint.app, reader) { $0.createdDate >= date }
      }
      return try await rewind(endpoint, call, place: place)
    case .deadLetters:
      let letters = try await parts.read { reader throws(StorageError) in
        var letters: [WebhookDelivery] = []
        for document in try reader.documents(
          .webhookDelivery,
          app: endpoint.app,
          shelf: WebhookDelivery.shelf(endpoint.id, .dead),
          after: 0,
          limit: Self.deadLettersMax
        ) {
          letters.append(try WebhookDelivery(document))
        }
        return letters
      }
      return (Self.queue(letters, call), Int64(letters.count))
    case .event(let id):
      let (known, event) = try await parts.read { reader throws(StorageError) in
        (
          try reader.document(WebhookDelivery.key(endpoint.id, id, endpoint.app)).map {
            document throws(StorageError) in try WebhookDelivery(document)
          },
          try reader.document(DocumentKey(.event, app: endpoint.app, name: id.rawValue)).map {
            document throws(StorageError) in try EventRecord(document)
          }
        )
      }
      guard let event else {
        throw ServerError(
          404,
          .notFound,
          .nothingThere,
          "There is no such event, or not any more.",
          parameter: "event"
        )
      }
      // What is on its way in its lane is left to it.
      guard known?.state != .failing else { return (LedgerWrite(date: call.now), 0) }
      let letter = known ?? WebhookDelivery(endpoint, event, .queued)
      return (Self.queue([letter], call), 1)
    }
  }

  private static func queue(_ letters: [WebhookDelivery], _ call: Call) -> LedgerWrite {
    var write = LedgerWrite(date: call.now)
    write.documents = letters.map { letter in
      var letter = letter
      letter.state = .queued
      return letter.document
    }
    return write
  }

  /// Takes the progress back to a place, and lanes that are held back with it.
  private func rewind(
    _ endpoint: WebhookEndpoint,
    _ call: Call,
    place: Int64
  ) async throws(ServerError) -> (LedgerWrite, Int64) {
    let limits = parts.configuration.limits.webhooks
    let now = parts.webhooks?.now() ?? call.now
    let app = endpoint.app
    let found = try await parts.read { reader throws(StorageError) in
      (
        try reader.document(WebhookProgress.key(endpoint.id, app)),
        try reader.documents(
          .webhookLane,
          app: app,
          shelf: endpoint.id.rawValue,
          after: 0,
          limit: limits.heldLanesMax + limits.pageMax
        ),
        try reader.events(of: app, after: place, limit: 1).first,
        try reader.eventCount(of: app)
      )
    }
    let (told, held, first, count) = found
    guard let told else {
      throw ServerError(404, .notFound, .nothingThere, "There is no such endpoint.")
    }
    var write = LedgerWrite(date: call.now)
    guard let first else { return (write, 0) }
    var lanes: [HeldLane] = []
    var progress: WebhookProgress
    do throws(StorageError) {
      progress = try WebhookProgress(told)
      for document in held { lanes.append(try HeldLane(document)) }
    } catch {
      throw ServerError(
        503,
        .unavailable,
        .storageUnavailable,
        "What is kept about the endpoint cannot be read.",
        inside: error.description
      )
    }
    progress.position = min(progress.position, place)
    progress.ordinal = min(progress.ordinal, first.ordinal - 1)
    (progress.pauses, progress.pausedUntil) = (0, nil)
    write.documents = [progress.document(endpoint.id, app, .mustHaveVersion(told.version))]
    for var lane in lanes where lane.after > place {
      (lane.after, lane.attempts, lane.next) = (place, 0, now)
      write.documents.append(lane.document(endpoint.id, app))
    }
    return (write, count - first.ordinal + 1)
  }
}
