public import Foundation

/// What a signed transaction says, decoded but not verified.
///
/// A missing value is nil, never invented. Members that are not known here are kept in
/// ``otherMembers`` and written back.
///
/// - **Units:** dates are instants; ``priceMilliunits`` is in thousandths of ``currency``, after
///   discounts and times ``quantity``.
/// - **Source:** App Store Server API, `JWSTransactionDecodedPayload`.
public struct TransactionPayload: Hashable, Sendable {
  /// The identifier of this transaction.
  public var transactionID: TransactionID
  /// The identifier of the first transaction of the product or subscription.
  public var originalTransactionID: OriginalTransactionID
  /// The billing event of an auto-renewable subscription.
  public var webOrderLineItemID: WebOrderLineItemID?
  /// The app that sold the product.
  public var bundleID: BundleID
  /// The product.
  public var productID: ProductID
  /// The group of an auto-renewable subscription.
  public var subscriptionGroupID: SubscriptionGroupID?
  /// When the customer was charged, or the start of the renewed period.
  public var purchaseDate: Date
  /// When the original transaction was made.
  public var originalPurchaseDate: Date?
  /// When an auto-renewable subscription's period ends; nil for every other type.
  public var expiresDate: Date?
  /// How many were bought; nil when the payload does not say.
  public var quantity: Int?
  /// The product's type.
  public var type: ProductType?
  /// The token that travelled with the purchase.
  public var appAccountToken: AppAccountToken?
  /// Whether the customer bought it or shares it.
  public var ownershipType: OwnershipType?
  /// When the App Store signed these bytes.
  public var signedDate: Date?
  /// When the App Store took the transaction back.
  public var revocationDate: Date?
  /// Why the App Store took it back.
  public var revocationReason: RevocationReason?
  /// How the App Store took it back.
  public var revocationType: RevocationType?
  /// How much was paid back, in thousandths of a percent.
  public var revocationPercentage: Int?
  /// Whether the customer has moved to a higher level and this transaction no longer counts.
  public var isUpgraded: Bool
  /// The kind of offer.
  public var offerType: OfferType?
  /// The offer's identifier.
  public var offerIdentifier: OfferID?
  /// How the offer is paid.
  public var offerDiscountType: OfferDiscountType?
  /// The ISO 8601 length of the whole offer.
  public var offerPeriod: String?
  /// Where the transaction was made.
  public var environment: StoreEnvironment?
  /// The storefront's three-letter country code.
  public var storefront: String?
  /// Apple's number of the storefront.
  public var storefrontID: StorefrontID?
  /// Whether the customer bought or the store renewed.
  public var transactionReason: TransactionReason?
  /// The amount charged, in thousandths of ``currency``.
  public var priceMilliunits: Int64?
  /// The ISO 4217 currency code.
  public var currency: String?
  /// The customer's download of the app.
  public var appTransactionID: AppTransactionID?
  /// Members that are not known here, in their order.
  public var otherMembers: [JSONMember]

  /// Makes a payload with what every transaction has; the rest is absent.
  public init(
    transactionID: TransactionID,
    originalTransactionID: OriginalTransactionID,
    bundleID: BundleID,
    productID: ProductID,
    purchaseDate: Date
  ) {
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID
    self.bundleID = bundleID
    self.productID = productID
    self.purchaseDate = purchaseDate
    self.isUpgraded = false
    self.otherMembers = []
  }

  /// What was charged, when the payload says both amount and currency.
  public var price: Money? {
    guard let priceMilliunits, let currency else { return nil }
    return Money(milliunits: priceMilliunits, currency: currency)
  }

  /// The name of what was paid for (design, invariant 3).
  ///
  /// A consumable or non-renewing purchase is its transaction; a non-consumable its original; a
  /// period of an auto-renewable subscription its original with the web order line item, else the
  /// purchase date. Nil while the type is unknown.
  public var unit: UnitID? {
    switch type {
    case .consumable?, .nonRenewable?: return UnitID("tx:\(transactionID)")
    case .nonConsumable?: return UnitID("orig:\(originalTransactionID)")
    case .autoRenewable?:
      guard let webOrderLineItemID else {
        return UnitID("period:\(originalTransactionID):at:\(purchaseDate.milliseconds)")
      }
      return UnitID("period:\(originalTransactionID):line:\(webOrderLineItemID)")
    default: return nil
    }
  }
}
