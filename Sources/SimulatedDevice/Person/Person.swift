public import AppStoreSimulator
import Synchronization

/// What the person does at a payment sheet.
public enum PersonAnswer: Hashable, Sendable {
  /// Pays.
  case confirm
  /// Closes the sheet.
  case cancel
  /// Asks a parent.
  case askParent
  /// Tries, and the store refuses for this reason.
  case fail(StoreFailure)
  /// Leaves the sheet open until ``PaymentSheet`` is told what to do.
  case hold
}

/// The person who holds the device.
public final class Person: Sendable {
  private struct State {
    var usual = PersonAnswer.confirm
    var next: [PersonAnswer] = []
    var isAllowedToPay = true
    var signsIn = true
  }

  private let state = Mutex(State())

  init() {}

  /// What the person does at every sheet that nothing else was planned for; at first, pays.
  public var usualAnswer: PersonAnswer {
    get { state.withLock { $0.usual } }
    set { state.withLock { $0.usual = newValue } }
  }

  /// Whether the person may pay at all; Screen Time can forbid it.
  public var isAllowedToPay: Bool {
    get { state.withLock { $0.isAllowedToPay } }
    set { state.withLock { $0.isAllowedToPay = newValue } }
  }

  /// Whether the person signs in when the App Store asks for it: for a restore, a
  /// synchronisation, or a new receipt.
  public var signsIn: Bool {
    get { state.withLock { $0.signsIn } }
    set { state.withLock { $0.signsIn = newValue } }
  }

  /// Plans what the person does at the next sheets, one after another, before the usual answer.
  public func willAnswer(_ answers: PersonAnswer...) {
    state.withLock { $0.next += answers }
  }

  func takeAnswer() -> PersonAnswer {
    state.withLock { $0.next.isEmpty ? $0.usual : $0.next.removeFirst() }
  }
}
