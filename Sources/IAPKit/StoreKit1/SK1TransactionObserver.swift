import Foundation
import IAPModel
import StoreKit

/// Hears what StoreKit 1's queue says, from its construction for as long as it lives.
///
/// A transaction that a purchase or a restore waits for goes there; everything else goes to the
/// sink, and is kept until there is one. It finishes nothing and decides nothing.
final class SK1TransactionObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  typealias Sink = @Sendable (StoreSignal) -> Void

  private struct Purchase {
    let request: StorePurchaseRequest
    let continuation: CheckedContinuation<StorePurchaseResult, Never>
  }

  private struct State {
    var sink: Sink?
    /// What came while nobody listened.
    var backlog: [StoreSignal] = []
    var purchases: [Purchase] = []
    var restores: [CheckedContinuation<Result<[StoreTransaction], IAPError>, Never>] = []
    var copies: [StoreTransaction] = []
    /// StoreKit's own objects of what has to be finished.
    var objects: [StoreReference: SKPaymentTransaction] = [:]
    var failureCount = 0
    /// Payments that began in the App Store, by product.
    var promoted: [String: SKMutablePayment] = [:]
  }

  /// Sends each change of the storefront.
  let storefronts = Broadcast<IAPStorefront>()

  private let state = Locked(State())
  private let products: SK1ProductLoader
  private let readReceipt: @Sendable () -> [UInt8]?

  init(products: SK1ProductLoader, readReceipt: @escaping @Sendable () -> [UInt8]?) {
    self.products = products
    self.readReceipt = readReceipt
    super.init()
  }

  // MARK: For the adapter

  /// Sends what came so far, then everything as it comes.
  func start(_ sink: @escaping Sink) {
    state.withLock { state in
      state.sink = sink
      // Inside the lock, so that nothing newer overtakes the backlog; a sink returns at once.
      for signal in state.backlog { sink(signal) }
      state.backlog = []
    }
  }

  /// Keeps what comes until the next start.
  func stop() { state.withLock { $0.sink = nil } }

  /// Puts a payment into the queue and waits for its end.
  func result(
    of request: StorePurchaseRequest,
    add: () -> Void
  ) async -> StorePurchaseResult {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.purchases.append(Purchase(request: request, continuation: continuation))
      }
      add()
    }
  }

  /// Starts a restore, or joins the one that runs, and waits for its end.
  func restored(start: () -> Void) async -> Result<[StoreTransaction], IAPError> {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        state.restores.append(continuation)
        return state.restores.count == 1
      }
      if isFirst { start() }
    }
  }

  /// StoreKit's object, when it was announced in this process.
  func object(_ reference: StoreReference) -> SKPaymentTransaction? {
    state.withLock { $0.objects[reference] }
  }

  /// The payment that the customer began in the App Store; each is handed out once.
  func takePromoted(_ product: String) -> SKMutablePayment? {
    state.withLock { $0.promoted.removeValue(forKey: product) }
  }

  /// Lets go of an object that was finished.
  func forget(_ reference: StoreReference) {
    _ = state.withLock { $0.objects.removeValue(forKey: reference) }
  }

  /// Flattens a queue entry and remembers its object.
  func flatten(_ entry: SKPaymentTransaction, source: TransactionSource) -> StoreTransaction? {
    guard
      let transaction = StoreTransaction(
        entry,
        source: source,
        readReceipt: readReceipt,
        products: products
      )
    else { return nil }
    state.withLock { $0.objects[transaction.reference] = entry }
    return transaction
  }

  // MARK: From StoreKit

  func paymentQueue(
    _ queue: SKPaymentQueue,
    updatedTransactions transactions: [SKPaymentTransaction]
  ) {
    for entry in transactions { hear(entry) }
  }

  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
    if let storefront = queue.storefront { storefronts.send(IAPStorefront(storefront)) }
  }

  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    endRestore(nil)
  }

  func paymentQueue(
    _ queue: SKPaymentQueue,
    restoreCompletedTransactionsFailedWithError error: any Error
  ) {
    endRestore(IAPError(storeKit1: error))
  }

  /// Always no: an order is written first, and then the payment is added with its number.
  func paymentQueue(
    _ queue: SKPaymentQueue,
    shouldAddStorePayment payment: SKPayment,
    for product: SKProduct
  ) -> Bool {
    let id = product.productIdentifier
    let copy = payment.mutableCopy() as? SKMutablePayment
    state.withLock { $0.promoted[id] = copy }
    send(.promoted(PromotedPurchase(productId: id)))
    return false
  }

  private func hear(_ entry: SKPaymentTransaction) {
    switch entry.transactionState {
    case .purchasing: break
    case .purchased: hearPaid(entry)
    case .restored: hearRestored(entry)
    case .failed: hearFailed(entry)
    case .deferred: hearDeferred(entry)
    @unknown default: break
    }
  }

  private func hearPaid(_ entry: SKPaymentTransaction) {
    let waiting = takePurchase(for: entry.payment)
    guard let transaction = flatten(entry, source: waiting == nil ? .updates : .purchase) else {
      waiting?.resume(returning: .failed(.unknown, reference: nil))
      return
    }
    if let waiting {
      waiting.resume(returning: .transaction(transaction))
    } else {
      send(.transaction(transaction))
    }
  }

  private func hearRestored(_ entry: SKPaymentTransaction) {
    guard let transaction = flatten(entry, source: .restore) else { return }
    let isAwaited = state.withLock { state in
      guard !state.restores.isEmpty else { return false }
      state.copies.append(transaction)
      return true
    }
    if !isAwaited { send(.transaction(transaction)) }
  }

  private func hearFailed(_ entry: SKPaymentTransaction) {
    let payment = entry.payment
    let reference = state.withLock { state in
      state.failureCount += 1
      let reference = StoreReference("failed:\(state.failureCount)")
      state.objects[reference] = entry
      return reference
    }
    let error = IAPError(storeKit1: entry.error, productID: payment.productIdentifier)
    if let waiting = takePurchase(for: payment) {
      waiting.resume(returning: .failed(error, reference: reference))
      return
    }
    send(
      .failed(
        StoreFailure(
          reference: reference,
          productID: ProductID(payment.productIdentifier),
          quantity: payment.quantity,
          accountToken: payment.applicationUsername.flatMap { AppAccountToken($0) },
          error: error
        )
      )
    )
  }

  private func hearDeferred(_ entry: SKPaymentTransaction) {
    let payment = entry.payment
    if let waiting = takePurchase(for: payment) {
      waiting.resume(returning: .pending)
      return
    }
    send(
      .deferred(
        StoreDeferral(
          productID: ProductID(payment.productIdentifier),
          quantity: payment.quantity,
          accountToken: payment.applicationUsername.flatMap { AppAccountToken($0) }
        )
      )
    )
  }

  private func endRestore(_ error: IAPError?) {
    let (waiting, copies) = state.withLock { state in
      defer {
        state.restores = []
        state.copies = []
      }
      return (state.restores, state.copies)
    }
    for continuation in waiting {
      continuation.resume(returning: error.map { .failure($0) } ?? .success(copies))
    }
  }

  /// The purchase that waits for this payment: by its token, and where StoreKit brings none back
  /// by product and quantity.
  private func takePurchase(
    for payment: SKPayment
  ) -> CheckedContinuation<StorePurchaseResult, Never>? {
    let product = ProductID(payment.productIdentifier)
    let username = payment.applicationUsername
    let quantity = payment.quantity
    return state.withLock { state in
      let index = state.purchases.firstIndex { waiting in
        guard waiting.request.productID == product else { return false }
        guard let username else { return waiting.request.quantity == quantity }
        return waiting.request.accountToken == AppAccountToken(username)
      }
      return index.map { state.purchases.remove(at: $0).continuation }
    }
  }

  private func send(_ signal: StoreSignal) {
    state.withLock { state in
      guard let sink = state.sink else {
        state.backlog.append(signal)
        return
      }
      sink(signal)
    }
  }
}
