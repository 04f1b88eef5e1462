internal import Foundation
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

// Documents: the small records that are replaced when they change. An app that is absent is stored
// as an empty text, because a unique constraint holds nulls to be different.
extension SQLiteTables {
  private static let selection =
    "SELECT sequence, name, shelf, body, version, created_ms, changed_ms FROM documents "
  private static let selectOne = selection + "WHERE name = ? AND kind = ? AND app = ?"
  private static let selectAll =
    selection + "WHERE kind = ? AND app = ? AND sequence > ? ORDER BY sequence LIMIT ?"
  private static let selectShelf =
    selection
    + "WHERE shelf = ? AND kind = ? AND app = ? AND sequence > ? ORDER BY sequence LIMIT ?"

  /// What of a document stays when it is written again.
  private struct Before {
    let sequence: Int64
    let shelf: String?
    let version: Int64
    let created: Date
  }

  mutating func setDocument(
    _ write: DocumentWrite,
    date: Date
  ) throws(StorageError) -> LedgerDocument {
    if let counted = waiting.count(write, date: date) { return counted }
    if waiting.isWaiting(write.key) { try writeWaitingDocuments() }
    waiting.forget(write.key)
    // Whoever wants it absent has looked.
    let before = write.condition == .mustBeAbsent ? nil : try before(write.key)
    var sequence = before?.sequence ?? 0
    if let before {
      try rewrite(before, as: write, date)
    } else {
      try connection.run(
        """
        INSERT INTO documents (kind, app, name, shelf, body, version, created_ms, changed_ms)
        VALUES (?, ?, ?, ?, ?, 1, ?, ?)
        """,
        .text(write.key.kind.rawValue),
        .text(write.key.app?.rawValue ?? ""),
        .text(write.key.name),
        .text(write.shelf),
        .blob(write.body.serialized),
        .date(date),
        .date(date)
      )
      sequence = connection.lastInsertedRow
    }
    let changed = Date(milliseconds: date.milliseconds)
    return LedgerDocument(
      key: write.key,
      sequence: sequence,
      shelf: write.shelf,
      body: write.body,
      version: (before?.version ?? 0) + 1,
      createdDate: before?.created ?? changed,
      changedDate: changed
    )
  }

  private func before(_ key: DocumentKey) throws(StorageError) -> Before? {
    try connection.row(
      """
      SELECT sequence, shelf, version, created_ms FROM documents
      WHERE name = ? AND kind = ? AND app = ?
      """,
      .text(key.name),
      .text(key.kind.rawValue),
      .text(key.app?.rawValue ?? "")
    ) { row in
      Before(
        sequence: row.integer(0),
        shelf: row.optionalText(1),
        version: row.integer(2),
        created: row.date(3)
      )
    }
  }

  private func rewrite(
    _ before: Before,
    as write: DocumentWrite,
    _ date: Date
  ) throws(StorageError) {
    let body = SQLiteValue.blob(write.body.serialized)
    // A column that is named is looked up in its index, changed or not.
    guard before.shelf != write.shelf else {
      try connection.run(
        "UPDATE documents SET body = ?, version = version + 1, changed_ms = ? WHERE sequence = ?",
        body,
        .date(date),
        .integer(before.sequence)
      )
      return
    }
    try connection.run(
      """
      UPDATE documents SET shelf = ?, body = ?, version = version + 1, changed_ms = ?
      WHERE sequence = ?
      """,
      .text(write.shelf),
      body,
      .date(date),
      .integer(before.sequence)
    )
  }

  mutating func removeDocuments(
    _ pruning: DocumentPruning,
    limit: Int
  ) throws(StorageError) {
    try writeWaitingDocuments()
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
    if let known = waiting.known(key) { return known }
    if waiting.isWaiting(key) { try writeWaitingDocuments() }
    let document = try connection.row(
      Self.selectOne,
      .text(key.name),
      .text(key.kind.rawValue),
      .text(key.app?.rawValue ?? "")
    ) { row throws(StorageError) in try Self.document(row, key.kind, key.app) }
    waiting.note(document, key)
    return document
  }

  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    after sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument] {
    try writeWaitingDocuments()
    guard let shelf else {
      return try connection.rows(
        Self.selectAll,
        .text(kind.rawValue),
        .text(app?.rawValue ?? ""),
        .integer(sequence),
        .integer(Int64(max(limit, 0)))
      ) { row throws(StorageError) in try Self.document(row, kind, app) }
    }
    return try connection.rows(
      Self.selectShelf,
      .text(shelf),
      .text(kind.rawValue),
      .text(app?.rawValue ?? ""),
      .integer(sequence),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in try Self.document(row, kind, app) }
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
