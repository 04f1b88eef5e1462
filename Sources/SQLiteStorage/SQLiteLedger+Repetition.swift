internal import SQLiteAdapter
package import ServerStorage

extension SQLiteLedger {
  /// Repeats the first purchase of a ledger that nobody has open, for measurements of large ones.
  ///
  /// Each of its rows is written again for every further purchase, with another number in its
  /// names, in the tables and indexes of the schema: what a ledger would hold that had heard of so
  /// many, without reading and folding what is the same each time. It is not flushed on the way.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - original: The number that the first purchase is named by.
  ///   - offsets: What is added to it, once for each further purchase.
  /// - Throws: ``StorageError``.
  package static func repeatFirstPurchase(
    at path: String,
    original: Int,
    offsets: Range<Int>
  ) throws(StorageError) {
    let connection = try SQLiteConnection(
      path: path,
      mode: .readWrite,
      busyTimeoutMilliseconds: 0
    )
    try connection.execute("PRAGMA synchronous = OFF")
    try connection.execute("PRAGMA cache_size = -64000")
    try connection.execute("CREATE TEMP TABLE series (n INTEGER PRIMARY KEY)")
    var start = offsets.lowerBound
    while start < offsets.upperBound {  // bound: the range
      let end = min(start + repetitionsAtOnce, offsets.upperBound)
      try connection.execute("BEGIN IMMEDIATE")
      for statement in repetition(of: original, start..<end) { try connection.execute(statement) }
      try connection.execute("COMMIT")
      start = end
    }
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static let repetitionsAtOnce = 50_000

  private static let first = "SELECT min(id) FROM subjects"

  /// The rows that are repeated, looked for once: their tables grow with what is written of them,
  /// and not all of them have an index by the purchase.
  private static func pattern(_ table: String, where condition: String) -> String {
    "WITH pattern AS MATERIALIZED (SELECT *, rowid AS place FROM \(table) WHERE \(condition))"
  }

  /// A column with the purchase's number exchanged for the next one's.
  private static func renamed(_ column: String, _ original: Int) -> String {
    "replace(\(column), '\(original)', CAST(\(original) + n AS TEXT))"
  }

  /// A column of bytes with the number exchanged.
  private static func rewritten(_ column: String, _ original: Int) -> String {
    "CAST(\(renamed("CAST(\(column) AS TEXT)", original)) AS BLOB)"
  }

  private static func repetition(of original: Int, _ offsets: Range<Int>) -> [String] {
    // The purchases are there when their rows follow.
    let number = "(SELECT max(id) FROM subjects) - \(offsets.upperBound - 1) + n"
    return [
      "DELETE FROM series",
      """
      INSERT INTO series WITH RECURSIVE counted (n) AS (
        SELECT \(offsets.lowerBound) UNION ALL
        SELECT n + 1 FROM counted WHERE n + 1 < \(offsets.upperBound))
      SELECT n FROM counted
      """,
      """
      INSERT INTO subjects (scope, original)
      SELECT scope, \(renamed("original", original)) FROM series CROSS JOIN subjects
      WHERE id = (\(first)) ORDER BY n
      """,
      """
      INSERT INTO facts (scope, key, signed_ms, received_ms, bytes)
      SELECT scope, 'notification:' || lower(hex(randomblob(16))), signed_ms, received_ms, bytes
      FROM series CROSS JOIN facts WHERE id = (SELECT min(id) FROM facts)
      """,
      """
      \(pattern("items", where: "subject = (\(first))"))
      INSERT INTO items (subject, kind, body)
      SELECT \(number), kind, \(rewritten("body", original))
      FROM series CROSS JOIN pattern ORDER BY n, place
      """,
    ] + consequences(of: original, number)
  }

  /// What follows from a purchase's facts.
  private static func consequences(of original: Int, _ number: String) -> [String] {
    [
      """
      \(pattern("transactions", where: "subject = (\(first))"))
      INSERT INTO transactions (subject, transaction_id, product, type, purchase_ms, expires_ms,
        revocation_ms, is_revoked, unit)
      SELECT \(number), \(renamed("transaction_id", original)), product, type, purchase_ms,
        expires_ms, revocation_ms, is_revoked, \(renamed("unit", original))
      FROM series CROSS JOIN pattern ORDER BY n
      """,
      """
      \(pattern("entries", where: "subject = (\(first))"))
      INSERT INTO entries (scope, unit, kind, ordinal, subject, product, quantity, date_ms,
        recorded_ms)
      SELECT scope, \(renamed("unit", original)), kind, ordinal, \(number), product, quantity,
        date_ms, recorded_ms
      FROM series CROSS JOIN pattern ORDER BY n
      """,
      """
      \(pattern("outbox", where: "subject = (\(first))"))
      INSERT INTO outbox (kind, subject, body, date_ms)
      SELECT kind, \(number), \(rewritten("body", original)), date_ms
      FROM series CROSS JOIN pattern ORDER BY n
      """,
      """
      \(pattern("documents", where: documents(of: original)))
      INSERT INTO documents (kind, app, name, shelf, body, version, created_ms, changed_ms)
      SELECT kind, app, CASE kind WHEN 'event'
          THEN substr(name, 1, 16) || lower(hex(randomblob(10)))
          ELSE \(renamed("name", original)) END,
        \(renamed("shelf", original)), \(rewritten("body", original)), version, created_ms,
        changed_ms
      FROM series CROSS JOIN pattern ORDER BY n, place
      """,
    ]
  }

  /// The first documents that are about the purchase.
  private static func documents(of original: Int) -> String {
    """
    sequence <= 16 AND kind IN ('event', 'eventWatch')
      AND instr(name || CAST(body AS TEXT), '\(original)') > 0
    """
  }
}
