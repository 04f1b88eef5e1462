import Foundation
import SimulatedDevice
import StoreKit
import Synchronization

/// What the queue said, as text: `purchased com.example.demo.coins`, `removed 1`, `restored all`.
final class QueueObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  let said = Heard<String>()
  let transactions = Heard<SKPaymentTransaction>()
  private let finishing: Set<SKPaymentTransactionState>
  private let takesStorePayments: Bool

  init(
    finishing: Set<SKPaymentTransactionState> = [],
    takesStorePayments: Bool = false
  ) {
    self.finishing = finishing
    self.takesStorePayments = takesStorePayments
  }

  func paymentQueue(
    _ queue: SKPaymentQueue,
    updatedTransactions transactions: [SKPaymentTransaction]
  ) {
    for transaction in transactions {
      said.add("\(transaction.transactionState) \(transaction.payment.productIdentifier)")
      self.transactions.add(transaction)
      if finishing.contains(transaction.transactionState) {
        queue.finishTransaction(transaction)
      }
    }
  }

  func paymentQueue(
    _ queue: SKPaymentQueue,
    removedTransactions transactions: [SKPaymentTransaction]
  ) {
    said.add("removed \(transactions.count)")
  }

  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    said.add("restore finished")
  }

  func paymentQueue(
    _ queue: SKPaymentQueue,
    restoreCompletedTransactionsFailedWithError error: any Error
  ) {
    said.add("restore failed \((error as? SKError)?.code.rawValue ?? -1)")
  }

  func paymentQueue(
    _ queue: SKPaymentQueue,
    shouldAddStorePayment payment: SKPayment,
    for product: SKProduct
  ) -> Bool {
    said.add("store payment \(payment.productIdentifier)")
    return takesStorePayments
  }

  func paymentQueue(
    _ queue: SKPaymentQueue,
    didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    for product in productIdentifiers { said.add("revoked \(product)") }
  }

  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
    said.add("storefront \(queue.storefront?.countryCode ?? "none")")
  }
}

extension AppProcess {
  /// Starts StoreKit 1 as an app does at launch; the observer is held by the caller.
  func observe(_ observer: QueueObserver) async throws {
    try await run { SKPaymentQueue.default().add(observer) }
  }

  /// Adds a payment to the queue.
  func pay(for product: String, quantity: Int = 1, username: String? = nil) async throws {
    try await run {
      let payment = SKMutablePayment()
      payment.productIdentifier = product
      payment.quantity = quantity
      payment.applicationUsername = username
      SKPaymentQueue.default().add(payment)
    }
  }

  /// How many transactions are in the queue.
  func queueCount() async throws -> Int {
    try await run { SKPaymentQueue.default().transactions.count }
  }
}

/// What a request told its delegate, as text.
final class RequestDelegate: NSObject, SKProductsRequestDelegate, Sendable {
  let said = Heard<String>()
  let responses = Heard<SKProductsResponse>()

  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    said.add("received \(response.products.count)")
    responses.add(response)
  }

  func requestDidFinish(_ request: SKRequest) { said.add("finished") }

  func request(_ request: SKRequest, didFailWithError error: any Error) {
    said.add("failed \((error as? SKError)?.code.rawValue ?? -1)")
  }
}

/// Answers whether a purchase goes on in another storefront.
final class StorefrontDelegate: NSObject, SKPaymentQueueDelegate, Sendable {
  let asked = Heard<String>()
  private let continues: Bool

  init(continues: Bool) {
    self.continues = continues
  }

  func paymentQueue(
    _ paymentQueue: SKPaymentQueue,
    shouldContinue transaction: SKPaymentTransaction,
    in newStorefront: SKStorefront
  ) -> Bool {
    asked.add(newStorefront.countryCode)
    return continues
  }
}
