internal import Foundation
internal import IAPModel
internal import PostgresAdapter
package import ServerStorage

extension PostgresLedger {
  /// Looks at a database without changing it; blocks while it does so.
  ///
  /// - Parameters:
  ///   - address: Where it is.
  ///   - options: How it is opened.
  /// - Returns: What it says of itself.
  /// - Throws: ``StorageError``: `newerSchema`, `corrupt`, `unavailable`.
  package static func probe(
    _ address: String,
    options: Options = Options()
  ) throws(StorageError) -> LedgerProbe {
    let place = try Self.address(address)
    let steps = PostgresSchema.steps
    let database = try PostgresPlace(
      address: { place },
      options: options,
      steps: steps,
      notice: { _ in }
    )
    .connect()
    let found = try PostgresSchema.version(of: database, schema: options.schema)
    let newest = steps.count
    let facts = try database.row(
      """
      SELECT current_setting('server_version'),
        (pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on')::int::bigint,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
        current_setting('max_connections')::bigint
      """
    ) { (row: PostgresRow) -> LedgerProbe in
      LedgerProbe(
        engine: "PostgreSQL \(row.text(0))",
        version: min(found.version, newest),
        newestVersion: newest,
        isReadOnly: row.integer(1) == 1,
        clock: row.date(2),
        connections: Int(row.integer(3)),
        connectionsMax: Int(row.integer(4))
      )
    }
    guard let facts else { throw StorageError(.unavailable, "the database says nothing of itself") }
    return facts
  }
}
