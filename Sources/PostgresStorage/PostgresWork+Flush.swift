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
    counts.subjects = try writeSubjects(work.subjects)
    counts.facts = try writeFacts(work.facts)
    try writeItems(work.items)
    counts.transactions = try writeRows(work.rows)
    try writeTokens(work.tokens)
    counts.entries = try writeEntries(work.entries)
    try writeOwners(work.owners)
    counts.orders = try writeOrders(work.orders)
    try writeAliases(work.aliases)
    counts.conflicts = try writeConflicts(work.conflicts)
    try writeClaims(work.claims)
    counts.claims = work.claimsNew
    try writeDocuments(work.documents)
    counts.outbox = Int64(work.outbox.count)
    counts.audit = Int64(work.audit.count)
    // Last: from here to the commit nobody else writes a log.
    let ends = try count(counts)
    try writeOutbox(work.outbox, end: ends.outbox)
    try writeAudit(work.audit, end: ends.audit)
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
    _ facts: [(scope: Int64, key: FactKey, record: FactRecord, bytes: [UInt8])]
  ) throws(StorageError) -> Int64 {
    guard !facts.isEmpty else { return 0 }
    let result = try database.run(
      """
      INSERT INTO facts (scope, key, signed_ms, received_ms, bytes)
      SELECT * FROM unnest($1, $2, $3, $4, $5)
      """,
      .integers(facts.map(\.scope)),
      .texts(facts.map(\.key.description)),
      .dates(facts.map(\.record.signedDate)),
      .dates(facts.map(\.record.receivedDate)),
      .blobs(facts.map(\.bytes))
    )
    return Int64(result.changedCount)
  }

  private func writeItems(
    _ items: [(subject: LedgerSubject, item: StoredItem)]
  ) throws(StorageError) {
    guard !items.isEmpty else { return }
    try database.run(
      "INSERT INTO items (subject, kind, body) SELECT * FROM unnest($1, $2, $3)",
      try numbers(items.map(\.subject)),
      .integers(items.map(\.item.kind.rawValue)),
      .blobs(items.map(\.item.body))
    )
  }

  private func writeRows(_ rows: [RowKey: TransactionRow]) throws(StorageError) -> Int64 {
    guard !rows.isEmpty else { return 0 }
    let values = Array(rows.values)
    // A row that was not there before has no older version.
    return try database.row(
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
    ) { $0.integer(0) } ?? 0
  }

  private func writeTokens(_ tokens: Set<SubjectToken>) throws(StorageError) {
    guard !tokens.isEmpty else { return }
    try database.run(
      """
      INSERT INTO tokens (app, token, subject) SELECT * FROM unnest($1, $2, $3)
      ON CONFLICT DO NOTHING
      """,
      .texts(tokens.map(\.subject.scope.app.rawValue)),
      .texts(tokens.map(\.token.description)),
      try numbers(tokens.map(\.subject))
    )
  }

  private func writeEntries(_ entries: [GrantRecord]) throws(StorageError) -> Int64 {
    guard !entries.isEmpty else { return 0 }
    var scopes: [Int64?] = []
    for entry in entries { scopes.append(try number(of: entry.subject.scope)) }
    let result = try database.run(
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
    )
    return Int64(result.changedCount)
  }

  private func writeOwners(_ changed: Set<LedgerSubject>) throws(StorageError) {
    let owned = changed.compactMap { subject in subjects[subject]?.owner.map { (subject, $0) } }
    guard !owned.isEmpty else { return }
    try database.run(
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

  private func writeOrders(_ orders: [OrderRecord]) throws(StorageError) -> Int64 {
    guard !orders.isEmpty else { return 0 }
    let result = try database.run(
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
    )
    return Int64(result.changedCount)
  }

  private func writeAliases(_ aliases: [CustomerAlias]) throws(StorageError) {
    guard !aliases.isEmpty else { return }
    try database.run(
      "INSERT INTO aliases (app, token, customer) SELECT * FROM unnest($1, $2, $3)",
      .texts(aliases.map(\.app.rawValue)),
      .texts(aliases.map(\.token.description)),
      .texts(aliases.map(\.customer.rawValue))
    )
  }

  private func writeConflicts(_ conflicts: [ConflictRecord]) throws(StorageError) -> Int64 {
    guard !conflicts.isEmpty else { return 0 }
    let result = try database.run(
      """
      INSERT INTO conflicts (subject, customer, date_ms) SELECT * FROM unnest($1, $2, $3)
      ON CONFLICT DO NOTHING
      """,
      try numbers(conflicts.map(\.subject)),
      .texts(conflicts.map(\.customer.rawValue)),
      .dates(conflicts.map(\.date))
    )
    return Int64(result.changedCount)
  }

  private func writeClaims(_ changed: Set<WriteFootprint.Claim>) throws(StorageError) {
    let made = changed.compactMap { key in (claims[key] ?? nil).map { (key, $0) } }
    guard !made.isEmpty else { return }
    var scopes: [Int64?] = []
    for (key, _) in made { scopes.append(try number(of: key.scope)) }
    try database.run(
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

  private func writeDocuments(_ changed: Set<DocumentKey>) throws(StorageError) {
    let written = changed.compactMap { documents[$0] ?? nil }
    guard !written.isEmpty else { return }
    try database.run(
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

  private func writeOutbox(_ records: [OutboxRecord], end: Int64) throws(StorageError) {
    guard !records.isEmpty else { return }
    let first = end - Int64(records.count) + 1
    try database.run(
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

  private func writeAudit(_ records: [AuditRecord], end: Int64) throws(StorageError) {
    guard !records.isEmpty else { return }
    let first = end - Int64(records.count) + 1
    try database.run(
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
