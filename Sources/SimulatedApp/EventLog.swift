import Synchronization

/// Everything that was told, in order, with a way to wait for what is still to come.
package final class EventLog<Element: Sendable>: Sendable {
  private struct Waiter {
    let isMet: @Sendable ([Element]) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var elements: [Element] = []
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Everything so far.
  package var elements: [Element] { state.withLock { $0.elements } }

  /// Adds one and wakes those who waited for it.
  package func append(_ element: Element) { wake(after: element) }

  /// Asks those who wait to look again: something outside of this log has changed.
  package func lookAgain() { wake(after: nil) }

  private func wake(after element: Element?) {
    let met = state.withLock { state in
      if let element { state.elements.append(element) }
      // Asked once each: what a condition looks at may change between two questions, and a waiter
      // that is met by the second one only would be forgotten.
      var met: [Waiter] = []
      var others: [Waiter] = []
      for waiter in state.waiters {
        if waiter.isMet(state.elements) { met.append(waiter) } else { others.append(waiter) }
      }
      state.waiters = others
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }

  /// Waits until the condition holds for everything so far.
  ///
  /// - Parameter isMet: The condition; pure, because it is asked more than once.
  package func wait(until isMet: @escaping @Sendable ([Element]) -> Bool) async {
    await withCheckedContinuation { continuation in
      let holds = state.withLock { state in
        if isMet(state.elements) { return true }
        state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
        return false
      }
      if holds { continuation.resume() }
    }
  }

  /// Waits until an element of the kind was told.
  ///
  /// - Parameter matches: Which elements count.
  package func wait(for matches: @escaping @Sendable (Element) -> Bool) async {
    await wait(until: { $0.contains(where: matches) })
  }
}
