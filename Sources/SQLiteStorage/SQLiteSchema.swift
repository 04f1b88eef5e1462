internal import SQLiteAdapter
internal import ServerStorage

/// The shape of the database, step by step.
///
/// Facts and what they say are only ever added; `id` columns count up without gaps, so that the
/// newest one says how many rows there are. Dates are UNIX milliseconds.
enum SQLiteSchema {
  /// Marks the file as ours ("IAPL").
  static let applicationID: Int64 = 0x4941_504C

  /// Every step, in order.
  static let migrations: [Migration] = [
    Migration(
      version: 1,
      name: "facts, projections, entries, orders, owners, claims, outbox, audit",
      statements: facts + projections + people + logs
    ),
    Migration(
      version: 2,
      name: "acknowledgements of claims",
      statements: ["ALTER TABLE claims ADD COLUMN acknowledged_ms INTEGER"]
    ),
    Migration(version: 3, name: "documents", statements: documents),
    Migration(
      version: 4,
      name: "what entries are worth",
      statements: ["ALTER TABLE entries ADD COLUMN credit BLOB"]
    ),
    Migration(version: 5, name: "erased customers", statements: erasures),
  ]

  private static let facts = [
    """
    CREATE TABLE scopes (
      id INTEGER PRIMARY KEY, app TEXT NOT NULL, environment TEXT NOT NULL,
      UNIQUE (app, environment)) STRICT
    """,
    // The headers of signed texts, which hold their certificate chains: a handful in a ledger's
    // life.
    "CREATE TABLE headers (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL UNIQUE) STRICT",
    """
    CREATE TABLE facts (
      id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scopes (id), key TEXT NOT NULL,
      signed_ms INTEGER, received_ms INTEGER NOT NULL, bytes BLOB NOT NULL,
      UNIQUE (scope, key)) STRICT
    """,
    """
    CREATE TABLE subjects (
      id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scopes (id),
      original TEXT NOT NULL, owner TEXT, owner_ground TEXT, owner_ms INTEGER,
      UNIQUE (scope, original)) STRICT
    """,
    "CREATE INDEX subjects_by_owner ON subjects (owner) WHERE owner IS NOT NULL",
    """
    CREATE TABLE items (
      id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subjects (id),
      kind INTEGER NOT NULL, body BLOB NOT NULL) STRICT
    """,
    "CREATE INDEX items_by_subject ON items (subject)",
  ]

  private static let projections = [
    """
    CREATE TABLE transactions (
      id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subjects (id),
      transaction_id TEXT NOT NULL, product TEXT NOT NULL, type TEXT, purchase_ms INTEGER NOT NULL,
      expires_ms INTEGER, revocation_ms INTEGER, is_revoked INTEGER NOT NULL, unit TEXT,
      UNIQUE (transaction_id, subject)) STRICT
    """,
    "CREATE INDEX transactions_by_subject ON transactions (subject)",
    """
    CREATE TABLE entries (
      id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scopes (id), unit TEXT NOT NULL,
      kind TEXT NOT NULL, ordinal INTEGER NOT NULL,
      subject INTEGER NOT NULL REFERENCES subjects (id), product TEXT NOT NULL,
      quantity INTEGER NOT NULL, date_ms INTEGER NOT NULL, recorded_ms INTEGER NOT NULL,
      UNIQUE (unit, kind, ordinal, scope)) STRICT
    """,
    "CREATE INDEX entries_by_subject ON entries (subject)",
    """
    CREATE TABLE tokens (
      app TEXT NOT NULL, token TEXT NOT NULL, subject INTEGER NOT NULL REFERENCES subjects (id),
      PRIMARY KEY (token, app, subject)) STRICT, WITHOUT ROWID
    """,
  ]

  private static let people = [
    """
    CREATE TABLE orders (
      id INTEGER PRIMARY KEY, app TEXT NOT NULL, number TEXT NOT NULL, customer TEXT,
      product TEXT NOT NULL, quantity INTEGER NOT NULL, context BLOB NOT NULL,
      created_ms INTEGER NOT NULL, UNIQUE (number, app)) STRICT
    """,
    "CREATE INDEX orders_by_customer ON orders (customer, created_ms) WHERE customer IS NOT NULL",
    """
    CREATE TABLE aliases (
      app TEXT NOT NULL, token TEXT NOT NULL, customer TEXT NOT NULL,
      PRIMARY KEY (token, app)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE conflicts (
      id INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subjects (id),
      customer TEXT NOT NULL, date_ms INTEGER NOT NULL, UNIQUE (subject, customer)) STRICT
    """,
    """
    CREATE TABLE claims (
      id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scopes (id), unit TEXT NOT NULL,
      installation TEXT NOT NULL, date_ms INTEGER NOT NULL, UNIQUE (unit, scope)) STRICT
    """,
  ]

  private static let logs = [
    """
    CREATE TABLE outbox (
      sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL,
      subject INTEGER NOT NULL REFERENCES subjects (id), body BLOB NOT NULL,
      date_ms INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE audit (
      sequence INTEGER PRIMARY KEY, app TEXT, action TEXT NOT NULL, details BLOB NOT NULL,
      date_ms INTEGER NOT NULL) STRICT
    """,
  ]

  private static let erasures = [
    "ALTER TABLE subjects ADD COLUMN erased_ms INTEGER",
    "CREATE INDEX subjects_erased ON subjects (erased_ms) WHERE erased_ms IS NOT NULL",
    "CREATE INDEX conflicts_by_customer ON conflicts (customer)",
    "CREATE INDEX aliases_by_customer ON aliases (customer)",
    "CREATE INDEX tokens_by_subject ON tokens (subject)",
  ]

  /// Documents are removed at times, and their places are not given again.
  private static let documents = [
    """
    CREATE TABLE documents (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, app TEXT NOT NULL,
      name TEXT NOT NULL, shelf TEXT, body BLOB NOT NULL, version INTEGER NOT NULL,
      created_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL, UNIQUE (name, kind, app)) STRICT
    """,
    "CREATE INDEX documents_by_kind ON documents (kind, app, sequence)",
    """
    CREATE INDEX documents_by_shelf ON documents (shelf, kind, app, sequence)
    WHERE shelf IS NOT NULL
    """,
    "CREATE INDEX documents_by_change ON documents (kind, changed_ms, sequence)",
  ]

  /// The version of a database; 0 when it is empty.
  ///
  /// - Throws: ``StorageError`` with `corrupt` when the file is a database of something else.
  static func version(of connection: SQLiteConnection) throws(StorageError) -> Int {
    let known = try connection.row(
      "SELECT count(*), coalesce(sum(name = 'schema_version'), 0) FROM sqlite_master"
    ) { ($0.integer(0), $0.integer(1)) }
    guard let (objects, ours) = known, objects > 0 else { return 0 }
    let mark = try connection.row("PRAGMA application_id") { $0.integer(0) }
    guard ours == 1, mark == applicationID else {
      throw StorageError(.corrupt, "the file is a database, but no ledger")
    }
    return try connection.row("SELECT max(version) FROM schema_version") { Int($0.integer(0)) } ?? 0
  }

  /// Brings a database up to date, all steps or none.
  ///
  /// - Parameters:
  ///   - connection: The database, open for writing.
  ///   - steps: Every step up to the version that is wanted.
  /// - Throws: ``StorageError``; nothing was changed then.
  static func migrate(
    _ connection: SQLiteConnection,
    steps: [Migration] = migrations
  ) throws(StorageError) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(StorageError) {
      let current = try version(of: connection)
      if current == 0 {
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute(
          "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"
        )
      }
      for step in try Migration.missing(from: steps, current: current) {
        for statement in step.statements { try connection.execute(statement) }
        try connection.run(
          "INSERT INTO schema_version (version, name) VALUES (?, ?)",
          .integer(Int64(step.version)),
          .text(step.name)
        )
      }
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }
}
