internal import IAPModel
internal import SQLiteAdapter
package import ServerStorage

// Rows as bytes, see ``RowBatch``.
extension SQLiteArchive {
  /// In which order rows are handed out, and which.
  package enum Selection: Hashable, Sendable {
    /// Those of a larger number, in the order of numbers; all when the table has none.
    case after(Int64)
    /// All, in the order of the key.
    case byKey
    /// Those of a purchase.
    case ofSubject(Int64)
  }

  /// Hands out rows of a table, each with its number.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - selection: Which, and in which order.
  ///   - stored: The bytes under which the other database stores a text.
  ///   - take: Takes a row and its number, 0 when it has none.
  /// - Throws: ``StorageError``, or from `take`.
  package func visit(
    _ table: LedgerTable,
    _ selection: Selection = .after(0),
    stored: (String) -> [UInt8],
    _ take: (Int64, [UInt8]) throws(StorageError) -> Void
  ) throws(StorageError) {
    let number = table.number
    var sql = "SELECT \(number ?? "0"), \(table.columnList) FROM \(table.name)"
    var values: [SQLiteValue] = []
    switch selection {
    case .after(let last):
      if let number {
        sql += " WHERE \(number) > ? ORDER BY \(number)"
        values = [.integer(last)]
      }
    case .byKey: sql += " ORDER BY \(table.key.joined(separator: ", "))"
    case .ofSubject(let subject):
      sql += " WHERE \(table.name == "subjects" ? "id" : "subject") = ?"
      values = [.integer(subject)]
    }
    let count = UInt16(table.columns.count).bigEndian
    let start = withUnsafeBytes(of: count) { [UInt8]($0) }
    var row: [UInt8] = []
    try connection.forEachRow(sql, values) { statement throws(StorageError) in
      row.removeAll(keepingCapacity: true)
      row += start
      for (index, column) in table.columns.enumerated() {
        let place = Int32(index + 1)
        switch column.kind {
        case .integer: statement.append(integer: place, to: &row)
        case .text: statement.append(text: place, to: &row, encode: stored)
        case .blob: statement.append(blob: place, to: &row)
        }
      }
      try take(statement.integer(0), row)
      return true
    }
  }

  /// The numbers of purchases that were erased.
  package func erasedSubjects() throws(StorageError) -> [Int64] {
    try connection.rows("SELECT id FROM subjects WHERE erased_ms IS NOT NULL") { $0.integer(0) }
  }

  /// Every app and environment, with its number.
  package func scopes() throws(StorageError) -> [(number: Int64, scope: LedgerScope)] {
    try connection.rows("SELECT id, app, environment FROM scopes ORDER BY id") { row in
      let environment = StoreEnvironment(rawValue: row.text(2))
      return (row.integer(0), LedgerScope(app: BundleID(row.text(1)), environment: environment))
    }
  }

  /// Purchases behind one, in the order of their original identifiers.
  package func purchases(
    of scope: Int64,
    after last: String,
    limit: Int
  ) throws(StorageError) -> [ArchivedPurchase] {
    try connection.rows(
      """
      SELECT id, original FROM subjects WHERE scope = ? AND original > ?
      ORDER BY original LIMIT ?
      """,
      .integer(scope),
      .text(last),
      .integer(Int64(limit))
    ) { ArchivedPurchase(number: $0.integer(0), original: $0.text(1)) }
  }

  /// Sums up what is stored about purchases.
  package func sum(
    of purchases: [ArchivedPurchase],
    stored: (String) -> [UInt8]
  ) throws(StorageError) -> RowSum {
    var sum = RowSum()
    for table in LedgerTable.ofPurchases {
      for purchase in purchases {
        try visit(table, .ofSubject(purchase.number), stored: stored) { _, row in sum.add(row) }
      }
    }
    return sum
  }
}
