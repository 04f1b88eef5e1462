import Dispatch
import Foundation
import ServerStorage
import Synchronization
import Testing

/// A commit that stands still until it is let go, and remembers what it was given.
private final class Gate: Sendable {
  let batches = Mutex<[Int]>([])
  private let entered = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)

  func commit(_ writes: [PreparedWrite]) -> [Result<WriteOutcome, StorageError>] {
    batches.withLock { $0.append(writes.count) }
    if writes.contains(where: { $0.write.date == Make.date(0) }) {
      entered.signal()
      released.wait()
    }
    if writes.contains(where: { $0.write.date == Make.date(-1) }) {
      return writes.map { _ in .failure(StorageError(.full, "no room")) }
    }
    return writes.map { _ in .success(WriteOutcome()) }
  }

  /// Returns when the write of instant 0 is being committed.
  func isEntered() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.entered.wait()
        continuation.resume()
      }
    }
  }

  func release() { released.signal() }
}

@Suite struct LedgerWriterTests {
  private let gate = Gate()

  private func writer(_ limits: LedgerLimits = LedgerLimits()) -> LedgerWriter {
    let gate = self.gate
    return LedgerWriter(label: "test", limits: limits) { gate.commit($0) }
  }

  private func submit(
    _ seconds: TimeInterval,
    to writer: LedgerWriter
  ) -> Task<StorageError?, Never> {
    Task {
      do throws(StorageError) {
        let write = LedgerWrite(date: Make.date(seconds))
        let limits = LedgerLimits()
        let prepared = try PreparedWrite(write, limits: limits, isPacking: false)
        _ = try await writer.submit(prepared)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Returns when that many writes wait.
  private func wait(for count: Int, in writer: LedgerWriter) async {
    while writer.waitingCount < count { await Task.yield() }
  }

  @Test func writesThatComeDuringAFlushShareTheNextOne() async {
    let writer = writer()
    let first = submit(0, to: writer)
    await gate.isEntered()
    let others = (1...5).map { submit(TimeInterval($0), to: writer) }
    await wait(for: 5, in: writer)
    gate.release()
    #expect(await first.value == nil)
    for other in others { #expect(await other.value == nil) }
    #expect(gate.batches.withLock { $0 } == [1, 5])
  }

  @Test func failedCommitFailsEveryWriteOfItsBatchAndNoOther() async {
    let writer = writer()
    let first = submit(0, to: writer)
    await gate.isEntered()
    let others = [-1.0, 1, 2].map { submit($0, to: writer) }
    await wait(for: 3, in: writer)
    gate.release()
    #expect(await first.value == nil)
    for other in others {
      let error = await other.value
      #expect(error == StorageError(.full, ""))
      #expect(error?.isRetryable == true)
    }
    #expect(await submit(3, to: writer).value == nil)
  }

  @Test func batchesAreLimited() async {
    var limits = LedgerLimits()
    limits.writesPerCommitMax = 2
    let writer = writer(limits)
    let first = submit(0, to: writer)
    await gate.isEntered()
    let others = (1...5).map { submit(TimeInterval($0), to: writer) }
    await wait(for: 5, in: writer)
    gate.release()
    _ = await first.value
    for other in others { _ = await other.value }
    #expect(gate.batches.withLock { $0 } == [1, 2, 2, 1])
  }

  @Test func oneMoreThanMayWaitIsRefusedAsBusy() async {
    var limits = LedgerLimits()
    limits.waitingWritesMax = 3
    let writer = writer(limits)
    let first = submit(0, to: writer)
    await gate.isEntered()
    let others = (1...3).map { submit(TimeInterval($0), to: writer) }
    await wait(for: 3, in: writer)
    #expect(await submit(4, to: writer).value == StorageError(.busy, ""))
    gate.release()
    #expect(await first.value == nil)
    for other in others { #expect(await other.value == nil) }
  }

  @Test func closingCommitsWhatWaitsAndRefusesTheRest() async {
    let writer = writer()
    let first = submit(0, to: writer)
    await gate.isEntered()
    let second = submit(1, to: writer)
    await wait(for: 1, in: writer)
    gate.release()
    await writer.close()
    #expect(await submit(2, to: writer).value == StorageError(.closed, ""))
    #expect(await first.value == nil)
    #expect(await second.value == nil)
  }
}
