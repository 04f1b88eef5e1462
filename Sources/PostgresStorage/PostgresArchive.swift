internal import PostgresAdapter
package import ServerStorage

/// A PostgreSQL ledger as tables that are copied.
package final class PostgresArchive {
  /// The table that stands in a database while a ledger is copied into it.
  static let mark = "copy_in_progress"

  let database: PostgresDatabase
  let schema: String
  /// The months for which a log has its part.
  var logMonths: [String: Set<LogMonth>] = [:]

  /// Connects, making the tables when they are not there.
  package init(_ address: String, schema: String = "iap") throws(StorageError) {
    var limits = PostgresConnection.Limits()
    // A copy takes as long as it takes.
    limits.statementMilliseconds = 3_600_000
    limits.idleTransactionMilliseconds = 0
    let place = try PostgresLedger.address(address)
    database = try PostgresDatabase(place, schema: schema, limits: limits)
    self.schema = schema
    try PostgresSchema.migrate(database, schema: schema)
  }

  /// Begins to see one instant.
  package func beginReading() throws(StorageError) {
    try database.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  }

  /// Ends what was begun.
  package func end() throws(StorageError) { try database.execute("COMMIT") }

  /// Ends what was begun and undoes it.
  package func undo() {
    if !database.isLost, database.isInTransaction { try? database.execute("ROLLBACK") }
  }

  /// Hands out the rows of a table, within one instant.
  package func visit(
    _ table: LedgerTable,
    _ take: (LedgerRows) throws(StorageError) -> Void
  ) throws(StorageError) {
    // A name for each table: what a cursor returns is remembered with its name.
    let cursor = "copied_\(table.name)"
    try database.execute(
      "DECLARE \(cursor) BINARY CURSOR FOR SELECT \(table.columnList) FROM \(table.name)"
    )
    var count = 0
    repeat {
      let rows = try database.rows("FETCH \(LedgerTable.rowsPerBatchMax) FROM \(cursor)") { row in
        row.cells(of: table.columns)
      }
      count = rows.count
      if count > 0 { try take(rows) }
    } while count == LedgerTable.rowsPerBatchMax
    try database.execute("CLOSE \(cursor)")
  }

  /// Looks things up as a ledger does.
  package func read<Value>(
    _ body: (any LedgerReading) throws(StorageError) -> Value
  ) throws(StorageError) -> Value {
    try body(PostgresReading(database: database, numbers: PostgresNumbers()))
  }

  /// How many rows a table has.
  package func count(_ table: LedgerTable) throws(StorageError) -> Int64 {
    try database.row("SELECT count(*) FROM \(table.name)") { $0.integer(0) } ?? 0
  }

  /// The last place that was given to a document.
  package func lastDocumentPlace() throws(StorageError) -> Int64 {
    try database.row("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM document_places") {
      $0.integer(0)
    } ?? 0
  }

  private static func isMarked(_ database: PostgresDatabase) throws(StorageError) -> Bool {
    try database.row("SELECT to_regclass($1) IS NOT NULL", .text(mark)) { $0.integer(0) == 1 }
      ?? false
  }

  /// Refuses a database into which a ledger is being copied.
  static func checkIsWhole(_ database: PostgresDatabase) throws(StorageError) {
    guard try isMarked(database) else { return }
    throw StorageError(
      .unavailable,
      "a ledger is being copied into the database; if its copy was cut off, begin it again"
    )
  }

  /// Makes the tables ready for a copy: empty, and marked until it is whole.
  ///
  /// - Throws: ``StorageError`` with `readOnly` when they hold a ledger.
  package func beginCopy() throws(StorageError) {
    if try !Self.isMarked(database) {
      for table in LedgerTable.all where try count(table) > 0 {
        throw StorageError(
          .readOnly,
          "the database holds a ledger: its \(table.name) are not empty"
        )
      }
      try database.execute("CREATE TABLE \(Self.mark) (n bigint)")
    }
    let names = LedgerTable.all.map(\.name).joined(separator: ", ")
    try database.execute("TRUNCATE \(names)")
    try dropIndices()
  }

  /// Makes the copy a ledger: numbers go on behind the ones that were copied.
  ///
  /// - Parameters:
  ///   - lastDocumentPlace: The last place that was given to a document.
  ///   - check: Takes how many rows each table has, before anything is changed.
  /// - Returns: How many rows each table has.
  /// - Throws: ``StorageError``; it is no ledger then.
  package func finishCopy(
    lastDocumentPlace: Int64,
    check: ([(table: String, count: Int64)]) throws(StorageError) -> Void
  ) throws(StorageError) -> [(table: String, count: Int64)] {
    var counts: [(table: String, count: Int64)] = []
    for table in LedgerTable.all { counts.append((table.name, try count(table))) }
    try check(counts)
    try inTransaction { () throws(StorageError) in
      for table in ["scopes", "headers", "subjects", "conflicts"] {
        try database.run(
          """
          SELECT setval(
            pg_get_serial_sequence($1, 'id'), greatest((SELECT max(id) FROM \(table)), 1),
            EXISTS (SELECT 1 FROM \(table)))
          """,
          .text("\(schema).\(table)")
        )
      }
      try database.run(
        "SELECT setval('document_places', greatest($1, 1), $1 > 0)",
        .integer(lastDocumentPlace)
      )
      let counted = Set([
        "facts", "subjects", "transactions", "entries", "orders", "claims", "conflicts",
      ])
      let changes = counts.filter { counted.contains($0.table) }.map { "\($0.table) = \($0.count)" }
      let logs = PostgresLogs.tables.map {
        "\($0) = (SELECT coalesce(max(sequence), 0) FROM \($0))"
      }
      try database.execute("UPDATE counters SET \((changes + logs).joined(separator: ", "))")
      try database.execute("DROP TABLE IF EXISTS \(Self.mark)")
    }
    return counts
  }

  /// Runs `body` in a transaction.
  func inTransaction(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    try database.execute("BEGIN")
    do throws(StorageError) {
      try body()
      try database.execute("COMMIT")
    } catch {
      undo()
      throw error
    }
  }
}

extension PostgresRow {
  fileprivate func cells(of columns: [LedgerTable.Column]) -> [LedgerCell] {
    columns.enumerated().map { index, column in
      switch column.kind {
      case .integer: .integer(optionalInteger(index))
      case .text: .text(optionalText(index))
      case .blob: .blob(isNull(index) ? nil : blob(index))
      }
    }
  }
}
