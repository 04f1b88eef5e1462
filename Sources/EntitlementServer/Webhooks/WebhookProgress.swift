import Foundation
import IAPModel
import ServerStorage

/// How far an endpoint has been told, and who is telling it.
///
/// Every round of sending is one write that holds only for the version it was read in, so a worker
/// that lost its lease cannot write over the one that has it.
struct WebhookProgress: Hashable, Sendable {
  /// Everything up to this place of the feed has arrived, is a dead letter, or is held back in a
  /// lane of its own.
  var position: Int64
  /// The number in the app of the event at that place.
  var ordinal: Int64
  /// Who is telling it.
  var worker: String?
  /// How long that worker has it for itself.
  var leaseUntil: Date?
  /// Until when it is left alone, because nothing arrives.
  var pausedUntil: Date?
  /// How often in a row it was left alone.
  var pauses: Int64 = 0
  /// How many events have arrived.
  var delivered: Int64 = 0
  /// How many became dead letters.
  var dead: Int64 = 0
  /// When something arrived last.
  var lastSuccess: Date?
  /// When something did not arrive last.
  var lastFailure: Date?

  static func key(_ id: WebhookID, _ app: BundleID) -> DocumentKey {
    DocumentKey(.webhookProgress, app: app, name: id.rawValue)
  }

  init(position: Int64, ordinal: Int64) {
    self.position = position
    self.ordinal = ordinal
  }

  init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    func date(_ name: String) -> Date? {
      body[name]?.integerValue.map { Date(milliseconds: $0) }
    }
    guard let position = body["position"]?.integerValue,
      let ordinal = body["ordinal"]?.integerValue
    else { throw StorageError(.corrupt, "the progress of an endpoint cannot be read") }
    self.position = position
    self.ordinal = ordinal
    worker = body["worker"]?.stringValue
    leaseUntil = date("leaseUntil")
    pausedUntil = date("pausedUntil")
    pauses = body["pauses"]?.integerValue ?? 0
    delivered = body["delivered"]?.integerValue ?? 0
    dead = body["dead"]?.integerValue ?? 0
    lastSuccess = date("lastSuccess")
    lastFailure = date("lastFailure")
  }

  func document(
    _ id: WebhookID,
    _ app: BundleID,
    _ condition: DocumentWrite.Condition
  ) -> DocumentWrite {
    var body: JSONObject = [
      "position": .integer(position), "ordinal": .integer(ordinal), "pauses": .integer(pauses),
      "delivered": .integer(delivered), "dead": .integer(dead),
    ]
    body["worker"] = worker.map { .string($0) }
    body["leaseUntil"] = leaseUntil.map { .integer($0.milliseconds) }
    body["pausedUntil"] = pausedUntil.map { .integer($0.milliseconds) }
    body["lastSuccess"] = lastSuccess.map { .integer($0.milliseconds) }
    body["lastFailure"] = lastFailure.map { .integer($0.milliseconds) }
    return DocumentWrite(Self.key(id, app), body: body, condition: condition)
  }
}

/// A lane whose events an endpoint holds back, because the first of them did not arrive.
struct HeldLane: Hashable, Sendable {
  let lane: EventLane
  /// The events behind this place have not arrived.
  var after: Int64
  /// How often the first of them was tried.
  var attempts: Int64
  /// When it is tried again.
  var next: Date

  func document(
    _ id: WebhookID,
    _ app: BundleID
  ) -> DocumentWrite {
    DocumentWrite(
      .heldLane(lane, of: id.rawValue, app),
      shelf: id.rawValue,
      body: [
        "lane": .string(lane.rawValue), "after": .integer(after),
        "attempts": .integer(attempts), "next": .integer(next.milliseconds),
      ],
      condition: .always
    )
  }

  init(lane: EventLane, after: Int64, attempts: Int64, next: Date) {
    self.lane = lane
    self.after = after
    self.attempts = attempts
    self.next = next
  }

  init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let lane = body["lane"]?.stringValue, let after = body["after"]?.integerValue,
      let attempts = body["attempts"]?.integerValue, let next = body["next"]?.integerValue
    else { throw StorageError(.corrupt, "a held lane cannot be read") }
    self.init(
      lane: EventLane(stored: lane),
      after: after,
      attempts: attempts,
      next: Date(milliseconds: next)
    )
  }
}
