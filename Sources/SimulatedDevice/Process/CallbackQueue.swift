import Synchronization

/// Runs callbacks one after another on the main actor, for as long as the process lives.
final class CallbackQueue: Sendable {
  private struct State {
    var waiting: [@MainActor @Sendable () -> Void] = []
    var isRunning = false
  }

  private let life: ProcessLife
  private let state = Mutex(State())

  init(life: ProcessLife) {
    self.life = life
  }

  /// Puts a callback behind the others.
  ///
  /// - Returns: Whether somebody has to call ``run()``.
  func append(_ callback: @escaping @MainActor @Sendable () -> Void) -> Bool {
    state.withLock { state in
      state.waiting.append(callback)
      defer { state.isRunning = true }
      return !state.isRunning
    }
  }

  @MainActor func run() {
    while let callback = takeNext() {
      if life.isAlive { callback() }
    }
  }

  private func takeNext() -> (@MainActor @Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
