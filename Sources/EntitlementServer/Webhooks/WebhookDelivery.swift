import Foundation
import IAPModel
import ServerStorage

/// What became of one event at one endpoint.
struct WebhookDelivery: Hashable, Sendable {
  enum State: String, Hashable, Sendable, CaseIterable {
    /// It has arrived.
    case delivered
    /// It did not arrive yet, and is tried again.
    case failing
    /// It was tried often enough; only a replay sends it again.
    case dead
    /// It is a dead letter that is to be sent again.
    case queued
  }

  let endpoint: WebhookID
  let app: BundleID
  let event: EventID
  let type: EventType
  /// The event's place in the feed.
  let sequence: Int64
  var state: State
  /// How often it was tried.
  var attemptCount: Int64 = 0
  /// The last attempts: when, how long, and the status or why there was none.
  var attempts: [JSONObject] = []

  static func key(_ endpoint: WebhookID, _ event: EventID, _ app: BundleID) -> DocumentKey {
    DocumentKey(.webhookDelivery, app: app, name: "\(endpoint):\(event)")
  }

  static func shelf(_ endpoint: WebhookID, _ state: State) -> String {
    "\(endpoint):\(state.rawValue)"
  }

  init(_ endpoint: WebhookEndpoint, _ event: EventRecord, _ state: State) {
    self.endpoint = endpoint.id
    app = endpoint.app
    self.event = event.id
    type = event.type
    sequence = event.sequence
    self.state = state
  }

  init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    let names = document.key.name.split(separator: ":", maxSplits: 1)
    let word = document.shelf?.split(separator: ":").last.map(String.init)
    guard names.count == 2, let app = document.key.app,
      let state = word.flatMap({ State(rawValue: $0) }), let type = body["type"]?.stringValue,
      let sequence = body["sequence"]?.integerValue,
      let count = body["attemptCount"]?.integerValue, let attempts = body["attempts"]?.arrayValue
    else { throw StorageError(.corrupt, "a delivery cannot be read") }
    endpoint = WebhookID(String(names[0]))
    event = EventID(String(names[1]))
    self.app = app
    self.type = EventType(rawValue: type)
    self.sequence = sequence
    self.state = state
    attemptCount = count
    self.attempts = attempts.compactMap(\.objectValue)
  }

  mutating func add(_ attempt: WebhookAttempt, keeping most: Int) {
    attemptCount += 1
    attempts = Array((attempts + [attempt.object]).suffix(most))
  }

  var document: DocumentWrite {
    DocumentWrite(
      Self.key(endpoint, event, app),
      shelf: Self.shelf(endpoint, state),
      body: [
        "type": .string(type.rawValue), "sequence": .integer(sequence),
        "attemptCount": .integer(attemptCount),
        "attempts": .array(attempts.map { .object($0) }),
      ],
      condition: .always
    )
  }

  /// What the API shows.
  var answer: JSONObject {
    [
      "event": .string(event.rawValue), "type": .string(type.rawValue),
      "sequence": .integer(sequence), "state": .string(state.rawValue),
      "attemptCount": .integer(attemptCount), "attempts": .array(attempts.map { .object($0) }),
    ]
  }
}

/// One attempt to send an event.
struct WebhookAttempt: Hashable, Sendable {
  let date: Date
  let milliseconds: Int64
  let reply: WebhookReply

  var object: JSONObject {
    var object: JSONObject = [
      "date": .integer(date.milliseconds), "milliseconds": .integer(milliseconds),
    ]
    switch reply {
    case .response(let status, _): object["status"] = .integer(Int64(status))
    case .failure(let word): object["failure"] = .string(word)
    }
    return object
  }
}
