internal import PostgresAdapter
internal import ServerStorage

/// A connection that is made again when it is lost; used by one thread at a time.
final class PostgresSession {
  private let address: PostgresAddress
  private let options: PostgresLedger.Options
  private(set) var database: PostgresDatabase?
  /// What lasts as long as the connection.
  let numbers = PostgresNumbers()

  init(_ address: PostgresAddress, options: PostgresLedger.Options) {
    self.address = address
    self.options = options
  }

  /// Begins a transaction, on a new connection when there is none that works.
  func begin(_ statement: String) throws(StorageError) -> PostgresDatabase {
    if let database, !database.isLost {
      do throws(StorageError) {
        try database.execute(statement)
        return database
      } catch {
        // A connection that was idle may have been lost long ago: that costs nobody anything.
        guard database.isLost else { throw error }
      }
    }
    let database = try connect()
    try database.execute(statement)
    return database
  }

  /// Ends a transaction without a trace.
  func rollBack(_ database: PostgresDatabase) {
    numbers.forget()
    if !database.isLost, database.isInTransaction { try? database.execute("ROLLBACK") }
  }

  /// Makes a connection in place of the one that there was.
  func connect() throws(StorageError) -> PostgresDatabase {
    database = nil
    numbers.forget()
    let database = try PostgresDatabase(
      address,
      schema: options.schema,
      limits: options.connectionLimits
    )
    self.database = database
    return database
  }
}
