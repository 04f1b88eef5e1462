package import Foundation
package import IAPModel

/// What became of a request for money back.
///
/// Ways that are not known here keep their name.
public struct RefundOutcome: RawRepresentable, Hashable, Sendable {
  /// The stable name.
  public let rawValue: String
  /// Makes an outcome from its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The App Store has the request; it decides later, and a refund arrives by itself.
  public static let success = Self(rawValue: "success")
  /// The customer closed the sheet.
  public static let cancelled = Self(rawValue: "cancelled")
  /// Money was asked back for this purchase before.
  public static let duplicate = Self(rawValue: "duplicate")
  /// The App Store did not take the request.
  public static let failed = Self(rawValue: "failed")
}

/// Whether a customer may still have a subscription's introductory offer.
public enum OfferEligibility: Hashable, Sendable {
  /// The offer would be applied.
  case eligible
  /// It was used before, another plan runs, or there is no such offer.
  case notEligible
  /// The store or the receipt does not say.
  case unknown
}

/// Something that the App Store wants to tell the customer while the app runs.
public struct StoreMessage: RawRepresentable, Hashable, Sendable {
  /// The stable name of the reason.
  public let rawValue: String
  /// Makes a message from the name of its reason.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Anything.
  public static let generic = Self(rawValue: "generic")
  /// A higher price that the customer has to agree to.
  public static let priceIncreaseConsent = Self(rawValue: "priceIncreaseConsent")
  /// A charge that failed.
  public static let billingIssue = Self(rawValue: "billingIssue")
  /// An offer to come back.
  public static let winBackOffer = Self(rawValue: "winBackOffer")
}

/// A message, and how it is shown.
package struct HeldMessage: Sendable {
  package let message: StoreMessage
  package let show: @MainActor @Sendable (StoreAnchor?) throws -> Void

  package init(
    _ message: StoreMessage,
    show: @escaping @MainActor @Sendable (StoreAnchor?) throws -> Void
  ) {
    self.message = message
    self.show = show
  }
}

// What a generation, or a system, does not have.
extension StoreAdapter {
  package func redeemCode(in anchor: StoreAnchor?) async throws(IAPError) {
    throw .unsupported(reason: "there is no sheet for offer codes here")
  }

  package func manageSubscriptions(
    _ group: SubscriptionGroupID?,
    in anchor: StoreAnchor?
  ) async throws(IAPError) {
    throw .unsupported(reason: "there is no sheet for subscriptions here; open the address")
  }

  package func requestRefund(
    of transaction: TransactionID,
    in anchor: StoreAnchor?
  ) async throws(IAPError) -> RefundOutcome {
    throw .unsupported(reason: "there is no sheet for refunds here")
  }

  package func messages() -> AsyncStream<HeldMessage>? { nil }

  package func introductoryEligibility(
    of product: ProductID,
    at now: Date
  ) async -> OfferEligibility {
    .unknown
  }

  package func winBackOffers(of product: ProductID) async throws(IAPError) -> [OfferID] {
    throw .unsupported(reason: "there are no win-back offers here")
  }
}
