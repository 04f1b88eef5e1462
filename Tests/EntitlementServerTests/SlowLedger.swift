import ServerStorage
import Synchronization

/// A ledger in memory that lets something happen during every read.
final class SlowLedger: Ledger {
  private let inner = InMemoryLedger()
  private let hook = Mutex<@Sendable () -> Void>({})

  var onRead: @Sendable () -> Void {
    get { hook.withLock(\.self) }
    set { hook.withLock { $0 = newValue } }
  }

  func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome {
    try await inner.commit(write)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    onRead()
    return try await inner.read(body)
  }

  func close() async { await inner.close() }
}
