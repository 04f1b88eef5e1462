package import Foundation
internal import SQLiteAdapter
package import ServerStorage

/// A SQLite file as tables that are copied, beside whoever else uses it.
package final class SQLiteArchive {
  /// The version that keeps software from a file whose ledger has moved.
  private static let movedVersion = 1_000_000
  private static let busyTimeoutMilliseconds: Int32 = 30_000

  let connection: SQLiteConnection

  /// When the first and the last fact came; nil when there is none.
  package func factSpan() throws(StorageError) -> ClosedRange<Date>? {
    try connection.row("SELECT min(received_ms), max(received_ms) FROM facts") { row in
      guard let first = row.optionalDate(0), let last = row.optionalDate(1) else { return nil }
      return first...last
    } ?? nil
  }

  /// Opens a ledger's file; it must be there, and up to date.
  package init(path: String) throws(StorageError) {
    guard FileManager.default.fileExists(atPath: path) else {
      throw StorageError(.unavailable, "there is no file '\(path)'")
    }
    connection = try SQLiteConnection(
      path: path,
      mode: .readWrite,
      busyTimeoutMilliseconds: Self.busyTimeoutMilliseconds
    )
    let version = try SQLiteSchema.version(of: connection)
    guard version == SQLiteSchema.migrations.count else {
      _ = try Migration.missing(from: SQLiteSchema.migrations, current: version)
      throw StorageError(.corrupt, "the file is of version \(version): serve it once to renew it")
    }
    try connection.execute("PRAGMA synchronous = FULL")
  }

  /// Begins to see one instant; with the lock, nobody writes until the end.
  package func begin(locking: Bool) throws(StorageError) {
    try connection.execute(locking ? "BEGIN IMMEDIATE" : "BEGIN")
  }

  /// Ends what was begun.
  package func end() throws(StorageError) { try connection.execute("COMMIT") }

  /// Ends what was begun and undoes it.
  package func undo() {
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
  }

  /// Looks things up as a ledger does.
  package func read<Value>(
    _ body: (any LedgerReading) throws(StorageError) -> Value
  ) throws(StorageError) -> Value {
    try body(SQLiteTables(connection))
  }

  /// A whole number that a statement returns.
  private func number(_ sql: String) throws(StorageError) -> Int64 {
    try connection.row(sql) { $0.integer(0) } ?? 0
  }

  /// How many rows a table has.
  package func count(_ table: LedgerTable) throws(StorageError) -> Int64 {
    try number("SELECT count(*) FROM \(table.name)")
  }

  /// How many purchases were erased.
  package func erasedCount() throws(StorageError) -> Int64 {
    try number("SELECT count(*) FROM subjects WHERE erased_ms IS NOT NULL")
  }

  /// The last place that was given to a document, also when it is there no more.
  package func lastDocumentPlace() throws(StorageError) -> Int64 {
    try number("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'documents'")
  }

  /// Writes rows into a table; a number that this file gives itself is left to it.
  package func write(_ rows: LedgerRows, to table: LedgerTable) throws(StorageError) {
    let places = table.columns.map { _ in "?" }.joined(separator: ", ")
    let sql = "INSERT INTO \(table.name) (\(table.columnList)) VALUES (\(places))"
    for row in rows { try connection.run(sql, row.map(\.value)) }
  }

  /// Lets the next document have a place behind all that were given.
  package func setLastDocumentPlace(_ place: Int64) throws(StorageError) {
    try connection.run("DELETE FROM sqlite_sequence WHERE name = 'documents'")
    try connection.run(
      "INSERT INTO sqlite_sequence (name, seq) VALUES ('documents', ?)",
      .integer(place)
    )
  }

  /// Keeps everybody from writing the file from now on: the ledger is elsewhere.
  package func markMoved() throws(StorageError) {
    for table in LedgerTable.all {
      for event in ["INSERT", "UPDATE", "DELETE"] {
        try connection.execute(
          """
          CREATE TRIGGER moved_\(table.name)_\(event.lowercased()) BEFORE \(event) ON \(table.name)
          BEGIN SELECT RAISE(ABORT, 'the ledger has moved'); END
          """
        )
      }
    }
    try connection.run(
      "INSERT INTO schema_version (version, name) VALUES (?, ?)",
      .integer(Int64(Self.movedVersion)),
      .text("the ledger has moved to another database")
    )
  }

  /// Undoes ``markMoved()``.
  package func unmarkMoved() throws(StorageError) {
    try connection.execute("BEGIN IMMEDIATE")
    for table in LedgerTable.all {
      for event in ["insert", "update", "delete"] {
        try connection.execute("DROP TRIGGER IF EXISTS moved_\(table.name)_\(event)")
      }
    }
    try connection.run(
      "DELETE FROM schema_version WHERE version = ?",
      .integer(Int64(Self.movedVersion))
    )
    try connection.execute("COMMIT")
  }

  /// Writes the file as it is at this instant into a new one.
  package func copy(to path: String) throws(StorageError) {
    try connection.run("VACUUM INTO ?", .text(path))
  }
}

extension LedgerCell {
  fileprivate var value: SQLiteValue {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .blob(let bytes): bytes.map { .blob($0) } ?? .null
    }
  }
}
