import IAPModel
import ServerStorage
import Synchronization

/// What the servers' ledger has on its disk: it outlives their processes.
///
/// A commit reaches the disk and the memory in one step, so a kill before it loses the write and a
/// kill after it loses only the answer.
final class ServerDisk: Sendable {
  private struct State {
    var written: [LedgerWrite] = []
    /// How many of the writes survive.
    var flushedCount = 0
    var memory = InMemoryLedger()
    var refusal: StorageError?
  }

  private let state = Mutex(State())
  /// Whether a write that failed is answered as if it had not: a planted bug.
  private let hidesFailures: Bool
  /// Whether a write is answered before it is flushed: a planted bug.
  private let flushesLate: Bool

  init(hidesFailures: Bool = false, flushesLate: Bool = false) {
    self.hidesFailures = hidesFailures
    self.flushesLate = flushesLate
  }

  /// What the servers read.
  var memory: InMemoryLedger { state.withLock { $0.memory } }

  /// Why nothing can be written at present.
  var refusal: StorageError? {
    get { state.withLock { $0.refusal } }
    set { state.withLock { $0.refusal = newValue } }
  }

  /// Writes and flushes.
  func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome {
    if let refusal {
      guard !hidesFailures else { return WriteOutcome(ofNothing: write) }
      throw refusal
    }
    let outcome = try await memory.commit(write)
    state.withLock { state in
      state.written.append(write)
      if !flushesLate || state.written.count % 3 == 0 { state.flushedCount = state.written.count }
    }
    return outcome
  }

  /// Flushes what was written without.
  func flush() { state.withLock { $0.flushedCount = $0.written.count } }

  /// A server died: what was not flushed is gone.
  func lose() async {
    let kept: [LedgerWrite]? = state.withLock { state in
      guard state.flushedCount < state.written.count else { return nil }
      state.written.removeLast(state.written.count - state.flushedCount)
      return state.written
    }
    guard let kept else { return }
    let memory = InMemoryLedger()
    for write in kept { _ = try? await memory.commit(write) }
    state.withLock { $0.memory = memory }
  }
}

extension WriteOutcome {
  /// What a write would have come to whose facts were all known.
  fileprivate init(ofNothing write: LedgerWrite) {
    self.init()
    facts = write.facts.map { _ in .known }
    documents = write.documents.map { _ in .kept(nil) }
    ordersOpened = write.orders.map { _ in false }
  }
}

/// The ledger as one server process sees it: after its death nothing is written and no answer
/// comes back.
struct LivingLedger: Ledger {
  private static let (beforeCommit, afterCommit) = ("before the commit", "after the commit")
  private static let reading = "reading"
  /// The places at which a server can die.
  static let places = [beforeCommit, afterCommit, reading]

  let disk: ServerDisk
  let life: ServerLife

  func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome {
    await life.pass(Self.beforeCommit)
    let result: Result<WriteOutcome, StorageError>
    do throws(StorageError) {
      result = .success(try await disk.commit(write))
    } catch {
      result = .failure(error)
    }
    await life.pass(Self.afterCommit)
    return try result.get()
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    await life.pass(Self.reading)
    return try await disk.memory.read(body)
  }

  func close() async {}
}
