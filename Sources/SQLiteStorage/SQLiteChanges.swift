internal import SQLiteAdapter
internal import ServerStorage
internal import Synchronization

/// Says whether something was written to the file, by this process or another.
///
/// A connection of its own, which never writes and never waits: its count changes with every commit
/// of another connection, and with nothing else.
final class SQLiteChanges: Sendable {
  private let connection: Mutex<SQLiteConnection?>

  init(_ connection: sending SQLiteConnection) { self.connection = Mutex(connection) }

  func close() { connection.withLock { $0 = nil } }

  /// The count; nil when it cannot be asked for at once.
  func stamp() -> LedgerStamp? {
    connection.withLock { connection in
      let count = try? connection?.row("PRAGMA data_version") { $0.integer(0) }
      return count.flatMap { $0 }.map { LedgerStamp(UInt64(bitPattern: $0)) }
    }
  }
}
