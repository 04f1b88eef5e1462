import AppStoreSimulator
public import Foundation
import Synchronization

/// The way between a device and the store: how long it takes, and whether answers arrive.
///
/// Airplane mode is another matter: without network nothing leaves the device.
///
/// - **Units:** seconds of the store's clock.
/// - **Concurrency:** safe from any thread.
public final class DeviceConnection: Sendable {
  private struct State {
    var delay: TimeInterval = 0
    var answersToLose = 0
    var underway = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  init() {}

  /// How long a call of the app takes to reach the store; zero for no time at all.
  public var delay: TimeInterval {
    get { state.withLock { $0.delay } }
    set { state.withLock { $0.delay = max(0, newValue) } }
  }

  /// How many of the next answers get lost: the store has done what it was asked, and the app hears
  /// of a broken connection.
  public var answersToLose: Int {
    get { state.withLock { $0.answersToLose } }
    set { state.withLock { $0.answersToLose = max(0, newValue) } }
  }

  /// How many calls are on their way to the store.
  public var underwayCount: Int { state.withLock { $0.underway } }

  /// Waits until so many calls are on their way to the store.
  public func waitUntilUnderway(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isSo = state.withLock { state in
        if state.underway < count { state.waiters.append((count, continuation)) }
        return state.underway >= count
      }
      if isSo { continuation.resume() }
    }
  }

  /// Takes the time that the way takes.
  func travel(by clock: VirtualClock) async {
    let delay = delay
    guard delay > 0 else { return }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      clock.schedule(at: clock.now.addingTimeInterval(delay)) { [self] _ in
        state.withLock { $0.underway -= 1 }
        continuation.resume()
      }
      let reached = state.withLock { state in
        state.underway += 1
        let (due, rest) = (
          state.waiters.filter { $0.count <= state.underway },
          state.waiters.filter { $0.count > state.underway }
        )
        state.waiters = rest
        return due
      }
      for waiter in reached { waiter.continuation.resume() }
    }
  }

  /// Whether this answer gets lost.
  func takeLoss() -> Bool {
    state.withLock { state in
      guard state.answersToLose > 0 else { return false }
      state.answersToLose -= 1
      return true
    }
  }
}
