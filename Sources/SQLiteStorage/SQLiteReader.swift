internal import Dispatch
internal import ServerStorage
internal import Synchronization

/// One reading connection.
final class SQLiteReader: LedgerReader {
  let queue: DispatchQueue
  private let tables: Mutex<SQLiteTables?>

  init(_ connection: sending SQLiteConnection, label: String) {
    queue = DispatchQueue(label: label)
    tables = Mutex(SQLiteTables(connection))
  }

  func close() { tables.withLock { $0 = nil } }

  /// Runs `body` in a transaction, so that everything that it sees belongs to one instant.
  func read<Value: Sendable>(
    _ body: @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) -> Result<Value, StorageError> {
    tables.withLock { tables in
      guard let tables else { return .failure(StorageError(.closed, "the ledger is closed")) }
      do throws(StorageError) {
        try tables.connection.run("BEGIN")
        let value = try body(tables)
        try tables.connection.run("COMMIT")
        return .success(value)
      } catch {
        if tables.connection.isInTransaction { _ = try? tables.connection.run("ROLLBACK") }
        return .failure(error)
      }
    }
  }
}
