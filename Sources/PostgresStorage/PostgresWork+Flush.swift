internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// Writes what was gathered, a statement a table.
extension PostgresWork {
  /// How many rows each table got.
  private struct Counts {
    var facts: Int64 = 0
    var subjects: Int64 = 0
    var transactions: Int64 = 0
    var entries: Int64 = 0
    var orders: Int64 = 0
    var claims: Int64 = 0
    var conflicts: Int64 = 0
    var outbox: Int64 = 0
    var audit: Int64 = 0
  }

  /// Writes everything; afterwards nothing is pending.
  func flush() throws(StorageError) {
    guard !pending.isEmpty else { return }
    let work = pending
    pending = Pending()
    var counts = Counts()
    // What follows names purchases by their numbers.
    counts.subjects = try writeSubjects(work.subjects)
    var batch = PostgresBatch()
    writeFacts(work.facts, in: &batch) { counts.facts = $0 }
    try writeItems(work.items, in: &batch)
    try writeRows(work.rows, in: &batch) { counts.transactions = $0 }
    try writeTokens(work.tokens, in: &batch)
    try writeEntries(work.entries, in: &batch) { counts.entries = $0 }
    try writeOwners(work.owners, in: &batch)
    writeOrders(work.orders, in: &batch) { counts.orders = $0 }
    writeAliases(work.aliases, in: &batch)
    try writeConflicts(work.conflicts, in: &batch) { counts.conflicts = $0 }
    try writeClaims(work.claims, in: &batch)
    writeDocuments(work.documents, in: &batch)
    try batch.run(on: database)
    counts.claims = work.claimsNew
    counts.outbox = Int64(work.outbox.count)
    counts.audit = Int64(work.audit.count)
    // Last: from here to the commit nobody else writes a log.
    let ends = try count(counts)
    var logs = PostgresBatch()
    try writeOutbox(work.outbox, end: ends.outbox, in: &logs)
    writeAudit(work.audit, end: ends.audit, in: &logs)
    try logs.run(on: database)
  }

  /// Writes what changes nothing, which a database that must not be written refuses.
  func touch() throws(StorageError) { _ = try count(Counts()) }

  private func number(_ subject: LedgerSubject) throws(StorageError) -> Int64 {
    guard let number = subjects[subject]?.number else {
      throw StorageError(.corrupt, "a purchase has no row")
    }
    return number
  }

  private func numbers(
    _ subjects: some Sequence<LedgerSubject>
  ) throws(StorageError) -> PostgresValue {
    var numbers: [Int64?] = []
    for subject in subjects { numbers.append(try number(subject)) }
    return .integers(numbers)
  }

  private func writeSubjects(_ new: Set<LedgerSubject>) throws(StorageError) -> Int64 {
    guard !new.isEmpty else { return 0 }
    var scopes: [LedgerScope: Int64] = [:]
    for scope in Set(new.map(\.scope)) { scopes[scope] = try number(of: scope) }
    let byNumber = Dictionary(uniqueKeysWithValues: scopes.map { ($1, $0) })
    let given = try database.rows(
      """
      INSERT INTO subjects (scope, original) SELECT * FROM unnest($1, $2)
      RETURNING scope, original, id
      """,
      .integers(new.map { scopes[$0.scope] }),
      .texts(new.map(\.original.rawValue))
    ) { (scope: $0.integer(0), original: $0.text(1), number: $0.integer(2)) }
    for (scope, original, number) in given {
      guard let scope = byNumber[scope] else { continue }
      let subject = LedgerSubject(scope: scope, original: OriginalTransactionID(original))
      subjects[subject]?.number = number
    }
    return Int64(given.count)
  }

  private func writeFacts(
    _ facts: [(scope: Int64, key: FactKey, record: FactRecord, bytes: [UInt8])],
    in batch: inout PostgresBatch,
    _ count: @escaping (Int64) -> Void
  ) {
    guard !facts.isEmpty else { return }
    batch.add(
      """
      INSERT INTO facts (scope, key, signed_ms, received_ms, bytes)
      SELECT * FROM unnest($1, $2, $3, $4, $5)
      """,
      .integers(facts.map(\.scope)),
      .texts(facts.map(\.key.description)),
      .dates(facts.map(\.record.signedDate)),
      .dates(facts.map(\.record.receivedDate)),
      .blobs(facts.map(\.bytes))
    ) { count($0) }
  }

  private func writeItems(
    _ items: [(subject: LedgerSubject, item: StoredItem)],
    in batch: inout PostgresBatch
  ) throws(StorageError) {
    guard !items.isEmpty else { return }
    batch.add(
      "INSERT INTO items (subject, kind, body) SELECT * FROM unnest($1, $2, $3)",
      try numbers(items.map(\.subject)),
      .integers(items.map(\.item.kind.rawValue)),
      .blobs(items.map(\.item.body))
    )
  }

  private func writeRows(
    _ rows: [RowKey: TransactionRow],
    in batch: inout PostgresBatch,
    _ count: @escaping (Int64) -> Void
  ) throws(StorageError) {
    guard !rows.isEmpty else { return }
    let values = Array(rows.values)
    // A row that was not there before has no older version.
    batch.ask(
      """
      WITH written AS (
        INSERT INTO transactions
          (subject, transaction_id, product, type, purchase_ms, expires_ms, revocation_ms,
           is_revoked, unit)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (transaction_id, subject) DO UPDATE SET
          product = excluded.product, type = excluded.type, purchase_ms = excluded.purchase_ms,
          expires_ms = excluded.expires_ms, revocation_ms = excluded.revocation_ms,
          is_revoked = excluded.is_revoked, unit = excluded.unit
        RETURNING xmax = 0 AS is_new)
      SELECT count(*) FILTER (WHERE is_new) FROM written
      """,
      try numbers(rows.keys.map(\.subject)),
      .texts(values.map(\.transactionID.rawValue)),
      .texts(values.map(\.productID.rawValue)),
      .texts(values.map(\.type?.rawValue)),
      .dates(values.map(\.purchaseDate)),
      .dates(values.map(\.expiresDate)),
      .dates(values.map(\.revocationDate)),
      .integers(values.map { $0.isRevoked ? 1 : 0 }),
      .texts(values.map(\.unit?.rawValue))
    ) { count($0.integer(0)) }
  }

  private func writeTokens(
    _ tokens: Set<SubjectToken>,
    in batch: inout PostgresBatch
  ) throws(StorageError) {
    guard !tokens.isEmpty else { return }
    batch.add(
      """
      INSERT INTO tokens (app, token, subject) SELECT * FROM unnest($1, $2, $3)
      ON CONFLICT DO NOTHING
      """,
      .texts(tokens.map(\.subject.scope.app.rawValue)),
      .texts(tokens.map(\.token.description)),
      try numbers(tokens.map(\.subject))
    )
  }

  private func writeEntries(
    _ entries: [GrantRecord],
    in batch: inout PostgresBatch,
    _ count: @escaping (Int64) -> Void
  ) throws(StorageError) {
    guard !entries.isEmpty else { return }
    var scopes: [Int64?] = []
    for entry in entries { scopes.append(try number(of: entry.subject.scope)) }
    batch.add(
      """
      INSERT INTO entries
        (scope, unit, kind, ordinal, subject, product, quantity, date_ms, recorded_ms, credit)
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      """,
      .integers(scopes),
      .texts(entries.map(\.entry.unit.rawValue)),
      .texts(entries.map(\.entry.kind.rawValue)),
      .integers(entries.map { Int64($0.entry.ordinal) }),
      try numbers(entries.map(\.subject)),
      .texts(entries.map(\.productID.rawValue)),
      .integers(entries.map { Int64($0.quantity) }),
      .dates(entries.map(\.entry.date)),
      .dates(entries.map(\.recordedDate)),
      .blobs(entries.map { $0.credit.isEmpty ? nil : $0.credit.serialized })
    ) { count($0) }
  }

  private func writeOwners(
    _ changed: Set<LedgerSubject>,
    in batch: inout PostgresBatch
  ) throws(StorageError) {
    let owned = changed.compactMap { subject in subjects[subject]?.owner.map { (subject, $0) } }
    guard !owned.isEmpty else { return }
    batch.add(
      """
      UPDATE subjects s SET owner = w.owner, owner_ground = w.ground, owner_ms = w.ms
      FROM unnest($1, $2, $3, $4) AS w (id, owner, ground, ms) WHERE s.id = w.id
      """,
      try numbers(owned.map(\.0)),
      .texts(owned.map(\.1.customer.rawValue)),
      .texts(owned.map(\.1.ground.rawValue)),
      .dates(owned.map(\.1.date))
    )
  }

  private func writeOrders(
    _ orders: [OrderRecord],
    in batch: inout PostgresBatch,
    _ count: @escaping (Int64) -> Void
  ) {
    guard !orders.isEmpty else { return }
    batch.add(
      """
      INSERT INTO orders (app, number, customer, product, quantity, context, created_ms)
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)
      """,
      .texts(orders.map(\.app.rawValue)),
      .texts(orders.map(\.number.description)),
      .texts(orders.map(\.customer?.rawValue)),
      .texts(orders.map(\.productID.rawValue)),
      .integers(orders.map { Int64($0.quantity) }),
      .blobs(orders.map(\.context.serialized)),
      .dates(orders.map(\.createdDate))
    ) { count($0) }
  }

  private func writeAliases(
    _ aliases: [CustomerAlias],
    in batch: inout PostgresBatch
  ) {
    guard !aliases.isEmpty else { return }
    batch.add(
      "INSERT INTO aliases (app, token, customer) SELECT * FROM unnest($1, $2, $3)",
      .texts(aliases.map(\.app.rawValue)),
      .texts(aliases.map(\.token.description)),
      .texts(aliases.map(\.customer.rawValue))
    )
  }

  private func writeConflicts(
    _ conflicts: [ConflictRecord],
    in batch: inout PostgresBatch,
    _ count: @escaping (Int64) -> Void
  ) throws(StorageError) {
    guard !conflicts.isEmpty else { return }
    batch.add(
      """
      INSERT INTO conflicts (subject, customer, date_ms) SELECT * FROM unnest($1, $2, $3)
      ON CONFLICT DO NOTHING
      """,
      try numbers(conflicts.map(\.subject)),
      .texts(conflicts.map(\.customer.rawValue)),
      .dates(conflicts.map(\.date))
    ) { count($0) }
  }

  private func writeClaims(
    _ changed: Set<WriteFootprint.Claim>,
    in batch: inout PostgresBatch
  ) throws(StorageError) {
    let made = changed.compactMap { key in (claims[key] ?? nil).map { (key, $0) } }
    guard !made.isEmpty else { return }
    var scopes: [Int64?] = []
    for (key, _) in made { scopes.append(try number(of: key.scope)) }
    batch.add(
      """
      INSERT INTO claims (scope, unit, installation, date_ms, acknowledged_ms)
      SELECT * FROM unnest($1, $2, $3, $4, $5)
      ON CONFLICT (unit, scope) DO UPDATE SET
        installation = excluded.installation, date_ms = excluded.date_ms,
        acknowledged_ms = excluded.acknowledged_ms
      """,
      .integers(scopes),
      .texts(made.map(\.0.unit.rawValue)),
      .texts(made.map(\.1.installation.rawValue)),
      .dates(made.map(\.1.date)),
      .dates(made.map(\.1.acknowledgedDate))
    )
  }

  private func writeDocuments(
    _ changed: Set<DocumentKey>,
    in batch: inout PostgresBatch
  ) {
    let written = changed.compactMap { documents[$0] ?? nil }
    guard !written.isEmpty else { return }
    batch.add(
      """
      INSERT INTO documents
        (sequence, kind, app, name, shelf, body, version, created_ms, changed_ms)
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (name, kind, app) DO UPDATE SET
        shelf = excluded.shelf, body = excluded.body, version = excluded.version,
        changed_ms = excluded.changed_ms
      """,
      .integers(written.map(\.sequence)),
      .texts(written.map(\.key.kind.rawValue)),
      .texts(written.map { $0.key.app?.rawValue ?? "" }),
      .texts(written.map(\.key.name)),
      .texts(written.map(\.shelf)),
      .blobs(written.map(\.body.serialized)),
      .integers(written.map(\.version)),
      .dates(written.map(\.createdDate)),
      .dates(written.map(\.changedDate))
    )
  }

  /// Counts what was written, and learns where the logs end now.
  private func count(_ new: Counts) throws(StorageError) -> (outbox: Int64, audit: Int64) {
    let ends = try database.row(
      """
      UPDATE counters SET facts = facts + $1, subjects = subjects + $2,
        transactions = transactions + $3, entries = entries + $4, orders = orders + $5,
        claims = claims + $6, conflicts = conflicts + $7, outbox = outbox + $8, audit = audit + $9
      RETURNING outbox, audit, pg_current_xact_id()::text::bigint
      """,
      .integer(new.facts),
      .integer(new.subjects),
      .integer(new.transactions),
      .integer(new.entries),
      .integer(new.orders),
      .integer(new.claims),
      .integer(new.conflicts),
      .integer(new.outbox),
      .integer(new.audit)
    ) { (outbox: $0.integer(0), audit: $0.integer(1), number: $0.integer(2)) }
    guard let ends else { throw StorageError(.corrupt, "the row of counters is missing") }
    transactionNumber = ends.number
    return (ends.outbox, ends.audit)
  }

  private func writeOutbox(
    _ records: [OutboxRecord],
    end: Int64,
    in batch: inout PostgresBatch
  ) throws(StorageError) {
    guard !records.isEmpty else { return }
    let first = end - Int64(records.count) + 1
    batch.add(
      """
      INSERT INTO outbox (sequence, kind, subject, body, date_ms)
      SELECT * FROM unnest($1, $2, $3, $4, $5)
      """,
      .integers(Array(first...end)),
      .texts(records.map(\.kind)),
      try numbers(records.map(\.subject)),
      .blobs(records.map(\.body.serialized)),
      .dates(records.map(\.date))
    )
  }

  private func writeAudit(
    _ records: [AuditRecord],
    end: Int64,
    in batch: inout PostgresBatch
  ) {
    guard !records.isEmpty else { return }
    let first = end - Int64(records.count) + 1
    batch.add(
      """
      INSERT INTO audit (sequence, app, action, details, date_ms)
      SELECT * FROM unnest($1, $2, $3, $4, $5)
      """,
      .integers(Array(first...end)),
      .texts(records.map(\.app?.rawValue)),
      .texts(records.map(\.action)),
      .blobs(records.map(\.details.serialized)),
      .dates(records.map(\.date))
    )
  }
}
