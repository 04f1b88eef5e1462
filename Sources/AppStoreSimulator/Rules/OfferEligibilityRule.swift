import IAPModel

/// Whether a customer may have an offer.
///
/// - **Source:** the lifecycle facts, section 5; the product facts, section 6.
enum OfferEligibilityRule {
  /// What is decided about a wish for an offer.
  enum Answer: Hashable, Sendable {
    /// The offer is used.
    case granted(OfferReference)
    /// The purchase goes on at the usual conditions.
    case usual
    /// The purchase is refused.
    case refused(StoreFailure)
  }

  static func decide(
    _ use: OfferUse,
    on product: CatalogProduct,
    _ held: SubscriptionRecord?
  ) -> Answer {
    guard let plan = product.subscription else { return .refused(.invalidOfferIdentifier) }
    switch use {
    case .promotional(let id, _):
      guard plan.promotionalOffers.contains(where: { $0.id == id }) else {
        return .refused(.invalidOfferIdentifier)
      }
      // Only who has or had a subscription of the group.
      guard held != nil else { return .refused(.ineligibleForOffer) }
      return .granted(OfferReference(type: .promotional, id: id))
    case .code(let code):
      guard let offer = plan.codeOffers.first(where: { $0.referenceName == code.rawValue }) else {
        return .refused(.invalidOfferIdentifier)
      }
      guard isMeant(offer, held) else { return .refused(.ineligibleForOffer) }
      return .granted(OfferReference(type: .code, id: OfferID(code.rawValue)))
    case .winBack(let id):
      guard let offer = plan.winBackOffers.first(where: { $0.id == id }) else {
        return .refused(.invalidOfferIdentifier)
      }
      guard offer.isEligible != false, isChurned(held) else {
        return .refused(.ineligibleForOffer)
      }
      return .granted(OfferReference(type: .winBack, id: id))
    case .introductory: return .usual
    }
  }

  /// The offers that shall win a customer back, in the order of the catalog.
  static func winBackOffers(
    _ plan: CatalogSubscription?,
    _ held: SubscriptionRecord
  ) -> [OfferID] {
    guard isChurned(held), let plan else { return [] }
    return plan.winBackOffers.filter { $0.isEligible != false }.compactMap(\.id)
  }

  /// Over, with auto-renewal off, and not only shared.
  private static func isChurned(_ held: SubscriptionRecord?) -> Bool {
    guard let held, held.sharedFrom == nil, !held.willAutoRenew,
      case .expired = held.phase
    else { return false }
    return true
  }

  private static func isMeant(_ offer: CatalogOffer, _ held: SubscriptionRecord?) -> Bool {
    guard !offer.eligibility.isEmpty else { return true }
    guard let held else { return offer.eligibility.contains(.new) }
    return offer.eligibility.contains(held.isRunning ? .existing : .expired)
  }
}
