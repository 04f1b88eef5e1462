public import Foundation
public import IAPKit

/// A product as an object, for delegates and for Objective-C.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class ProductItem: NSObject, Sendable {
  /// The product as a value, with everything that is known of it.
  public let value: IAPProduct

  /// Makes an object of a product.
  ///
  /// - Parameter value: The product.
  public init(_ value: IAPProduct) {
    self.value = value
    super.init()
  }

  /// The product's id.
  public var productIdentifier: String { value.id }
  /// The localised name.
  public var localizedTitle: String { value.displayName }
  /// The localised description.
  public var localizedDescription: String { value.description }
  /// The price in the main unit of ``currencyCode``.
  public var price: NSDecimalNumber { NSDecimalNumber(decimal: value.price) }
  /// The ISO 4217 code of the price's currency.
  public var currencyCode: String? { value.currency }
  /// The price as the store writes it.
  public var localizedPrice: String { value.displayPrice }
  /// The subscription's group; nil for anything else.
  public var subscriptionGroupIdentifier: String? { value.subscriptionGroupID }
  /// The length of one period as an ISO 8601 duration; nil for anything but a subscription.
  public var subscriptionPeriod: String? { value.subscriptionPeriod?.iso8601 }
}

/// A transaction as an object, for delegates and for Objective-C.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class TransactionItem: NSObject, Sendable {
  /// The transaction as a value, with everything that is known of it.
  public let value: IAPTransactionResult

  /// Makes an object of a transaction.
  ///
  /// - Parameter value: The transaction.
  public init(_ value: IAPTransactionResult) {
    self.value = value
    super.init()
  }

  /// The transaction's identifier.
  public var transactionIdentifier: String { value.transactionId }
  /// The identifier of the first transaction of the product or subscription.
  public var originalTransactionIdentifier: String { value.originalTransactionId }
  /// The product's id.
  public var productIdentifier: String { value.productId }
  /// How many were bought.
  public var quantity: Int { value.quantity }
  /// When the customer was charged, or the start of the renewed period.
  public var purchaseDate: Date { value.purchaseDate }
  /// When the subscription's period ends.
  public var expiresDate: Date? { value.expiresDate }
  /// When the App Store took the purchase back.
  public var revocationDate: Date? { value.revocationDate }
  /// The number of the order that it belongs to.
  public var orderNumber: String? { value.orderNumber }
  /// The signed transaction, where there is one.
  public var signedTransaction: String? { value.jws }
}
