public import Foundation

/// What signed renewal info says, decoded but not verified.
///
/// It names no app: a server ties it to its transaction through ``originalTransactionID``.
///
/// - **Units:** dates are instants; ``renewalPriceMilliunits`` is in thousandths of ``currency``.
/// - **Source:** App Store Server API, `JWSRenewalInfoDecodedPayload`.
public struct RenewalInfoPayload: Hashable, Sendable {
  /// The subscription.
  public var originalTransactionID: OriginalTransactionID
  /// The product of the current period.
  public var productID: ProductID
  /// The product of the next period; another one when a change is scheduled.
  public var autoRenewProductID: ProductID?
  /// Whether the subscription will renew; nil when the payload does not say.
  public var willAutoRenew: Bool?
  /// When the App Store signed these bytes.
  public var signedDate: Date?
  /// Where the subscription was made.
  public var environment: StoreEnvironment?
  /// When the current period ends; may be past.
  public var renewalDate: Date?
  /// The start of the current run of periods without a long gap.
  public var recentSubscriptionStartDate: Date?
  /// Why the subscription ended or its renewal fails.
  public var expirationIntent: ExpirationIntent?
  /// Whether a failed charge is being tried again; nil while the subscription is active.
  public var isInBillingRetryPeriod: Bool?
  /// How long access goes on while the charge is tried again.
  public var gracePeriodExpiresDate: Date?
  /// Whether a price increase waits for consent; nil when none is pending.
  public var priceIncreaseStatus: PriceIncreaseStatus?
  /// The kind of offer that applies at the next renewal.
  public var offerType: OfferType?
  /// The offer that applies at the next renewal.
  public var offerIdentifier: OfferID?
  /// How that offer is paid.
  public var offerDiscountType: OfferDiscountType?
  /// The ISO 8601 length of that offer.
  public var offerPeriod: String?
  /// The price of the next renewal, in thousandths of ``currency``.
  public var renewalPriceMilliunits: Int64?
  /// The ISO 4217 currency code.
  public var currency: String?
  /// Win-back offers that an expired subscriber may use, best first.
  public var eligibleWinBackOfferIDs: [OfferID]?
  /// The token that will be on the next renewal.
  public var appAccountToken: AppAccountToken?
  /// The customer's download of the app.
  public var appTransactionID: AppTransactionID?
  /// Members that are not known here, in their order.
  public var otherMembers: [JSONMember]

  /// Makes a payload with what all renewal info has; the rest is absent.
  public init(originalTransactionID: OriginalTransactionID, productID: ProductID) {
    self.originalTransactionID = originalTransactionID
    self.productID = productID
    self.otherMembers = []
  }
}
