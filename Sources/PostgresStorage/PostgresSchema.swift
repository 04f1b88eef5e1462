internal import PostgresAdapter
internal import ServerStorage

/// The shape of the database, step by step.
///
/// Facts and what they say are only ever added. Dates are UNIX milliseconds. Texts compare byte by
/// byte. Rows are counted in one row, `counters`, which is changed last in a transaction: so its
/// lock also puts the sequences of outbox and audit in the order of commits, without gaps.
enum PostgresSchema {
  /// A step, and the oldest version of this software that works beside it.
  ///
  /// Servers are replaced one after another, so for a while older ones use the newer tables.
  struct Step: Sendable {
    let migration: Migration
    let worksWith: Int
  }

  /// Into how many parts facts and items are split.
  static let factPartitions = 16
  /// How many rows of outbox and audit lay in one part before they were split by time.
  static let logPartitionRows: Int64 = 10_000_000

  /// Every step, in order.
  static let steps: [Step] = [
    Step(
      migration: Migration(
        version: 1,
        name: "facts, projections, people, documents, logs",
        statements: facts + projections + people + documents + logs
      ),
      worksWith: 1
    ),
    Step(
      migration: Migration(
        version: 2,
        name: "logs by date",
        // A few bytes for each 128 pages, because dates grow with the sequence: the rows of a time
        // are found, and the parts that are old enough to be kept elsewhere.
        statements: ["outbox", "audit"].map {
          "CREATE INDEX \($0)_by_date ON \($0) USING brin (date_ms)"
        }
      ),
      worksWith: 1
    ),
    Step(
      migration: Migration(
        version: logsByTime,
        name: "logs by month",
        statements: PostgresLogs.tables.flatMap { PostgresLogs.splitByTime($0) }
      ),
      worksWith: 1
    ),
  ]

  /// The step that splits the logs by time.
  static let logsByTime = 3

  private static let facts =
    [
      """
      CREATE TABLE scopes (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, app text COLLATE "C" NOT NULL,
        environment text COLLATE "C" NOT NULL, UNIQUE (app, environment))
      """,
      // The headers of signed texts, which hold their certificate chains: a handful in a ledger's
      // life, and too long for an index.
      """
      CREATE TABLE headers (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, bytes bytea NOT NULL,
        digest bytea GENERATED ALWAYS AS (sha256(bytes)) STORED UNIQUE)
      """,
      """
      CREATE TABLE facts (
        scope bigint NOT NULL, key text COLLATE "C" NOT NULL, signed_ms bigint,
        received_ms bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (key, scope))
        PARTITION BY HASH (key)
      """,
      """
      CREATE TABLE subjects (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        scope bigint NOT NULL REFERENCES scopes (id), original text COLLATE "C" NOT NULL,
        owner text COLLATE "C", owner_ground text, owner_ms bigint, erased_ms bigint,
        UNIQUE (scope, original))
      """,
      "CREATE INDEX subjects_by_owner ON subjects (owner) WHERE owner IS NOT NULL",
      """
      CREATE TABLE items (subject bigint NOT NULL, kind bigint NOT NULL, body bytea NOT NULL)
        PARTITION BY HASH (subject)
      """,
      "CREATE INDEX items_by_subject ON items (subject)",
    ] + parts(of: "facts") + parts(of: "items")

  private static func parts(of table: String) -> [String] {
    (0..<factPartitions).map { part in
      """
      CREATE TABLE \(table)_\(part) PARTITION OF \(table)
        FOR VALUES WITH (MODULUS \(factPartitions), REMAINDER \(part))
      """
    }
  }

  private static let projections = [
    """
    CREATE TABLE transactions (
      subject bigint NOT NULL, transaction_id text COLLATE "C" NOT NULL, product text NOT NULL,
      type text, purchase_ms bigint NOT NULL, expires_ms bigint, revocation_ms bigint,
      is_revoked bigint NOT NULL, unit text, PRIMARY KEY (transaction_id, subject))
    """,
    "CREATE INDEX transactions_by_subject ON transactions (subject)",
    """
    CREATE TABLE entries (
      scope bigint NOT NULL, unit text COLLATE "C" NOT NULL, kind text NOT NULL,
      ordinal bigint NOT NULL, subject bigint NOT NULL, product text NOT NULL,
      quantity bigint NOT NULL, date_ms bigint NOT NULL, recorded_ms bigint NOT NULL,
      credit bytea, PRIMARY KEY (unit, kind, ordinal, scope))
    """,
    "CREATE INDEX entries_by_subject ON entries (subject)",
    """
    CREATE TABLE tokens (
      app text COLLATE "C" NOT NULL, token text COLLATE "C" NOT NULL, subject bigint NOT NULL,
      PRIMARY KEY (token, app, subject))
    """,
    "CREATE INDEX tokens_by_subject ON tokens (subject)",
  ]

  private static let people = [
    """
    CREATE TABLE orders (
      app text COLLATE "C" NOT NULL, number text COLLATE "C" NOT NULL, customer text COLLATE "C",
      product text NOT NULL, quantity bigint NOT NULL, context bytea NOT NULL,
      created_ms bigint NOT NULL, PRIMARY KEY (number, app))
    """,
    "CREATE INDEX orders_by_customer ON orders (customer, created_ms) WHERE customer IS NOT NULL",
    """
    CREATE TABLE aliases (
      app text COLLATE "C" NOT NULL, token text COLLATE "C" NOT NULL,
      customer text COLLATE "C" NOT NULL, PRIMARY KEY (token, app))
    """,
    "CREATE INDEX aliases_by_customer ON aliases (customer)",
    """
    CREATE TABLE conflicts (
      id bigint GENERATED ALWAYS AS IDENTITY UNIQUE, subject bigint NOT NULL,
      customer text COLLATE "C" NOT NULL, date_ms bigint NOT NULL,
      PRIMARY KEY (subject, customer))
    """,
    "CREATE INDEX conflicts_by_customer ON conflicts (customer)",
    """
    CREATE TABLE claims (
      scope bigint NOT NULL, unit text COLLATE "C" NOT NULL, installation text NOT NULL,
      date_ms bigint NOT NULL, acknowledged_ms bigint, PRIMARY KEY (unit, scope))
    """,
  ]

  /// Places are given one at a time, so that their order is that of the app's commits.
  private static let documents = [
    "CREATE SEQUENCE document_places AS bigint CACHE 1",
    """
    CREATE TABLE documents (
      sequence bigint PRIMARY KEY, kind text COLLATE "C" NOT NULL, app text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL, shelf text COLLATE "C", body bytea NOT NULL,
      version bigint NOT NULL, created_ms bigint NOT NULL, changed_ms bigint NOT NULL,
      UNIQUE (name, kind, app))
    """,
    "CREATE INDEX documents_by_kind ON documents (kind, app, sequence)",
    """
    CREATE INDEX documents_by_shelf ON documents (shelf, kind, app, sequence)
    WHERE shelf IS NOT NULL
    """,
    "CREATE INDEX documents_by_change ON documents (kind, changed_ms, sequence)",
  ]

  private static let logs = [
    """
    CREATE TABLE outbox (
      sequence bigint PRIMARY KEY, kind text NOT NULL, subject bigint NOT NULL,
      body bytea NOT NULL, date_ms bigint NOT NULL) PARTITION BY RANGE (sequence)
    """,
    """
    CREATE TABLE audit (
      sequence bigint PRIMARY KEY, app text, action text NOT NULL, details bytea NOT NULL,
      date_ms bigint NOT NULL) PARTITION BY RANGE (sequence)
    """,
    logPartition("outbox", 0),
    logPartition("audit", 0),
    """
    CREATE TABLE counters (
      id bigint PRIMARY KEY CHECK (id = 1), facts bigint NOT NULL DEFAULT 0,
      subjects bigint NOT NULL DEFAULT 0, transactions bigint NOT NULL DEFAULT 0,
      entries bigint NOT NULL DEFAULT 0, orders bigint NOT NULL DEFAULT 0,
      claims bigint NOT NULL DEFAULT 0, conflicts bigint NOT NULL DEFAULT 0,
      outbox bigint NOT NULL DEFAULT 0, audit bigint NOT NULL DEFAULT 0)
      WITH (fillfactor = 10)
    """,
    "INSERT INTO counters (id) VALUES (1)",
  ]

  /// The statement that makes one part of a log, as it was split before.
  static func logPartition(_ table: String, _ part: Int64) -> String {
    """
    CREATE TABLE IF NOT EXISTS \(table)_\(part) PARTITION OF \(table)
      FOR VALUES FROM (\(part * logPartitionRows + 1)) TO (\((part + 1) * logPartitionRows + 1))
    """
  }
}

// Looking at versions and bringing them up to date.
extension PostgresSchema {
  /// The version of a database, 0 when it is empty, and the oldest software that works with it.
  static func version(
    of database: PostgresDatabase,
    schema: String
  ) throws(StorageError) -> (version: Int, worksWith: Int) {
    let isThere = try database.row(
      "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'",
      .text(schema)
    ) { _ in true }
    guard isThere == true else { return (0, 0) }
    let versions = try database.row(
      "SELECT coalesce(max(version), 0), coalesce(max(works_with), 0) FROM schema_version"
    ) { (Int($0.integer(0)), Int($0.integer(1))) }
    return versions.map { (version: $0.0, worksWith: $0.1) } ?? (0, 0)
  }

  /// Brings a database up to date, all steps or none, whoever else tries at the same time.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - schema: The name under which the tables are kept.
  ///   - steps: Every step up to the version that is wanted.
  /// - Throws: ``StorageError``; nothing was changed then.
  static func migrate(
    _ database: PostgresDatabase,
    schema: String,
    steps: [Step] = steps
  ) throws(StorageError) {
    if try isUpToDate(try version(of: database, schema: schema), steps) { return }
    try database.execute("BEGIN")
    do throws(StorageError) {
      // The steps may take longer than a statement of a request.
      try database.execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
      try database.run(
        "SELECT pg_advisory_xact_lock($1)",
        .integer(LockName.number(schema, "migration"))
      )
      let current = try version(of: database, schema: schema)
      if try !isUpToDate(current, steps) {
        if current.version == 0 {
          try database.execute("CREATE SCHEMA IF NOT EXISTS \(schema)")
          try database.execute(
            """
            CREATE TABLE schema_version (
              version bigint PRIMARY KEY, works_with bigint NOT NULL, name text NOT NULL)
            """
          )
        }
        for step in steps.dropFirst(current.version) {
          for statement in step.migration.statements { try database.execute(statement) }
          try database.run(
            "INSERT INTO schema_version (version, works_with, name) VALUES ($1, $2, $3)",
            .integer(Int64(step.migration.version)),
            .integer(Int64(step.worksWith)),
            .text(step.migration.name)
          )
        }
      }
      try database.execute("COMMIT")
    } catch {
      if database.isInTransaction { try? database.execute("ROLLBACK") }
      throw error
    }
  }

  /// Whether nothing is to be done.
  ///
  /// - Throws: ``StorageError`` with `newerSchema` when this software is too old.
  private static func isUpToDate(
    _ current: (version: Int, worksWith: Int),
    _ steps: [Step]
  ) throws(StorageError) -> Bool {
    guard current.version > steps.count else { return current.version == steps.count }
    if current.worksWith <= steps.count { return true }
    _ = try Migration.missing(from: steps.map(\.migration), current: current.version)
    return false
  }
}

/// The numbers under which PostgreSQL keeps locks that belong to no row.
enum LockName {
  /// The number of a lock, by FNV-1a: two names with one number would only wait for each other.
  static func number(_ parts: String...) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }
}
