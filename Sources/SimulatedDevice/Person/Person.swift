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
  struct State {
    var payment = Answers(usual: PersonAnswer.confirm)
    var refund = Answers(usual: RefundAnswer.ask(.other))
    var price = Answers(usual: PriceAnswer.close)
    var isAllowedToPay = true
    var signsIn = true
    var offerCode: OfferCode?
    var subscriptionWishes: [SubscriptionWish] = []
    var mendsPayment = false
    var acceptsWinBackOffers = false
    var paymentNeedsAction = false
  }

  private let state = Mutex(State())

  init() {}

  func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

  func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    state.withLock { body(&$0) }
  }

  /// What the person does at every sheet that nothing else was planned for; at first, pays.
  public var usualAnswer: PersonAnswer {
    get { read { $0.payment.usual } }
    set { change { $0.payment.usual = newValue } }
  }

  /// Whether the person may pay at all; Screen Time can forbid it.
  public var isAllowedToPay: Bool {
    get { read { $0.isAllowedToPay } }
    set { change { $0.isAllowedToPay = newValue } }
  }

  /// Whether the person has to act before a payment is charged, for example at the bank.
  ///
  /// Every purchase is interrupted then: it fails first, and is charged when the device is told
  /// that the person has settled it.
  public var paymentNeedsAction: Bool {
    get { read { $0.paymentNeedsAction } }
    set { change { $0.paymentNeedsAction = newValue } }
  }

  /// Whether the person signs in when the App Store asks for it: for a restore, a
  /// synchronisation, or a new receipt.
  public var signsIn: Bool {
    get { read { $0.signsIn } }
    set { change { $0.signsIn = newValue } }
  }

  /// Plans what the person does at the next sheets, one after another, before the usual answer.
  public func willAnswer(_ answers: PersonAnswer...) {
    change { $0.payment.next += answers }
  }

  func reset() { change { $0 = State() } }

  func takeAnswer() -> PersonAnswer { change { $0.payment.take() } }
}

/// What a person does at sheets of one kind: what was planned first, then the usual.
struct Answers<Answer: Sendable>: Sendable {
  var usual: Answer
  var next: [Answer] = []

  init(usual: Answer) { self.usual = usual }

  mutating func take() -> Answer { next.isEmpty ? usual : next.removeFirst() }
}
