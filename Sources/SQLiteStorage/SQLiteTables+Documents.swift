internal import Foundation
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

// Documents: the small records that are replaced when they change. An app that is absent is stored
// as an empty text, because a unique constraint holds nulls to be different.
extension SQLiteTables {
  private static let columns = "sequence, name, shelf, body, version, created_ms, changed_ms"

  mutating func setDocument(
    _ write: DocumentWrite,
    date: Date
  ) throws(StorageError) -> LedgerDocument {
    let body = SQLiteValue.blob(write.body.serialized)
    let (kind, app) = (write.key.kind, write.key.app)
    // Whoever wants it absent has looked.
    if write.condition != .mustBeAbsent, let document = try rewritten(write, body, date) {
      return document
    }
    let made = try connection.rows(
      """
      INSERT INTO documents (kind, app, name, shelf, body, version, created_ms, changed_ms)
      VALUES (?, ?, ?, ?, ?, 1, ?, ?) RETURNING sequence, version, created_ms
      """,
      .text(kind.rawValue),
      .text(app?.rawValue ?? ""),
      .text(write.key.name),
      .text(write.shelf),
      body,
      .date(date),
      .date(date)
    ) { Self.document($0, write, date) }
    guard let document = made.first else {
      throw StorageError(.corrupt, "a document cannot be found again")
    }
    return document
  }

  private func rewritten(
    _ write: DocumentWrite,
    _ body: SQLiteValue,
    _ date: Date
  ) throws(StorageError) -> LedgerDocument? {
    let (kind, app) = (write.key.kind, write.key.app)
    let changed = try connection.rows(
      """
      UPDATE documents SET shelf = ?, body = ?, version = version + 1, changed_ms = ?
      WHERE name = ? AND kind = ? AND app = ? RETURNING sequence, version, created_ms
      """,
      .text(write.shelf),
      body,
      .date(date),
      .text(write.key.name),
      .text(kind.rawValue),
      .text(app?.rawValue ?? "")
    ) { Self.document($0, write, date) }
    return changed.first
  }

  mutating func removeDocuments(
    _ pruning: DocumentPruning,
    limit: Int
  ) throws(StorageError) {
    try connection.run(
      """
      DELETE FROM documents WHERE sequence IN (
        SELECT sequence FROM documents WHERE kind = ? AND changed_ms < ?
        ORDER BY changed_ms, sequence LIMIT ?)
      """,
      .text(pruning.kind.rawValue),
      .date(pruning.changedBefore),
      .integer(Int64(limit))
    )
  }

  func document(_ key: DocumentKey) throws(StorageError) -> LedgerDocument? {
    try connection.row(
      "SELECT \(Self.columns) FROM documents WHERE name = ? AND kind = ? AND app = ?",
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
      return try connection.rows(
        """
        SELECT \(Self.columns) FROM documents
        WHERE kind = ? AND app = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """,
        .text(kind.rawValue),
        .text(app?.rawValue ?? ""),
        .integer(sequence),
        .integer(Int64(max(limit, 0)))
      ) { row throws(StorageError) in try Self.document(row, kind, app) }
    }
    return try connection.rows(
      """
      SELECT \(Self.columns) FROM documents
      WHERE shelf = ? AND kind = ? AND app = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """,
      .text(shelf),
      .text(kind.rawValue),
      .text(app?.rawValue ?? ""),
      .integer(sequence),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in try Self.document(row, kind, app) }
  }

  /// The document that a wish became.
  static func document(
    _ row: SQLiteStatement,
    _ write: DocumentWrite,
    _ date: Date
  ) -> LedgerDocument {
    LedgerDocument(
      key: write.key,
      sequence: row.integer(0),
      shelf: write.shelf,
      body: write.body,
      version: row.integer(1),
      createdDate: row.date(2),
      changedDate: Date(milliseconds: date.milliseconds)
    )
  }

  static func document(
    _ row: SQLiteStatement,
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
}
