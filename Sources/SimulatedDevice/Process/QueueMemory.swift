import StoreKit
import Synchronization

/// What a device remembers of StoreKit 1's queue beside the store: failures that were not finished.
final class QueueMemory: Sendable {
  /// A failed payment; the number finds it again.
  struct Failure: Sendable {
    let number: Int
    let payment: PaymentValue
    let error: any Error
  }

  private let state = Mutex((numberNext: 0, failures: [Failure]()))

  /// Remembers a failure until it is finished.
  func failed(_ payment: PaymentValue, _ error: any Error) -> Failure {
    state.withLock { state in
      state.numberNext += 1
      let failure = Failure(number: state.numberNext, payment: payment, error: error)
      state.failures.append(failure)
      return failure
    }
  }

  func finished(_ number: Int) {
    state.withLock { $0.failures.removeAll { $0.number == number } }
  }

  /// The failures that were not finished, the oldest first.
  func failures() -> [Failure] { state.withLock { $0.failures } }
}
