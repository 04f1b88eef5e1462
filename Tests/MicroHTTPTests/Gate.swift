import Synchronization

/// Holds tasks up until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals = 0
    var arrivalWaiters: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  /// Waits until the gate is open.
  func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, arrived) = state.withLock { state in
        state.arrivals += 1
        if !state.isOpen { state.waiting.append(continuation) }
        defer { state.arrivalWaiters = [] }
        return (state.isOpen, state.arrivalWaiters)
      }
      for waiter in arrived { waiter.resume() }
      if isOpen { continuation.resume() }
    }
  }

  /// Waits until somebody stands at the gate.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.arrivals == 0 { state.arrivalWaiters.append(continuation) }
        return state.arrivals > 0
      }
      if isThere { continuation.resume() }
    }
  }

  /// Lets everybody through, now and later.
  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}
