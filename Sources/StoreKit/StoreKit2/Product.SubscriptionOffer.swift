public import Foundation

extension Product {
  public struct SubscriptionOffer: Equatable, Hashable, Sendable {
    public let id: String?
    public let type: Product.SubscriptionOffer.OfferType
    public let price: Decimal
    public let displayPrice: String
    public let period: Product.SubscriptionPeriod
    public let periodCount: Int
    public let paymentMode: Product.SubscriptionOffer.PaymentMode

    package init(
      id: String?,
      type: OfferType,
      price: Decimal,
      displayPrice: String,
      period: Product.SubscriptionPeriod,
      periodCount: Int,
      paymentMode: PaymentMode
    ) {
      self.id = id
      self.type = type
      self.price = price
      self.displayPrice = displayPrice
      self.period = period
      self.periodCount = periodCount
      self.paymentMode = paymentMode
    }

    public struct OfferType: RawRepresentable, Equatable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let introductory = Product.SubscriptionOffer.OfferType(rawValue: "introductory")
      public static let promotional = Product.SubscriptionOffer.OfferType(rawValue: "promotional")
      public static let winBack = Product.SubscriptionOffer.OfferType(rawValue: "winBack")
    }

    public struct PaymentMode: RawRepresentable, Equatable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let payAsYouGo = Product.SubscriptionOffer.PaymentMode(rawValue: "payAsYouGo")
      public static let payUpFront = Product.SubscriptionOffer.PaymentMode(rawValue: "payUpFront")
      public static let freeTrial = Product.SubscriptionOffer.PaymentMode(rawValue: "freeTrial")
    }

    public struct Signature: Equatable, Hashable, Sendable {
      public var keyID: String
      public var nonce: UUID
      public var timestamp: Int
      public var signature: Data

      public init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
        self.keyID = keyID
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
      }
    }
  }
}
