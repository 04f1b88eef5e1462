import Foundation
import IAPModel
import IAPSignatures
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
    let receipt = readReceipt()
    let asked = payment.productIdentifier
    // A change of plan for later is answered with the transaction of the plan that runs, under the
    // name and with the token of what was asked for: the receipt knows what was paid.
    let mayBeOther = state == .purchased && products.type(asked) == .autoRenewable
    let item = mayBeOther ? receipt.flatMap { ReceiptItem(id, in: $0) } : nil
    let isOther = item.map { $0.productID.rawValue != asked } ?? false
    let product = item?.productID.rawValue ?? asked
    self.init(
      transactionID: TransactionID(id),
      originalTransactionID: (isOther ? item?.originalTransactionID : nil)
        ?? OriginalTransactionID(transaction.original?.transactionIdentifier ?? id),
      productID: ProductID(product),
      purchaseDate: date,
      proof: .receipt(receipt),
      verification: .unchecked,
      source: source,
      generation: .storekit1,
      storeState: state
    )
    quantity = payment.quantity
    type = products.type(product) ?? (isOther ? .autoRenewable : nil)
    subscriptionGroupID = (products.group(product) ?? products.group(asked))
      .map { SubscriptionGroupID($0) }
    if !isOther, let username = payment.applicationUsername {
      appAccountToken = AppAccountToken(username)
      applicationUsername = appAccountToken == nil ? username : nil
    }
    // The period of a subscription is named by what only the receipt says.
    unit = type == .autoRenewable ? nil : payload.unit
  }
}

extension ReceiptItem {
  /// What a receipt says of a transaction, unchecked; nil when it does not show it.
  fileprivate init?(_ id: String, in receipt: [UInt8]) {
    let items = ReceiptPayload(unverified: receipt)?.items ?? []
    guard let item = items.first(where: { $0.transactionID.rawValue == id }) else { return nil }
    self = item
  }
}
