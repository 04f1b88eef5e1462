internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// What the engine does to rows: gathered, and remembered for the questions that follow.
extension PostgresWork: LedgerTables {
  func insertFact(
    _ record: FactRecord,
    key: FactKey,
    packed: PackedFact?
  ) throws(StorageError) -> Bool {
    let place = WriteFootprint.Place(scope: record.scope, key: key)
    guard try !isKnown(place) else { return false }
    let packed = packed ?? PackedFact(record.bytes)
    var numbers: [Int64] = []
    for header in packed.headers { numbers.append(try number(ofHeader: header)) }
    let bytes = packed.stored(numbers: numbers)
    pending.facts.append((try number(of: record.scope), key, record, bytes))
    pending.isEmpty = false
    knownFacts[place] = true
    return true
  }

  func insertItems(_ new: [StoredItem], of subject: LedgerSubject) throws(StorageError) {
    try need(subject)
    items[subject] = try items(of: subject) + new
    pending.items += new.map { (subject, $0) }
  }

  func hasEntry(
    _ kind: UnitEntry.Kind,
    _ unit: UnitID,
    ordinal: Int,
    in scope: LedgerScope
  ) throws(StorageError) -> Bool {
    let key = EntryKey(scope: scope, unit: unit, kind: kind, ordinal: ordinal)
    if entryKeys.contains(key) { return true }
    guard !isTrusting else { return false }
    return try database.row(
      "SELECT 1 FROM entries WHERE unit = $1 AND kind = $2 AND ordinal = $3 AND scope = $4",
      .text(unit.rawValue),
      .text(kind.rawValue),
      .integer(Int64(ordinal)),
      .integer(try number(of: scope))
    ) { _ in true } ?? false
  }

  func insertEntry(_ record: GrantRecord) throws(StorageError) {
    try need(record.subject)
    entries[record.subject] = try entries(of: record.subject) + [record]
    entryKeys.insert(EntryKey(record))
    pending.entries.append(record)
  }

  func project(_ rows: [TransactionRow], of subject: LedgerSubject) throws(StorageError) {
    try need(subject)
    for row in rows {
      pending.rows[RowKey(subject: subject, transaction: row.transactionID)] = row
    }
  }

  func insertToken(_ token: AppAccountToken, of subject: LedgerSubject) throws(StorageError) {
    let key = WriteFootprint.Token(app: subject.scope.app, token: token)
    guard try !carriers(of: key).contains(subject) else { return }
    try need(subject)
    carriers[key, default: []].insert(subject)
    pending.tokens.insert(SubjectToken(subject: subject, token: token))
  }

  func insertOrder(_ order: OrderRecord) throws(StorageError) -> Bool {
    guard try self.order(order.number, app: order.app) == nil else { return false }
    let key = WriteFootprint.Token(app: order.app, token: order.number.accountToken)
    orders.updateValue(order, forKey: key)
    pending.orders.append(order)
    pending.isEmpty = false
    return true
  }

  func insertAlias(_ alias: CustomerAlias) throws(StorageError) {
    guard try customer(of: alias.token, app: alias.app) == nil else { return }
    let key = WriteFootprint.Token(app: alias.app, token: alias.token)
    aliases.updateValue(alias.customer, forKey: key)
    pending.aliases.append(alias)
    pending.isEmpty = false
  }

  func setOwner(_ owner: OwnerRecord, of subject: LedgerSubject) throws(StorageError) {
    try need(subject)
    subjects[subject]?.owner = owner
    pending.owners.insert(subject)
  }

  func insertConflict(_ conflict: ConflictRecord) throws(StorageError) {
    try need(conflict.subject)
    let isPending = pending.conflicts.contains {
      $0.subject == conflict.subject && $0.customer == conflict.customer
    }
    if !isPending { pending.conflicts.append(conflict) }
  }

  func setClaim(
    _ claim: ClaimRecord,
    to unit: UnitID,
    in scope: LedgerScope
  ) throws(StorageError) {
    if try self.claim(to: unit, in: scope) == nil { pending.claimsNew += 1 }
    let key = WriteFootprint.Claim(scope: scope, unit: unit)
    claims.updateValue(claim, forKey: key)
    pending.claims.insert(key)
    pending.isEmpty = false
  }

  func appendOutbox(_ record: OutboxRecord) throws(StorageError) {
    try need(record.subject)
    pending.outbox.append(record)
  }

  func appendAudit(_ record: AuditRecord) throws(StorageError) {
    pending.audit.append(record)
    pending.isEmpty = false
  }

  /// The app is locked, and whether a purchase was erased is known with the rest of its row.
  func hasErasures() throws(StorageError) -> Bool { true }
}

// Documents.
extension PostgresWork {
  func setDocument(
    _ write: DocumentWrite,
    date: Date
  ) throws(StorageError) -> LedgerDocument {
    let before: LedgerDocument?
    let place: Int64
    if let known = documents[write.key] {
      before = known
      place = if let known { known.sequence } else { try nextPlace() }
    } else {
      (before, place) = try documentOrPlace(write.key)
    }
    let document = LedgerDocument(
      key: write.key,
      sequence: place,
      shelf: write.shelf,
      body: write.body,
      version: (before?.version ?? 0) + 1,
      createdDate: before?.createdDate ?? date,
      changedDate: date
    )
    documents.updateValue(document, forKey: write.key)
    pending.documents.insert(write.key)
    pending.isEmpty = false
    return document
  }

  /// A place for a document that is not there, in the order of the app's commits.
  ///
  /// The more a batch has needed, the more are asked for at once; what is left over stays a gap.
  private func nextPlace() throws(StorageError) -> Int64 {
    if places.isEmpty {
      let count = max(placesWanted, 1)
      places = try database.rows(
        "SELECT nextval('document_places') FROM generate_series(1, $1)",
        .integer(Int64(count))
      ) { $0.integer(0) }
      placesWanted = min(count * 2, Self.placesMax)
    }
    return places.removeFirst()
  }

  /// The most places that are asked for at once, beyond what the batch is known to need.
  private static let placesMax = 64

  /// A document, or a place for it: one question for what is mostly new.
  private func documentOrPlace(
    _ key: DocumentKey
  ) throws(StorageError) -> (LedgerDocument?, Int64) {
    // An event is new: its name has a number that its app gives once.
    if key.kind == .event { return (nil, try nextPlace()) }
    guard places.isEmpty else {
      guard let found = try document(key) else { return (nil, try nextPlace()) }
      return (found, found.sequence)
    }
    let columns = PostgresReading.documentColumns
    let found = try database.row(
      """
      SELECT \(columns), CASE WHEN sequence IS NULL THEN nextval('document_places') END
      FROM (SELECT 1) AS one LEFT JOIN documents ON name = $1 AND kind = $2 AND app = $3
      """,
      .text(key.name),
      .text(key.kind.rawValue),
      .text(key.app?.rawValue ?? "")
    ) { row throws(StorageError) -> (LedgerDocument?, Int64) in
      guard row.isNull(0) else {
        return (try PostgresReading.document(row, key.kind, key.app), row.integer(0))
      }
      return (nil, row.integer(7))
    }
    guard let found else { throw StorageError(.corrupt, "no place for a document") }
    return found
  }

  func removeDocument(_ key: DocumentKey) throws(StorageError) {
    try flush()
    try database.run(
      "DELETE FROM documents WHERE name = $1 AND kind = $2 AND app = $3",
      .text(key.name),
      .text(key.kind.rawValue),
      .text(key.app?.rawValue ?? "")
    )
    documents.updateValue(nil, forKey: key)
  }

  func removeDocuments(_ pruning: DocumentPruning, limit: Int) throws(StorageError) {
    try flush()
    // Other apps are not locked: a document that was written meanwhile stays.
    try database.run(
      """
      DELETE FROM documents WHERE changed_ms < $2 AND sequence IN (
        SELECT sequence FROM documents WHERE kind = $1 AND changed_ms < $2
        ORDER BY changed_ms, sequence LIMIT $3 FOR UPDATE SKIP LOCKED)
      """,
      .text(pruning.kind.rawValue),
      .date(pruning.changedBefore),
      .integer(Int64(limit))
    )
    documents = [:]
  }
}

extension PostgresWork.EntryKey {
  init(_ record: GrantRecord) {
    self.init(
      scope: record.subject.scope,
      unit: record.entry.unit,
      kind: record.entry.kind,
      ordinal: record.entry.ordinal
    )
  }
}
