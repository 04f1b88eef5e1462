internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

/// The tables of a ledger on one connection.
struct SQLiteTables {
  let connection: SQLiteConnection
  private let numbers = SQLiteNumbers()
  let waiting = SQLiteWaitingDocuments()
  /// Whether any purchase was erased; nil when that has to be looked up.
  var knownErasures: Bool?

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Forgets numbers that may have been given in a transaction that was undone.
  mutating func forgetNumbers() {
    numbers.forget()
    waiting.forget()
    knownErasures = nil
  }

  /// A transaction begins in which this connection alone writes.
  func beginWriting() {
    numbers.isWriting = true
    waiting.begin()
  }

  /// The transaction is over.
  func endWriting() {
    numbers.isWriting = false
    waiting.end()
  }

  mutating func number(of scope: LedgerScope) throws(StorageError) -> Int64 {
    if let number = numbers.number(of: scope) { return number }
    try connection.run(
      "INSERT INTO scopes (app, environment) VALUES (?, ?) ON CONFLICT DO NOTHING",
      .text(scope.app.rawValue),
      .text(scope.environment.rawValue)
    )
    guard let number = try knownNumber(of: scope) else {
      throw StorageError(.corrupt, "a scope cannot be found again")
    }
    return number
  }

  func knownNumber(of scope: LedgerScope) throws(StorageError) -> Int64? {
    if let number = numbers.number(of: scope) { return number }
    let number = try connection.row(
      "SELECT id FROM scopes WHERE app = ? AND environment = ?",
      .text(scope.app.rawValue),
      .text(scope.environment.rawValue)
    ) { $0.integer(0) }
    if let number { numbers.note(number, of: scope) }
    return number
  }

  mutating func number(of subject: LedgerSubject) throws(StorageError) -> Int64 {
    if let number = try knownNumber(of: subject) { return number }
    let scope = try number(of: subject.scope)
    try connection.run(
      "INSERT INTO subjects (scope, original) VALUES (?, ?)",
      .integer(scope),
      .text(subject.original.rawValue)
    )
    let number = connection.lastInsertedRow
    numbers.note(number, of: subject)
    return number
  }

  func knownNumber(of subject: LedgerSubject) throws(StorageError) -> Int64? {
    if let number = numbers.number(of: subject) { return number }
    guard !numbers.isMissing(subject), let scope = try knownNumber(of: subject.scope) else {
      return nil
    }
    let number = try connection.row(
      "SELECT id FROM subjects WHERE scope = ? AND original = ?",
      .integer(scope),
      .text(subject.original.rawValue)
    ) { $0.integer(0) }
    if let number { numbers.note(number, of: subject) } else { numbers.noteMissing(subject) }
    return number
  }

  private mutating func number(ofHeader bytes: [UInt8]) throws(StorageError) -> Int64 {
    if let number = numbers.number(ofHeader: bytes) { return number }
    try connection.run(
      "INSERT INTO headers (bytes) VALUES (?) ON CONFLICT DO NOTHING",
      .blob(bytes)
    )
    let number = try connection.row("SELECT id FROM headers WHERE bytes = ?", .blob(bytes)) {
      $0.integer(0)
    }
    guard let number else { throw StorageError(.corrupt, "a header cannot be found again") }
    numbers.note(number, ofHeader: bytes)
    return number
  }
}

extension SQLiteTables: LedgerTables {
  mutating func insertFact(
    _ record: FactRecord,
    key: FactKey,
    packed: PackedFact?
  ) throws(StorageError) -> Bool {
    let scope = try number(of: record.scope)
    let packed = packed ?? PackedFact(record.bytes)
    var numbers: [Int64] = []
    for header in packed.headers { numbers.append(try number(ofHeader: header)) }
    return try connection.run(
      """
      INSERT INTO facts (scope, key, signed_ms, received_ms, bytes) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """,
      .integer(scope),
      .text(key.description),
      .date(record.signedDate),
      .date(record.receivedDate),
      .blob(packed.stored(numbers: numbers))
    ) == 1
  }

  mutating func insertItems(
    _ items: [StoredItem],
    of subject: LedgerSubject
  ) throws(StorageError) {
    let number = try number(of: subject)
    try Self.itemInsertion.run(items, on: connection) { item in
      [.integer(number), .integer(item.kind.rawValue), .blob(item.body)]
    }
  }

  private static let itemInsertion = SQLiteInsertion(
    "INSERT INTO items (subject, kind, body) VALUES",
    row: "(?, ?, ?)"
  )

  func hasEntry(
    _ kind: UnitEntry.Kind,
    _ unit: UnitID,
    ordinal: Int,
    in scope: LedgerScope
  ) throws(StorageError) -> Bool {
    guard let scope = try knownNumber(of: scope) else { return false }
    return try connection.row(
      "SELECT 1 FROM entries WHERE unit = ? AND kind = ? AND ordinal = ? AND scope = ?",
      .text(unit.rawValue),
      .text(kind.rawValue),
      .integer(Int64(ordinal)),
      .integer(scope)
    ) { $0.integer(0) } != nil
  }

  mutating func insertEntry(_ record: GrantRecord) throws(StorageError) {
    try connection.run(
      """
      INSERT INTO entries
        (scope, unit, kind, ordinal, subject, product, quantity, date_ms, recorded_ms, credit)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(try number(of: record.subject.scope)),
      .text(record.entry.unit.rawValue),
      .text(record.entry.kind.rawValue),
      .integer(Int64(record.entry.ordinal)),
      .integer(try number(of: record.subject)),
      .text(record.productID.rawValue),
      .integer(Int64(record.quantity)),
      .date(record.entry.date),
      .date(record.recordedDate),
      record.credit.isEmpty ? .null : .blob(record.credit.serialized)
    )
  }

  mutating func project(_ rows: [TransactionRow], of subject: LedgerSubject) throws(StorageError) {
    let number = try number(of: subject)
    for row in rows {
      try connection.run(
        """
        INSERT INTO transactions
          (subject, transaction_id, product, type, purchase_ms, expires_ms, revocation_ms,
           is_revoked, unit)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (transaction_id, subject) DO UPDATE SET
          product = excluded.product, type = excluded.type, purchase_ms = excluded.purchase_ms,
          expires_ms = excluded.expires_ms, revocation_ms = excluded.revocation_ms,
          is_revoked = excluded.is_revoked, unit = excluded.unit
        """,
        .integer(number),
        .text(row.transactionID.rawValue),
        .text(row.productID.rawValue),
        .text(row.type?.rawValue),
        .date(row.purchaseDate),
        .date(row.expiresDate),
        .date(row.revocationDate),
        .integer(row.isRevoked ? 1 : 0),
        .text(row.unit?.rawValue)
      )
    }
  }

  mutating func insertToken(
    _ token: AppAccountToken,
    of subject: LedgerSubject
  ) throws(StorageError) {
    try connection.run(
      "INSERT INTO tokens (app, token, subject) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      .text(subject.scope.app.rawValue),
      .text(token.description),
      .integer(try number(of: subject))
    )
  }

  mutating func insertOrder(_ order: OrderRecord) throws(StorageError) -> Bool {
    try connection.run(
      """
      INSERT INTO orders (app, number, customer, product, quantity, context, created_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      .text(order.app.rawValue),
      .text(order.number.description),
      .text(order.customer?.rawValue),
      .text(order.productID.rawValue),
      .integer(Int64(order.quantity)),
      .blob(order.context.serialized),
      .date(order.createdDate)
    ) == 1
  }

  mutating func insertAlias(_ alias: CustomerAlias) throws(StorageError) {
    try connection.run(
      "INSERT INTO aliases (app, token, customer) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      .text(alias.app.rawValue),
      .text(alias.token.description),
      .text(alias.customer.rawValue)
    )
  }

  mutating func setOwner(
    _ owner: OwnerRecord,
    of subject: LedgerSubject
  ) throws(StorageError) {
    try connection.run(
      "UPDATE subjects SET owner = ?, owner_ground = ?, owner_ms = ? WHERE id = ?",
      .text(owner.customer.rawValue),
      .text(owner.ground.rawValue),
      .date(owner.date),
      .integer(try number(of: subject))
    )
  }

  mutating func insertConflict(_ conflict: ConflictRecord) throws(StorageError) {
    try connection.run(
      "INSERT INTO conflicts (subject, customer, date_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      .integer(try number(of: conflict.subject)),
      .text(conflict.customer.rawValue),
      .date(conflict.date)
    )
  }

  mutating func setClaim(
    _ claim: ClaimRecord,
    to unit: UnitID,
    in scope: LedgerScope
  ) throws(StorageError) {
    try connection.run(
      """
      INSERT INTO claims (scope, unit, installation, date_ms, acknowledged_ms)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (unit, scope) DO UPDATE SET
        installation = excluded.installation, date_ms = excluded.date_ms,
        acknowledged_ms = excluded.acknowledged_ms
      """,
      .integer(try number(of: scope)),
      .text(unit.rawValue),
      .text(claim.installation.rawValue),
      .date(claim.date),
      .date(claim.acknowledgedDate)
    )
  }

  mutating func appendOutbox(_ record: OutboxRecord) throws(StorageError) {
    try connection.run(
      "INSERT INTO outbox (kind, subject, body, date_ms) VALUES (?, ?, ?, ?)",
      .text(record.kind),
      .integer(try number(of: record.subject)),
      .blob(record.body.serialized),
      .date(record.date)
    )
  }

  mutating func appendAudit(_ record: AuditRecord) throws(StorageError) {
    try connection.run(
      "INSERT INTO audit (app, action, details, date_ms) VALUES (?, ?, ?, ?)",
      .text(record.app?.rawValue),
      .text(record.action),
      .blob(record.details.serialized),
      .date(record.date)
    )
  }
}
