internal import PostgresAdapter
package import ServerStorage

/// A PostgreSQL ledger as tables that are copied.
package final class PostgresArchive {
  /// The table that stands in a database while a ledger is copied into it.
  private static let mark = "copy_in_progress"

  private let database: PostgresDatabase
  private let schema: String
  /// The months for which a log has its part.
  private var logMonths: [String: Set<LogMonth>] = [:]

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

  /// Hands out the keys of a table's rows, within one instant.
  package func visitKeys(
    of table: LedgerTable,
    _ take: (LedgerRows) throws(StorageError) -> Void
  ) throws(StorageError) {
    let cursor = "keys_\(table.name)"
    let columns = table.keyColumns
    let names = columns.map(\.name).joined(separator: ", ")
    try database.execute(
      "DECLARE \(cursor) BINARY CURSOR FOR SELECT \(names) FROM \(table.name)"
    )
    var count = 0
    repeat {
      let rows = try database.rows("FETCH \(LedgerTable.rowsPerBatchMax) FROM \(cursor)") { row in
        row.cells(of: columns)
      }
      count = rows.count
      if count > 0 { try take(rows) }
    } while count == LedgerTable.rowsPerBatchMax
    try database.execute("CLOSE \(cursor)")
  }

  /// Removes rows by their keys.
  package func remove(_ keys: LedgerRows, from table: LedgerTable) throws(StorageError) {
    let columns = table.keyColumns
    for start in stride(from: 0, to: keys.count, by: LedgerTable.rowsPerBatchMax) {
      let some = keys[start..<min(start + LedgerTable.rowsPerBatchMax, keys.count)]
      let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
      let names = columns.indices.map { "k\($0)" }.joined(separator: ", ")
      let equal = columns.enumerated().map { "\(table.name).\($1.name) = gone.k\($0)" }
      try database.run(
        """
        DELETE FROM \(table.name) USING unnest(\(places)) AS gone (\(names))
        WHERE \(equal.joined(separator: " AND "))
        """,
        values(Array(some), columns)
      )
    }
  }

  private func values(_ rows: LedgerRows, _ columns: [LedgerTable.Column]) -> [PostgresValue] {
    columns.indices.map { index in
      switch columns[index].kind {
      case .integer: .integers(rows.map { $0[index].number })
      case .text: .texts(rows.map { $0[index].text })
      case .blob: .blobs(rows.map { $0[index].bytes })
      }
    }
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

  /// Makes the tables ready for a copy: empty, and marked until it is whole.
  ///
  /// - Throws: ``StorageError`` with `readOnly` when they hold a ledger.
  package func beginCopy() throws(StorageError) {
    let isMarked = try database.row("SELECT to_regclass($1) IS NOT NULL", .text(Self.mark)) {
      $0.integer(0) == 1
    }
    if isMarked != true {
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
  }

  /// Writes rows; a row of the same key is replaced.
  package func write(_ rows: LedgerRows, to table: LedgerTable) throws(StorageError) {
    guard !rows.isEmpty else { return }
    if PostgresLogs.tables.contains(table.name) { try makeLogParts(table, rows) }
    let places = (1...table.columns.count).map { "$\($0)" }.joined(separator: ", ")
    try database.run(
      """
      INSERT INTO \(table.name) (\(table.columnList)) OVERRIDING SYSTEM VALUE
      SELECT * FROM unnest(\(places)) \(replacement(table))
      """,
      values(rows, table.columns)
    )
  }

  private func replacement(_ table: LedgerTable) -> String {
    guard !table.key.isEmpty else { return "" }
    let others = table.columns.map(\.name).filter { !table.key.contains($0) }
    // Of a log, a row is unique within its part.
    let isLog = PostgresLogs.tables.contains(table.name)
    let key = (table.key + (isLog ? ["date_ms"] : [])).joined(separator: ", ")
    guard !others.isEmpty else { return "ON CONFLICT (\(key)) DO NOTHING" }
    let changes = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let old = others.map { "\(table.name).\($0)" }.joined(separator: ", ")
    let new = others.map { "excluded.\($0)" }.joined(separator: ", ")
    return """
      ON CONFLICT (\(key)) DO UPDATE SET \(changes)
      WHERE (\(old)) IS DISTINCT FROM (\(new))
      """
  }

  /// Makes the parts of the months that rows of a log belong to.
  private func makeLogParts(_ table: LedgerTable, _ rows: LedgerRows) throws(StorageError) {
    guard let place = table.columns.firstIndex(where: { $0.name == "date_ms" }) else { return }
    let months = Set(rows.compactMap { $0[place].number.map { LogMonth(of: $0) } })
      .subtracting(logMonths[table.name] ?? [])
    guard !months.isEmpty else { return }
    try PostgresLogs.make(months.sorted(), of: table.name, database, schema: schema)
    logMonths[table.name, default: []].formUnion(months)
  }

  /// Forgets what is said about erased purchases, before it is copied once more.
  package func removeErasedItems() throws(StorageError) {
    try database.execute(
      "DELETE FROM items WHERE subject IN (SELECT id FROM subjects WHERE erased_ms IS NOT NULL)"
    )
  }

  /// Makes the copy a ledger: numbers go on behind the ones that were copied.
  package func finishCopy(lastDocumentPlace: Int64) throws(StorageError) {
    try database.execute("BEGIN")
    do throws(StorageError) {
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
      let counted = [
        "facts", "subjects", "transactions", "entries", "orders", "claims", "conflicts",
      ].map { "\($0) = (SELECT count(*) FROM \($0))" }
      let logs = ["outbox", "audit"].map {
        "\($0) = (SELECT coalesce(max(sequence), 0) FROM \($0))"
      }
      try database.execute("UPDATE counters SET \((counted + logs).joined(separator: ", "))")
      try database.execute("DROP TABLE IF EXISTS \(Self.mark)")
      try database.execute("COMMIT")
    } catch {
      undo()
      throw error
    }
    try database.execute("ANALYZE")
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

extension LedgerCell {
  fileprivate var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  fileprivate var bytes: [UInt8]? {
    guard case .blob(let bytes) = self else { return nil }
    return bytes
  }
}
