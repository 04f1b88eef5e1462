import Synchronization

/// A ledger in memory: the reference for every other, and what simulations run on.
///
/// Nothing survives the process. A commit takes effect at once and uses no thread of its own.
public final class InMemoryLedger: Ledger {
  private struct State {
    var tables = InMemoryTables()
    var isClosed = false
    var refusal: StorageError?
    var commitCount: UInt64 = 0
  }

  private let state = Mutex(State())
  private let limits: LedgerLimits

  /// Makes an empty ledger.
  public init(limits: LedgerLimits = LedgerLimits()) {
    self.limits = limits
  }

  /// Makes every commit fail with this error until nil is given: for tests of a disk in trouble.
  public func refuseCommits(with error: StorageError?) {
    state.withLock { $0.refusal = error }
  }

  /// Records a write, all of it or nothing.
  public func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome {
    let prepared = try PreparedWrite(write, limits: limits, isPacking: false)
    let result = state.withLock { state -> Result<WriteOutcome, StorageError> in
      if state.isClosed { return .failure(StorageError(.closed, "the ledger is closed")) }
      if let refusal = state.refusal { return .failure(refusal) }
      state.commitCount += 1
      do throws(StorageError) {
        return .success(
          try state.tables.transaction { tables throws(StorageError) in
            try LedgerEngine.apply(prepared, to: &tables)
          }
        )
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Looks things up.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    let result = state.withLock { state -> Result<Value, StorageError> in
      if state.isClosed { return .failure(StorageError(.closed, "the ledger is closed")) }
      do throws(StorageError) {
        return .success(try body(state.tables))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// How many commits there were, until it is closed.
  public func stamp() -> LedgerStamp? {
    state.withLock { $0.isClosed ? nil : LedgerStamp($0.commitCount) }
  }

  /// Refuses everything from now on.
  public func close() async {
    state.withLock { $0.isClosed = true }
  }
}
