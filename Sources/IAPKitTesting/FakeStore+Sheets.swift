import Foundation
public import IAPKit
import IAPModel

// What the App Store shows beside the payment sheet.
extension FakeStore {
  // MARK: Refunds

  /// Says what the next requests for money back come to; after that the App Store takes each once,
  /// and a second one for the same purchase is a duplicate.
  ///
  /// - Parameter outcomes: One for each request; names that are not known here survive.
  public func willAnswerRefundRequests(_ outcomes: RefundOutcome...) {
    sheets.state.withLock { $0.refundAnswers += outcomes }
  }

  /// The transactions that the customer asked money back for; ``refund(_:reason:)`` gives it.
  public var refundRequests: [String] { sheets.state.withLock { $0.refundRequests } }

  // MARK: Subscriptions

  /// The subscription groups whose sheet was opened; nil stands for the sheet of all.
  public var managedSubscriptionGroups: [String?] { sheets.state.withLock { $0.managedGroups } }

  // MARK: Offers

  /// Why the store refuses every purchase with an offer; nil lets it take them.
  public var offerProblem: OfferProblem? {
    get { sheets.state.withLock { $0.offerProblem } }
    set { sheets.state.withLock { $0.offerProblem = newValue } }
  }

  /// Says which code the customer enters into the next sheet for offer codes.
  ///
  /// - Parameters:
  ///   - offerId: The offer's name.
  ///   - productId: The subscription.
  ///   - terms: What it offers; nil for a free period.
  /// - Throws: ``FakeStoreError``.
  public func willEnterCode(
    _ offerId: String,
    for productId: String,
    terms: IAPOffer? = nil
  ) throws(FakeStoreError) {
    let sale = try saleOfCode(offerId, for: productId, terms: terms)
    sheets.state.withLock { $0.codes.append(sale) }
  }

  func saleOfCode(
    _ offerId: String,
    for productId: String,
    terms: IAPOffer?
  ) throws(FakeStoreError) -> FakeSale {
    let period = try books { (ledger) throws(FakeStoreError) in
      try ledger.product(ProductID(productId)).subscriptionPeriod
    }
    let offer = IAPOffer(
      id: offerId,
      type: .code,
      paymentMode: terms?.paymentMode ?? .freeTrial,
      price: terms?.price ?? 0,
      displayPrice: terms?.displayPrice ?? "",
      period: terms?.period ?? period,
      periodCount: terms?.periodCount ?? 1
    )
    return FakeSale(productID: ProductID(productId), offer: offer, source: .updates)
  }

  // MARK: Messages

  /// The App Store has something to tell; an app that does not hold messages back has it shown at
  /// once.
  ///
  /// - Parameter message: What.
  public func sendMessage(_ message: StoreMessage) async {
    let feed = sheets.messages
    guard feed.isConsumed else { return sheets.show(message) }
    feed.send(HeldMessage(message) { [sheets] _ in sheets.show(message) })
    await feed.whenIdle()
  }

  /// The messages that the customer has seen, the oldest first.
  public var shownMessages: [StoreMessage] { sheets.state.withLock { $0.shownMessages } }

  // MARK: Promoted purchases

  /// The customer taps a product's price in the App Store, and comes to the app.
  ///
  /// It returns when the purchase is over, waits for the app, or its payment sheet stays open.
  ///
  /// - Parameters:
  ///   - productId: The product.
  ///   - winBackOffer: The offer that the customer saw beside it.
  /// - Throws: ``FakeStoreError``.
  public func promote(
    _ productId: String,
    winBackOffer: String? = nil
  ) async throws(FakeStoreError) {
    let product = try books { (ledger) throws(FakeStoreError) in
      try ledger.product(ProductID(productId))
    }
    if let winBackOffer, !product.winBackOffers.contains(where: { $0.id == winBackOffer }) {
      throw FakeStoreError(code: .unknownOffer, subject: winBackOffer)
    }
    guard let manager = runningManager else {
      throw FakeStoreError(code: .notLaunched, subject: productId)
    }
    let before = manager.answeredPromotedCount
    send(.promoted(PromotedPurchase(productId: productId, offerId: winBackOffer)))
    for _ in 0..<IAPManager.turnsMax {
      guard manager.answeredPromotedCount == before, !sheet.isOpen else { break }
      await Task.yield()
    }
    await settle()
  }
}
