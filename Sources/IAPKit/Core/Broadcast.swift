import Foundation

/// One source of elements for any number of consumers.
///
/// Each consumer gets what is sent from the moment it asks for its stream, without a bound: an app
/// that asks for a stream reads it.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var consumers: [Int: AsyncStream<Element>.Continuation] = [:]
    var nextID = 0
  }

  private let state = Locked(State())

  init() {}

  deinit { finish() }

  /// A stream of what is sent from now on, behind what is given.
  func stream(after earlier: [Element] = []) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream()
    for element in earlier { continuation.yield(element) }
    let id = state.withLock { state in
      state.nextID += 1
      state.consumers[state.nextID] = continuation
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  /// Sends to everybody who listens.
  func send(_ element: Element) {
    for continuation in state.withLock({ Array($0.consumers.values) }) {
      continuation.yield(element)
    }
  }

  /// Ends every stream.
  func finish() {
    let consumers = state.withLock { state in
      defer { state.consumers = [:] }
      return Array(state.consumers.values)
    }
    for continuation in consumers { continuation.finish() }
  }

  private func remove(_ id: Int) {
    _ = state.withLock { $0.consumers.removeValue(forKey: id) }
  }
}
