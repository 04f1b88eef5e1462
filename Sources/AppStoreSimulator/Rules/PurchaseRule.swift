import IAPModel

/// What the store does with a request to buy.
enum PurchaseDecision: Hashable, Sendable {
  /// Charge for a new transaction, at the offer's conditions if there is one.
  case sell(SaleKind, offer: OfferReference? = nil)
  /// Nothing is charged: the account holds this one.
  case keep(TransactionID, UnchangedReason)
  /// Switch auto-renewal on again; nothing is charged.
  case switchAutoRenewOn(OriginalTransactionID)
  /// Change the product at the next renewal; nothing is charged now.
  case schedule(OriginalTransactionID, ProductID)
  /// Let the offer start with the next renewal; nothing is charged now.
  case scheduleOffer(OriginalTransactionID, ProductID, OfferReference)
  /// Refuse.
  case refuse(StoreFailure)
}

/// What a sale starts from.
enum SaleKind: Hashable, Sendable {
  /// A one-time product, or the first subscription in its group.
  case first
  /// A subscription that had ended.
  case resubscribe(OriginalTransactionID)
  /// A subscription takes another's place at once.
  case upgrade(OriginalTransactionID)
}

/// Decides about a request to buy from what the account holds.
///
/// - **Source:** the lifecycle facts, sections 4 and 10; the product facts, sections 3 and 4.
enum PurchaseRule {
  /// The most that one purchase can buy of a consumable or non-renewing subscription.
  static let quantityMax = 10

  /// What is known about the account's holdings that matter for the product.
  struct Holdings: Hashable, Sendable {
    /// The newest purchase of the non-consumable.
    var owned: StoreTransactionRecord?
    /// The subscription in the product's group.
    var subscription: SubscriptionRecord?
    /// The product that the subscription is for.
    var subscribedProduct: CatalogProduct?
  }

  static func decide(
    _ product: CatalogProduct?,
    quantity: Int,
    offer use: OfferUse?,
    holdings: Holdings
  ) -> PurchaseDecision {
    guard let product, product.isForSale else { return .refuse(.productUnavailable) }
    guard isValid(quantity, for: product.type) else { return .refuse(.invalidQuantity) }
    var offer: OfferReference?
    if let use {
      switch OfferEligibilityRule.decide(use, on: product, holdings.subscription) {
      case .granted(let reference): offer = reference
      case .usual: break
      case .refused(let failure): return .refuse(failure)
      }
    }
    switch product.type {
    case .nonConsumable: return nonConsumable(holdings.owned)
    case .autoRenewable: return subscription(product, holdings, offer)
    default: return .sell(.first)
    }
  }

  static func isValid(_ quantity: Int, for type: ProductType) -> Bool {
    switch type {
    case .consumable, .nonRenewable: (1...quantityMax).contains(quantity)
    default: quantity == 1
    }
  }

  private static func nonConsumable(_ owned: StoreTransactionRecord?) -> PurchaseDecision {
    // What was refunded is not owned: buying it again is a new first purchase.
    guard let owned, owned.revocationDate == nil else { return .sell(.first) }
    return .keep(owned.transactionID, .alreadyOwned)
  }

  private static func subscription(
    _ product: CatalogProduct,
    _ holdings: Holdings,
    _ offer: OfferReference?
  ) -> PurchaseDecision {
    guard let held = holdings.subscription else { return .sell(.first, offer: offer) }
    let original = held.originalTransactionID
    guard held.isEntitled else { return .sell(.resubscribe(original), offer: offer) }
    if held.period.productID == product.id {
      if let offer { return .scheduleOffer(original, product.id, offer) }
      // Taking a scheduled change back switches auto-renewal on as well.
      if held.renewalProductID != product.id { return .schedule(original, product.id) }
      if !held.willAutoRenew { return .switchAutoRenewOn(original) }
      return .keep(held.period.transactionID, .alreadySubscribed)
    }
    switch PlanChangeRule.change(from: holdings.subscribedProduct, to: product) {
    case .atOnce: return .sell(.upgrade(original), offer: offer)
    case .atRenewal:
      guard let offer else {
        guard held.renewalProductID != product.id || !held.willAutoRenew else {
          return .keep(held.period.transactionID, .changeScheduled)
        }
        return .schedule(original, product.id)
      }
      // The sheet for codes refuses to lead to a lower level.
      let isLower = PlanChangeRule.isLower(product, than: holdings.subscribedProduct)
      guard offer.type != .code || !isLower else { return .refuse(.ineligibleForOffer) }
      return .scheduleOffer(original, product.id, offer)
    }
  }
}
