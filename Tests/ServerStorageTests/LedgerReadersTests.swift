import Dispatch
import ServerStorage
import Synchronization
import Testing

/// The pool of reading connections, and how much may wait for one.
@Suite struct LedgerReadersTests {
  /// A connection that is held until it is let go.
  private final class Held: LedgerReader {
    let queue = DispatchQueue(label: "held")
    let gate = DispatchSemaphore(value: 0)

    func read<Value: Sendable>(
      _ body: @Sendable (any LedgerReading) throws(StorageError) -> Value
    ) -> Result<Value, StorageError> {
      gate.wait()
      return .failure(StorageError(.closed, "let go"))
    }

    func close() {}
  }

  /// Why reads were refused, in order.
  private final class Refusals: Sendable {
    private let all = Mutex<[StorageError.Code]>([])
    var codes: [StorageError.Code] { all.withLock { $0 } }
    func add(_ code: StorageError.Code) { all.withLock { $0.append(code) } }
  }

  private static func read(_ readers: LedgerReaders<Held>, _ refusals: Refusals) async {
    do throws(StorageError) { _ = try await readers.read { _ in 0 } } catch {
      refusals.add(error.code)
    }
  }

  @Test func oneReadMoreThanMayWaitIsRefusedAsBusy() async throws {
    let held = Held()
    let readers = LedgerReaders([held], waitingMax: 2)
    let refusals = Refusals()
    await withTaskGroup(of: Void.self) { group in
      // One has the connection, two wait: as many as may.
      for _ in 0..<3 { group.addTask { await Self.read(readers, refusals) } }
      while readers.waitingCount < 2 { await Task.yield() }
      #expect(refusals.codes == [])
      group.addTask { await Self.read(readers, refusals) }
      while refusals.codes.isEmpty { await Task.yield() }
      #expect(refusals.codes == [.busy])
      for _ in 0..<3 { held.gate.signal() }
    }
    #expect(refusals.codes == [.busy, .closed, .closed, .closed])
    await readers.close()
  }
}
