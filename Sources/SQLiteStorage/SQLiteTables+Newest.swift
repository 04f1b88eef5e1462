internal import Foundation
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

// Lists that people read from their end; the indexes of the lists from the beginning serve them.
extension SQLiteTables {
  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    before sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument] {
    try writeWaitingDocuments()
    let columns = "sequence, name, shelf, body, version, created_ms, changed_ms"
    guard let shelf else {
      return try connection.rows(
        """
        SELECT \(columns) FROM documents
        WHERE kind = ? AND app = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?
        """,
        .text(kind.rawValue),
        .text(app?.rawValue ?? ""),
        .integer(sequence),
        .integer(Int64(max(limit, 0)))
      ) { row throws(StorageError) in try Self.document(row, kind, app) }
    }
    return try connection.rows(
      """
      SELECT \(columns) FROM documents
      WHERE shelf = ? AND kind = ? AND app = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?
      """,
      .text(shelf),
      .text(kind.rawValue),
      .text(app?.rawValue ?? ""),
      .integer(sequence),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in try Self.document(row, kind, app) }
  }

  func audit(before sequence: Int64, limit: Int) throws(StorageError) -> [AuditRecord] {
    try connection.rows(
      """
      SELECT sequence, app, action, details, date_ms FROM audit
      WHERE sequence < ? ORDER BY sequence DESC LIMIT ?
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
}
