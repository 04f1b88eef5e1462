internal import Foundation
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// Documents, logs and counts. An app that is absent is stored as an empty text, because a unique
// constraint holds nulls to be different.
extension PostgresReading {
  static let documentColumns = "sequence, name, shelf, body, version, created_ms, changed_ms"

  func document(_ key: DocumentKey) throws(StorageError) -> LedgerDocument? {
    try database.row(
      """
      SELECT \(Self.documentColumns) FROM documents WHERE name = $1 AND kind = $2 AND app = $3
      """,
      .text(key.name),
      .text(key.kind.rawValue),
      .text(key.app?.rawValue ?? "")
    ) { row throws(StorageError) in try Self.document(row, key.kind, key.app) }
  }

  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    after sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument] {
    guard let shelf else {
      return try database.rows(
        """
        SELECT \(Self.documentColumns) FROM documents
        WHERE kind = $1 AND app = $2 AND sequence > $3 ORDER BY sequence LIMIT $4
        """,
        .text(kind.rawValue),
        .text(app?.rawValue ?? ""),
        .integer(sequence),
        .integer(Int64(max(limit, 0)))
      ) { row throws(StorageError) in try Self.document(row, kind, app) }
    }
    return try database.rows(
      """
      SELECT \(Self.documentColumns) FROM documents
      WHERE shelf = $1 AND kind = $2 AND app = $3 AND sequence > $4 ORDER BY sequence LIMIT $5
      """,
      .text(shelf),
      .text(kind.rawValue),
      .text(app?.rawValue ?? ""),
      .integer(sequence),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in try Self.document(row, kind, app) }
  }

  static func document(
    _ row: PostgresRow,
    _ kind: DocumentKind,
    _ app: BundleID?
  ) throws(StorageError) -> LedgerDocument {
    LedgerDocument(
      key: DocumentKey(kind, app: app, name: row.text(1)),
      sequence: row.integer(0),
      shelf: row.optionalText(2),
      body: try object(row.blob(3)),
      version: row.integer(4),
      createdDate: row.date(5),
      changedDate: row.date(6)
    )
  }

  func outbox(after sequence: Int64, limit: Int) throws(StorageError) -> [OutboxRecord] {
    try database.rows(
      """
      SELECT o.sequence, o.kind, o.body, o.date_ms, s.original, c.app, c.environment FROM outbox o
      JOIN subjects s ON s.id = o.subject JOIN scopes c ON c.id = s.scope
      WHERE o.sequence > $1 ORDER BY o.sequence LIMIT $2
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
    try database.rows(
      """
      SELECT sequence, app, action, details, date_ms FROM audit
      WHERE sequence > $1 ORDER BY sequence LIMIT $2
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
    let counts = try database.row(
      """
      SELECT facts, subjects, transactions, entries, orders, claims, conflicts, outbox FROM counters
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
}
