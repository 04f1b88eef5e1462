import Synchronization

/// Sends elements to every listener; those before the first listener wait for it.
///
/// Elements that are sent while there is no listener any more are lost, as in StoreKit.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    /// What waits for the first listener; nil once there was one.
    var backlog: [Element]? = []
    var numberNext = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  private let state = Mutex(State())

  func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    let (number, backlog) = state.withLock { state in
      state.numberNext += 1
      state.listeners[state.numberNext] = continuation
      defer { state.backlog = nil }
      return (state.numberNext, state.backlog ?? [])
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    for element in backlog { continuation.yield(element) }
    return stream
  }

  /// Whether anybody has ever listened.
  var wasHeard: Bool { state.withLock { $0.backlog == nil } }

  /// Whether anybody listens at present.
  var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }

  /// Takes back an element that still waits for the first listener; false when none does.
  func withdraw(where matches: (Element) -> Bool) -> Bool {
    state.withLock { state in
      guard let place = state.backlog?.firstIndex(where: matches) else { return false }
      state.backlog?.remove(at: place)
      return true
    }
  }

  func send(_ element: Element) {
    let listeners = state.withLock { state in
      state.backlog?.append(element)
      return state.listeners.sorted { $0.key < $1.key }
    }
    for (_, listener) in listeners { listener.yield(element) }
  }

  private func remove(_ number: Int) {
    state.withLock { _ = $0.listeners.removeValue(forKey: number) }
  }
}
