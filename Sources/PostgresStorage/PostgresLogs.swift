internal import Foundation
internal import PostgresAdapter
internal import ServerStorage

/// The parts of the logs, outbox and audit: one a month, made before its first row comes.
///
/// A row whose month has no part goes into `_other`, and moves when the part is made; so nothing is
/// refused when nobody looked after a log for long, or when a clock is far off. Rows from before
/// schema 3 lie in `_before`, which is split by sequence.
enum PostgresLogs {
  static let tables = ["outbox", "audit"]
  /// How many months have their part before they begin.
  static let monthsAhead = 1
  /// How long making or dropping a part waits for those who read, in milliseconds: it is tried
  /// again soon.
  private static let lockMilliseconds = 3_000

  /// A part of a log, and the instant before which all of its rows are; nil when there is none.
  struct Part: Hashable, Sendable {
    let name: String
    let end: Int64?
  }

  /// The statements that split a log by time which was split by sequence.
  ///
  /// What is there becomes one part, up to the end of the present month; beneath it the old parts
  /// stay. Older software goes on: what it inserts finds its part by itself, and the parts that it
  /// would make by sequence are there.
  static func splitByTime(_ table: String) -> [String] {
    let rows = PostgresSchema.logPartitionRows
    return [
      "ALTER TABLE \(table) RENAME TO \(table)_before",
      "ALTER INDEX \(table)_pkey RENAME TO \(table)_before_pkey",
      "DROP INDEX \(table)_by_date",
      "CREATE TABLE \(table) (LIKE \(table)_before) PARTITION BY RANGE (date_ms)",
      "CREATE UNIQUE INDEX \(table)_by_sequence ON \(table) (sequence, date_ms)",
      "CREATE TABLE \(table)_other PARTITION OF \(table) DEFAULT",
      """
      DO $$
      DECLARE
        last bigint;
        edge bigint := (extract(epoch FROM (
          date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + interval '1 month')
          AT TIME ZONE 'UTC') * 1000)::bigint;
      BEGIN
        SELECT max(sequence) INTO last FROM \(table)_before;
        IF last IS NULL THEN
          DROP TABLE \(table)_before;
          RETURN;
        END IF;
        WITH later AS (DELETE FROM \(table)_before WHERE date_ms >= edge RETURNING *)
        INSERT INTO \(table) SELECT * FROM later;
        FOR part IN (last - 1) / \(rows) + 1 .. (last - 1) / \(rows) + 3 LOOP
          EXECUTE format(
            'CREATE TABLE IF NOT EXISTS \(table)_%s PARTITION OF \(table)_before '
            'FOR VALUES FROM (%s) TO (%s)', part, part * \(rows) + 1, (part + 1) * \(rows) + 1);
        END LOOP;
        CREATE TABLE \(table)_before_other PARTITION OF \(table)_before DEFAULT;
        EXECUTE format(
          'ALTER TABLE \(table) ATTACH PARTITION \(table)_before '
          'FOR VALUES FROM (MINVALUE) TO (%s)', edge);
        ALTER TABLE \(table)_before DROP CONSTRAINT \(table)_before_pkey;
      END $$
      """,
    ]
  }

  /// The parts of a log.
  static func parts(
    of table: String,
    _ database: PostgresDatabase
  ) throws(StorageError) -> [Part] {
    try database.rows(
      """
      SELECT c.relname::text,
        (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''?(-?[0-9]+)''?\\)'))[1]::bigint
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = to_regclass($1) ORDER BY c.relname
      """,
      .text(table)
    ) { Part(name: $0.text(0), end: $0.optionalInteger(1)) }
  }

  /// Makes the parts of the present month and of those ahead that are missing.
  ///
  /// - Returns: How many were made.
  @discardableResult
  static func makeAhead(
    at now: Int64,
    _ database: PostgresDatabase,
    schema: String
  ) throws(StorageError) -> Int {
    var months = [LogMonth(of: now)]
    for _ in 0..<monthsAhead { months.append(months[months.count - 1].next) }
    var made = 0
    for table in tables { made += try make(months, of: table, database, schema: schema) }
    return made
  }

  /// Makes the parts of the database's present month and of those ahead that are missing.
  static func makeAhead(
    of database: PostgresDatabase,
    schema: String
  ) throws(StorageError) {
    let now = try database.row(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    ) { $0.integer(0) }
    guard let now else { return }
    try makeAhead(at: now, database, schema: schema)
  }

  /// Makes the parts of months that are missing.
  ///
  /// - Returns: How many were made.
  @discardableResult
  static func make(
    _ months: [LogMonth],
    of table: String,
    _ database: PostgresDatabase,
    schema: String
  ) throws(StorageError) -> Int {
    let missing = try missing(months, of: table, database)
    guard !missing.isEmpty else { return 0 }
    return try alone(database, schema: schema) { () throws(StorageError) in
      // Another server may have been faster.
      let missing = try self.missing(months, of: table, database)
      for month in missing { try make(month, of: table, database) }
      return missing.count
    }
  }

  private static func missing(
    _ months: [LogMonth],
    of table: String,
    _ database: PostgresDatabase
  ) throws(StorageError) -> [LogMonth] {
    let parts = try parts(of: table, database)
    let names = Set(parts.map(\.name))
    let edge = parts.first { $0.name == "\(table)_before" }?.end ?? .min
    return months.filter { $0.start >= edge && !names.contains("\(table)_\($0.name)") }
  }

  private static func make(
    _ month: LogMonth,
    of table: String,
    _ database: PostgresDatabase
  ) throws(StorageError) {
    let part = "\(table)_\(month.name)"
    let span = "date_ms >= \(month.start) AND date_ms < \(month.end)"
    try database.execute(
      """
      LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE;
      CREATE TABLE \(part) (LIKE \(table) INCLUDING ALL, CHECK (\(span)));
      WITH moved AS (DELETE FROM \(table)_other WHERE \(span) RETURNING *)
      INSERT INTO \(part) SELECT * FROM moved;
      ALTER TABLE \(table) ATTACH PARTITION \(part)
        FOR VALUES FROM (\(month.start)) TO (\(month.end));
      ALTER TABLE \(part) DROP CONSTRAINT \(part)_date_ms_check
      """
    )
  }

  /// Drops the parts of a log in which every row is older than an instant, and forgets such rows
  /// among those of no part.
  ///
  /// - Returns: The names of the parts that are gone, and how many other rows.
  static func drop(
    before instant: Int64,
    of table: String,
    _ database: PostgresDatabase,
    schema: String
  ) throws(StorageError) -> (parts: [String], rows: Int) {
    try alone(database, schema: schema) { () throws(StorageError) in
      let old = try parts(of: table, database).filter { ($0.end ?? .max) <= instant }
      for part in old { try database.execute("DROP TABLE \(part.name)") }
      let rows = try database.run(
        "DELETE FROM \(table)_other WHERE date_ms < $1",
        .integer(LogMonth(of: instant).start)
      )
      return (old.map(\.name), rows.changedCount)
    }
  }

  /// Runs `body` in a transaction of which there is one at a time, over all servers.
  private static func alone<Value>(
    _ database: PostgresDatabase,
    schema: String,
    _ body: () throws(StorageError) -> Value
  ) throws(StorageError) -> Value {
    try database.execute("BEGIN")
    do throws(StorageError) {
      try database.execute("SET LOCAL lock_timeout = \(lockMilliseconds)")
      try database.run(
        "SELECT pg_advisory_xact_lock($1)",
        .integer(LockName.number(schema, "logs"))
      )
      let value = try body()
      try database.execute("COMMIT")
      return value
    } catch {
      if !database.isLost, database.isInTransaction { try? database.execute("ROLLBACK") }
      throw error
    }
  }
}
