public import Foundation
public import IAPModel

/// One purchase, flat, the same for both generations of StoreKit.
///
/// A missing value is nil, never invented.
public struct IAPTransactionResult: Hashable, Sendable, Identifiable {
  /// The transaction's identifier.
  public let transactionId: String
  /// The identifier of the first transaction of the product or subscription.
  public let originalTransactionId: String
  /// The billing event of an auto-renewable subscription.
  public let webOrderLineItemId: String?
  /// The product's identifier.
  public let productId: String
  /// The product's type; nil when StoreKit 1 and the configuration do not say.
  public let productType: ProductType?
  /// The group of an auto-renewable subscription.
  public let subscriptionGroupId: String?
  /// When the customer was charged, or the start of the renewed period.
  public let purchaseDate: Date
  /// When an auto-renewable subscription's period ends.
  public let expiresDate: Date?
  /// When the App Store took the purchase back.
  public let revocationDate: Date?
  /// Why the App Store took it back.
  public let revocationReason: RevocationReason?
  /// How many were bought.
  public let quantity: Int
  /// Whether the customer bought it or shares it.
  public let ownership: OwnershipType?
  /// Where it was bought.
  public let environment: StoreEnvironment?
  /// The token that travelled with the purchase.
  public let appAccountToken: UUID?
  /// The kind of offer that was used.
  public let offerType: OfferType?
  /// The identifier of the offer that was used.
  public let offerId: String?
  /// The signed transaction, where there is one.
  public let jws: String?
  /// When it was signed, or, where StoreKit 1 signs nothing, told of by somebody else.
  package let signedDate: Date?
  /// What was charged, in the main unit of ``currency``.
  public let price: Decimal?
  /// The ISO 4217 code of the currency.
  public let currency: String?
  /// Whether the customer has moved to a higher level and this transaction no longer counts.
  public let isUpgraded: Bool
  /// The way by which it arrived.
  public let source: TransactionSource
  /// Which API it came from.
  public let generation: StoreGeneration
  /// The number of the order that it belongs to, when there is one.
  public let orderNumber: String?
  /// The context that the order was opened with; empty when there is no order.
  public let context: [String: String]

  /// The transaction's identifier.
  public var id: String { transactionId }
  /// The product's type.
  public var type: ProductType? { productType }
  /// Whether the App Store took the purchase back.
  public var isRevoked: Bool { revocationDate != nil }

  package init(_ transaction: StoreTransaction, order: Order?) {
    transactionId = transaction.transactionID.rawValue
    originalTransactionId = transaction.originalTransactionID.rawValue
    webOrderLineItemId = transaction.webOrderLineItemID?.rawValue
    productId = transaction.productID.rawValue
    productType = transaction.type
    subscriptionGroupId = transaction.subscriptionGroupID?.rawValue
    purchaseDate = transaction.purchaseDate
    expiresDate = transaction.expiresDate
    revocationDate = transaction.revocationDate
    revocationReason = transaction.revocationReason
    quantity = transaction.quantity
    ownership = transaction.ownership
    environment = transaction.environment
    appAccountToken = transaction.appAccountToken?.rawValue
    offerType = transaction.offerType
    offerId = transaction.offerID?.rawValue
    signedDate = transaction.signedDate
    if case .jws(let text) = transaction.proof, !text.isEmpty { jws = text } else { jws = nil }
    price = transaction.price?.amount
    currency = transaction.price?.currency
    isUpgraded = transaction.isUpgraded
    source = transaction.source
    generation = transaction.generation
    orderNumber = order?.displayNumber
    context = order?.context ?? [:]
  }
}
