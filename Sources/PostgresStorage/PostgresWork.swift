internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

/// One transaction that works a batch of writes in.
///
/// The apps of the batch are locked, so nobody else changes what it looks at. What the batch needs
/// is read at once before the engine begins, what it changes is gathered and written at once, a
/// statement a table. Whoever changes a row has loaded it: a row that is not in memory is not
/// changed either, so asking for one needs no writing before; asking for a list does.
final class PostgresWork {
  struct Subject {
    /// Its number; nil while it has no row.
    var number: Int64?
    var owner: OwnerRecord?
    var isErased = false
  }

  struct RowKey: Hashable {
    let subject: LedgerSubject
    let transaction: TransactionID
  }

  struct EntryKey: Hashable {
    let scope: LedgerScope
    let unit: UnitID
    let kind: UnitEntry.Kind
    let ordinal: Int
  }

  struct SubjectToken: Hashable {
    let subject: LedgerSubject
    let token: AppAccountToken
  }

  /// What is to be written.
  struct Pending {
    var facts: [(scope: Int64, key: FactKey, record: FactRecord, bytes: [UInt8])] = []
    var subjects: Set<LedgerSubject> = []
    var owners: Set<LedgerSubject> = []
    var items: [(subject: LedgerSubject, item: StoredItem)] = []
    var rows: [RowKey: TransactionRow] = [:]
    var tokens: Set<SubjectToken> = []
    var entries: [GrantRecord] = []
    var orders: [OrderRecord] = []
    var aliases: [CustomerAlias] = []
    var conflicts: [ConflictRecord] = []
    var claims: Set<WriteFootprint.Claim> = []
    var claimsNew: Int64 = 0
    var documents: Set<DocumentKey> = []
    var outbox: [OutboxRecord] = []
    var audit: [AuditRecord] = []
    var isEmpty = true
  }

  let reading: PostgresReading
  let schema: String
  /// Whether questions are answered from what was read before the engine began; else each is
  /// asked, which is slower and never wrong about a unit that moved between purchases.
  let isTrusting: Bool
  var pending = Pending()
  /// The number of the transaction; nil until it has written.
  var transactionNumber: Int64?

  var subjects: [LedgerSubject: Subject] = [:]
  var knownFacts: [WriteFootprint.Place: Bool] = [:]
  var items: [LedgerSubject: [StoredItem]] = [:]
  var entries: [LedgerSubject: [GrantRecord]] = [:]
  var entryKeys: Set<EntryKey> = []
  var carriers: [WriteFootprint.Token: Set<LedgerSubject>] = [:]
  var orders: [WriteFootprint.Token: OrderRecord?] = [:]
  var aliases: [WriteFootprint.Token: CustomerID?] = [:]
  var claims: [WriteFootprint.Claim: ClaimRecord?] = [:]
  var documents: [DocumentKey: LedgerDocument?] = [:]
  /// Places of documents that were asked for and not given yet, and how many more will be needed.
  var places: [Int64] = []
  var placesWanted = 0

  var database: PostgresDatabase { reading.database }

  init(_ reading: PostgresReading, schema: String, isTrusting: Bool) {
    self.reading = reading
    self.schema = schema
    self.isTrusting = isTrusting
  }

  /// Begins to keep everybody else from the apps of a footprint, until the transaction ends.
  ///
  /// - Returns: The oldest version of the schema whose software works with this database: it stays
  ///   so until the transaction ends.
  func lock(_ footprint: WriteFootprint) throws(StorageError) -> Int {
    // In one order, so that two transactions never wait for each other.
    let names = footprint.apps.map { LockName.number(schema, "app", $0?.rawValue ?? "") }.sorted()
    let worksWith = "(SELECT max(works_with) FROM schema_version)"
    guard !names.isEmpty else {
      return try database.row("SELECT \(worksWith)") { Int($0.integer(0)) } ?? 0
    }
    return try database.rows(
      "SELECT \(worksWith), pg_advisory_xact_lock(name) FROM unnest($1) AS name",
      .integers(names)
    ) { Int($0.integer(0)) }.first ?? 0
  }

  /// Forgets what was read, after rows were changed behind its back; nothing may be pending.
  func forgetRows() {
    precondition(pending.isEmpty, "what is gathered is written first")
    subjects = [:]
    knownFacts = [:]
    items = [:]
    entries = [:]
    entryKeys = []
    carriers = [:]
    orders = [:]
    aliases = [:]
    claims = [:]
    documents = [:]
  }
}

// One row at a time, from memory when it is there.
extension PostgresWork {
  func state(of subject: LedgerSubject) throws(StorageError) -> Subject {
    if let known = subjects[subject] { return known }
    var found: Subject?
    if let scope = try reading.number(of: subject.scope) {
      found = try database.row(
        """
        SELECT id, erased_ms IS NOT NULL, owner, owner_ground, owner_ms FROM subjects
        WHERE scope = $1 AND original = $2
        """,
        .integer(scope),
        .text(subject.original.rawValue)
      ) { row throws(StorageError) in try Self.subject(row, 0) }
    }
    let state = found ?? Subject()
    subjects[subject] = state
    return state
  }

  /// A subject whose number, mark of erasure and owner stand in five columns.
  static func subject(_ row: PostgresRow, _ column: Int) throws(StorageError) -> Subject {
    Subject(
      number: row.integer(column),
      owner: try PostgresReading.owner(row, column + 2),
      isErased: row.integer(column + 1) == 1
    )
  }

  /// Notes that a purchase needs a row.
  func need(_ subject: LedgerSubject) throws(StorageError) {
    pending.isEmpty = false
    if try state(of: subject).number == nil { pending.subjects.insert(subject) }
  }

  func number(of scope: LedgerScope) throws(StorageError) -> Int64 {
    if let number = try reading.number(of: scope) { return number }
    try database.run(
      "INSERT INTO scopes (app, environment) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      .text(scope.app.rawValue),
      .text(scope.environment.rawValue)
    )
    guard let number = try reading.number(of: scope) else {
      throw StorageError(.corrupt, "a scope cannot be found again")
    }
    return number
  }

  func number(ofHeader bytes: [UInt8]) throws(StorageError) -> Int64 {
    let numbers = reading.numbers
    if let known = numbers.headers.first(where: { $0.bytes == bytes }) { return known.number }
    try database.run(
      "INSERT INTO headers (bytes) VALUES ($1) ON CONFLICT DO NOTHING",
      .blob(bytes)
    )
    let number = try database.row(
      "SELECT id FROM headers WHERE digest = sha256($1)",
      .blob(bytes)
    ) { $0.integer(0) }
    guard let number else { throw StorageError(.corrupt, "a header cannot be found again") }
    numbers.remember(number, ofHeader: bytes)
    return number
  }

  func isKnown(_ place: WriteFootprint.Place) throws(StorageError) -> Bool {
    if let known = knownFacts[place] { return known }
    let found = try database.row(
      "SELECT 1 FROM facts WHERE key = $1 AND scope = $2",
      .text(place.key.description),
      .integer(try number(of: place.scope))
    ) { _ in true }
    knownFacts[place] = found ?? false
    return found ?? false
  }

  func carriers(of token: WriteFootprint.Token) throws(StorageError) -> Set<LedgerSubject> {
    if let known = carriers[token] { return known }
    let found = Set(try reading.subjects(carrying: token.token, app: token.app))
    carriers[token] = found
    return found
  }

  static func precedes(_ left: LedgerSubject, _ right: LedgerSubject) -> Bool {
    (left.original, left.scope.environment.rawValue)
      < (right.original, right.scope.environment.rawValue)
  }
}

extension PostgresWork: LedgerReading {
  func subject(
    of transaction: TransactionID,
    in scope: LedgerScope
  ) throws(StorageError) -> LedgerSubject? {
    var found = pending.rows.keys.filter {
      $0.transaction == transaction && $0.subject.scope == scope
    }.map(\.subject)
    if let stored = try reading.subject(of: transaction, in: scope) { found.append(stored) }
    return found.min(by: Self.precedes)
  }

  func items(of subject: LedgerSubject) throws(StorageError) -> [StoredItem] {
    if let known = items[subject] { return known }
    let found = try reading.items(of: subject)
    items[subject] = found
    return found
  }

  func owner(of subject: LedgerSubject) throws(StorageError) -> OwnerRecord? {
    try state(of: subject).owner
  }

  func isErased(_ subject: LedgerSubject) throws(StorageError) -> Bool {
    try state(of: subject).isErased
  }

  func entries(of subject: LedgerSubject) throws(StorageError) -> [GrantRecord] {
    if let known = entries[subject] { return known.sorted { $0.entry < $1.entry } }
    let found = try reading.entries(of: subject)
    entries[subject] = found
    return found
  }

  func subjects(
    carrying token: AppAccountToken,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject] {
    try carriers(of: WriteFootprint.Token(app: app, token: token)).sorted(by: Self.precedes)
  }

  func order(_ number: OrderNumber, app: BundleID) throws(StorageError) -> OrderRecord? {
    let key = WriteFootprint.Token(app: app, token: number.accountToken)
    if let known = orders[key] { return known }
    let found = try reading.order(number, app: app)
    orders.updateValue(found, forKey: key)
    return found
  }

  func customer(of token: AppAccountToken, app: BundleID) throws(StorageError) -> CustomerID? {
    let key = WriteFootprint.Token(app: app, token: token)
    if let known = aliases[key] { return known }
    let found = try reading.customer(of: token, app: app)
    aliases.updateValue(found, forKey: key)
    return found
  }

  func claim(to unit: UnitID, in scope: LedgerScope) throws(StorageError) -> ClaimRecord? {
    let key = WriteFootprint.Claim(scope: scope, unit: unit)
    if let known = claims[key] { return known }
    let found = try reading.claim(to: unit, in: scope)
    claims.updateValue(found, forKey: key)
    return found
  }

  func document(_ key: DocumentKey) throws(StorageError) -> LedgerDocument? {
    if let known = documents[key] { return known }
    let found = try reading.document(key)
    documents.updateValue(found, forKey: key)
    return found
  }
}

// Lists: what is gathered is written before they are read.
extension PostgresWork {
  /// The tables with everything written.
  private func written() throws(StorageError) -> PostgresReading {
    try flush()
    return reading
  }

  func subjects(
    ownedBy customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject] {
    try written().subjects(ownedBy: customer, app: app)
  }

  func lastingSubjects(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [LedgerSubject] {
    try written().lastingSubjects(ownedBy: customer, in: scope)
  }

  func subjects(
    in scope: LedgerScope,
    after original: OriginalTransactionID?,
    limit: Int
  ) throws(StorageError) -> [LedgerSubject] {
    try written().subjects(in: scope, after: original, limit: limit)
  }

  func conflicts(of subject: LedgerSubject) throws(StorageError) -> [ConflictRecord] {
    try written().conflicts(of: subject)
  }

  func credits(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [GrantRecord] {
    try written().credits(ownedBy: customer, in: scope)
  }

  func tokens(
    of customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [AppAccountToken] {
    try written().tokens(of: customer, app: app)
  }

  func orders(of customer: CustomerID, app: BundleID) throws(StorageError) -> [OrderRecord] {
    try written().orders(of: customer, app: app)
  }

  func orders(
    app: BundleID,
    after number: OrderNumber?,
    limit: Int
  ) throws(StorageError) -> [OrderRecord] {
    try written().orders(app: app, after: number, limit: limit)
  }

  func variants(of key: FactKey, in scope: LedgerScope) throws(StorageError) -> [FactKey] {
    try written().variants(of: key, in: scope)
  }

  func fact(_ key: FactKey, in scope: LedgerScope) throws(StorageError) -> StoredFact? {
    try written().fact(key, in: scope)
  }

  func transactions(of subject: LedgerSubject) throws(StorageError) -> [TransactionRow] {
    try written().transactions(of: subject)
  }

  func outbox(after sequence: Int64, limit: Int) throws(StorageError) -> [OutboxRecord] {
    try written().outbox(after: sequence, limit: limit)
  }

  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    after sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument] {
    try written().documents(kind, app: app, shelf: shelf, after: sequence, limit: limit)
  }

  func audit(after sequence: Int64, limit: Int) throws(StorageError) -> [AuditRecord] {
    try written().audit(after: sequence, limit: limit)
  }

  func counts() throws(StorageError) -> LedgerCounts { try written().counts() }
}
