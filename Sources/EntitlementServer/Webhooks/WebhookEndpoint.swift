import Foundation
import IAPModel
import IAPSignatures
import ServerStorage

/// The name of an endpoint: `whk_` and hexadecimal digits.
struct WebhookID: Identifier {
  let rawValue: String
  init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A secret that signs what an endpoint gets.
///
/// It has to be at hand to sign, so the ledger keeps the secret itself and not a hash of it; who
/// can read the ledger can sign. It is shown once, when it is made, and is in no list, log or
/// export.
struct WebhookSecret: Hashable, Sendable {
  let bytes: [UInt8]
  let createdDate: Date
  /// When it stops signing; nil for the newest one.
  var until: Date?
  /// What belongs to the `Idempotency-Key` of the request that asked for it.
  var naming: String?

  /// How many bytes of chance it has; the specification asks for 24 to 64.
  static let byteCount = 32

  /// What its owner has to be given.
  var text: String { "whsec_" + Base64.encode(bytes, .standard) }
}

/// An address that an app's events are sent to.
struct WebhookEndpoint: Hashable, Sendable {
  enum State: String, Hashable, Sendable, CaseIterable {
    case enabled, disabled
  }

  let id: WebhookID
  let app: BundleID
  var url: String
  /// The types that are sent; all when there are none.
  var types: [EventType]
  var note: String?
  var state = State.enabled
  /// Why it was disabled, as a stable word.
  var reason: String?
  /// Newest first.
  var secrets: [WebhookSecret]
  let createdDate: Date

  var key: DocumentKey { Self.key(id, app) }

  static func key(_ id: WebhookID, _ app: BundleID) -> DocumentKey {
    DocumentKey(.webhook, app: app, name: id.rawValue)
  }

  init(id: WebhookID, app: BundleID, url: String, types: [EventType], createdDate: Date) {
    self.id = id
    self.app = app
    self.url = url
    self.types = types
    self.createdDate = createdDate
    secrets = []
  }

  /// Whether events of a type are sent there.
  func wants(_ type: EventType) -> Bool { types.isEmpty || types.contains(type) }

  /// Puts a new secret in front; the one before goes on signing for a while.
  ///
  /// A request that is sent again finds the secret that it made, and changes nothing.
  mutating func rotate(to secret: WebhookSecret, overlap: TimeInterval, most: Int) {
    if let naming = secret.naming, secrets.contains(where: { $0.naming == naming }) { return }
    let now = secret.createdDate
    for index in secrets.indices where secrets[index].until == nil {
      secrets[index].until = now.addingTimeInterval(overlap)
    }
    secrets = [secret] + signing(at: now).prefix(most - 1)
  }

  /// The secrets that sign now, newest first.
  func signing(at now: Date) -> [WebhookSecret] {
    secrets.filter { $0.until.map { $0 > now } ?? true }
  }

  func document(_ condition: DocumentWrite.Condition) -> DocumentWrite {
    var body: JSONObject = [
      "url": .string(url), "types": .array(types.map { .string($0.rawValue) }),
      "created": .integer(createdDate.milliseconds),
      "secrets": .array(
        secrets.map { secret in
          var object: JSONObject = [
            "bytes": .string(Base64.encode(secret.bytes, .standard)),
            "created": .integer(secret.createdDate.milliseconds),
          ]
          object["until"] = secret.until.map { .integer($0.milliseconds) }
          object["naming"] = secret.naming.map { .string($0) }
          return .object(object)
        }
      ),
    ]
    body["note"] = note.map { .string($0) }
    body["reason"] = reason.map { .string($0) }
    return DocumentWrite(key, shelf: state.rawValue, body: body, condition: condition)
  }

  init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let app = document.key.app, let url = body["url"]?.stringValue,
      let state = document.shelf.flatMap({ State(rawValue: $0) }),
      let types = body["types"]?.arrayValue?.compactMap(\.stringValue),
      let created = body["created"]?.integerValue,
      let secrets = body["secrets"]?.arrayValue?.compactMap(Self.secret)
    else { throw StorageError(.corrupt, "an endpoint cannot be read") }
    id = WebhookID(document.key.name)
    self.app = app
    self.url = url
    self.types = types.map { EventType(rawValue: $0) }
    note = body["note"]?.stringValue
    self.state = state
    reason = body["reason"]?.stringValue
    self.secrets = secrets
    createdDate = Date(milliseconds: created)
  }

  private static func secret(_ value: JSONValue) -> WebhookSecret? {
    guard let object = value.objectValue, let text = object["bytes"]?.stringValue,
      let bytes = Base64.decode(Array(text.utf8), .standard),
      let created = object["created"]?.integerValue
    else { return nil }
    return WebhookSecret(
      bytes: bytes,
      createdDate: Date(milliseconds: created),
      until: object["until"]?.integerValue.map { Date(milliseconds: $0) },
      naming: object["naming"]?.stringValue
    )
  }
}
