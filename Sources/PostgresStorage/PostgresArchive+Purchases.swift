internal import PostgresAdapter
package import ServerStorage

// Purchases as questions find them.
extension PostgresArchive {
  /// Purchases behind one, in the order of their original identifiers.
  package func purchases(
    of scope: Int64,
    after last: String,
    limit: Int
  ) throws(StorageError) -> [ArchivedPurchase] {
    try database.rows(
      """
      SELECT id, original FROM subjects WHERE scope = $1 AND original > $2
      ORDER BY original LIMIT $3
      """,
      .integer(scope),
      .text(last),
      .integer(Int64(limit))
    ) { ArchivedPurchase(number: $0.integer(0), original: $0.text(1)) }
  }

  /// Sums up what is stored about purchases.
  package func sum(of purchases: [ArchivedPurchase]) throws(StorageError) -> RowSum {
    var sum = RowSum()
    for table in LedgerTable.ofPurchases {
      let columns = table.columns.map { "t.\($0.name)" }.joined(separator: ", ")
      let subject = table.name == "subjects" ? "id" : "subject"
      // A way into the index for each purchase, and so into one part of a table in parts.
      let rows = try database.rows(
        """
        SELECT \(columns) FROM unnest($1) AS wanted (number)
        JOIN LATERAL (SELECT * FROM \(table.name) WHERE \(subject) = wanted.number OFFSET 0) t
        ON true
        """,
        .integers(purchases.map(\.number))
      ) { $0.bytes(of: table) }
      for row in rows { sum.add(row) }
    }
    return sum
  }
}

extension PostgresRow {
  /// The row in the form of ``RowBatch``.
  fileprivate func bytes(of table: LedgerTable) -> [UInt8] {
    var bytes = PostgresRow.network(UInt16(table.columns.count))
    for index in table.columns.indices {
      guard !isNull(index) else {
        bytes += PostgresRow.network(Int32(-1))
        continue
      }
      let cell = blob(index)
      bytes += PostgresRow.network(Int32(cell.count))
      bytes += cell
    }
    return bytes
  }

  private static func network(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
  }
}
