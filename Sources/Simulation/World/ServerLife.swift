import Synchronization

/// One run of a server process.
final class ServerLife: Sendable {
  private struct State {
    var isAlive = true
    var watchNext = 0
    var watches: [Int: @Sendable () -> Void] = [:]
    /// Where requests are that have not been answered.
    var places: [String: Int] = [:]
  }

  private let state = Mutex(State())

  var isAlive: Bool { state.withLock { $0.isAlive } }

  /// Passes a place at which the process can die; never returns when it has.
  func pass(_ place: String) async {
    state.withLock { $0.places[place, default: 0] += 1 }
    await Task.yield()
    guard isAlive else {
      // Dropped on purpose: nobody may resume a dead process.
      return await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    state.withLock { $0.places[place, default: 1] -= 1 }
  }

  /// Ends it.
  ///
  /// - Returns: The places at which something was under way, in order.
  func kill() -> [String] {
    let (watches, places) = state.withLock { state in
      defer { state.watches = [:] }
      state.isAlive = false
      return (state.watches, state.places.filter { $0.value > 0 }.keys.sorted())
    }
    for (_, watch) in watches.sorted(by: { $0.key < $1.key }) { watch() }
    return places
  }

  /// Calls the closure when it ends, unless the watch has ended; nil when it has ended already.
  func onKill(_ watch: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard state.isAlive else { return nil }
      state.watchNext += 1
      state.watches[state.watchNext] = watch
      return state.watchNext
    }
  }

  /// Ends a watch; false when it was called.
  func endWatch(_ number: Int) -> Bool {
    state.withLock { $0.watches.removeValue(forKey: number) != nil }
  }
}
