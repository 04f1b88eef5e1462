import Foundation
import IAPKit

/// A clock that stands still until it is moved.
final class FakeClock: Sendable {
  private struct Sleeper {
    let due: Date
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Date
    var sleepers: [Int: Sleeper] = [:]
    var nextSleeper = 0
  }

  private let state: Locked<State>

  init(now: Date) { state = Locked(State(now: now)) }

  var now: Date { state.withLock { $0.now } }

  /// The first moment after now at which somebody wants to be woken.
  var nextWaking: Date? {
    state.withLock { state in state.sleepers.values.map(\.due).min() }
  }

  /// Waits until the clock was moved to the date.
  func sleep(until due: Date) async throws {
    let number = state.withLock { state in
      state.nextSleeper += 1
      return state.nextSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let end: Result<Void, any Error>? = state.withLock { state in
          // A task that was cancelled before has no sleeper to be found by its handler.
          if Task.isCancelled { return .failure(CancellationError()) }
          if due <= state.now { return .success(()) }
          state.sleepers[number] = Sleeper(due: due, continuation: continuation)
          return nil
        }
        if let end { continuation.resume(with: end) }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock and wakes whose time has come, the earliest first; it never goes back.
  func move(to date: Date) {
    let due = state.withLock { state in
      state.now = max(state.now, date)
      let due = state.sleepers.filter { $0.value.due <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.value)
    }
    for sleeper in due { sleeper.continuation.resume() }
  }
}
