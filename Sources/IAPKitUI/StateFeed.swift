/// Tells everybody who looks at a model what it shows, for views without SwiftUI.
@MainActor
final class StateFeed<State: Sendable> {
  private var listeners: [Int: AsyncStream<State>.Continuation] = [:]
  private var nextListener = 0

  /// The state, then what is sent from now on.
  func stream(from state: State) -> AsyncStream<State> {
    AsyncStream { continuation in
      let number = nextListener
      nextListener += 1
      listeners[number] = continuation
      continuation.yield(state)
      continuation.onTermination = { [weak self] _ in
        Task { @MainActor in self?.listeners[number] = nil }
      }
    }
  }

  func send(_ state: State) {
    for listener in listeners.values { listener.yield(state) }
  }
}
