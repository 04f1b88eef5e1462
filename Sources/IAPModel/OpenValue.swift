/// A value out of a set that Apple owns and may extend.
///
/// Values that are not known here survive decoding and encoding unchanged.
public protocol OpenValue: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// Makes the value from its raw form; never fails.
  init(rawValue: RawValue)
}

extension OpenValue {
  /// The raw form as text.
  public var description: String { "\(rawValue)" }
}

/// Where a transaction was made.
///
/// - **Source:** App Store Server API, `environment`.
public struct StoreEnvironment: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Real money.
  public static let production = Self(rawValue: "Production")
  /// Test accounts, TestFlight and App Review.
  public static let sandbox = Self(rawValue: "Sandbox")
  /// StoreKit testing in Xcode: signed by the developer's machine.
  public static let xcode = Self(rawValue: "Xcode")
  /// StoreKit testing with Apple's test session outside Xcode.
  public static let localTesting = Self(rawValue: "LocalTesting")
}

/// The kind of a product.
///
/// - **Source:** App Store Server API, `type`.
public struct ProductType: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Used up, and can be bought again.
  public static let consumable = Self(rawValue: "Consumable")
  /// Bought once, kept for ever.
  public static let nonConsumable = Self(rawValue: "Non-Consumable")
  /// For a time that the app defines; does not renew by itself.
  public static let nonRenewable = Self(rawValue: "Non-Renewing Subscription")
  /// Renews until it is cancelled.
  public static let autoRenewable = Self(rawValue: "Auto-Renewable Subscription")
}

/// Whether the customer bought the item or has it through Family Sharing.
public struct OwnershipType: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Bought by this customer.
  public static let purchased = Self(rawValue: "PURCHASED")
  /// Shared by a family member.
  public static let familyShared = Self(rawValue: "FAMILY_SHARED")
}

/// Why the App Store took a transaction back.
public struct RevocationReason: OpenValue {
  /// Apple's number.
  public let rawValue: Int
  /// Makes the value from Apple's number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Any other reason, for example an accidental purchase.
  public static let other = Self(rawValue: 0)
  /// An actual or perceived issue in the app.
  public static let developerIssue = Self(rawValue: 1)
}

/// How the App Store took a transaction back.
public struct RevocationType: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The whole amount was paid back.
  public static let refundFull = Self(rawValue: "REFUND_FULL")
  /// A part of the amount was paid back.
  public static let refundProrated = Self(rawValue: "REFUND_PRORATED")
  /// Family Sharing ended.
  public static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")
}

/// The kind of offer that a transaction or a coming renewal uses.
public struct OfferType: OpenValue {
  /// Apple's number.
  public let rawValue: Int
  /// Makes the value from Apple's number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// An introductory offer.
  public static let introductory = Self(rawValue: 1)
  /// A promotional offer.
  public static let promotional = Self(rawValue: 2)
  /// An offer code.
  public static let code = Self(rawValue: 3)
  /// A win-back offer.
  public static let winBack = Self(rawValue: 4)
}

/// How an offer is paid.
public struct OfferDiscountType: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Nothing is paid during the offer.
  public static let freeTrial = Self(rawValue: "FREE_TRIAL")
  /// A reduced price each period.
  public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
  /// One price for the whole offer.
  public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
  /// One charge for a one-time product.
  public static let oneTime = Self(rawValue: "ONE_TIME")
}

/// Whether a transaction is the customer's act or the store's renewal.
public struct TransactionReason: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The customer bought.
  public static let purchase = Self(rawValue: "PURCHASE")
  /// The store renewed.
  public static let renewal = Self(rawValue: "RENEWAL")
}

/// Why a subscription ended, or why its renewal fails.
public struct ExpirationIntent: OpenValue {
  /// Apple's number.
  public let rawValue: Int
  /// Makes the value from Apple's number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// The customer cancelled.
  public static let cancelled = Self(rawValue: 1)
  /// The payment failed.
  public static let billingError = Self(rawValue: 2)
  /// The customer did not agree to a price increase.
  public static let didNotConsentToPriceIncrease = Self(rawValue: 3)
  /// The product was not for sale at the renewal.
  public static let productUnavailable = Self(rawValue: 4)
  /// Any other reason.
  public static let other = Self(rawValue: 5)
}

/// The state of an auto-renewable subscription, as Apple's server numbers it.
public struct SubscriptionStatus: OpenValue {
  /// Apple's number.
  public let rawValue: Int
  /// Makes the value from Apple's number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Paid and running.
  public static let active = Self(rawValue: 1)
  /// Over.
  public static let expired = Self(rawValue: 2)
  /// The payment failed and is tried again; no access.
  public static let billingRetry = Self(rawValue: 3)
  /// The payment failed and is tried again; access goes on.
  public static let gracePeriod = Self(rawValue: 4)
  /// Taken back by the App Store.
  public static let revoked = Self(rawValue: 5)
}

/// Whether a price increase waits for the customer's consent.
public struct PriceIncreaseStatus: OpenValue {
  /// Apple's number.
  public let rawValue: Int
  /// Makes the value from Apple's number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Consent is needed and was not given yet.
  public static let pending = Self(rawValue: 0)
  /// Consent was given, or none was needed.
  public static let agreed = Self(rawValue: 1)
}

/// The type of an App Store Server Notification, version 2.
public struct NotificationType: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A subscription was bought.
  public static let subscribed = Self(rawValue: "SUBSCRIBED")
  /// A subscription renewed.
  public static let didRenew = Self(rawValue: "DID_RENEW")
  /// A plan change was made or withdrawn.
  public static let didChangeRenewalPref = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
  /// Auto-renewal was switched on or off.
  public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
  /// A renewal charge failed.
  public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
  /// The grace period is over; the charge is still tried.
  public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
  /// A subscription ended.
  public static let expired = Self(rawValue: "EXPIRED")
  /// An active subscriber redeemed an offer.
  public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
  /// A price increase was announced or accepted.
  public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
  /// A refund was granted.
  public static let refund = Self(rawValue: "REFUND")
  /// A refund was declined.
  public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
  /// A refund was taken back.
  public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
  /// A refund was asked for, and the App Store asks for consumption data.
  public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
  /// A family member lost access.
  public static let revoke = Self(rawValue: "REVOKE")
  /// One renewal date was extended.
  public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
  /// A mass extension finished, or failed for one subscriber.
  public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
  /// A one-time product was bought.
  public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
  /// A test that the developer asked for.
  public static let test = Self(rawValue: "TEST")
  /// A token of an external purchase was created or not reported.
  public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
  /// A parent withdrew consent.
  public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
}

/// The subtype of an App Store Server Notification, version 2.
public struct NotificationSubtype: OpenValue {
  /// Apple's spelling.
  public let rawValue: String
  /// Makes the value from Apple's spelling.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The first purchase in a group.
  public static let initialBuy = Self(rawValue: "INITIAL_BUY")
  /// A purchase after the subscription had ended.
  public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
  /// A renewal after a failed charge.
  public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
  /// A change to a higher level, at once.
  public static let upgrade = Self(rawValue: "UPGRADE")
  /// A change to a lower level, at the next renewal.
  public static let downgrade = Self(rawValue: "DOWNGRADE")
  /// Auto-renewal was switched on.
  public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
  /// Auto-renewal was switched off.
  public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
  /// Access goes on while the charge is tried again.
  public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
  /// Ended by the customer's choice.
  public static let voluntary = Self(rawValue: "VOLUNTARY")
  /// Ended because the charge kept failing.
  public static let billingRetry = Self(rawValue: "BILLING_RETRY")
  /// Ended because the customer did not agree to a price.
  public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
  /// Ended because the product was withdrawn.
  public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
  /// Consent is asked for.
  public static let pending = Self(rawValue: "PENDING")
  /// Consent was given, or is not needed.
  public static let accepted = Self(rawValue: "ACCEPTED")
  /// A mass extension finished.
  public static let summary = Self(rawValue: "SUMMARY")
  /// A mass extension failed for one subscriber.
  public static let failure = Self(rawValue: "FAILURE")
  /// A token was not reported in time.
  public static let unreported = Self(rawValue: "UNREPORTED")
}
