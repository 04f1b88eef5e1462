internal import PostgresAdapter
package import ServerStorage

// Rows as bytes, in large numbers.
extension PostgresArchive {
  /// Where rows stand before they take the place of others.
  private static func stage(of table: LedgerTable) -> String { "staged_\(table.name)" }

  /// The bytes under which a text is stored.
  package static func stored(_ text: String) -> [UInt8] { PostgresText.encode(text) }

  /// Writes rows of which none is there.
  package func load(_ rows: RowBatch, into table: LedgerTable) throws(StorageError) {
    guard !rows.isEmpty else { return }
    try makeLogParts(table, rows)
    try database.copyIn(
      "COPY \(table.name) (\(table.columnList)) FROM STDIN (FORMAT binary)",
      rows
    )
  }

  /// Writes rows in the place of those with the same keys.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - table: Their table, whose rows have keys.
  ///   - blocks: The first numbers of blocks (``RowBlocks``) in which no other row stays; for
  ///     tables that hold the number.
  /// - Throws: ``StorageError``; nothing is changed then.
  package func merge(
    _ rows: RowBatch,
    into table: LedgerTable,
    alone blocks: [Int64] = []
  ) throws(StorageError) {
    guard !rows.isEmpty || !blocks.isEmpty else { return }
    try makeLogParts(table, rows)
    try stage(rows, of: table)
    try inTransaction { () throws(StorageError) in
      if !blocks.isEmpty, let number = table.storedNumber {
        try database.run(
          """
          DELETE FROM \(table.name) USING unnest($1) AS changed (start)
          WHERE \(table.name).\(number) >= changed.start
            AND \(table.name).\(number) < changed.start + \(RowBlocks.numbersPerBlock)
            AND \(table.name).\(number) NOT IN (SELECT \(number) FROM \(Self.stage(of: table)))
          """,
          .integers(blocks)
        )
      }
      try database.execute(
        """
        INSERT INTO \(table.name) (\(table.columnList)) OVERRIDING SYSTEM VALUE
        SELECT \(table.columnList) FROM \(Self.stage(of: table)) \(replacement(table))
        """
      )
    }
  }

  /// Puts rows into a table of this connection.
  private func stage(_ rows: RowBatch, of table: LedgerTable) throws(StorageError) {
    let stage = Self.stage(of: table)
    try database.execute(
      """
      CREATE TEMPORARY TABLE IF NOT EXISTS \(stage) AS
      SELECT \(table.columnList) FROM \(table.name) WITH NO DATA
      """
    )
    try database.execute("TRUNCATE \(stage)")
    guard !rows.isEmpty else { return }
    try database.copyIn("COPY \(stage) FROM STDIN (FORMAT binary)", rows)
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
  private func makeLogParts(_ table: LedgerTable, _ rows: RowBatch) throws(StorageError) {
    guard PostgresLogs.tables.contains(table.name),
      let place = table.columns.firstIndex(where: { $0.name == "date_ms" })
    else { return }
    let months = Set(rows.numbers(in: place).map { LogMonth(of: $0) })
      .subtracting(logMonths[table.name] ?? [])
    guard !months.isEmpty else { return }
    try PostgresLogs.make(months.sorted(), of: table.name, database, schema: schema)
    logMonths[table.name, default: []].formUnion(months)
  }

  /// Removes rows by their keys, each row as it is stored.
  package func remove(_ rows: RowBatch, from table: LedgerTable) throws(StorageError) {
    guard !rows.isEmpty else { return }
    try stage(rows, of: table)
    let equal = table.key.map { "\(table.name).\($0) = gone.\($0)" }
    try database.execute(
      """
      DELETE FROM \(table.name) USING \(Self.stage(of: table)) AS gone
      WHERE \(equal.joined(separator: " AND "))
      """
    )
  }

  /// Removes what is said about purchases.
  package func removeItems(of subjects: [Int64]) throws(StorageError) {
    try database.run("DELETE FROM items WHERE subject = ANY($1)", .integers(subjects))
  }

  /// Hands out every row of a table.
  package func copyOut(
    _ table: LedgerTable,
    _ take: ([UInt8]) throws(StorageError) -> Void
  ) throws(StorageError) {
    try database.copyOut(Self.copyOut(table), take)
  }

  /// Begins to hand out the rows of a table in the order of its key, see ``nextCopied()``.
  package func beginCopyOut(inOrder table: LedgerTable) throws(StorageError) {
    let order = table.key.joined(separator: ", ")
    try database.beginCopyOut(Self.copyOut(table, "ORDER BY \(order)"))
  }

  /// The next row that is handed out; nil behind the last.
  package func nextCopied() throws(StorageError) -> [UInt8]? { try database.nextCopied() }

  private static func copyOut(_ table: LedgerTable, _ order: String = "") -> String {
    "COPY (SELECT \(table.columnList) FROM \(table.name) \(order)) TO STDOUT (FORMAT binary)"
  }
}
