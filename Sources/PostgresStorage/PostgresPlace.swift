internal import PostgresAdapter
internal import ServerStorage
internal import Synchronization

/// Where a ledger's connections go, and what all of them share.
struct PostgresPlace: Sendable {
  /// The address, asked for each connection: whoever changes a password changes what it returns.
  let address: @Sendable () throws(StorageError) -> PostgresAddress
  let options: PostgresLedger.Options
  /// Every step of the schema that this software knows.
  let steps: [PostgresSchema.Step]
  let notice: @Sendable (LedgerNotice) -> Void
  let gate = PostgresGate()

  /// Keeps the database to its indices, in which every question of a ledger is a look.
  ///
  /// A plan that was made while a table was small reads all of it, and a prepared statement keeps
  /// such a plan while the table grows.
  private static let plans = """
    SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
    SET jit = off; SET plan_cache_mode = force_generic_plan
    """

  /// Makes a connection.
  ///
  /// - Throws: ``StorageError``, with `newerSchema` when the database has outgrown this software.
  func connect() throws(StorageError) -> PostgresDatabase {
    let database = try PostgresDatabase(
      try address(),
      schema: options.schema,
      limits: options.connectionLimits,
      slow: (options.slowMillisecondsMin, notice)
    )
    try database.execute(Self.plans)
    let found = try PostgresSchema.version(of: database, schema: options.schema)
    try gate.admit(worksWith: found.worksWith, software: steps.count)
    return database
  }
}

/// Remembers that the database has outgrown this software, which no time mends.
///
/// A server finds out with its next write, and with every new connection; from then on it neither
/// writes nor reads, so that whoever balances the load sends nobody here.
final class PostgresGate: Sendable {
  private let worksWith = Mutex<Int>(0)

  /// Takes note of the oldest software that works with the database.
  ///
  /// - Throws: ``StorageError`` with `newerSchema` when this software is older.
  func admit(worksWith found: Int, software: Int) throws(StorageError) {
    let oldest = worksWith.withLock { known in
      known = max(known, found)
      return known
    }
    guard oldest > software else { return }
    throw StorageError(
      .newerSchema,
      "the database works with version \(oldest) of the schema and newer, this software knows"
        + " \(software)"
    )
  }
}
