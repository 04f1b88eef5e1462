public import Foundation

extension Product.SubscriptionInfo.RenewalInfo {
  /// What renewal info of the Advanced Commerce API says beside the rest.
  public struct AdvancedCommerceInfo: Equatable, Hashable, Sendable {
    public let consistencyToken: String
    public let requestReferenceID: String
    public let taxCode: String
    public let description: String
    public let displayName: String
    public let period: SubscriptionPeriod
    public let items: [Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item]

    package init(
      consistencyToken: String,
      requestReferenceID: String,
      taxCode: String,
      description: String,
      displayName: String,
      period: SubscriptionPeriod,
      items: [Item]
    ) {
      self.consistencyToken = consistencyToken
      self.requestReferenceID = requestReferenceID
      self.taxCode = taxCode
      self.description = description
      self.displayName = displayName
      self.period = period
      self.items = items
    }
  }
}

extension Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo {
  public struct Item: Equatable, Hashable, Sendable {
    public typealias Details = Transaction.AdvancedCommerceInfo.Item.Details

    public let details: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.Details
    public let priceIncreaseInfo:
      Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo?

    package init(details: Details, priceIncreaseInfo: PriceIncreaseInfo?) {
      self.details = details
      self.priceIncreaseInfo = priceIncreaseInfo
    }
  }
}

extension Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item {
  public struct PriceIncreaseInfo: Equatable, Hashable, Sendable {
    public let status:
      Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo.Status
    public let price: Decimal
    public let dependentSKUs: [String]

    package init(status: Status, price: Decimal, dependentSKUs: [String]) {
      self.status = status
      self.price = price
      self.dependentSKUs = dependentSKUs
    }

    public struct Status: Equatable, Hashable, RawRepresentable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      private typealias Itself =
        Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo.Status

      public static let pending:
        Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo.Status =
          Itself(rawValue: "PENDING")
      public static let accepted:
        Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo.Status =
          Itself(rawValue: "ACCEPTED")
      public static let scheduled:
        Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo.Status =
          Itself(rawValue: "SCHEDULED")
    }
  }
}
