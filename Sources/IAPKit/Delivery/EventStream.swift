/// Tells any number of consumers what happens, in one order for all.
package final class EventStream: Sendable {
  /// How many past events a late consumer can ask for.
  package static let pastEventsMax = 256

  private struct State {
    var past: [FunnelEvent] = []
    var consumers: [Int: AsyncStream<FunnelEvent>.Continuation] = [:]
    var nextConsumer = 0
    var count = 0
  }

  private let state = Locked(State())

  package init() {}

  /// A stream of what happens from now on.
  ///
  /// - Parameter replaying: Whether it begins with what happened before in this process, at most
  ///   ``pastEventsMax`` events.
  /// - Returns: A stream of its own; it ends when its task is cancelled.
  package func subscribe(replaying: Bool = false) -> AsyncStream<FunnelEvent> {
    AsyncStream { continuation in
      let number = state.withLock { state in
        let number = state.nextConsumer
        state.nextConsumer += 1
        state.consumers[number] = continuation
        if replaying { for event in state.past { continuation.yield(event) } }
        return number
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.consumers.removeValue(forKey: number) }
      }
    }
  }

  /// How many events were sent so far.
  var count: Int { state.withLock { $0.count } }

  package func send(_ event: FunnelEvent) {
    state.withLock { state in
      state.count += 1
      state.past.append(event)
      if state.past.count > Self.pastEventsMax { state.past.removeFirst() }
      for (_, consumer) in state.consumers.sorted(by: { $0.key < $1.key }) {
        consumer.yield(event)
      }
    }
  }
}
