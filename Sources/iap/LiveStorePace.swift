import AppStoreSimulator
import Foundation
import Synchronization

/// Moves a store's clock with the real one.
///
/// - **Concurrency:** safe from any thread; every real moment is counted once.
final class LiveStorePace: Sendable {
  private let clock: VirtualClock
  private let state: Mutex<State>

  private struct State {
    var rate: Double
    var last: ContinuousClock.Instant
  }

  /// How often the clock moves when nobody asks.
  static let interval = Duration.milliseconds(100)

  init(clock: VirtualClock, rate: Double) {
    self.clock = clock
    state = Mutex(State(rate: rate, last: .now))
  }

  /// The pace as the store's face wants it.
  var face: ClockPace {
    ClockPace(
      rate: { [self] in state.withLock { $0.rate } },
      setRate: { [self] rate in
        synchronize()
        state.withLock { $0.rate = rate }
      },
      synchronize: { [self] in synchronize() }
    )
  }

  /// Brings the store's clock up to date.
  func synchronize() {
    let seconds = state.withLock { state in
      let now = ContinuousClock.now
      let passed = (now - state.last) / .seconds(1)
      state.last = now
      return passed * state.rate
    }
    if seconds > 0 { clock.advance(by: seconds) }
  }

  /// Moves the clock until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.interval)
      synchronize()
    }
  }
}
