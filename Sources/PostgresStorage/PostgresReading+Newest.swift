internal import Foundation
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

// Lists that people read from their end; the indexes of the lists from the beginning serve them.
extension PostgresReading {
  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    before sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument] {
    guard let shelf else {
      return try database.rows(
        """
        SELECT \(Self.documentColumns) FROM documents
        WHERE kind = $1 AND app = $2 AND sequence < $3 ORDER BY sequence DESC LIMIT $4
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
      WHERE shelf = $1 AND kind = $2 AND app = $3 AND sequence < $4 ORDER BY sequence DESC LIMIT $5
      """,
      .text(shelf),
      .text(kind.rawValue),
      .text(app?.rawValue ?? ""),
      .integer(sequence),
      .integer(Int64(max(limit, 0)))
    ) { row throws(StorageError) in try Self.document(row, kind, app) }
  }

  func audit(before sequence: Int64, limit: Int) throws(StorageError) -> [AuditRecord] {
    try database.rows(
      """
      SELECT sequence, app, action, details, date_ms FROM audit
      WHERE sequence < $1 ORDER BY sequence DESC LIMIT $2
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

extension PostgresWork {
  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    before sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument] {
    try flush()
    return try reading.documents(kind, app: app, shelf: shelf, before: sequence, limit: limit)
  }

  func audit(before sequence: Int64, limit: Int) throws(StorageError) -> [AuditRecord] {
    try flush()
    return try reading.audit(before: sequence, limit: limit)
  }
}
