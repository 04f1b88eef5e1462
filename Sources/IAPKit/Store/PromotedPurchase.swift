/// A purchase that the customer began in the App Store and wants to finish in the app.
public struct PromotedPurchase: Hashable, Sendable {
  /// The product.
  public let productId: String
  /// The win-back offer that the customer saw beside it.
  public let offerId: String?

  /// Makes a purchase.
  public init(productId: String, offerId: String? = nil) {
    self.productId = productId
    self.offerId = offerId
  }
}

/// What an app says to a promoted purchase.
public enum PromotedAnswer: Hashable, Sendable {
  /// The payment sheet opens now.
  case accept
  /// It waits until the app buys or refuses it: after a tutorial, or a login; also over the end of
  /// the process, for a day.
  case later
  /// Nothing happens.
  case refuse
}

extension IAPManager {
  /// Promoted purchases that wait for the app, the oldest first.
  public var waitingPromotedPurchases: [PromotedPurchase] { promoted.all }

  /// Promoted purchases that begin to wait, those that wait already first.
  public var promotedPurchaseStream: AsyncStream<PromotedPurchase> {
    promoted.stream
  }

  /// Finishes a promoted purchase in the app.
  ///
  /// - Parameters:
  ///   - purchase: The purchase.
  ///   - options: What the app says beside it; without an offer in it, the one that the customer
  ///     saw is used.
  /// - Returns: How it ended.
  public func buy(
    _ purchase: PromotedPurchase,
    options: PurchaseOptions = PurchaseOptions()
  ) async -> PurchaseOutcome {
    promoted.remove(purchase)
    var options = options
    if options.offer == nil, let offer = purchase.offerId { options.offer = .winBack(id: offer) }
    options.origin = .promoted
    return await buy(purchase.productId, options: options)
  }

  /// Drops a promoted purchase.
  ///
  /// - Parameter purchase: The purchase.
  public func refuse(_ purchase: PromotedPurchase) { promoted.remove(purchase) }

  /// To how many promoted purchases the app has answered, and what was accepted is over.
  package var answeredPromotedCount: Int { answeredPromoted.withLock { $0 } }

  /// A promoted purchase has arrived.
  func handle(_ purchase: PromotedPurchase) async {
    defer { answeredPromoted.withLock { $0 += 1 } }
    switch configuration.promotedPurchases(purchase) {
    case .accept: _ = await buy(purchase)
    case .later: promoted.add(purchase)
    case .refuse: break
    }
  }
}
