public import Foundation

/// What the App Store signed about one purchase, renewal or restored copy.
public struct Transaction: Identifiable, Sendable {
  public typealias ID = UInt64

  public package(set) var id: UInt64
  public package(set) var originalID: UInt64
  public package(set) var webOrderLineItemID: String?
  public package(set) var productID: String
  public package(set) var subscriptionGroupID: String?
  public package(set) var appBundleID: String
  public package(set) var purchaseDate: Date
  public package(set) var originalPurchaseDate: Date
  public package(set) var expirationDate: Date?
  public package(set) var purchasedQuantity: Int
  public package(set) var isUpgraded: Bool
  public package(set) var offer: Transaction.Offer?
  public package(set) var revocationDate: Date?
  public package(set) var revocationReason: Transaction.RevocationReason?
  public package(set) var revocationType: Transaction.RevocationType?
  public package(set) var revocationPercentage: Decimal?
  public package(set) var productType: Product.ProductType
  public package(set) var appAccountToken: UUID?
  public package(set) var environment: AppStore.Environment
  public package(set) var reason: Transaction.Reason
  public package(set) var storefront: Storefront
  public package(set) var price: Decimal?
  public package(set) var currencyCode: String?
  public package(set) var appTransactionID: String
  public package(set) var ownershipType: Transaction.OwnershipType
  public package(set) var advancedCommerceInfo: Transaction.AdvancedCommerceInfo?
  public package(set) var billingPlanType: SubscriptionInfo.BillingPlanType?
  public package(set) var commitmentInfo: Transaction.CommitmentInfo?
  public package(set) var deviceVerification: Data
  public package(set) var deviceVerificationNonce: UUID
  public package(set) var signedDate: Date

  /// The signed text that the values came from.
  package let jwsRepresentation: String
  package let host: any StoreHost

  package init(
    jwsRepresentation: String,
    host: any StoreHost,
    id: UInt64,
    originalID: UInt64,
    productID: String,
    productType: Product.ProductType,
    appBundleID: String,
    purchaseDate: Date,
    originalPurchaseDate: Date,
    environment: AppStore.Environment,
    storefront: Storefront,
    deviceVerification: Data,
    deviceVerificationNonce: UUID,
    signedDate: Date,
    appTransactionID: String
  ) {
    self.jwsRepresentation = jwsRepresentation
    self.host = host
    self.id = id
    self.originalID = originalID
    self.productID = productID
    self.productType = productType
    self.appBundleID = appBundleID
    self.purchaseDate = purchaseDate
    self.originalPurchaseDate = originalPurchaseDate
    self.purchasedQuantity = 1
    self.isUpgraded = false
    self.environment = environment
    self.reason = .purchase
    self.storefront = storefront
    self.ownershipType = .purchased
    self.deviceVerification = deviceVerification
    self.deviceVerificationNonce = deviceVerificationNonce
    self.signedDate = signedDate
    self.appTransactionID = appTransactionID
  }

  public func finish() async {
    await host.finish(transactionID: id)
    await host.passWhileAlive()
  }
}

extension Transaction {
  public var jsonRepresentation: Data { CompactJWS(text: jwsRepresentation).payload }
  public var currency: Locale.Currency? { currencyCode.map { Locale.Currency($0) } }
  public var offerType: Transaction.OfferType? { offer?.type }
  public var offerID: String? { offer?.id }
  public var offerPaymentModeStringRepresentation: String? { offer?.paymentMode?.rawValue }
  public var offerPeriodStringRepresentation: String? { offer?.period?.iso8601 }
  public var environmentStringRepresentation: String { environment.rawValue }
  public var reasonStringRepresentation: String { reason.rawValue }
  public var storefrontCountryCode: String { storefront.countryCode }
  public var revocationTypeStringRepresentation: String? { revocationType?.rawValue }

  public var subscriptionStatus: Product.SubscriptionInfo.Status? {
    get async {
      guard let subscriptionGroupID else { return nil }
      let statuses = try? await Product.SubscriptionInfo.status(
        for: subscriptionGroupID,
        host: host
      )
      return statuses?.first { $0.transaction.unsafePayloadValue.originalID == originalID }
    }
  }
}

extension Transaction: Equatable, Hashable, CustomDebugStringConvertible {
  public static func == (lhs: Transaction, rhs: Transaction) -> Bool {
    lhs.jsonRepresentation == rhs.jsonRepresentation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(jsonRepresentation) }

  public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}

extension Transaction {
  public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let purchase = Transaction.Reason(rawValue: "PURCHASE")
    public static let renewal = Transaction.Reason(rawValue: "RENEWAL")
  }

  public struct RevocationReason: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let developerIssue = Transaction.RevocationReason(rawValue: 1)
    public static let other = Transaction.RevocationReason(rawValue: 0)
  }

  public struct RevocationType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let familyRevocation = Transaction.RevocationType(rawValue: "FAMILY_REVOKE")
    public static let fullRefund = Transaction.RevocationType(rawValue: "REFUND_FULL")
    public static let proratedRefund = Transaction.RevocationType(rawValue: "REFUND_PRORATED")
  }

  public struct OfferType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let introductory = Transaction.OfferType(rawValue: 1)
    public static let promotional = Transaction.OfferType(rawValue: 2)
    public static let code = Transaction.OfferType(rawValue: 3)
    public static var winBack: Transaction.OfferType { Transaction.OfferType(rawValue: 4) }
  }

  public struct OwnershipType: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let purchased = Transaction.OwnershipType(rawValue: "PURCHASED")
    public static let familyShared = Transaction.OwnershipType(rawValue: "FAMILY_SHARED")
  }

  public struct Offer: Equatable, Hashable, Sendable {
    public let id: String?
    public let type: Transaction.OfferType
    public let paymentMode: Transaction.Offer.PaymentMode?
    public let period: Product.SubscriptionPeriod?

    package init(
      id: String?,
      type: Transaction.OfferType,
      paymentMode: PaymentMode?,
      period: Product.SubscriptionPeriod?
    ) {
      self.id = id
      self.type = type
      self.paymentMode = paymentMode
      self.period = period
    }

    public struct PaymentMode: RawRepresentable, Equatable, Hashable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }

      public static let freeTrial = Transaction.Offer.PaymentMode(rawValue: "FREE_TRIAL")
      public static let payAsYouGo = Transaction.Offer.PaymentMode(rawValue: "PAY_AS_YOU_GO")
      public static let payUpFront = Transaction.Offer.PaymentMode(rawValue: "PAY_UP_FRONT")
      public static var oneTime: Transaction.Offer.PaymentMode { Self(rawValue: "ONE_TIME") }
    }
  }
}
