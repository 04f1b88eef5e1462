internal import PostgresAdapter
package import ServerStorage

// A table is filled in a fraction of the time when its indices are made afterwards.
extension PostgresArchive {
  /// The table that remembers how the indices are made again, while there are none.
  private static let indices = "copy_indices"
  /// How much the database sorts in memory while it makes an index.
  private static let memory = "256MB"

  /// Tables whose indices stay: small ones that others refer to, and logs, which have one whose
  /// rows come in order.
  private static let keeping = Set(["scopes", "headers"] + PostgresLogs.tables)

  private static var indexed: [LedgerTable] {
    LedgerTable.all.filter { !keeping.contains($0.name) }
  }

  /// Drops the indices of empty tables; how to make them is remembered in the same transaction.
  func dropIndices() throws(StorageError) {
    let isDropped = try database.row("SELECT to_regclass($1) IS NOT NULL", .text(Self.indices)) {
      $0.integer(0) == 1
    }
    // A copy that did not end has left them as they are wanted.
    if isDropped == true { return }
    try inTransaction { () throws(StorageError) in
      try database.execute(
        """
        CREATE TABLE \(Self.indices) (place bigint PRIMARY KEY, statement text NOT NULL)
        """
      )
      var place: Int64 = 0
      for table in Self.indexed {
        for (make, drop) in try constraints(of: table) + indices(of: table) {
          place += 1
          try database.run(
            "INSERT INTO \(Self.indices) (place, statement) VALUES ($1, $2)",
            .integer(place),
            .text(make)
          )
          try database.execute(drop)
        }
      }
    }
  }

  private func constraints(
    of table: LedgerTable
  ) throws(StorageError) -> [(make: String, drop: String)] {
    try database.rows(
      """
      SELECT conname::text, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE conrelid = to_regclass($1) AND contype IN ('p', 'u') ORDER BY conname
      """,
      .text(table.name)
    ) { row in
      let name = row.text(0)
      return (
        make: "ALTER TABLE \(table.name) ADD CONSTRAINT \(name) \(row.text(1))",
        drop: "ALTER TABLE \(table.name) DROP CONSTRAINT \(name)"
      )
    }
  }

  private func indices(
    of table: LedgerTable
  ) throws(StorageError) -> [(make: String, drop: String)] {
    // Of a table in parts it would make one for no part: "ONLY".
    try database.rows(
      """
      SELECT indexrelid::regclass::text,
        replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index
      WHERE indrelid = to_regclass($1)
        AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid
          AND contype IN ('p', 'u'))
      ORDER BY 1
      """,
      .text(table.name)
    ) { row in (make: row.text(1), drop: "DROP INDEX \(row.text(0))") }
  }

  /// Makes the indices that were dropped, all or none.
  package func makeIndices() throws(StorageError) {
    let statements = try database.rows("SELECT statement FROM \(Self.indices) ORDER BY place") {
      $0.text(0)
    }
    try inTransaction { () throws(StorageError) in
      try database.execute("SET LOCAL maintenance_work_mem = '\(Self.memory)'")
      for statement in statements { try database.execute(statement) }
      try database.execute("DROP TABLE \(Self.indices)")
    }
  }

  /// Lets the database know what is in its tables.
  package func analyze() throws(StorageError) {
    let names = LedgerTable.all.map(\.name).joined(separator: ", ")
    try database.execute("VACUUM (ANALYZE) \(names)")
  }
}
