public import Foundation
import IAPEntitlements
public import IAPModel

/// One auto-renewable subscription of the customer, as far as it is known.
///
/// What nobody said is nil: StoreKit 1 knows the period alone, from the receipt; StoreKit 2 and a
/// server know the rest.
public struct IAPSubscription: Hashable, Sendable, Identifiable {
  /// What a subscription is in; values that are not known here survive.
  public struct State: OpenValue {
    /// The word.
    public let rawValue: String
    /// Makes a state from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Paid and running; it may have been cancelled for its end.
    public static let subscribed = Self(rawValue: "subscribed")
    /// The charge failed; access goes on for a while.
    public static let inGracePeriod = Self(rawValue: "inGracePeriod")
    /// The charge failed and is tried again; no access.
    public static let inBillingRetry = Self(rawValue: "inBillingRetry")
    /// Over.
    public static let expired = Self(rawValue: "expired")
    /// Refunded, or its sharing ended.
    public static let revoked = Self(rawValue: "revoked")
  }

  /// What a scheduled change of plan is.
  public enum PlanChange: Hashable, Sendable {
    /// To a higher level of service.
    case upgrade
    /// To a lower level of service.
    case downgrade
    /// To another plan of the same level.
    case crossgrade
    /// The levels are not known.
    case unknown
  }

  /// A special price.
  public struct Offer: Hashable, Sendable {
    /// The kind.
    public let type: OfferType
    /// The name; introductory offers have none.
    public let id: OfferID?
    /// How it is paid, when that is known.
    public let payment: OfferDiscountType?
  }

  /// The subscription: the first transaction of its group.
  public let id: OriginalTransactionID
  /// The product of the period that decides.
  public let productID: ProductID
  /// The group.
  public let groupID: SubscriptionGroupID?
  /// What it is in.
  public internal(set) var state: State
  /// When the paid period ends.
  public let expiresDate: Date?
  /// Until when there is access, grace included; nil without access.
  public let accessUntil: Date?
  /// When it is charged next, or ended.
  public internal(set) var renewalDate: Date?
  /// Whether it will renew.
  public let willAutoRenew: Bool?
  /// The product of the next period.
  public internal(set) var autoRenewProductID: ProductID?
  /// What the change to ``autoRenewProductID`` is; nil when the product stays the same.
  public internal(set) var planChange: PlanChange?
  /// Whether a price increase waits for consent.
  public internal(set) var priceIncreaseStatus: PriceIncreaseStatus?
  /// Why it ended, or will.
  public internal(set) var expirationReason: ExpirationIntent?
  /// The offer of the present period.
  public internal(set) var offer: Offer?
  /// The offer of the next period.
  public internal(set) var nextOffer: Offer?
  /// Whether the customer bought it or shares it.
  public internal(set) var ownership: OwnershipType?
  /// Who said so.
  public let source: AccessSource

  /// The product of the next period, when it is another one.
  public var pendingProductID: ProductID? {
    autoRenewProductID == productID ? nil : autoRenewProductID
  }
}

extension IAPSubscription {
  /// What this device's facts say.
  init(_ state: SubscriptionState, catalog: EntitlementCatalog) {
    let (period, renewal) = (state.transaction, state.renewal)
    self.init(
      id: state.originalTransactionID,
      productID: state.productID,
      groupID: state.groupID,
      state: State(rawValue: state.phase.rawValue),
      expiresDate: state.expiresDate,
      accessUntil: state.accessUntil,
      willAutoRenew: state.willAutoRenew,
      source: .device
    )
    renewalDate = renewal?.renewalDate
    autoRenewProductID = renewal?.autoRenewProductID
    priceIncreaseStatus = renewal?.priceIncreaseStatus
    expirationReason = renewal?.expirationIntent
    ownership = period.ownershipType
    offer = period.offerType.map {
      Offer(type: $0, id: period.offerIdentifier, payment: period.offerDiscountType)
    }
    nextOffer = renewal?.offerType.map {
      Offer(type: $0, id: renewal?.offerIdentifier, payment: renewal?.offerDiscountType)
    }
    planChange = pendingProductID.map { catalog.change(from: productID, to: $0) }
  }

  /// What the server says; nil when it does not say which subscription, product and state.
  init?(answer: JSONObject) {
    guard let original = answer["originalTransactionId"]?.stringValue,
      let product = answer["productId"]?.stringValue, let state = answer["state"]?.stringValue
    else { return nil }
    let date = { (name: String) in answer[name]?.integerValue.map { Date(milliseconds: $0) } }
    self.init(
      id: OriginalTransactionID(original),
      productID: ProductID(product),
      groupID: answer["group"]?.stringValue.map { SubscriptionGroupID($0) },
      state: State(rawValue: state),
      expiresDate: date("expiresDate"),
      accessUntil: date("accessUntil"),
      willAutoRenew: answer["willAutoRenew"]?.boolValue,
      source: .server
    )
    renewalDate = willAutoRenew == true ? expiresDate : nil
    autoRenewProductID = answer["pendingProductId"]?.stringValue.map { ProductID($0) }
  }
}

extension EntitlementCatalog {
  /// What a change of plan is, by the levels of service; 1 is the highest.
  func change(from old: ProductID, to new: ProductID) -> IAPSubscription.PlanChange {
    guard let mine = rule(for: old).level, let theirs = rule(for: new).level else {
      return .unknown
    }
    return theirs == mine ? .crossgrade : theirs < mine ? .upgrade : .downgrade
  }
}
