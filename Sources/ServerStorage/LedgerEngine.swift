import Foundation
import IAPEntitlements
import IAPModel

/// Works one write into the tables: facts first, then everything that follows from them.
///
/// The caller runs it inside a transaction and undoes everything when it throws.
public struct LedgerEngine: Sendable {
  private let prepared: PreparedWrite
  var outcome = WriteOutcome()
  /// What is known about the purchases that this write has looked at.
  private var known = BySubject<[StoreFact]>()
  /// What this write adds to them, in the order in which they were met.
  private(set) var touched: [LedgerSubject] = []
  private var news = BySubject<[StoreFact]>()
  /// Their facts, folded.
  private var histories = BySubject<StoreHistory>()
  /// Owners that this write has looked up or named.
  private var owners = BySubject<OwnerRecord?>()
  /// What backends are to be told.
  var events = PendingEvents()

  var write: LedgerWrite { prepared.write }

  private init(_ prepared: PreparedWrite) { self.prepared = prepared }

  /// Works a write in.
  ///
  /// - Parameters:
  ///   - write: What to record.
  ///   - tables: The backend, inside a transaction.
  /// - Returns: What became of each part.
  /// - Throws: ``StorageError``; the caller undoes what was done.
  public static func apply(
    _ write: PreparedWrite,
    to tables: inout some LedgerTables
  ) throws(StorageError) -> WriteOutcome {
    var engine = LedgerEngine(write)
    try engine.run(on: &tables)
    return engine.outcome
  }

  private mutating func run(on tables: inout some LedgerTables) throws(StorageError) {
    guard try mayWriteDocuments(in: tables) else { return }
    for fact in prepared.facts { outcome.facts.append(try insert(fact, into: &tables)) }
    for subject in touched { try refold(subject, in: &tables) }
    for alias in write.aliases {
      try tables.insertAlias(alias)
      try settleOwners(carrying: alias.token, app: alias.app, in: &tables)
    }
    for order in write.orders {
      let isNew = try tables.insertOrder(order)
      outcome.ordersOpened.append(isNew)
      // A purchase may be heard of before its order is.
      if isNew {
        try settleOwners(carrying: order.number.accountToken, app: order.app, in: &tables)
      }
    }
    for subject in touched { try settleOwner(of: subject, presenter: nil, in: &tables) }
    for request in write.ownership {
      let owner = try settleOwner(of: request.subject, presenter: request, in: &tables)
      precondition(owner != nil, "a presented purchase has an owner")
      if let owner { outcome.owners.append(owner) }
    }
    for request in write.claims {
      let before = try tables.claim(to: request.unit, in: request.scope)
      let claim = ClaimRecord.following(before, request)
      if claim != before { try tables.setClaim(claim, to: request.unit, in: request.scope) }
      if claim.acknowledgedDate != nil, before?.acknowledgedDate == nil {
        try noteDelivery(request, in: tables)
      }
      outcome.claims.append(claim)
    }
    try writeDocuments(in: &tables)
    for wish in write.merges { try merge(wish, in: &tables) }
    if !write.merges.isEmpty { owners = BySubject() }
    try fileEvents(in: &tables)
    for wish in write.erasures { outcome.erasures.append(try erase(wish, in: &tables)) }
    for record in write.audit { try tables.appendAudit(record) }
  }

  /// Whether no document forbids the write.
  private mutating func mayWriteDocuments(
    in tables: some LedgerTables
  ) throws(StorageError) -> Bool {
    for wish in write.documents {
      let isMet: Bool
      let current: LedgerDocument?
      switch wish.condition {
      case .always, .ifAbsent: continue
      case .mustBeAbsent:
        current = try tables.document(wish.key)
        isMet = current == nil
      case .mustHaveVersion(let version):
        current = try tables.document(wish.key)
        isMet = current?.version == version
      }
      guard isMet else {
        outcome.isRefused = true
        outcome.documents = [.kept(current)]
        return false
      }
    }
    return true
  }

  private mutating func writeDocuments(in tables: inout some LedgerTables) throws(StorageError) {
    for wish in write.documents { outcome.documents.append(try file(wish, in: &tables)) }
    for key in write.removals { try tables.removeDocument(key) }
    for pruning in write.pruning {
      try tables.removeDocuments(pruning, limit: DocumentPruning.documentsMax)
    }
  }

  private mutating func file(
    _ wish: DocumentWrite,
    in tables: inout some LedgerTables
  ) throws(StorageError) -> DocumentOutcome {
    let isReview = wish.key.kind == .review
    let before =
      isReview || wish.condition == .ifAbsent ? try tables.document(wish.key) : nil
    if wish.condition == .ifAbsent, let before { return .kept(before) }
    let document = try tables.setDocument(wish, date: write.date)
    if isReview { noteReview(document, before: before) }
    return .written(document)
  }

  /// Stores a fact and what it says.
  private mutating func insert(
    _ fact: PreparedWrite.Fact,
    into tables: inout some LedgerTables
  ) throws(StorageError) -> FactOutcome {
    let fact = try concealed(fact, in: &tables)
    let record = fact.record
    let isNew = try tables.insertFact(record, key: record.key, packed: fact.packed)
    if isNew, record.key.isReceipt {
      for (subject, _) in fact.parts {
        _ = try file(ReceiptPlace.document(record.key, subject), in: &tables)
      }
    }
    var saysNews = false
    for (subject, parts) in fact.parts {
      let stored = try tables.items(of: subject)
      let added = Self.news(in: parts, beside: stored)
      guard !added.isEmpty else { continue }
      saysNews = true
      try tables.insertItems(added.map(\.item), of: subject)
      if known[subject] == nil {
        var facts: [StoreFact] = []
        for item in stored { facts.append(try item.fact()) }
        known[subject] = facts
      }
      known[subject, default: []] += added.map(\.fact)
      if news[subject] == nil { touched.append(subject) }
      news[subject, default: []] += added.map(\.fact)
    }
    if isNew || saysNews { noteNotifications(fact) }
    guard !isNew else { return .inserted }
    guard saysNews else { return .known }
    let variant = record.key.variant(record.bytes)
    if try tables.insertFact(record, key: variant, packed: fact.packed) {
      let review = ReviewRecord(
        contradicting: record.key,
        variant: variant,
        in: record.scope,
        at: write.date
      )
      _ = try file(review.document(.ifAbsent), in: &tables)
    }
    return .inserted
  }

  /// Up to here comparing each with each is faster than a set is made.
  private static let comparedMax = 256

  /// What is not stored yet, each once.
  private static func news(
    in parts: [PreparedWrite.Part],
    beside stored: [StoredItem]
  ) -> [PreparedWrite.Part] {
    guard parts.count * (stored.count + parts.count) > comparedMax else {
      var added: [PreparedWrite.Part] = []
      for part in parts
      where !stored.contains(part.item) && !added.contains(where: { $0.item == part.item }) {
        added.append(part)
      }
      return added
    }
    var seen = Set(stored)
    return parts.filter { seen.insert($0.item).inserted }
  }

  private mutating func noteNotifications(_ fact: PreparedWrite.Fact) {
    for (subject, said) in fact.parts {
      for part in said {
        if case .notification(let context) = part.fact { noteNotification(context, subject) }
      }
    }
  }

  /// The folded facts about a purchase, as this write leaves them.
  mutating func history(
    of subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> StoreHistory {
    if let history = histories[subject] { return history }
    if known[subject] == nil { known[subject] = try tables.facts(of: subject) }
    let facts = known[subject] ?? []
    let history = StoreHistory(facts, environment: .only(subject.scope.environment))
    histories[subject] = history
    return history
  }

  /// A fact about a purchase of an erased customer names nobody either, however late it comes.
  private func concealed(
    _ fact: PreparedWrite.Fact,
    in tables: inout some LedgerTables
  ) throws(StorageError) -> PreparedWrite.Fact {
    guard try tables.hasErasures() else { return fact }
    var isConcealed = false
    var parts: [(subject: LedgerSubject, parts: [PreparedWrite.Part])] = []
    for (subject, said) in fact.parts {
      guard try tables.isErased(subject) else {
        parts.append((subject, said))
        continue
      }
      isConcealed = true
      var stripped: [PreparedWrite.Part] = []
      for part in said {
        let item = try part.item.stripped()
        stripped.append(PreparedWrite.Part(item: item, fact: try item.fact()))
      }
      parts.append((subject, stripped))
    }
    guard isConcealed else { return fact }
    var record = fact.record
    record.bytes = Tombstone.bytes(
      record.key,
      replacing: record.bytes,
      signed: record.signedDate,
      received: record.receivedDate,
      digest: write.digest
    )
    return PreparedWrite.Fact(record: record, parts: parts, packed: nil)
  }

  /// Folds a purchase's facts again and records what is new in the result.
  private mutating func refold(
    _ subject: LedgerSubject,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    let history = try history(of: subject, in: tables)
    let changed = Set((news[subject] ?? []).compactMap { $0.transaction?.transactionID })
    guard !changed.isEmpty else { return }
    let units = history.units.filter { !changed.isDisjoint(with: $0.transactionIDs) }
    let concerned = changed.union(units.flatMap(\.transactionIDs))
    let states = history.transactions.filter { concerned.contains($0.id) }
    try tables.project(states.map { TransactionRow($0) }, of: subject)
    for token in Set(states.compactMap(\.payload.appAccountToken)) {
      try tables.insertToken(token, of: subject)
    }
    for unit in units {
      for entry in unit.entries {
        guard try !isRecorded(entry, of: unit, in: tables, scope: subject.scope) else { continue }
        let record = GrantRecord(
          entry: entry,
          subject: subject,
          productID: unit.productID,
          quantity: unit.quantity,
          recordedDate: write.date,
          credit: try credit(entry, unit, subject, in: tables)
        )
        try tables.insertEntry(record)
        try tables.appendOutbox(OutboxRecord(record))
        outcome.newEntries.append(record)
        noteEntry(record, unit, history)
      }
    }
  }

  /// What an entry is worth: by the catalog when the unit is granted, and the same from then on.
  private func credit(
    _ entry: UnitEntry,
    _ unit: UnitState,
    _ subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> JSONObject {
    guard unit.type == .consumable else { return [:] }
    guard entry.kind == .grant else {
      let grant = try tables.entries(of: subject).first {
        $0.entry.kind == .grant && unit.names.contains($0.entry.unit)
      }
      return grant?.credit ?? [:]
    }
    let key = DocumentKey(.credit, app: subject.scope.app, name: unit.productID.rawValue)
    return try tables.document(key)?.body ?? [:]
  }

  /// Whether an entry took effect under any name that the unit has had.
  private func isRecorded(
    _ entry: UnitEntry,
    of unit: UnitState,
    in tables: some LedgerTables,
    scope: LedgerScope
  ) throws(StorageError) -> Bool {
    for name in unit.names
    where try tables.hasEntry(entry.kind, name, ordinal: entry.ordinal, in: scope) {
      return true
    }
    return false
  }

  /// Who owns a purchase, as this write leaves it so far.
  mutating func owner(
    of subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> OwnerRecord? {
    if let known = owners[subject] { return known }
    let owner = try tables.owner(of: subject)
    owners[subject] = .some(owner)
    return owner
  }

  private mutating func settleOwners(
    carrying token: AppAccountToken,
    app: BundleID,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    for subject in try tables.subjects(carrying: token, app: app) {
      try settleOwner(of: subject, presenter: nil, in: &tables)
    }
  }

  /// Finds the owner of a purchase: who its token names, else who presented it first, unless it may
  /// change hands.
  @discardableResult
  private mutating func settleOwner(
    of subject: LedgerSubject,
    presenter: OwnershipRequest?,
    in tables: inout some LedgerTables
  ) throws(StorageError) -> OwnerRecord? {
    let date = presenter?.date ?? write.date
    let before = try owner(of: subject, in: tables)
    var owner = before
    if before == nil || before?.ground == .firstPresented {
      if let named = try namedOwner(of: subject, in: tables) {
        owner = OwnerRecord(customer: named, ground: .accountToken, date: date)
      } else if before == nil, let presenter {
        owner = OwnerRecord(customer: presenter.customer, ground: .firstPresented, date: date)
      }
    }
    guard let found = owner else { return nil }
    let policy = presenter?.policy ?? .keep
    var isShared = false
    if let presenter, presenter.customer != found.customer {
      if policy == .decided {
        owner = OwnerRecord(customer: presenter.customer, ground: .decided, date: date)
      } else if policy != .keep, try mayChangeHands(subject, in: tables) {
        if policy == .share {
          isShared = true
          _ = try file(ShareRecord.document(subject, with: presenter.customer), in: &tables)
          try noteShare(subject, with: presenter.customer, in: &tables)
        } else {
          owner = OwnerRecord(customer: presenter.customer, ground: .transferred, date: date)
        }
      }
    }
    let settled = owner ?? found
    if settled != before {
      try tables.setOwner(settled, of: subject)
      owners[subject] = .some(settled)
      let isNew = news[subject].map { $0.count == known[subject]?.count } ?? false
      noteOwner(of: subject, before: before, now: settled, wasKnown: !isNew)
    }
    if let before, before.customer != settled.customer {
      try tables.appendAudit(AuditRecord(ownerOf: subject, settled, at: date))
    }
    guard !isShared, policy != .decided else { return settled }
    for other in [before?.customer, presenter?.customer].compactMap({ $0 })
    where other != settled.customer {
      let conflict = ConflictRecord(subject: subject, customer: other, date: date)
      let isKnown = try tables.conflicts(of: subject).contains { $0.customer == other }
      try tables.insertConflict(conflict)
      // Where purchases may change hands, that they do is no case for people.
      guard settled.ground != .transferred else { continue }
      if !isKnown { noteConflict(conflict) }
      let review = ReviewRecord(conflict, owner: settled.customer)
      _ = try file(review.document(.ifAbsent), in: &tables)
    }
    return settled
  }

  /// Whether a purchase holds nothing that is used up: what was handed over cannot be moved.
  private mutating func mayChangeHands(
    _ subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> Bool {
    if known[subject] == nil { known[subject] = try tables.facts(of: subject) }
    return !(known[subject] ?? []).contains { $0.transaction?.type == .consumable }
  }

  /// The customer that the purchase's tokens name: through an order, else through an alias.
  private mutating func namedOwner(
    of subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> CustomerID? {
    let app = subject.scope.app
    if known[subject] == nil { known[subject] = try tables.facts(of: subject) }
    let tokens = Set((known[subject] ?? []).compactMap { $0.transaction?.appAccountToken })
    for token in tokens.sorted(by: { $0.description < $1.description }) {
      if let customer = try tables.order(OrderNumber(token.rawValue), app: app)?.customer {
        return customer
      }
      if let customer = try tables.customer(of: token, app: app) { return customer }
    }
    return nil
  }
}

extension AuditRecord {
  /// A purchase has another owner than before.
  init(ownerOf subject: LedgerSubject, _ owner: OwnerRecord, at date: Date) {
    self.init(
      app: subject.scope.app,
      action: "purchase.ownerChanged",
      details: [
        "environment": .string(subject.scope.environment.rawValue),
        "originalTransactionId": .string(subject.original.rawValue),
        "ground": .string(owner.ground.rawValue),
      ],
      date: date
    )
  }
}

extension OutboxRecord {
  /// What the backend is told about an entry.
  init(_ record: GrantRecord) {
    self.init(
      kind: "unit.\(record.entry.kind.rawValue)",
      subject: record.subject,
      body: [
        "key": .string(record.entry.key),
        "unit": .string(record.entry.unit.rawValue),
        "productId": .string(record.productID.rawValue),
        "quantity": .integer(Int64(record.quantity)),
        "originalTransactionId": .string(record.subject.original.rawValue),
        "date": .integer(record.entry.date.milliseconds),
      ],
      date: record.recordedDate
    )
  }
}
