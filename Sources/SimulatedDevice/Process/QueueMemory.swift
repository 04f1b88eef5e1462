import AppStoreSimulator
import StoreKit
import Synchronization

/// What a device remembers of StoreKit 1's queue beside the store: failures that were not finished.
final class QueueMemory: Sendable {
  private struct State {
    var failures: [SKPaymentTransaction] = []
  }

  private let state = Mutex(State())

  func failed(_ entry: SKPaymentTransaction) {
    state.withLock { $0.failures.append(entry) }
  }

  func finished(_ entry: SKPaymentTransaction) {
    state.withLock { $0.failures.removeAll { $0 == entry } }
  }

  /// The failures that were not finished, the oldest first.
  func failures() -> [SKPaymentTransaction] { state.withLock { $0.failures } }
}
