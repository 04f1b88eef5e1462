import Synchronization

/// Wakes up whoever waits for events of this process; events of other processes are found by
/// looking now and then.
final class EventBell: Sendable {
  private struct State {
    var rings: Int64 = 0
    var isClosed = false
    var nextTicket: Int64 = 0
    var waiting: [Int64: CheckedContinuation<Void, Never>] = [:]
    /// Tickets whose waiting is to end before it has begun.
    var ended: Set<Int64> = []
  }

  private let state = Mutex(State())

  /// How often it was rung.
  var rings: Int64 { state.withLock(\.rings) }

  /// Whether nobody is to wait any more.
  var isClosed: Bool { state.withLock(\.isClosed) }

  /// Wakes up everybody who waits.
  func ring() { wake { $0.rings += 1 } }

  /// Wakes up everybody who waits, now and from now on.
  func close() { wake { $0.isClosed = true } }

  /// Waits until it is rung more often than so many times, or for as long as `pause` takes.
  ///
  /// - Parameters:
  ///   - rings: How often it had been rung when the caller looked last.
  ///   - pause: Ends the waiting when it returns.
  func wait(after rings: Int64, atMost pause: @escaping @Sendable () async -> Void) async {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        await withTaskCancellationHandler {
          await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
              let isEnded = state.ended.remove(ticket) != nil
              if isEnded || state.isClosed || state.rings > rings { return true }
              state.waiting[ticket] = continuation
              return false
            }
            if isDone { continuation.resume() }
          }
        } onCancel: {
          end(ticket)
        }
      }
      group.addTask { await pause() }
      await group.next()
      group.cancelAll()
    }
    state.withLock { _ = $0.ended.remove(ticket) }
  }

  private func end(_ ticket: Int64) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if let waiter = state.waiting.removeValue(forKey: ticket) { return waiter }
      state.ended.insert(ticket)
      return nil
    }
    waiter?.resume()
  }

  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiter in waiting { waiter.resume() }
  }
}
