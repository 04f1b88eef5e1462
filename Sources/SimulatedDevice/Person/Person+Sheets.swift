public import AppStoreSimulator
public import IAPModel

/// What the person does where an app asks for money back.
public enum RefundAnswer: Hashable, Sendable {
  /// Asks for it, and says why.
  case ask(ConsumptionRequestReason)
  /// Closes the sheet.
  case cancel
}

/// What the person does where a higher price is shown.
public enum PriceAnswer: Hashable, Sendable {
  /// Agrees.
  case agree
  /// Does not agree: the subscription is cancelled.
  case decline
  /// Closes the sheet without an answer.
  case close
}

/// What the person does where subscriptions are managed.
public enum SubscriptionWish: Hashable, Sendable {
  /// Switches the renewal of the group's subscription off.
  case cancel(SubscriptionGroupID)
  /// Switches the renewal of the group's subscription on again.
  case resume(SubscriptionGroupID)
  /// Takes another product of a group, or one that had ended.
  case change(to: ProductID)
}

// The sheets that ask for no money.
extension Person {
  /// What the person does at every refund sheet that nothing else was planned for; at first, asks.
  public var refundAnswer: RefundAnswer {
    get { read { $0.refund.usual } }
    set { change { $0.refund.usual = newValue } }
  }

  /// Plans what the person does at the next refund sheets, before the usual answer.
  public func willAnswerRefund(_ answers: RefundAnswer...) {
    change { $0.refund.next += answers }
  }

  /// What the person does wherever a higher price is shown and nothing else was planned for; at
  /// first, closes the sheet.
  public var priceAnswer: PriceAnswer {
    get { read { $0.price.usual } }
    set { change { $0.price.usual = newValue } }
  }

  /// Plans what the person does at the next sheets about a price, before the usual answer.
  public func willAnswerPrice(_ answers: PriceAnswer...) {
    change { $0.price.next += answers }
  }

  /// The code that the person enters where an app asks for one; nil closes the sheet.
  public var offerCode: OfferCode? {
    get { read { $0.offerCode } }
    set { change { $0.offerCode = newValue } }
  }

  /// What the person does at the next sheet for subscriptions, in this order; then nothing.
  public var subscriptionWishes: [SubscriptionWish] {
    get { read { $0.subscriptionWishes } }
    set { change { $0.subscriptionWishes = newValue } }
  }

  /// Whether the person mends the payment when the system says that it failed.
  public var mendsPayment: Bool {
    get { read { $0.mendsPayment } }
    set { change { $0.mendsPayment = newValue } }
  }

  /// Whether the person takes the first offer that shall win him or her back.
  public var acceptsWinBackOffers: Bool {
    get { read { $0.acceptsWinBackOffers } }
    set { change { $0.acceptsWinBackOffers = newValue } }
  }

  func takeRefundAnswer() -> RefundAnswer { change { $0.refund.take() } }

  func takePriceAnswer() -> PriceAnswer { change { $0.price.take() } }

  func takeSubscriptionWishes() -> [SubscriptionWish] {
    change { state in
      defer { state.subscriptionWishes = [] }
      return state.subscriptionWishes
    }
  }
}
