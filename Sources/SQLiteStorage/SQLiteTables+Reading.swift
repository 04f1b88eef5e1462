internal import Foundation
internal import IAPEntitlements
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

extension SQLiteTables: LedgerReading {
  func items(of subject: LedgerSubject) throws(StorageError) -> [StoredItem] {
    guard let number = try knownNumber(of: subject) else { return [] }
    return try connection.rows("SELECT kind, body FROM items WHERE subject = ?", .integer(number)) {
      row throws(StorageError) in
      guard let kind = StoredItem.Kind(rawValue: row.integer(0)) else {
        throw StorageError(.corrupt, "an item of unknown kind")
      }
      return StoredItem(kind: kind, body: row.blob(1))
    }
  }

  func subject(
    of transaction: TransactionID,
    in scope: LedgerScope
  ) throws(StorageError) -> LedgerSubject? {
    guard let number = try knownNumber(of: scope) else { return nil }
    return try connection.row(
      """
      SELECT s.original FROM transactions t JOIN subjects s ON s.id = t.subject
      WHERE t.transaction_id = ? AND s.scope = ? ORDER BY s.original LIMIT 1
      """,
      .text(transaction.rawValue),
      .integer(number)
    ) { LedgerSubject(scope: scope, original: OriginalTransactionID($0.text(0))) }
  }

  func subjects(
    carrying token: AppAccountToken,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject] {
    try connection.rows(
      """
      SELECT c.environment, s.original FROM tokens t
      JOIN subjects s ON s.id = t.subject JOIN scopes c ON c.id = s.scope
      WHERE t.token = ? AND t.app = ? ORDER BY s.original, c.environment
      """,
      .text(token.description),
      .text(app.rawValue)
    ) { Self.subject($0, app: app) }
  }

  func subjects(
    ownedBy customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject] {
    try connection.rows(
      """
      SELECT c.environment, s.original FROM subjects s JOIN scopes c ON c.id = s.scope
      WHERE s.owner = ? AND c.app = ? ORDER BY s.original, c.environment
      """,
      .text(customer.rawValue),
      .text(app.rawValue)
    ) { Self.subject($0, app: app) }
  }

  func subjects(
    in scope: LedgerScope,
    after original: OriginalTransactionID?,
    limit: Int
  ) throws(StorageError) -> [LedgerSubject] {
    guard let number = try knownNumber(of: scope) else { return [] }
    return try connection.rows(
      "SELECT original FROM subjects WHERE scope = ? AND original > ? ORDER BY original LIMIT ?",
      .integer(number),
      .text(original?.rawValue ?? ""),
      .integer(Int64(limit))
    ) { LedgerSubject(scope: scope, original: OriginalTransactionID($0.text(0))) }
  }

  func lastingSubjects(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [LedgerSubject] {
    guard let number = try knownNumber(of: scope) else { return [] }
    return try connection.rows(
      """
      SELECT s.original FROM subjects s WHERE s.owner = ? AND s.scope = ? AND EXISTS (
        SELECT 1 FROM transactions t
        WHERE t.subject = s.id AND (t.type IS NULL OR t.type <> ?))
      ORDER BY s.original
      """,
      .text(customer.rawValue),
      .integer(number),
      .text(ProductType.consumable.rawValue)
    ) { LedgerSubject(scope: scope, original: OriginalTransactionID($0.text(0))) }
  }

  func owner(of subject: LedgerSubject) throws(StorageError) -> OwnerRecord? {
    guard let number = try knownNumber(of: subject) else { return nil }
    let owner = try connection.row(
      "SELECT owner, owner_ground, owner_ms FROM subjects WHERE id = ?",
      .integer(number)
    ) { row throws(StorageError) -> OwnerRecord? in
      guard let customer = row.optionalText(0) else { return nil }
      guard let ground = OwnerRecord.Ground(rawValue: row.text(1)) else {
        throw StorageError(.corrupt, "an owner of unknown ground")
      }
      return OwnerRecord(customer: CustomerID(customer), ground: ground, date: row.date(2))
    }
    return owner ?? nil
  }

  func conflicts(of subject: LedgerSubject) throws(StorageError) -> [ConflictRecord] {
    guard let number = try knownNumber(of: subject) else { return [] }
    return try connection.rows(
      "SELECT customer, date_ms FROM conflicts WHERE subject = ? ORDER BY customer",
      .integer(number)
    ) {
      ConflictRecord(subject: subject, customer: CustomerID($0.text(0)), date: $0.date(1))
    }
  }

  func entries(of subject: LedgerSubject) throws(StorageError) -> [GrantRecord] {
    guard let number = try knownNumber(of: subject) else { return [] }
    let records = try connection.rows(
      """
      SELECT unit, kind, ordinal, product, quantity, date_ms, recorded_ms, credit FROM entries
      WHERE subject = ?
      """,
      .integer(number)
    ) { row throws(StorageError) in try Self.entry(row, of: subject) }
    return records.sorted { $0.entry < $1.entry }
  }

  func credits(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [GrantRecord] {
    guard let number = try knownNumber(of: scope) else { return [] }
    let records = try connection.rows(
      """
      SELECT e.unit, e.kind, e.ordinal, e.product, e.quantity, e.date_ms, e.recorded_ms, e.credit,
        s.original
      FROM subjects s JOIN entries e ON e.subject = s.id
      WHERE s.owner = ? AND s.scope = ? AND e.credit IS NOT NULL
      """,
      .text(customer.rawValue),
      .integer(number)
    ) { row throws(StorageError) in
      let original = OriginalTransactionID(row.text(8))
      return try Self.entry(row, of: LedgerSubject(scope: scope, original: original))
    }
    return records.sorted { ($0.subject.original, $0.entry) < ($1.subject.original, $1.entry) }
  }

  static func entry(
    _ row: SQLiteStatement,
    of subject: LedgerSubject
  ) throws(StorageError) -> GrantRecord {
    let ordinal = Int(row.integer(2))
    guard let kind = UnitEntry.Kind(rawValue: row.text(1)), (kind == .grant) == (ordinal == 0)
    else { throw StorageError(.corrupt, "an entry of unknown kind") }
    return GrantRecord(
      entry: UnitEntry(kind, UnitID(row.text(0)), ordinal: ordinal, date: row.date(5)),
      subject: subject,
      productID: ProductID(row.text(3)),
      quantity: Int(row.integer(4)),
      recordedDate: row.date(6),
      credit: row.isNull(7) ? [:] : try object(row.blob(7))
    )
  }

  func claim(to unit: UnitID, in scope: LedgerScope) throws(StorageError) -> ClaimRecord? {
    guard let number = try knownNumber(of: scope) else { return nil }
    return try connection.row(
      "SELECT installation, date_ms, acknowledged_ms FROM claims WHERE unit = ? AND scope = ?",
      .text(unit.rawValue),
      .integer(number)
    ) { row in
      ClaimRecord(
        installation: InstallationID(row.text(0)),
        date: row.date(1),
        acknowledgedDate: row.optionalDate(2)
      )
    }
  }

  func customer(of token: AppAccountToken, app: BundleID) throws(StorageError) -> CustomerID? {
    try connection.row(
      "SELECT customer FROM aliases WHERE token = ? AND app = ?",
      .text(token.description),
      .text(app.rawValue)
    ) { CustomerID($0.text(0)) }
  }

  func order(_ number: OrderNumber, app: BundleID) throws(StorageError) -> OrderRecord? {
    try connection.row(
      """
      SELECT number, customer, product, quantity, context, created_ms FROM orders
      WHERE number = ? AND app = ?
      """,
      .text(number.description),
      .text(app.rawValue)
    ) { row throws(StorageError) in try Self.order(row, app: app) }
  }

  func orders(of customer: CustomerID, app: BundleID) throws(StorageError) -> [OrderRecord] {
    try connection.rows(
      """
      SELECT number, customer, product, quantity, context, created_ms FROM orders
      WHERE customer = ? AND app = ? ORDER BY created_ms, number
      """,
      .text(customer.rawValue),
      .text(app.rawValue)
    ) { row throws(StorageError) in try Self.order(row, app: app) }
  }

  func orders(
    app: BundleID,
    after number: OrderNumber?,
    limit: Int
  ) throws(StorageError) -> [OrderRecord] {
    try connection.rows(
      """
      SELECT number, customer, product, quantity, context, created_ms FROM orders
      WHERE app = ? AND number > ? ORDER BY number LIMIT ?
      """,
      .text(app.rawValue),
      .text(number?.description ?? ""),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in try Self.order(row, app: app) }
  }

  func fact(_ key: FactKey, in scope: LedgerScope) throws(StorageError) -> StoredFact? {
    guard let number = try knownNumber(of: scope) else { return nil }
    return try connection.row(
      "SELECT signed_ms, received_ms, bytes FROM facts WHERE scope = ? AND key = ?",
      .integer(number),
      .text(key.description)
    ) { row throws(StorageError) in
      StoredFact(
        key: key,
        scope: scope,
        bytes: try PackedFact.unpack(row.blob(2)) { id throws(StorageError) in
          try header(id)
        },
        signedDate: row.optionalDate(0),
        receivedDate: row.date(1)
      )
    }
  }

  private func header(_ id: Int64) throws(StorageError) -> [UInt8] {
    let bytes = try connection.row("SELECT bytes FROM headers WHERE id = ?", .integer(id)) {
      $0.blob(0)
    }
    guard let bytes else { throw StorageError(.corrupt, "a fact names a header that is missing") }
    return bytes
  }

  func transactions(of subject: LedgerSubject) throws(StorageError) -> [TransactionRow] {
    guard let number = try knownNumber(of: subject) else { return [] }
    return try connection.rows(
      """
      SELECT transaction_id, product, type, purchase_ms, expires_ms, revocation_ms, is_revoked, unit
      FROM transactions WHERE subject = ? ORDER BY transaction_id
      """,
      .integer(number)
    ) { row in
      TransactionRow(
        transactionID: TransactionID(row.text(0)),
        productID: ProductID(row.text(1)),
        type: row.optionalText(2).map { ProductType(rawValue: $0) },
        purchaseDate: row.date(3),
        expiresDate: row.optionalDate(4),
        revocationDate: row.optionalDate(5),
        isRevoked: row.integer(6) == 1,
        unit: row.optionalText(7).map { UnitID($0) }
      )
    }
  }

  func outbox(after sequence: Int64, limit: Int) throws(StorageError) -> [OutboxRecord] {
    try connection.rows(
      """
      SELECT o.sequence, o.kind, o.body, o.date_ms, s.original, c.app, c.environment FROM outbox o
      JOIN subjects s ON s.id = o.subject JOIN scopes c ON c.id = s.scope
      WHERE o.sequence > ? ORDER BY o.sequence LIMIT ?
      """,
      .integer(sequence),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in
      let scope = LedgerScope(
        app: BundleID(row.text(5)),
        environment: StoreEnvironment(rawValue: row.text(6))
      )
      return OutboxRecord(
        sequence: row.integer(0),
        kind: row.text(1),
        subject: LedgerSubject(scope: scope, original: OriginalTransactionID(row.text(4))),
        body: try Self.object(row.blob(2)),
        date: row.date(3)
      )
    }
  }

  func audit(after sequence: Int64, limit: Int) throws(StorageError) -> [AuditRecord] {
    try connection.rows(
      """
      SELECT sequence, app, action, details, date_ms FROM audit
      WHERE sequence > ? ORDER BY sequence LIMIT ?
      """,
      .integer(sequence),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in
      AuditRecord(
        sequence: row.integer(0),
        app: row.optionalText(1).map { BundleID($0) },
        action: row.text(2),
        details: try Self.object(row.blob(3)),
        date: row.date(4)
      )
    }
  }

  func counts() throws(StorageError) -> LedgerCounts {
    // Rows are never removed, so the newest number of a table is its size; counting would read it.
    let counts = try connection.row(
      """
      SELECT (SELECT max(id) FROM facts), (SELECT max(id) FROM subjects),
        (SELECT max(id) FROM transactions), (SELECT max(id) FROM entries),
        (SELECT max(id) FROM orders), (SELECT max(id) FROM claims),
        (SELECT max(id) FROM conflicts), (SELECT max(sequence) FROM outbox)
      """
    ) { row in
      var counts = LedgerCounts()
      counts.facts = Int(row.integer(0))
      counts.subjects = Int(row.integer(1))
      counts.transactions = Int(row.integer(2))
      counts.entries = Int(row.integer(3))
      counts.orders = Int(row.integer(4))
      counts.claims = Int(row.integer(5))
      counts.conflicts = Int(row.integer(6))
      counts.outbox = Int(row.integer(7))
      return counts
    }
    return counts ?? LedgerCounts()
  }

  private static func subject(_ row: SQLiteStatement, app: BundleID) -> LedgerSubject {
    LedgerSubject(
      scope: LedgerScope(app: app, environment: StoreEnvironment(rawValue: row.text(0))),
      original: OriginalTransactionID(row.text(1))
    )
  }

  private static func order(
    _ row: SQLiteStatement,
    app: BundleID
  ) throws(StorageError)
    -> OrderRecord
  {
    guard let number = OrderNumber(row.text(0)) else {
      throw StorageError(.corrupt, "an order number is no UUID")
    }
    return OrderRecord(
      number: number,
      app: app,
      customer: row.optionalText(1).map { CustomerID($0) },
      productID: ProductID(row.text(2)),
      quantity: Int(row.integer(3)),
      context: try object(row.blob(4)),
      createdDate: row.date(5)
    )
  }

  static func object(_ bytes: [UInt8]) throws(StorageError) -> JSONObject {
    do throws(PayloadError) {
      return try JSONParser.parseObject(bytes, limits: .document)
    } catch {
      throw StorageError(.corrupt, "a stored object cannot be read: \(error.code)")
    }
  }
}
