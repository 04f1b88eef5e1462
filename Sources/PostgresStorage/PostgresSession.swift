internal import PostgresAdapter
internal import ServerStorage

/// A connection that is made again when it is lost; used by one thread at a time.
final class PostgresSession {
  let place: PostgresPlace
  private(set) var database: PostgresDatabase?
  private var hasConnected = false
  /// What lasts as long as the connection.
  let numbers = PostgresNumbers()

  init(_ place: PostgresPlace) { self.place = place }

  /// Begins a transaction, on a new connection when there is none that works.
  func begin(_ statement: String) throws(StorageError) -> PostgresDatabase {
    try place.gate.admit(worksWith: 0, software: place.steps.count)
    if let database, !database.isLost {
      do throws(StorageError) {
        try database.execute(statement)
        return database
      } catch {
        // A connection that was idle may have been lost long ago: that costs nobody anything.
        guard database.isLost else {
          rollBack(database)
          throw error
        }
      }
    }
    let database = try connect()
    do throws(StorageError) {
      try database.execute(statement)
    } catch {
      rollBack(database)
      throw error
    }
    return database
  }

  /// Ends a transaction without a trace.
  func rollBack(_ database: PostgresDatabase) {
    numbers.forget()
    if !database.isLost, database.isInTransaction { try? database.execute("ROLLBACK") }
  }

  /// Lets go of the connection, so that the next one may lead to another server.
  func disconnect() {
    database = nil
    numbers.forget()
  }

  /// Makes a connection in place of the one that there was.
  func connect() throws(StorageError) -> PostgresDatabase {
    disconnect()
    let database = try place.connect()
    if hasConnected { place.notice(LedgerNotice(.reconnected, "a connection was made anew")) }
    hasConnected = true
    self.database = database
    return database
  }
}
