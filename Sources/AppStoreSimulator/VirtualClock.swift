public import Foundation
import Synchronization

/// Time that moves only when it is told to.
///
/// Events run in the order of their instants, those of one instant in the order in which they were
/// scheduled, and each sees ``now`` at its own instant.
///
/// - **Concurrency:** safe from any thread. Events run on the thread that moves the clock, outside
///   of the clock's lock, so an event may schedule further events and even move the clock.
public final class VirtualClock: Sendable {
  private let state: Mutex<State>

  /// A clock that stands at the instant.
  public init(start: Date) { state = Mutex(State(now: start)) }

  /// The instant at which the clock stands.
  public var now: Date { state.withLock { $0.now } }

  /// When the next event or sleeper is due; nil when nothing is scheduled.
  public var nextDue: Date? { state.withLock { $0.queue.first?.due } }

  /// Runs the action when the clock reaches the instant.
  ///
  /// An instant that is not in the future is due at the next move, even one by zero.
  ///
  /// - Parameters:
  ///   - due: When.
  ///   - action: What; it is told the instant at which it runs.
  public func schedule(at due: Date, _ action: @escaping @Sendable (Date) -> Void) {
    state.withLock { $0.insert(due: due, .action(action)) }
  }

  /// Moves the clock forward and runs what is due on the way.
  ///
  /// - Parameter interval: Seconds; negative ones count as zero.
  public func advance(by interval: TimeInterval) {
    advance(to: now.addingTimeInterval(max(0, interval)))
  }

  /// Moves the clock forward and runs what is due on the way; it never goes back.
  ///
  /// - Parameter target: Where it shall stand.
  public func advance(to target: Date) {
    while let entry = state.withLock({ $0.takeNext(until: target) }) {
      run(entry)
    }
    state.withLock { $0.now = max($0.now, target) }
  }

  /// Moves the clock to the next event and runs all events of that instant.
  ///
  /// - Returns: False when nothing is scheduled.
  @discardableResult
  public func advanceToNextEvent() -> Bool {
    guard let due = nextDue else { return false }
    advance(to: due)
    return true
  }

  /// Waits until the clock reaches the instant.
  ///
  /// - Parameter instant: When to go on; returns at once when it is not in the future.
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func sleep(until instant: Date) async throws {
    try Task.checkCancellation()
    let ticket = state.withLock { $0.makeTicket() }
    defer { state.withLock { $0.forget(ticket) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: Waiter) in
        let answer = state.withLock { $0.wait(ticket, until: instant, waiter) }
        switch answer {
        case .waiting: break
        case .due: waiter.resume()
        case .cancelled: waiter.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      state.withLock { $0.cancel(ticket) }?.resume(throwing: CancellationError())
    }
  }

  /// Waits for as many seconds of this clock.
  ///
  /// - Parameter interval: Seconds; returns at once when they are not positive.
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func sleep(for interval: TimeInterval) async throws {
    try await sleep(until: now.addingTimeInterval(interval))
  }

  private func run(_ entry: Entry) {
    switch entry.work {
    case .action(let action): action(max(entry.due, now))
    case .sleeper(let ticket): state.withLock { $0.wake(ticket) }?.resume()
    }
  }
}

extension VirtualClock {
  private typealias Waiter = CheckedContinuation<Void, any Error>

  private enum Work {
    case action(@Sendable (Date) -> Void)
    case sleeper(Int)
  }

  private enum SleepAnswer { case waiting, due, cancelled }

  private struct Entry {
    let due: Date
    let order: Int
    let work: Work
  }

  private struct State {
    var now: Date
    /// Sorted by instant, then by order.
    var queue: [Entry] = []
    var orderNext = 0
    var waiters: [Int: Waiter] = [:]
    var cancelled: Set<Int> = []

    mutating func makeTicket() -> Int {
      orderNext += 1
      return orderNext
    }

    mutating func insert(due: Date, _ work: Work) {
      orderNext += 1
      let entry = Entry(due: due, order: orderNext, work: work)
      // The newest entry goes behind all of its instant.
      var (low, high) = (0, queue.count)
      while low < high {
        let middle = (low + high) / 2
        if queue[middle].due <= due { low = middle + 1 } else { high = middle }
      }
      queue.insert(entry, at: low)
    }

    mutating func takeNext(until target: Date) -> Entry? {
      guard let first = queue.first, first.due <= target else { return nil }
      queue.removeFirst()
      now = max(now, first.due)
      return first
    }

    mutating func wait(_ ticket: Int, until instant: Date, _ waiter: Waiter) -> SleepAnswer {
      if cancelled.remove(ticket) != nil { return .cancelled }
      if instant <= now { return .due }
      waiters[ticket] = waiter
      insert(due: instant, .sleeper(ticket))
      return .waiting
    }

    mutating func wake(_ ticket: Int) -> Waiter? { waiters.removeValue(forKey: ticket) }

    mutating func cancel(_ ticket: Int) -> Waiter? {
      guard let waiter = waiters.removeValue(forKey: ticket) else {
        // Cancelled before it waits, or after it woke: only the first needs the mark.
        cancelled.insert(ticket)
        return nil
      }
      queue.removeAll { entry in
        if case .sleeper(ticket) = entry.work { true } else { false }
      }
      return waiter
    }

    mutating func forget(_ ticket: Int) { cancelled.remove(ticket) }
  }
}
