import Foundation
import IAPEntitlements
import IAPModel

/// The tables of ``InMemoryLedger``: dictionaries, and a log of how to undo what was done.
struct InMemoryTables {
  struct ScopedKey: Hashable {
    let scope: LedgerScope
    let name: String
  }

  struct EntryKey: Hashable {
    let scope: LedgerScope
    let unit: UnitID
    let kind: UnitEntry.Kind
    let ordinal: Int
  }

  struct AppToken: Hashable {
    let app: BundleID
    let token: AppAccountToken
  }

  struct AppOrder: Hashable {
    let app: BundleID
    let number: OrderNumber
  }

  struct Conflict: Hashable {
    let subject: LedgerSubject
    let customer: CustomerID
  }

  private var factRows: [ScopedKey: StoredFact] = [:]
  private var subjects: [LedgerSubject: Bool] = [:]
  private var itemRows: [LedgerSubject: [StoredItem]] = [:]
  private var subjectsByTransaction: [ScopedKey: Set<LedgerSubject>] = [:]
  private var projections: [LedgerSubject: [TransactionID: TransactionRow]] = [:]
  private var entryRows: [EntryKey: GrantRecord] = [:]
  private var entriesBySubject: [LedgerSubject: [GrantRecord]] = [:]
  private var subjectsByToken: [AppToken: Set<LedgerSubject>] = [:]
  private var orderRows: [AppOrder: OrderRecord] = [:]
  private var aliases: [AppToken: CustomerID] = [:]
  private var owners: [LedgerSubject: OwnerRecord] = [:]
  private var conflictRows: [Conflict: ConflictRecord] = [:]
  private var claims: [ScopedKey: ClaimRecord] = [:]
  private var documentRows: [DocumentKey: LedgerDocument] = [:]
  private var documentsMade: Int64 = 0
  private var outboxRows: [OutboxRecord] = []
  private var auditRows: [AuditRecord] = []
  private var undoLog: [(inout InMemoryTables) -> Void] = []

  /// Does what `body` does, or nothing when it throws.
  mutating func transaction<Value>(
    _ body: (inout InMemoryTables) throws(StorageError) -> Value
  ) throws(StorageError) -> Value {
    undoLog = []
    do throws(StorageError) {
      let value = try body(&self)
      undoLog = []
      return value
    } catch {
      let log = undoLog
      undoLog = []
      for undo in log.reversed() { undo(&self) }
      throw error
    }
  }

  /// Sets a dictionary's value and remembers the one it had.
  private mutating func set<Key, Value>(
    _ table: WritableKeyPath<InMemoryTables, [Key: Value]>,
    _ key: Key,
    _ value: Value
  ) {
    let before = self[keyPath: table][key]
    undoLog.append { $0[keyPath: table][key] = before }
    self[keyPath: table][key] = value
  }

  /// Removes a dictionary's value and remembers it.
  private mutating func remove<Key, Value>(
    _ table: WritableKeyPath<InMemoryTables, [Key: Value]>,
    _ key: Key
  ) {
    let before = self[keyPath: table][key]
    undoLog.append { $0[keyPath: table][key] = before }
    self[keyPath: table][key] = nil
  }

  /// Appends to a row list and remembers its length.
  private mutating func append<Row>(_ list: WritableKeyPath<InMemoryTables, [Row]>, _ row: Row) {
    undoLog.append { $0[keyPath: list].removeLast() }
    self[keyPath: list].append(row)
  }
}

extension InMemoryTables: LedgerTables {
  mutating func insertFact(_ record: FactRecord, key: FactKey, packed: PackedFact?) -> Bool {
    let row = ScopedKey(scope: record.scope, name: key.description)
    guard factRows[row] == nil else { return false }
    set(
      \.factRows,
      row,
      StoredFact(
        key: key,
        scope: record.scope,
        bytes: record.bytes,
        signedDate: record.signedDate,
        receivedDate: record.receivedDate
      )
    )
    return true
  }

  mutating func insertItems(_ items: [StoredItem], of subject: LedgerSubject) {
    set(\.subjects, subject, true)
    set(\.itemRows, subject, (itemRows[subject] ?? []) + items)
  }

  func hasEntry(_ kind: UnitEntry.Kind, _ unit: UnitID, ordinal: Int, in scope: LedgerScope) -> Bool
  {
    entryRows[EntryKey(scope: scope, unit: unit, kind: kind, ordinal: ordinal)] != nil
  }

  mutating func insertEntry(_ record: GrantRecord) throws(StorageError) {
    let key = EntryKey(
      scope: record.subject.scope,
      unit: record.entry.unit,
      kind: record.entry.kind,
      ordinal: record.entry.ordinal
    )
    guard entryRows[key] == nil else { throw StorageError(.corrupt, "an entry stands twice") }
    set(\.entryRows, key, record)
    set(\.entriesBySubject, record.subject, (entriesBySubject[record.subject] ?? []) + [record])
  }

  mutating func project(_ rows: [TransactionRow], of subject: LedgerSubject) {
    var projection = projections[subject] ?? [:]
    for row in rows {
      projection[row.transactionID] = row
      let key = ScopedKey(scope: subject.scope, name: row.transactionID.rawValue)
      set(\.subjectsByTransaction, key, (subjectsByTransaction[key] ?? []).union([subject]))
    }
    set(\.projections, subject, projection)
  }

  mutating func insertToken(_ token: AppAccountToken, of subject: LedgerSubject) {
    let key = AppToken(app: subject.scope.app, token: token)
    set(\.subjectsByToken, key, (subjectsByToken[key] ?? []).union([subject]))
  }

  mutating func insertOrder(_ order: OrderRecord) -> Bool {
    let key = AppOrder(app: order.app, number: order.number)
    guard orderRows[key] == nil else { return false }
    set(\.orderRows, key, order)
    return true
  }

  mutating func insertAlias(_ alias: CustomerAlias) {
    let key = AppToken(app: alias.app, token: alias.token)
    if aliases[key] == nil { set(\.aliases, key, alias.customer) }
  }

  mutating func setOwner(_ owner: OwnerRecord, of subject: LedgerSubject) {
    set(\.subjects, subject, true)
    set(\.owners, subject, owner)
  }

  mutating func insertConflict(_ conflict: ConflictRecord) {
    let key = Conflict(subject: conflict.subject, customer: conflict.customer)
    if conflictRows[key] == nil { set(\.conflictRows, key, conflict) }
  }

  mutating func setClaim(_ claim: ClaimRecord, to unit: UnitID, in scope: LedgerScope) {
    set(\.claims, ScopedKey(scope: scope, name: unit.rawValue), claim)
  }

  mutating func setDocument(_ write: DocumentWrite, date: Date) -> LedgerDocument {
    let before = documentRows[write.key]
    if before == nil {
      let made = documentsMade
      undoLog.append { $0.documentsMade = made }
      documentsMade += 1
    }
    let document = LedgerDocument(
      key: write.key,
      sequence: before?.sequence ?? documentsMade,
      shelf: write.shelf,
      body: write.body,
      version: (before?.version ?? 0) + 1,
      createdDate: before?.createdDate ?? date,
      changedDate: date
    )
    set(\.documentRows, write.key, document)
    return document
  }

  mutating func removeDocuments(_ pruning: DocumentPruning, limit: Int) {
    let old = documentRows.values.filter {
      $0.key.kind == pruning.kind && $0.changedDate < pruning.changedBefore
    }
    let ordered = old.sorted { ($0.changedDate, $0.sequence) < ($1.changedDate, $1.sequence) }
    for document in ordered.prefix(limit) { remove(\.documentRows, document.key) }
  }

  mutating func appendOutbox(_ record: OutboxRecord) {
    var row = record
    row.sequence = Int64(outboxRows.count) + 1
    append(\.outboxRows, row)
  }

  mutating func appendAudit(_ record: AuditRecord) {
    var row = record
    row.sequence = Int64(auditRows.count) + 1
    append(\.auditRows, row)
  }
}

extension InMemoryTables: LedgerReading {
  func items(of subject: LedgerSubject) -> [StoredItem] { itemRows[subject] ?? [] }

  func subject(of transaction: TransactionID, in scope: LedgerScope) -> LedgerSubject? {
    subjectsByTransaction[ScopedKey(scope: scope, name: transaction.rawValue)]?
      .min(by: Self.precedes)
  }

  func subjects(carrying token: AppAccountToken, app: BundleID) -> [LedgerSubject] {
    (subjectsByToken[AppToken(app: app, token: token)] ?? []).sorted(by: Self.precedes)
  }

  func subjects(ownedBy customer: CustomerID, app: BundleID) -> [LedgerSubject] {
    owners.filter { $0.key.scope.app == app && $0.value.customer == customer }.keys
      .sorted(by: Self.precedes)
  }

  func lastingSubjects(ownedBy customer: CustomerID, in scope: LedgerScope) -> [LedgerSubject] {
    subjects(ownedBy: customer, app: scope.app).filter { subject in
      subject.scope == scope
        && (projections[subject] ?? [:]).values.contains { $0.type != .consumable }
    }
  }

  func owner(of subject: LedgerSubject) -> OwnerRecord? { owners[subject] }

  func conflicts(of subject: LedgerSubject) -> [ConflictRecord] {
    conflictRows.values.filter { $0.subject == subject }.sorted { $0.customer < $1.customer }
  }

  func entries(of subject: LedgerSubject) -> [GrantRecord] {
    (entriesBySubject[subject] ?? []).sorted { $0.entry < $1.entry }
  }

  func credits(ownedBy customer: CustomerID, in scope: LedgerScope) -> [GrantRecord] {
    subjects(ownedBy: customer, app: scope.app).filter { $0.scope == scope }
      .flatMap { entries(of: $0) }.filter { !$0.credit.isEmpty }
  }

  func claim(to unit: UnitID, in scope: LedgerScope) -> ClaimRecord? {
    claims[ScopedKey(scope: scope, name: unit.rawValue)]
  }

  func customer(of token: AppAccountToken, app: BundleID) -> CustomerID? {
    aliases[AppToken(app: app, token: token)]
  }

  func order(_ number: OrderNumber, app: BundleID) -> OrderRecord? {
    orderRows[AppOrder(app: app, number: number)]
  }

  func orders(of customer: CustomerID, app: BundleID) -> [OrderRecord] {
    orderRows.values.filter { $0.app == app && $0.customer == customer }
      .sorted { ($0.createdDate, $0.number) < ($1.createdDate, $1.number) }
  }

  func fact(_ key: FactKey, in scope: LedgerScope) -> StoredFact? {
    factRows[ScopedKey(scope: scope, name: key.description)]
  }

  func transactions(of subject: LedgerSubject) -> [TransactionRow] {
    (projections[subject] ?? [:]).values.sorted { $0.transactionID < $1.transactionID }
  }

  func document(_ key: DocumentKey) -> LedgerDocument? { documentRows[key] }

  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    after sequence: Int64,
    limit: Int
  ) -> [LedgerDocument] {
    let found = documentRows.values.filter { document in
      document.key.kind == kind && document.key.app == app && document.sequence > sequence
        && (shelf == nil || document.shelf == shelf)
    }
    return Array(found.sorted { $0.sequence < $1.sequence }.prefix(max(limit, 0)))
  }

  func outbox(after sequence: Int64, limit: Int) -> [OutboxRecord] {
    Array(outboxRows.dropFirst(Int(max(sequence, 0))).prefix(max(limit, 0)))
  }

  func audit(after sequence: Int64, limit: Int) -> [AuditRecord] {
    Array(auditRows.dropFirst(Int(max(sequence, 0))).prefix(max(limit, 0)))
  }

  func counts() -> LedgerCounts {
    var counts = LedgerCounts()
    counts.facts = factRows.count
    counts.subjects = subjects.count
    counts.transactions = projections.values.reduce(0) { $0 + $1.count }
    counts.entries = entryRows.count
    counts.orders = orderRows.count
    counts.claims = claims.count
    counts.conflicts = conflictRows.count
    counts.outbox = outboxRows.count
    return counts
  }

  private static func precedes(_ left: LedgerSubject, _ right: LedgerSubject) -> Bool {
    (left.original, left.scope.environment.rawValue)
      < (right.original, right.scope.environment.rawValue)
  }
}
