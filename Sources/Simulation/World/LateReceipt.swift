import SimulatedDevice
import Synchronization

/// The receipt of a telephone on whose disk a new one appears late: what is read at first after a
/// purchase is the one of before, even when the store was asked for another.
final class LateReceipt: Sendable {
  /// How often the old one is read.
  static let readsMax = 4

  private struct State {
    var shown: [UInt8]?
    var reads = 0
  }

  private let state = Mutex(State())

  /// What is read now.
  func read(_ device: SimulatedDevice) -> [UInt8]? {
    next(device.receipt)
  }

  /// What is read when there is a receipt.
  func next(_ newest: [UInt8]?) -> [UInt8]? {
    state.withLock { state in
      if state.shown != nil, state.shown != newest, state.reads < Self.readsMax {
        state.reads += 1
      } else {
        (state.shown, state.reads) = (newest, 0)
      }
      return state.shown
    }
  }
}
