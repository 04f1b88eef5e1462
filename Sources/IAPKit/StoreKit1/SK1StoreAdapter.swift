import Foundation
package import IAPModel
import StoreKit

/// StoreKit 1 behind the client's seam: maps types and decides nothing.
///
/// The observer is added at construction, before any transaction can arrive, and stays for as long
/// as the adapter lives.
package final class SK1StoreAdapter: StoreAdapter, ProductSource {
  let queue: SKPaymentQueue
  let products: SK1ProductLoader
  let observer: SK1TransactionObserver
  private let readReceipt: @Sendable () -> [UInt8]?
  private let refresh = SK1ReceiptRefresh()
  let priceConsent = SK1PriceConsent()

  /// Makes the adapter and adds its observer to the queue.
  ///
  /// - Parameters:
  ///   - types: The types that the app's configuration names.
  ///   - readReceipt: Reads the app receipt as it is now; nil when there is none.
  package init(
    types: [String: ProductType],
    readReceipt: @escaping @Sendable () -> [UInt8]?
  ) {
    queue = SKPaymentQueue.default()
    products = SK1ProductLoader(types: types)
    observer = SK1TransactionObserver(products: products, readReceipt: readReceipt)
    self.readReceipt = readReceipt
    queue.add(observer)
  }

  deinit { queue.remove(observer) }

  package var generation: StoreGeneration { .storekit1 }

  package func canMakePayments() -> Bool { SKPaymentQueue.canMakePayments() }

  package func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
    try await products.load(ids)
  }

  package func objection(to options: SheetOptions) -> IAPError? { options.objectionOfStoreKit1 }

  package func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult {
    let id = request.productID.rawValue
    let product: SKProduct
    do {
      guard let found = try await products.product(id) else {
        return .failed(.productNotFound(id: id), reference: nil)
      }
      product = found
    } catch {
      return .failed(error, reference: nil)
    }
    return await observer.result(of: request) {
      let promoted = request.sheet.isPromoted ? observer.takePromoted(id) : nil
      let payment = promoted ?? SKMutablePayment(product: product)
      payment.quantity = request.quantity
      payment.applicationUsername = request.accountToken.description
      payment.simulatesAskToBuyInSandbox = request.sheet.simulatesAskToBuy
      if case .signed(let id, let signature) = request.sheet.offer {
        payment.paymentDiscount = SKPaymentDiscount(OfferID(id), signature)
      }
      queue.add(payment)
    }
  }

  package func unfinished() async -> [StoreTransaction] {
    queue.transactions.compactMap { observer.flatten($0, source: .unfinished) }
  }

  package func currentEntitlements() async -> [StoreTransaction] { [] }

  package func finish(_ reference: StoreReference) async -> StoreFinishAnswer {
    let entry =
      observer.object(reference)
      ?? queue.transactions.first { $0.transactionIdentifier == reference.rawValue }
    guard let entry, entry.transactionState != .purchasing else { return .notAnnounced }
    // An announcement may come late, of what was finished meanwhile.
    if queue.transactions.contains(where: { $0 === entry }) { queue.finishTransaction(entry) }
    observer.forget(reference)
    return .finished
  }

  package func restore() async throws(IAPError) -> [StoreTransaction] {
    try await observer.restored { queue.restoreCompletedTransactions() }.get()
  }

  package func receipt() -> [UInt8]? { readReceipt() }

  package func refreshedReceipt() async -> [UInt8]? {
    await refresh.run()
    return readReceipt()
  }

  package func start(_ sink: @escaping @Sendable (StoreSignal) -> Void) { observer.start(sink) }

  package func stop() { observer.stop() }
}

extension SKPaymentDiscount {
  fileprivate convenience init(_ id: OfferID, _ signature: OfferSignature) {
    self.init(
      identifier: id.rawValue,
      keyIdentifier: signature.keyId,
      nonce: signature.nonce,
      signature: signature.signature.base64EncodedString(),
      timestamp: NSNumber(value: signature.timestamp)
    )
  }
}
