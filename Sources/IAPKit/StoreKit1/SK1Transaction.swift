import Foundation
import IAPModel
import StoreKit

extension StoreTransaction {
  /// Flattens a paid or restored transaction of StoreKit 1; nil when it is neither, or has no id.
  ///
  /// - Parameters:
  ///   - transaction: The entry of the queue.
  ///   - source: The way by which it arrived.
  ///   - readReceipt: Reads the app receipt; asked after the entry, so that the receipt is not
  ///     older than the purchase that it proves.
  ///   - products: What is known about products.
  init?(
    _ transaction: SKPaymentTransaction,
    source: TransactionSource,
    readReceipt: () -> [UInt8]?,
    products: SK1ProductLoader
  ) {
    let state: StoreTransactionState
    switch transaction.transactionState {
    case .purchased: state = .purchased
    case .restored: state = .restored
    case .purchasing, .failed, .deferred: return nil
    @unknown default: return nil
    }
    guard let id = transaction.transactionIdentifier, let date = transaction.transactionDate
    else { return nil }
    let payment = transaction.payment
    self.init(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID(
        transaction.original?.transactionIdentifier ?? id
      ),
      productID: ProductID(payment.productIdentifier),
      purchaseDate: date,
      proof: .receipt(readReceipt()),
      verification: .unchecked,
      source: source,
      generation: .storekit1,
      storeState: state
    )
    quantity = payment.quantity
    type = products.type(payment.productIdentifier)
    subscriptionGroupID = products.group(payment.productIdentifier)
      .map { SubscriptionGroupID($0) }
    if let username = payment.applicationUsername {
      appAccountToken = AppAccountToken(username)
      applicationUsername = appAccountToken == nil ? username : nil
    }
    _ = takePaidProduct()
    // The period of a subscription is named by what only the receipt says.
    unit = type == .autoRenewable ? nil : payload.unit
  }
}
