internal import Dispatch
internal import SQLiteAdapter
internal import ServerStorage
internal import Synchronization

/// The reading connections: each on a thread of its own, with a queue in front of all of them.
final class SQLiteReaders: Sendable {
  private typealias Job = @Sendable (SQLiteReader) -> Void

  private struct State {
    var idle: [SQLiteReader]
    var waiting: [Job] = []
  }

  private let state: Mutex<State>
  private let readers: [SQLiteReader]

  init(path: String, options: SQLiteLedger.Options) throws(StorageError) {
    precondition(options.readersMax >= 1, "a ledger is read by at least one connection")
    var readers: [SQLiteReader] = []
    for index in 1...options.readersMax {
      let connection = try SQLiteConnection(
        path: path,
        mode: .readOnly,
        busyTimeoutMilliseconds: options.busyTimeoutMilliseconds
      )
      readers.append(SQLiteReader(connection, label: "iap.ledger.reader.\(index)"))
    }
    self.readers = readers
    state = Mutex(State(idle: readers))
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    let result = await withCheckedContinuation { continuation in
      submit { reader in continuation.resume(returning: reader.read(body)) }
    }
    return try result.get()
  }

  /// Closes the connections; reads that wait or come later are refused.
  func close() async {
    for reader in readers {
      await withCheckedContinuation { continuation in
        reader.queue.async {
          reader.close()
          continuation.resume()
        }
      }
    }
  }

  private func submit(_ job: @escaping Job) {
    let free = state.withLock { state -> SQLiteReader? in
      if let reader = state.idle.popLast() { return reader }
      state.waiting.append(job)
      return nil
    }
    guard let free else { return }
    free.queue.async { self.run(job, on: free) }
  }

  /// Runs a job, then those that wait, then is idle.
  private func run(_ first: @escaping Job, on reader: SQLiteReader) {
    var job: Job? = first
    while let current = job {
      current(reader)
      job = state.withLock { state in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.idle.append(reader)
        return nil
      }
    }
  }
}

/// One reading connection.
final class SQLiteReader: Sendable {
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
