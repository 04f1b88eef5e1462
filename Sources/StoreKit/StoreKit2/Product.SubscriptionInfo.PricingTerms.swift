public import Foundation

// Monthly billing with a commitment.
extension Product.SubscriptionInfo {
  public typealias BillingPeriod = SubscriptionPeriod

  public struct BillingPlanType: Equatable, Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let monthly = Product.SubscriptionInfo.BillingPlanType(rawValue: "MONTHLY")
    public static let upFront =
      Product.SubscriptionInfo.BillingPlanType(rawValue: "BILLED_UPFRONT")
  }

  public struct CommitmentInfo: Hashable, Sendable {
    public let price: Decimal
    public let displayPrice: String
    public let period: SubscriptionPeriod

    package init(price: Decimal, displayPrice: String, period: SubscriptionPeriod) {
      self.price = price
      self.displayPrice = displayPrice
      self.period = period
    }
  }

  public struct PricingTerms: Hashable, Sendable {
    public let billingPrice: Decimal
    public let billingDisplayPrice: String
    public let billingPeriod: Product.SubscriptionInfo.BillingPeriod
    public let billingPlanType: Product.SubscriptionInfo.BillingPlanType
    public let commitmentInfo: Product.SubscriptionInfo.CommitmentInfo
    public let subscriptionOffers: [Product.SubscriptionOffer]

    package init(
      billingPrice: Decimal,
      billingDisplayPrice: String,
      billingPeriod: BillingPeriod,
      billingPlanType: BillingPlanType,
      commitmentInfo: CommitmentInfo,
      subscriptionOffers: [Product.SubscriptionOffer]
    ) {
      self.billingPrice = billingPrice
      self.billingDisplayPrice = billingDisplayPrice
      self.billingPeriod = billingPeriod
      self.billingPlanType = billingPlanType
      self.commitmentInfo = commitmentInfo
      self.subscriptionOffers = subscriptionOffers
    }

    public subscript(
      offers type: Product.SubscriptionOffer.OfferType
    ) -> [Product.SubscriptionOffer] {
      subscriptionOffers.filter { $0.type == type }
    }
  }
}

extension Product.SubscriptionInfo.RenewalInfo {
  public struct CommitmentInfo: Sendable, Hashable {
    public let autoRenewPreference: String
    public let renewalBillingPlanType: SubscriptionInfo.BillingPlanType
    public let renewalDate: Date
    public let renewalPrice: Decimal
    public let willAutoRenew: Bool

    package init(
      autoRenewPreference: String,
      renewalBillingPlanType: SubscriptionInfo.BillingPlanType,
      renewalDate: Date,
      renewalPrice: Decimal,
      willAutoRenew: Bool
    ) {
      self.autoRenewPreference = autoRenewPreference
      self.renewalBillingPlanType = renewalBillingPlanType
      self.renewalDate = renewalDate
      self.renewalPrice = renewalPrice
      self.willAutoRenew = willAutoRenew
    }
  }
}

extension Transaction {
  public struct CommitmentInfo: Equatable, Hashable, Sendable {
    public let billingPeriodNumber: UInt64
    public let totalBillingPeriods: UInt64
    public let expirationDate: Date
    public let price: Decimal

    package init(
      billingPeriodNumber: UInt64,
      totalBillingPeriods: UInt64,
      expirationDate: Date,
      price: Decimal
    ) {
      self.billingPeriodNumber = billingPeriodNumber
      self.totalBillingPeriods = totalBillingPeriods
      self.expirationDate = expirationDate
      self.price = price
    }
  }
}
