// Names for people. Apple translates them; here they are in English only.

extension Product.ProductType {
  public var localizedDescription: String {
    switch self {
    case .consumable: "Consumable"
    case .nonConsumable: "Non-Consumable"
    case .nonRenewable: "Non-Renewing Subscription"
    case .autoRenewable: "Auto-Renewable Subscription"
    default: rawValue
    }
  }
}

extension Product.SubscriptionPeriod.Unit {
  public var localizedDescription: String { debugDescription }
}

extension Product.SubscriptionInfo.RenewalState {
  public var localizedDescription: String {
    switch self {
    case .subscribed: "Subscribed"
    case .expired: "Expired"
    case .inBillingRetryPeriod: "In Billing Retry Period"
    case .inGracePeriod: "In Grace Period"
    case .revoked: "Revoked"
    default: "\(rawValue)"
    }
  }
}

extension Product.SubscriptionInfo.RenewalInfo.ExpirationReason {
  public var localizedDescription: String {
    switch self {
    case .autoRenewDisabled: "Auto-Renew Disabled"
    case .billingError: "Billing Error"
    case .didNotConsentToPriceIncrease: "Did Not Consent to Price Increase"
    case .productUnavailable: "Product Unavailable"
    case .unknown: "Unknown"
    default: "\(rawValue)"
    }
  }
}

extension Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus {
  public var localizedDescription: String {
    switch self {
    case .noIncreasePending: "No Increase Pending"
    case .pending: "Pending"
    case .agreed: "Agreed"
    }
  }
}

extension Product.SubscriptionOffer.OfferType {
  public var localizedDescription: String {
    switch self {
    case .introductory: "Introductory"
    case .promotional: "Promotional"
    case .winBack: "Win-Back"
    default: rawValue
    }
  }
}

extension Product.SubscriptionOffer.PaymentMode {
  public var localizedDescription: String {
    switch self {
    case .payAsYouGo: "Pay As You Go"
    case .payUpFront: "Pay Up Front"
    case .freeTrial: "Free Trial"
    default: rawValue
    }
  }
}

extension Transaction.RevocationReason {
  public var localizedDescription: String {
    switch self {
    case .developerIssue: "Developer Issue"
    case .other: "Other"
    default: "\(rawValue)"
    }
  }
}

extension Transaction.OfferType {
  public var localizedDescription: String {
    switch self {
    case .introductory: "Introductory"
    case .promotional: "Promotional"
    case .code: "Code"
    case .winBack: "Win-Back"
    default: "\(rawValue)"
    }
  }
}

extension Transaction.OwnershipType {
  public var localizedDescription: String {
    switch self {
    case .purchased: "Purchased"
    case .familyShared: "Family Shared"
    default: rawValue
    }
  }
}

extension Message.Reason {
  public var localizedDescription: String {
    switch self {
    case .generic: "Generic"
    case .priceIncreaseConsent: "Price Increase Consent"
    case .billingIssue: "Billing Issue"
    case .winBackOffer: "Win-Back Offer"
    default: "\(rawValue)"
    }
  }
}
