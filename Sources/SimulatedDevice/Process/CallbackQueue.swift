import Synchronization

/// Runs callbacks one after another on the main actor, for as long as the process lives.
final class CallbackQueue: Sendable {
  private struct State {
    var waiting: [@MainActor @Sendable () -> Void] = []
    var isRunning = false
    var isPaused = false

    /// Whether somebody has to run what waits, from now on.
    mutating func begin() -> Bool {
      guard !isRunning, !isPaused, !waiting.isEmpty else { return false }
      isRunning = true
      return true
    }
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
      return state.begin()
    }
  }

  /// Runs nothing more before ``resume()``.
  func pause() { state.withLock { $0.isPaused = true } }

  /// Lets callbacks run again.
  ///
  /// - Returns: Whether somebody has to call ``run()``.
  func resume() -> Bool {
    state.withLock { state in
      state.isPaused = false
      return state.begin()
    }
  }

  @MainActor func run() {
    while let callback = takeNext() {
      if life.isAlive { callback() }
    }
  }

  private func takeNext() -> (@MainActor @Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty, !state.isPaused else {
        state.isRunning = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
