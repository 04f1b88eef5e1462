public import Foundation

extension Product.SubscriptionInfo {
  public struct RenewalInfo: Sendable {
    public package(set) var originalTransactionID: UInt64
    public package(set) var currentProductID: String
    public package(set) var willAutoRenew: Bool
    public package(set) var autoRenewPreference: String?
    public package(set) var expirationReason: Product.SubscriptionInfo.RenewalInfo.ExpirationReason?
    public package(set) var priceIncreaseStatus:
      Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus
    public package(set) var isInBillingRetry: Bool
    public package(set) var gracePeriodExpirationDate: Date?
    public package(set) var offer: Transaction.Offer?
    public package(set) var environment: AppStore.Environment
    public package(set) var recentSubscriptionStartDate: Date
    public package(set) var renewalDate: Date?
    public package(set) var renewalPrice: Decimal?
    public package(set) var currencyCode: String?
    public package(set) var eligibleWinBackOfferIDs: [String]
    public package(set) var deviceVerification: Data
    public package(set) var deviceVerificationNonce: UUID
    public package(set) var signedDate: Date
    public package(set) var appAccountToken: UUID?
    public package(set) var appTransactionID: String
    public package(set) var advancedCommerceInfo:
      Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo?
    public package(set) var commitmentInfo: Product.SubscriptionInfo.RenewalInfo.CommitmentInfo?
    public package(set) var renewalBillingPlanType: SubscriptionInfo.BillingPlanType?

    /// The signed text that the values came from.
    package let jwsRepresentation: String

    package init(
      jwsRepresentation: String,
      originalTransactionID: UInt64,
      currentProductID: String,
      willAutoRenew: Bool,
      environment: AppStore.Environment,
      recentSubscriptionStartDate: Date,
      deviceVerification: Data,
      deviceVerificationNonce: UUID,
      signedDate: Date,
      appTransactionID: String
    ) {
      self.jwsRepresentation = jwsRepresentation
      self.originalTransactionID = originalTransactionID
      self.currentProductID = currentProductID
      self.willAutoRenew = willAutoRenew
      self.priceIncreaseStatus = .noIncreasePending
      self.isInBillingRetry = false
      self.environment = environment
      self.recentSubscriptionStartDate = recentSubscriptionStartDate
      self.eligibleWinBackOfferIDs = []
      self.deviceVerification = deviceVerification
      self.deviceVerificationNonce = deviceVerificationNonce
      self.signedDate = signedDate
      self.appTransactionID = appTransactionID
    }

    public var jsonRepresentation: Data { CompactJWS(text: jwsRepresentation).payload }
    public var offerID: String? { offer?.id }
    public var offerType: Transaction.OfferType? { offer?.type }
    public var offerPaymentModeStringRepresentation: String? { offer?.paymentMode?.rawValue }
    public var offerPeriodStringRepresentation: String? { offer?.period?.iso8601 }
    public var environmentStringRepresentation: String { environment.rawValue }
    public var currency: Locale.Currency? { currencyCode.map { Locale.Currency($0) } }
  }
}

extension Product.SubscriptionInfo.RenewalInfo: Equatable, Hashable, CustomDebugStringConvertible {
  public static func == (
    lhs: Product.SubscriptionInfo.RenewalInfo,
    rhs: Product.SubscriptionInfo.RenewalInfo
  ) -> Bool {
    lhs.jsonRepresentation == rhs.jsonRepresentation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }

  public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}

extension Product.SubscriptionInfo.RenewalInfo {
  public struct ExpirationReason: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let autoRenewDisabled =
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason(rawValue: 1)
    public static let billingError =
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason(rawValue: 2)
    public static let didNotConsentToPriceIncrease =
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason(rawValue: 3)
    public static let productUnavailable =
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason(rawValue: 4)
    public static let unknown =
      Product.SubscriptionInfo.RenewalInfo.ExpirationReason(rawValue: 5)
  }

  @frozen public enum PriceIncreaseStatus: Equatable, Hashable, Sendable, BitwiseCopyable {
    case noIncreasePending
    case pending
    case agreed
  }
}
