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

  private(set) var factRows: [ScopedKey: StoredFact] = [:]
  private(set) var subjects: [LedgerSubject: Bool] = [:]
  private(set) var itemRows: [LedgerSubject: [StoredItem]] = [:]
  private(set) var subjectsByTransaction: [ScopedKey: Set<LedgerSubject>] = [:]
  private(set) var projections: [LedgerSubject: [TransactionID: TransactionRow]] = [:]
  private(set) var entryRows: [EntryKey: GrantRecord] = [:]
  private(set) var entriesBySubject: [LedgerSubject: [GrantRecord]] = [:]
  private(set) var subjectsByToken: [AppToken: Set<LedgerSubject>] = [:]
  private(set) var orderRows: [AppOrder: OrderRecord] = [:]
  private(set) var aliases: [AppToken: CustomerID] = [:]
  private(set) var owners: [LedgerSubject: OwnerRecord] = [:]
  private(set) var conflictRows: [Conflict: ConflictRecord] = [:]
  private(set) var claims: [ScopedKey: ClaimRecord] = [:]
  private(set) var erasedSubjects: [LedgerSubject: Date] = [:]
  var documentRows: [DocumentKey: LedgerDocument] = [:]
  var documentPlaces: [DocumentShelf: [DocumentPlace]] = [:]
  var documentsMade: Int64 = 0
  private(set) var outboxRows: [OutboxRecord] = []
  private(set) var auditRows: [AuditRecord] = []
  var undoLog: [(inout InMemoryTables) -> Void] = []

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
  mutating func set<Key, Value>(
    _ table: WritableKeyPath<InMemoryTables, [Key: Value]>,
    _ key: Key,
    _ value: Value
  ) {
    let before = self[keyPath: table][key]
    undoLog.append { $0[keyPath: table][key] = before }
    self[keyPath: table][key] = value
  }

  /// Removes a dictionary's value and remembers it.
  mutating func remove<Key, Value>(
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

extension InMemoryTables {
  mutating func replaceFact(_ key: FactKey, in scope: LedgerScope, bytes: [UInt8]) {
    let row = ScopedKey(scope: scope, name: key.description)
    guard let before = factRows[row] else { return }
    set(
      \.factRows,
      row,
      StoredFact(
        key: key,
        scope: scope,
        bytes: bytes,
        signedDate: before.signedDate,
        receivedDate: before.receivedDate
      )
    )
  }

  mutating func replaceItems(_ items: [StoredItem], of subject: LedgerSubject) {
    set(\.itemRows, subject, items)
  }

  mutating func setErased(_ subject: LedgerSubject, date: Date) {
    set(\.erasedSubjects, subject, date)
    remove(\.owners, subject)
    for (key, subjects) in subjectsByToken where subjects.contains(subject) {
      set(\.subjectsByToken, key, subjects.subtracting([subject]))
    }
    for (key, conflict) in conflictRows where key.subject == subject {
      conceal(conflict, key)
    }
  }

  /// Conflicts stay to be counted and name nobody.
  private mutating func conceal(_ conflict: ConflictRecord, _ key: Conflict) {
    remove(\.conflictRows, key)
    let nobody = CustomerID("erased:\(conflictRows.count)")
    set(
      \.conflictRows,
      Conflict(subject: key.subject, customer: nobody),
      ConflictRecord(subject: conflict.subject, customer: nobody, date: conflict.date)
    )
  }

  mutating func forget(_ customer: CustomerID, app: BundleID) {
    for (key, order) in orderRows where order.app == app && order.customer == customer {
      var nobodys = order
      nobodys.customer = nil
      nobodys.context = [:]
      set(\.orderRows, key, nobodys)
    }
    for (key, named) in aliases where key.app == app && named == customer {
      remove(\.aliases, key)
    }
    for (key, conflict) in conflictRows
    where key.customer == customer && key.subject.scope.app == app {
      conceal(conflict, key)
    }
  }

  mutating func reassign(_ customer: CustomerID, to other: CustomerID, app: BundleID) {
    for (key, order) in orderRows where order.app == app && order.customer == customer {
      var moved = order
      moved.customer = other
      set(\.orderRows, key, moved)
    }
    for (key, named) in aliases where key.app == app && named == customer {
      set(\.aliases, key, other)
    }
  }

  func hasErasures() -> Bool { !erasedSubjects.isEmpty }
}
