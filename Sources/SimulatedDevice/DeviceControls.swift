import AppStoreSimulator
import Foundation
import Synchronization

/// What a test has set on a device.
final class DeviceControls: Sendable {
  private struct State {
    var failures: [FailableCall: ForcedFailure] = [:]
    var locale: String?
    var isLocked = false
    /// Purchases that wait until the person has settled something.
    var interrupted: [PurchaseRequest] = []
  }

  private let state = Mutex(State())

  func failure(of call: FailableCall) -> ForcedFailure? { state.withLock { $0.failures[call] } }

  func setFailure(_ failure: ForcedFailure?, of call: FailableCall) {
    state.withLock { $0.failures[call] = failure }
  }

  /// The language of the device; nil for the catalog's.
  var locale: String? {
    get { state.withLock { $0.locale } }
    set { state.withLock { $0.locale = newValue } }
  }

  var isLocked: Bool {
    get { state.withLock { $0.isLocked } }
    set { state.withLock { $0.isLocked = newValue } }
  }

  func interrupt(_ request: PurchaseRequest) { state.withLock { $0.interrupted.append(request) } }

  func takeInterrupted() -> [PurchaseRequest] {
    state.withLock { state in
      defer { state.interrupted = [] }
      return state.interrupted
    }
  }

  /// Everything as it was at first.
  func reset() {
    state.withLock { state in
      state.failures = [:]
      state.locale = nil
    }
  }
}
