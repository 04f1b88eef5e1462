public import Foundation
public import IAPModel

/// The state of one auto-renewable subscription at one instant, with reasons and dates.
public struct SubscriptionState: Hashable, Sendable {
  /// What a subscription can be in.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Paid and running; it may have been cancelled for its end.
    case subscribed
    /// The charge failed; access goes on until the grace date.
    case inGracePeriod
    /// The charge failed and is tried again; no access.
    case inBillingRetry
    /// Over.
    case expired
    /// The current period was refunded or its sharing ended.
    case revoked
  }

  /// Why a subscription is in its phase, as a stable word.
  public struct Reason: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a reason from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The period is paid and will be followed by another, as far as is known.
    public static let paid = Self(rawValue: "paid")
    /// The period is paid; the customer has switched renewal off.
    public static let paidUntilEnd = Self(rawValue: "paidUntilEnd")
    /// The charge for the next period failed.
    public static let billingError = Self(rawValue: "billingError")
    /// The customer cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The customer did not agree to a price increase.
    public static let priceIncreaseNotAccepted = Self(rawValue: "priceIncreaseNotAccepted")
    /// The product was not for sale at the renewal.
    public static let productUnavailable = Self(rawValue: "productUnavailable")
    /// The App Store gave another reason.
    public static let other = Self(rawValue: "other")
    /// The period is over and nothing says why it was not renewed.
    public static let periodOver = Self(rawValue: "periodOver")
    /// The customer moved to a plan whose transaction is not known yet.
    public static let upgraded = Self(rawValue: "upgraded")
    /// The App Store paid the customer back.
    public static let refunded = Self(rawValue: "refunded")
    /// The purchaser stopped sharing, or left.
    public static let familySharingEnded = Self(rawValue: "familySharingEnded")
  }

  /// The subscription.
  public let originalTransactionID: OriginalTransactionID
  /// The transaction of the period that decides.
  public let transaction: TransactionPayload
  /// The unit of that period.
  public let unit: UnitID?
  /// What the subscription is in.
  public let phase: Phase
  /// Why.
  public let reason: Reason
  /// When it entered the phase, as far as is known.
  public let since: Date
  /// The end of access, exclusive: the period's end or the grace date; nil without access.
  public let accessUntil: Date?
  /// The renewal info with the greatest signed date, when it bears on this period.
  public let renewal: RenewalInfoPayload?
  /// The notification with the greatest signed date.
  public let lastNotification: NotificationContext?

  /// Whether the customer may use what was subscribed to.
  public var hasAccess: Bool { phase == .subscribed || phase == .inGracePeriod }
  /// The product of the period.
  public var productID: ProductID { transaction.productID }
  /// The group.
  public var groupID: SubscriptionGroupID? { transaction.subscriptionGroupID }
  /// The end of the paid period.
  public var expiresDate: Date? { transaction.expiresDate }
  /// Whether the subscription will renew; nil when nothing says so.
  public var willAutoRenew: Bool? { renewal?.willAutoRenew }
  /// The product that the next period will have, when it is another one.
  public var pendingProductID: ProductID? {
    guard let next = renewal?.autoRenewProductID, next != productID else { return nil }
    return next
  }
  /// Whether a price increase waits for consent.
  public var priceIncreaseStatus: PriceIncreaseStatus? { renewal?.priceIncreaseStatus }

  /// Apple's number for the phase.
  public var status: SubscriptionStatus {
    switch phase {
    case .subscribed: .active
    case .inGracePeriod: .gracePeriod
    case .inBillingRetry: .billingRetry
    case .expired: .expired
    case .revoked: .revoked
    }
  }
}
