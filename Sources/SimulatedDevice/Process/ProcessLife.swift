import Synchronization

/// Whether an app process lives, and when it is to die.
final class ProcessLife: Sendable {
  private struct State {
    var isAlive = true
    var isSuspended = false
    /// What waits until the process runs again.
    var waiters: [UnsafeContinuation<Void, Never>] = []
    /// How many more times each step is passed unharmed, counting the deadly one.
    var deadly: [KillStep: Int] = [:]
    var passed: [KillStep: Int] = [:]
    var deathStep: KillStep?
    var watchNext = 0
    var watches: [Int: @Sendable () -> Void] = [:]
  }

  /// The process's number on its device.
  let number: Int
  private let state = Mutex(State())

  init(number: Int) {
    self.number = number
  }

  var isAlive: Bool { state.withLock { $0.isAlive } }

  /// How often a step was passed, the deadly time included.
  func passCount(_ step: KillStep) -> Int { state.withLock { $0.passed[step] ?? 0 } }

  /// The step at which it was to die and did; nil while it lives, or when it was ended otherwise.
  var deathStep: KillStep? { state.withLock { $0.deathStep } }

  /// Ends the process now; later calls do nothing.
  func kill() {
    let watches: [Int: @Sendable () -> Void] = state.withLock { state in
      guard state.isAlive else { return [:] }
      state.isAlive = false
      defer { state.watches = [:] }
      return state.watches
    }
    for (_, watch) in watches.sorted(by: { $0.key < $1.key }) { watch() }
  }

  var isSuspended: Bool { state.withLock { $0.isSuspended } }

  /// Lets no code of the process go on.
  func suspend() { state.withLock { $0.isSuspended = true } }

  /// Lets the code go on.
  func resume() {
    let waiters = state.withLock { state in
      state.isSuspended = false
      defer { state.waiters = [] }
      return state.isAlive ? state.waiters : []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Ends the process when it passes the step for the n-th time from now.
  func kill(at step: KillStep, occurrence: Int) {
    precondition(occurrence >= 1, "a step is passed for the first time at the earliest")
    state.withLock { $0.deadly[step] = occurrence }
  }

  /// Calls the closure once when the process ends.
  ///
  /// - Returns: What ends the watch; nil when the process is dead, and then nothing is called.
  func onKill(_ watch: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard state.isAlive else { return nil }
      state.watchNext += 1
      state.watches[state.watchNext] = watch
      return state.watchNext
    }
  }

  /// Ends a watch; false when it was called, or is about to be.
  func endWatch(_ number: Int) -> Bool {
    state.withLock { $0.watches.removeValue(forKey: number) != nil }
  }

  func requireAlive() throws(DeviceError) {
    guard isAlive else { throw DeviceError(.processKilled, "the app process was killed") }
  }

  /// Passes a step; the process may end here.
  func pass(_ step: KillStep) throws(DeviceError) {
    try requireAlive()
    let isDeadly = state.withLock { state in
      state.passed[step, default: 0] += 1
      guard let left = state.deadly[step] else { return false }
      state.deadly[step] = left > 1 ? left - 1 : nil
      if left == 1 { state.deathStep = step }
      return left == 1
    }
    if isDeadly { kill() }
    try requireAlive()
  }

  /// Passes a step and never returns when the process has ended.
  func passOrHang(_ step: KillStep? = nil) async {
    await waitWhileSuspended()
    await passOutsideOrHang(step)
  }

  /// Passes a step that is not in the app's code, and so is passed while that is suspended.
  func passOutsideOrHang(_ step: KillStep? = nil) async {
    do {
      if let step { try pass(step) } else { try requireAlive() }
    } catch {
      await hang()
    }
  }

  private func waitWhileSuspended() async {
    guard isSuspended else { return }
    // Not resumed when the process ends first, like all of its code.
    await withUnsafeContinuation { continuation in
      let runs = state.withLock { state in
        if state.isSuspended { state.waiters.append(continuation) }
        return !state.isSuspended
      }
      if runs { continuation.resume() }
    }
  }

  /// Suspends for ever, as the code of a dead process does.
  func hang() async {
    // The continuation is dropped on purpose: nobody may resume a dead process.
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }
}
