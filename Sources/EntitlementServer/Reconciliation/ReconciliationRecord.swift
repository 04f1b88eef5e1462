import Foundation
import IAPModel
import ServerStorage

/// How far a comparison of the ledger with the App Store has come; written with everything that it
/// finds, so that a process that ends in between loses and repeats nothing.
struct ReconciliationRecord: Hashable, Sendable {
  enum State: String, Hashable, Sendable, CaseIterable {
    case running, done, failed
  }

  /// What is asked next.
  enum Stage: String, Hashable, Sendable, CaseIterable {
    /// What the App Store sent, for a span of time.
    case notifications
    /// What the newest receipts of customers say now.
    case receipts
    /// What a customer bought.
    case history
    /// How a customer's subscriptions stand.
    case statuses
    /// What was paid back to a customer.
    case refunds
  }

  /// The most findings that are listed; further ones are counted.
  static let findingsMax = 500
  /// The names of what is counted.
  static let counted = [
    "pages", "customers", "notifications", "known", "undelivered", "transactions", "receipts",
    "missing", "changed", "refused", "unknownToStore",
  ]

  var id: String
  var scope: LedgerScope
  var state = State.running
  var stage = Stage.notifications
  /// The span of time of the notifications.
  var start: Date
  var end: Date
  /// The only purchase that is compared; nil for all.
  var only: OriginalTransactionID?
  /// Which notifications are read again, and nothing else; nil for a whole comparison.
  var replay: NotificationReplay?
  /// The page of the list that is read.
  var mark: String?
  /// The purchase whose customer is compared.
  var current: OriginalTransactionID?
  /// The last purchase that was compared.
  var after: OriginalTransactionID?
  var counts: [String: Int64] = [:]
  /// What was missing or different, in the order in which it was found.
  var findings: [JSONObject] = []
  /// When the App Store may be asked again.
  var retryAt: Date?
  /// Why it could not go on.
  var problem: String?

  mutating func count(_ name: String, by amount: Int = 1) {
    counts[name, default: 0] += Int64(amount)
  }

  /// Notes what was missing or different.
  mutating func find(_ kind: String, _ id: String, _ details: JSONObject = [:]) {
    count(kind)
    guard findings.count < Self.findingsMax else { return }
    var finding: JSONObject = ["kind": .string(kind), "id": .string(id)]
    for member in details.members { finding[member.name] = member.value }
    findings.append(finding)
  }

  var key: DocumentKey { Self.key(id, app: scope.app) }

  static func key(_ id: String, app: BundleID) -> DocumentKey {
    DocumentKey(.reconciliation, app: app, name: id)
  }

  /// What is stored and shown.
  var body: JSONObject {
    var answer = AnswerMembers()
    answer.add("id", id)
    answer.add("state", state.rawValue)
    answer.add("environment", scope.environment.rawValue)
    answer.add("stage", stage.rawValue)
    answer.add("start", start)
    answer.add("end", end)
    answer.add("only", only?.rawValue)
    if let replay { answer.add("replay", .object(replay.object)) }
    answer.add("mark", mark)
    answer.add("current", current?.rawValue)
    answer.add("after", after?.rawValue)
    answer.add("retryAt", retryAt)
    answer.add("problem", problem)
    answer.add(
      "counts",
      .object(
        JSONObject(Self.counted.map { JSONMember($0, .integer(counts[$0] ?? 0)) })
      )
    )
    answer.add("findings", .array(findings.map { .object($0) }))
    return answer.object
  }

  init(id: String, scope: LedgerScope, start: Date, end: Date) {
    self.id = id
    self.scope = scope
    self.start = start
    self.end = end
  }

  init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let app = document.key.app, let environment = body["environment"]?.stringValue,
      let state = body["state"]?.stringValue.flatMap({ State(rawValue: $0) }),
      let stage = body["stage"]?.stringValue.flatMap({ Stage(rawValue: $0) }),
      let start = body["start"]?.integerValue, let end = body["end"]?.integerValue
    else { throw StorageError(.corrupt, "a reconciliation cannot be read") }
    id = document.key.name
    scope = LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment))
    self.state = state
    self.stage = stage
    self.start = Date(milliseconds: start)
    self.end = Date(milliseconds: end)
    only = body["only"]?.stringValue.map { OriginalTransactionID($0) }
    replay = body["replay"]?.objectValue.map { NotificationReplay($0) }
    mark = body["mark"]?.stringValue
    current = body["current"]?.stringValue.map { OriginalTransactionID($0) }
    after = body["after"]?.stringValue.map { OriginalTransactionID($0) }
    retryAt = body["retryAt"]?.integerValue.map { Date(milliseconds: $0) }
    problem = body["problem"]?.stringValue
    for member in body["counts"]?.objectValue?.members ?? [] {
      counts[member.name] = member.value.integerValue ?? 0
    }
    findings = (body["findings"]?.arrayValue ?? []).compactMap(\.objectValue)
  }

  /// The wish to have it written.
  func document(_ condition: DocumentWrite.Condition) -> DocumentWrite {
    DocumentWrite(key, shelf: state.rawValue, body: body, condition: condition)
  }
}

/// Where the history of a customer goes on the next time.
struct StoreRevision: Hashable, Sendable {
  /// The purchase with whose identifier the App Store is asked.
  let subject: LedgerSubject

  private static func key(_ subject: LedgerSubject) -> DocumentKey {
    DocumentKey(
      .storeRevision,
      app: subject.scope.app,
      name: "\(subject.scope.environment):\(subject.original)"
    )
  }

  /// The mark of the last page.
  func mark(_ reader: any LedgerReading) throws(StorageError) -> String? {
    try reader.document(Self.key(subject))?.body["revision"]?.stringValue
  }

  /// Whether the customer is asked for with another purchase.
  func isCovered(_ reader: any LedgerReading) throws(StorageError) -> Bool {
    try reader.document(Self.key(subject))?.body["askedWith"] != nil
  }

  /// The wish to keep a mark.
  func document(_ mark: String) -> DocumentWrite {
    DocumentWrite(Self.key(subject), body: ["revision": .string(mark)], condition: .always)
  }

  /// The wish to note that the customer is asked for with this purchase and not with the other.
  func covering(_ other: OriginalTransactionID) -> DocumentWrite {
    DocumentWrite(
      Self.key(LedgerSubject(scope: subject.scope, original: other)),
      body: ["askedWith": .string(subject.original.rawValue)],
      condition: .ifAbsent
    )
  }
}

extension DocumentKind {
  /// A comparison with the App Store.
  static let reconciliation = Self(rawValue: "reconciliation")
  /// Where a customer's history goes on.
  static let storeRevision = Self(rawValue: "storeRevision")
}
