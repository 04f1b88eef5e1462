package import Dispatch
import Synchronization

/// One connection that reads, with a thread of its own.
package protocol LedgerReader: Sendable {
  /// Its thread.
  var queue: DispatchQueue { get }

  /// Runs `body` so that everything that it sees belongs to one instant.
  func read<Value: Sendable>(
    _ body: @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) -> Result<Value, StorageError>

  /// Closes the connection; reads that come later are refused.
  func close()
}

/// The reading connections of a ledger, with a queue in front of all of them.
package final class LedgerReaders<Reader: LedgerReader>: Sendable {
  private typealias Job = @Sendable (Reader) -> Void

  private struct State {
    var idle: [Reader]
    var waiting: [Job] = []
  }

  private let state: Mutex<State>
  private let readers: [Reader]
  private let waitingMax: Int

  /// Makes a pool of readers that nobody else uses.
  ///
  /// - Parameters:
  ///   - readers: The connections.
  ///   - waitingMax: How many reads may wait for one; one more is refused as busy.
  package init(_ readers: [Reader], waitingMax: Int) {
    precondition(!readers.isEmpty, "a ledger is read by at least one connection")
    self.readers = readers
    self.waitingMax = waitingMax
    state = Mutex(State(idle: readers))
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    let result = await withCheckedContinuation { continuation in
      let isTaken = submit { reader in continuation.resume(returning: reader.read(body)) }
      if !isTaken {
        let error = StorageError(.busy, "\(waitingMax) reads are waiting")
        continuation.resume(returning: Result<Value, StorageError>.failure(error))
      }
    }
    return try result.get()
  }

  /// How many connections there are, how many are reading, and how many reads wait.
  package var load: (readers: Int, busy: Int, waiting: Int) {
    let (idle, waiting) = state.withLock { ($0.idle.count, $0.waiting.count) }
    return (readers.count, readers.count - idle, waiting)
  }

  /// Closes the connections; reads that wait or come later are refused.
  package func close() async {
    for reader in readers {
      await withCheckedContinuation { continuation in
        reader.queue.async {
          reader.close()
          continuation.resume()
        }
      }
    }
  }

  /// Hands a job to who is idle, or lets it wait; false when too many wait already.
  private func submit(_ job: @escaping Job) -> Bool {
    let (free, isTaken) = state.withLock { state -> (Reader?, Bool) in
      if let reader = state.idle.popLast() { return (reader, true) }
      guard state.waiting.count < waitingMax else { return (nil, false) }
      state.waiting.append(job)
      return (nil, true)
    }
    if let free { free.queue.async { self.run(job, on: free) } }
    return isTaken
  }

  /// How many reads wait for a connection.
  package var waitingCount: Int { state.withLock(\.waiting.count) }

  /// Runs a job, then those that wait, then is idle.
  private func run(_ first: @escaping Job, on reader: Reader) {
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
