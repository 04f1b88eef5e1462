internal import Dispatch
internal import PostgresAdapter
internal import ServerStorage
internal import Synchronization

/// One reading connection, made when it is first needed.
final class PostgresReader: LedgerReader {
  private static let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

  let queue: DispatchQueue
  private let session: Mutex<PostgresSession?>

  init(_ session: sending PostgresSession, label: String) {
    queue = DispatchQueue(label: label)
    self.session = Mutex(session)
  }

  func close() { session.withLock { $0 = nil } }

  func read<Value: Sendable>(
    _ body: @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) -> Result<Value, StorageError> {
    session.withLock { session in
      guard let session else { return .failure(StorageError(.closed, "the ledger is closed")) }
      do throws(StorageError) {
        let database = try session.begin(Self.begin)
        do throws(StorageError) {
          let value = try body(PostgresReading(database: database, numbers: session.numbers))
          try database.execute("COMMIT")
          return .success(value)
        } catch {
          session.rollBack(database)
          throw error
        }
      } catch {
        return .failure(error)
      }
    }
  }
}
