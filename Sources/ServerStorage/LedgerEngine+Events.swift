import Foundation
import IAPEntitlements
import IAPModel

// Events: what this write changed, for the app's own backend, in the same transaction.
//
// Whatever takes effect once leaves a draft when it does; at the end of the write, when it is known
// who owns what, the drafts get their numbers and are filed.
extension LedgerEngine {
  /// Files what this write has brought about.
  mutating func fileEvents(in tables: inout some LedgerTables) throws(StorageError) {
    var watched: [LedgerSubject] = []
    for subject in touched + write.rechecks + events.subjects where !watched.contains(subject) {
      watched.append(subject)
      try watch(subject, in: &tables)
    }
    for holder in events.holders { try tellAccess(of: holder, in: &tables) }
    for app in Set(events.drafts.map(\.app)).sorted() {
      try file(events.drafts.filter { $0.app == app }, of: app, in: &tables)
    }
    outcome.eventsFiled = events.drafts.count
  }

  private mutating func file(
    _ drafts: [EventDraft],
    of app: BundleID,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    let key = EventCounter.key(app)
    let before = try tables.document(key)?.body["count"]?.integerValue ?? 0
    try count(before + Int64(drafts.count), key, in: &tables)
    var numbers: [EventLane: Int64] = [:]
    var records: [EventRecord] = []
    for (index, draft) in drafts.enumerated() {
      let (customer, lane) = try place(of: draft, in: tables)
      var number: Int64 = 0
      if customer != nil {
        if numbers[lane] == nil {
          let counter = try tables.document(EventCounter.key(app, lane))
          numbers[lane] = counter?.body["count"]?.integerValue
        }
        number = (numbers[lane] ?? 0) + 1
        numbers[lane] = number
      }
      let place = EventPlace(
        customer: customer,
        lane: lane,
        number: number,
        ordinal: before + Int64(index) + 1
      )
      let id = eventID(app, place.ordinal, draft.type)
      records.append(
        EventRecord(draft, place, app: app, id: id, at: write.date, trace: write.trace)
      )
    }
    for (lane, number) in numbers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try count(number, EventCounter.key(app, lane), in: &tables)
    }
    for record in records { try tables.addDocument(record.document, date: write.date) }
  }

  private func count(
    _ number: Int64,
    _ key: DocumentKey,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    let counter = DocumentWrite(key, body: ["count": .integer(number)], condition: .always)
    _ = try tables.setDocument(counter, date: write.date)
  }

  private mutating func place(
    of draft: EventDraft,
    in tables: some LedgerTables
  ) throws(StorageError) -> (CustomerID?, EventLane) {
    switch draft.owner {
    case .customer(let customer): return (customer, .customer(customer))
    case .lane(let lane): return (nil, lane)
    case .owner(let subject):
      guard let owner = try owner(of: subject, in: tables) else { return (nil, .purchase(subject)) }
      return (owner.customer, .customer(owner.customer))
    }
  }

  /// The name of an event: nothing of it says what the event is about.
  ///
  /// It begins with the instant at which the event was filed, so that new names stand side by side
  /// in an index instead of all over it.
  private func eventID(_ app: BundleID, _ ordinal: Int64, _ type: EventType) -> EventID {
    let date = write.date.milliseconds
    let words = ["event", app.rawValue, String(ordinal), type.rawValue, String(date)]
    let bytes = Array(words.joined(separator: ":").utf8)
    let hash = write.digest.map { $0(bytes) } ?? Self.hash(bytes)
    var name: [UInt8] = []
    name.reserveCapacity(EventID.byteCount)
    for place in (0..<EventID.instantByteCount).reversed() {
      name.append(UInt8(truncatingIfNeeded: date >> (8 * Int64(place))))
    }
    name.append(contentsOf: hash.prefix(EventID.byteCount - name.count))
    return EventID("evt_" + Tombstone.hexadecimal(name))
  }

  /// FNV-1a twice, for ledgers without a cryptographic hash; nothing is secured with it.
  private static func hash(_ bytes: [UInt8]) -> [UInt8] {
    [UInt64(0xcbf2_9ce4_8422_2325), 0x9e37_79b9_7f4a_7c15].flatMap { offset -> [UInt8] in
      let hash = bytes.reduce(offset) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
    }
  }
}

/// What a write has brought about so far.
struct PendingEvents {
  /// A customer in one app and environment.
  struct Holder: Hashable {
    let customer: CustomerID
    let scope: LedgerScope
  }

  private(set) var drafts: [EventDraft] = []
  /// Purchases that changed hands.
  private(set) var subjects: [LedgerSubject] = []
  /// Customers who may have something else than before.
  private(set) var holders: [Holder] = []

  mutating func add(_ draft: EventDraft) { drafts.append(draft) }

  mutating func note(_ subject: LedgerSubject) {
    if !subjects.contains(subject) { subjects.append(subject) }
  }

  mutating func note(_ customer: CustomerID, _ scope: LedgerScope) {
    let holder = Holder(customer: customer, scope: scope)
    if !holders.contains(holder) { holders.append(holder) }
  }
}

// What each part of a write leaves behind.
extension LedgerEngine {
  /// A unit was granted, taken back, or granted again.
  mutating func noteEntry(_ record: GrantRecord, _ unit: UnitState, _ history: StoreHistory) {
    let payload = unit.transactionIDs.compactMap { history.transaction($0)?.payload }
      .min { ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID) }
    let type: EventType =
      switch record.entry.kind {
      case .grant: payload?.isRenewal == true ? .renewed : .granted
      case .clawback: .clawedBack
      case .regrant: .regranted
      }
    events.add(EventDraft(type, record.subject, data: EventData.entry(record, unit, payload)))
  }

  /// A notification says something that no entry and no state says.
  mutating func noteNotification(_ context: NotificationContext, _ subject: LedgerSubject) {
    let type: EventType
    switch context.type {
    case .refund: type = .refunded
    case .refundDeclined: type = .refundDeclined
    case .refundReversed: type = .refundReversed
    case .consumptionRequest: type = .consumptionRequested
    default: return
    }
    var data: JSONObject = ["originalTransactionId": .string(subject.original.rawValue)]
    data["transactionId"] = context.transactionID.map { .string($0.rawValue) }
    data["date"] = context.signedDate.map { .integer($0.milliseconds) }
    events.add(EventDraft(type, subject, data: data))
  }

  /// A purchase has another owner than before, or one for the first time.
  mutating func noteOwner(
    of subject: LedgerSubject,
    before: OwnerRecord?,
    now owner: OwnerRecord,
    wasKnown: Bool
  ) {
    events.note(subject)
    events.note(owner.customer, subject.scope)
    let data: JSONObject = [
      "originalTransactionId": .string(subject.original.rawValue),
      "ground": .string(owner.ground.rawValue),
    ]
    guard let before else {
      if wasKnown { events.add(EventDraft(.claimed, subject, data: data)) }
      return
    }
    guard before.customer != owner.customer else { return }
    events.note(before.customer, subject.scope)
    events.add(
      EventDraft(.transferredOut, subject, owner: .customer(before.customer), data: data)
    )
    events.add(EventDraft(.transferredIn, subject, owner: .customer(owner.customer), data: data))
  }

  /// Somebody presented a purchase without owning it.
  mutating func noteConflict(_ conflict: ConflictRecord) {
    events.add(
      EventDraft(
        .conflict,
        conflict.subject,
        owner: .customer(conflict.customer),
        data: ["originalTransactionId": .string(conflict.subject.original.rawValue)]
      )
    )
  }

  /// An installation says that it has handed a unit over.
  mutating func noteDelivery(
    _ request: ClaimRequest,
    in tables: some LedgerTables
  ) throws(StorageError) {
    let words = request.unit.rawValue.split(separator: ":", maxSplits: 1)
    guard words.count == 2, words[0] == "tx",
      let subject = try tables.subject(of: TransactionID(String(words[1])), in: request.scope)
    else { return }
    let entry = try tables.entries(of: subject).first { $0.entry.unit == request.unit }
    var data: JSONObject = [
      "unit": .string(request.unit.rawValue),
      "originalTransactionId": .string(subject.original.rawValue),
      "transactionId": .string(String(words[1])),
    ]
    data["productId"] = entry.map { .string($0.productID.rawValue) }
    data["quantity"] = entry.map { .integer(Int64($0.quantity)) }
    events.add(EventDraft(.orderDelivered, subject, data: data))
  }

  /// A case for people was opened or decided.
  mutating func noteReview(_ document: LedgerDocument, before: LedgerDocument?) {
    guard let review = try? ReviewRecord(document), document.shelf != before?.shelf else { return }
    var data: JSONObject = [
      "reviewId": .string(review.id.rawValue), "kind": .string(review.kind.rawValue),
      "state": .string(review.state.rawValue),
    ]
    for member in ["transactionId", "productId", "originalTransactionId", "orderNumber"] {
      data[member] = review.details[member]
    }
    let environment = review.details["environment"]?.stringValue
      .map { StoreEnvironment(rawValue: $0) }
    var types: [EventType] = [before == nil ? .reviewOpened : .reviewResolved]
    if before == nil, review.kind == .quarantine { types.insert(.orderQuarantined, at: 0) }
    // What a client says about whose it is proves nothing, so the case has a lane of its own.
    for type in types {
      events.add(
        EventDraft(type, app: review.app, environment, .lane(.review(review.id)), data: data)
      )
    }
  }
}

extension TransactionPayload {
  /// Whether it is a further period of a subscription that went on.
  fileprivate var isRenewal: Bool {
    guard type == .autoRenewable else { return false }
    if let transactionReason { return transactionReason == .renewal }
    return transactionID.rawValue != originalTransactionID.rawValue
  }
}
