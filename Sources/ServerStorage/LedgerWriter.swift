import Dispatch
import Synchronization

/// Gathers writes and commits everything that waits in one transaction (group commit).
///
/// While one batch is flushed to the disk the next one gathers, so the number of flushes follows
/// the disk and not the number of requests. Commits run one after another on a thread of the
/// writer's own; a waiter is resumed after its batch was flushed.
public final class LedgerWriter: Sendable {
  /// Commits a batch and answers each write in its order.
  public typealias Commit = @Sendable ([PreparedWrite]) -> [Result<WriteOutcome, StorageError>]

  private struct Waiter {
    let write: PreparedWrite
    let continuation: CheckedContinuation<Result<WriteOutcome, StorageError>, Never>
  }

  private struct State {
    var waiting: [Waiter] = []
    var isRunning = false
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let limits: LedgerLimits
  private let commit: Commit

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - label: The name of its thread.
  ///   - limits: How much may wait, and how much is committed at once.
  ///   - commit: Commits a batch.
  public init(label: String, limits: LedgerLimits, commit: @escaping Commit) {
    self.queue = DispatchQueue(label: label)
    self.limits = limits
    self.commit = commit
  }

  /// Waits for a write to be durable.
  ///
  /// - Parameter write: What to record.
  /// - Returns: What became of it.
  /// - Throws: ``StorageError``: `busy` when too much is waiting, `closed`, or what the commit
  ///   says.
  public func submit(_ write: PreparedWrite) async throws(StorageError) -> WriteOutcome {
    let result = await withCheckedContinuation { continuation in
      let refusal = state.withLock { state -> StorageError? in
        if state.isClosed { return StorageError(.closed, "the ledger is closed") }
        guard state.waiting.count < limits.waitingWritesMax else {
          return StorageError(.busy, "\(limits.waitingWritesMax) writes are waiting")
        }
        state.waiting.append(Waiter(write: write, continuation: continuation))
        if !state.isRunning {
          state.isRunning = true
          queue.async { self.drain() }
        }
        return nil
      }
      if let refusal { continuation.resume(returning: .failure(refusal)) }
    }
    return try result.get()
  }

  /// How many writes wait to be committed, without those that are being committed.
  package var waitingCount: Int { state.withLock(\.waiting.count) }

  /// Refuses new writes and returns when those that waited are committed.
  public func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state -> Bool in
        state.isClosed = true
        if state.isRunning { state.closers.append(continuation) }
        return !state.isRunning
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Commits batches until nothing waits.
  private func drain() {
    while let batch = nextBatch() {
      let results = commit(batch.map(\.write))
      precondition(results.count == batch.count, "every write of a batch has an answer")
      for (waiter, result) in zip(batch, results) { waiter.continuation.resume(returning: result) }
    }
  }

  private func nextBatch() -> [Waiter]? {
    let (batch, closers) = state.withLock {
      state -> ([Waiter], [CheckedContinuation<Void, Never>]) in
      let batch = Array(state.waiting.prefix(limits.writesPerCommitMax))
      state.waiting.removeFirst(batch.count)
      guard batch.isEmpty else { return (batch, []) }
      state.isRunning = false
      defer { state.closers = [] }
      return ([], state.closers)
    }
    for closer in closers { closer.resume() }
    return batch.isEmpty ? nil : batch
  }
}
