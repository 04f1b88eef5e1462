public import Foundation
import IAPModel

// The App Store's own sheets.
extension IAPManager {
  /// Where subscriptions can be managed when there is no sheet for it.
  public static let manageSubscriptionsURL = URL(
    string: "https://apps.apple.com/account/subscriptions"
  )

  /// Lets the customer ask for the money of one purchase back.
  ///
  /// StoreKit 2 on iOS 15, macOS 12 and visionOS.
  ///
  /// - Parameters:
  ///   - transactionId: The purchase's own transaction, not the subscription's first one.
  ///   - anchor: Where the sheet is shown: a window scene, on the Mac a view controller.
  /// - Returns: What became of the request; a refund arrives later, by itself.
  /// - Throws: ``IAPError``: `unsupported` where there is no such sheet.
  public func requestRefund(
    for transactionId: String,
    in anchor: StoreAnchor? = nil
  ) async throws(IAPError) -> RefundOutcome {
    let outcome = try await adapter.requestRefund(of: TransactionID(transactionId), in: anchor)
    world.log(LogLine(.info, "refund request: \(outcome.rawValue)"))
    return outcome
  }

  /// Lets the customer ask for the money of the newest purchase of a product back.
  ///
  /// - Parameters:
  ///   - productId: The product.
  ///   - anchor: Where the sheet is shown.
  /// - Returns: What became of the request.
  /// - Throws: ``IAPError``: `storage` with `notFound` when no purchase of it is known here.
  public func requestRefund(
    ofNewest productId: String,
    in anchor: StoreAnchor? = nil
  ) async throws(IAPError) -> RefundOutcome {
    let newest = store.records().last { $0.productId == productId && $0.revocationDate == nil }
    guard let newest else { throw .storage(.notFound) }
    return try await requestRefund(for: newest.transactionId, in: anchor)
  }

  /// Shows the customer's subscriptions, and asks afterwards what may be used.
  ///
  /// StoreKit 2 on iOS 15 and visionOS; elsewhere open ``manageSubscriptionsURL``.
  ///
  /// - Parameters:
  ///   - groupId: Shows one group only; iOS 17 and later, before it all of them.
  ///   - anchor: Where the sheet is shown: a window scene.
  /// - Throws: ``IAPError``: `unsupported` where there is no such sheet.
  public func manageSubscriptions(
    groupId: String? = nil,
    in anchor: StoreAnchor? = nil
  ) async throws(IAPError) {
    try await adapter.manageSubscriptions(groupId.map { SubscriptionGroupID($0) }, in: anchor)
    await refresh.run()
  }

  /// Lets the customer enter an offer code.
  ///
  /// An order is opened first: what is redeemed within an hour belongs to it, and is delivered like
  /// every purchase. iOS 14 and visionOS; macOS 15 with StoreKit 2.
  ///
  /// - Parameters:
  ///   - options: The order's number and context; nothing else can be said.
  ///   - anchor: Where the sheet is shown: a window scene, on the Mac a view controller.
  /// - Returns: The order's number.
  /// - Throws: ``IAPError``: `unsupported` where there is no such sheet.
  @discardableResult
  public func redeemOfferCode(
    options: PurchaseOptions = PurchaseOptions(),
    in anchor: StoreAnchor? = nil
  ) async throws(IAPError) -> String {
    var draft = draft("", options)
    draft.origin = .offerCode
    return try await funnel.redeemCode(draft, in: anchor).displayNumber
  }

  /// Whether this customer may still have a subscription's introductory offer.
  ///
  /// StoreKit 1 has no answer of its own: the receipt on the device is read, and no receipt is
  /// unknown.
  ///
  /// - Parameter productId: The subscription.
  /// - Returns: The answer; `unknown` is not a no.
  public func introductoryOfferEligibility(_ productId: String) async -> OfferEligibility {
    guard let product = try? await products(ids: [productId]).products.first else {
      return .unknown
    }
    guard product.introductoryOffer != nil else { return .notEligible }
    // StoreKit keeps its first answer for as long as the process lives.
    if let group = product.subscriptionGroupID, groupsWithUsedOffer.withLock({ $0.contains(group) })
    {
      return .notEligible
    }
    return await adapter.introductoryEligibility(of: ProductID(productId), at: world.now())
  }

  /// The win-back offers that this customer may have, the best one first.
  ///
  /// StoreKit 2 on iOS 18, macOS 15, tvOS 18, watchOS 11 and visionOS 2.
  ///
  /// - Parameter productId: The subscription.
  /// - Returns: The offers, for ``PurchaseOffer/winBack(id:)``; none for whoever is subscribed.
  /// - Throws: ``IAPError``: `unsupported` where there are none.
  public func winBackOffers(_ productId: String) async throws(IAPError) -> [IAPOffer] {
    let ids = try await adapter.winBackOffers(of: ProductID(productId))
    let offers = try await products(ids: [productId]).products.first?.winBackOffers ?? []
    return ids.compactMap { id in offers.first { $0.id == id.rawValue } }
  }

  // MARK: Messages

  /// The messages that wait for ``showStoreMessages(in:)``, the oldest first.
  ///
  /// There are none unless ``IAPConfiguration/holdsStoreMessages`` says so: the system shows them
  /// itself then, and on macOS, tvOS and watchOS always.
  public var heldStoreMessages: [StoreMessage] { messages.held }

  /// The messages that come, from now on, shown or held.
  public var storeMessageStream: AsyncStream<StoreMessage> { messages.arrivals.stream() }

  /// Shows what waits, and from now on everything as it comes.
  ///
  /// - Parameter anchor: Where messages are shown: a window scene.
  /// - Throws: ``IAPError`` when one could not be shown; it and those behind it go on waiting.
  public func showStoreMessages(in anchor: StoreAnchor? = nil) async throws(IAPError) {
    try await messages.open(anchor)
  }

  /// Holds messages back again: during a game, for example.
  public func holdStoreMessages() { messages.close() }

  /// Begins to take what the App Store brings beside transactions.
  func listenToStore() -> [Task<Void, Never>] {
    let purchases = funnel.promoted.stream()
    let promoting = Task { [weak self] in
      for await purchase in purchases { await self?.handle(purchase) }
    }
    guard configuration.holdsStoreMessages, let told = adapter.messages() else {
      return [promoting]
    }
    let telling = Task { [messages] in
      for await message in told { await messages.take(message) }
    }
    return [promoting, telling]
  }
}
