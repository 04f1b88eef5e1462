public import Foundation

extension Transaction {
  /// What a transaction of the Advanced Commerce API says beside the rest.
  public struct AdvancedCommerceInfo: Equatable, Hashable, Sendable {
    public let requestReferenceID: String
    public let estimatedTax: Decimal
    public let taxRate: Decimal
    public let taxCode: String
    public let taxExclusivePrice: Decimal
    public let description: String?
    public let displayName: String?
    public let period: SubscriptionPeriod?
    public let items: [Transaction.AdvancedCommerceInfo.Item]

    package init(
      requestReferenceID: String,
      estimatedTax: Decimal,
      taxRate: Decimal,
      taxCode: String,
      taxExclusivePrice: Decimal,
      description: String?,
      displayName: String?,
      period: SubscriptionPeriod?,
      items: [Item]
    ) {
      self.requestReferenceID = requestReferenceID
      self.estimatedTax = estimatedTax
      self.taxRate = taxRate
      self.taxCode = taxCode
      self.taxExclusivePrice = taxExclusivePrice
      self.description = description
      self.displayName = displayName
      self.period = period
      self.items = items
    }
  }
}

extension Transaction.AdvancedCommerceInfo {
  public struct Item: Equatable, Hashable, Sendable {
    public let details: Transaction.AdvancedCommerceInfo.Item.Details
    public let refunds: [Transaction.AdvancedCommerceInfo.Refund]?
    public let revocationDate: Date?

    package init(
      details: Details,
      refunds: [Transaction.AdvancedCommerceInfo.Refund]?,
      revocationDate: Date?
    ) {
      self.details = details
      self.refunds = refunds
      self.revocationDate = revocationDate
    }

    public struct Details: Equatable, Hashable, Sendable {
      public let sku: String
      public let displayName: String
      public let description: String
      public let offer: Transaction.AdvancedCommerceInfo.Offer?
      public let price: Decimal

      package init(
        sku: String,
        displayName: String,
        description: String,
        offer: Transaction.AdvancedCommerceInfo.Offer?,
        price: Decimal
      ) {
        self.sku = sku
        self.displayName = displayName
        self.description = description
        self.offer = offer
        self.price = price
      }
    }
  }

  public struct Offer: Equatable, Hashable, Sendable {
    public let price: Decimal
    public let period: SubscriptionPeriod
    public let periodCount: Int
    public let reason: Transaction.AdvancedCommerceInfo.Offer.Reason

    package init(price: Decimal, period: SubscriptionPeriod, periodCount: Int, reason: Reason) {
      self.price = price
      self.period = period
      self.periodCount = periodCount
      self.reason = reason
    }

    public struct Reason: Equatable, Hashable, RawRepresentable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let acquisition =
        Transaction.AdvancedCommerceInfo.Offer.Reason(rawValue: "ACQUISITION")
      public static let retention =
        Transaction.AdvancedCommerceInfo.Offer.Reason(rawValue: "RETENTION")
      public static let winBack =
        Transaction.AdvancedCommerceInfo.Offer.Reason(rawValue: "WIN_BACK")
    }
  }

  public struct Refund: Equatable, Hashable, Sendable {
    public let reason: Transaction.AdvancedCommerceInfo.Refund.Reason
    public let type: Transaction.AdvancedCommerceInfo.Refund.RefundType
    public let date: Date
    public let amount: Decimal

    package init(reason: Reason, type: RefundType, date: Date, amount: Decimal) {
      self.reason = reason
      self.type = type
      self.date = date
      self.amount = amount
    }

    public struct Reason: Equatable, Hashable, RawRepresentable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let legal = Transaction.AdvancedCommerceInfo.Refund.Reason(rawValue: "LEGAL")
      public static let modifyItems =
        Transaction.AdvancedCommerceInfo.Refund.Reason(rawValue: "MODIFY_ITEMS_REFUND")
      public static let unintended =
        Transaction.AdvancedCommerceInfo.Refund.Reason(rawValue: "UNINTENDED_PURCHASE")
      public static let unfulfilled =
        Transaction.AdvancedCommerceInfo.Refund.Reason(rawValue: "FULFILLMENT_ISSUE")
      public static let unsatisfied =
        Transaction.AdvancedCommerceInfo.Refund.Reason(rawValue: "UNSATISFIED_WITH_PURCHASE")
      public static let other = Transaction.AdvancedCommerceInfo.Refund.Reason(rawValue: "OTHER")
    }

    public struct RefundType: Equatable, Hashable, RawRepresentable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let custom =
        Transaction.AdvancedCommerceInfo.Refund.RefundType(rawValue: "CUSTOM")
      public static let proRated =
        Transaction.AdvancedCommerceInfo.Refund.RefundType(rawValue: "PRORATED")
      public static let full =
        Transaction.AdvancedCommerceInfo.Refund.RefundType(rawValue: "FULL")
    }
  }
}
