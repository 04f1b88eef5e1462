internal import SQLiteAdapter
internal import ServerStorage

/// One statement for some rows at a time: binding, beginning and ending it cost as much as a row.
struct SQLiteInsertion {
  /// How many rows a statement has, the most first.
  static let rowCounts = [16, 8, 4, 3, 2, 1]

  private let statements: [(rowCount: Int, text: String)]

  /// Takes a statement apart.
  ///
  /// - Parameters:
  ///   - head: Everything before the rows.
  ///   - row: The values of a row, in parentheses.
  init(_ head: String, row: String) {
    statements = Self.rowCounts.map { count in
      (count, head + " " + Array(repeating: row, count: count).joined(separator: ", "))
    }
  }

  /// Inserts rows, in their order.
  func run<Row>(
    _ rows: [Row],
    on connection: SQLiteConnection,
    values: (Row) -> [SQLiteValue]
  ) throws(StorageError) {
    var rest = rows[...]
    for (count, text) in statements {
      while rest.count >= count {  // bound: the rows
        try connection.run(text, rest.prefix(count).flatMap(values))
        rest = rest.dropFirst(count)
      }
    }
  }
}
