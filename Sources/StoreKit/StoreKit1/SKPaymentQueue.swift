public import Foundation
import Synchronization

/// The queue between the app and the App Store; one for each app process.
///
/// Observers and the delegate are held weakly and called on the main actor, never from inside a
/// call of the app.
public final class SKPaymentQueue: NSObject, Sendable {
  private struct State {
    var observers: [WeakReference] = []
    var delegate = WeakReference(object: nil)
    var transactions: [SKPaymentTransaction] = []
  }

  private let host: any StoreHost
  private let state = Mutex(Crossing(value: State()))

  package init(host: any StoreHost) {
    self.host = host
    super.init()
  }

  public class func `default`() -> Self {
    StoreHostBinding.required().paymentQueue as! Self
  }

  public class func canMakePayments() -> Bool { StoreHostBinding.required().canMakePayments }

  public weak var delegate: (any SKPaymentQueueDelegate)? {
    get { currentDelegate.value.object as? any SKPaymentQueueDelegate }
    set {
      let reference = Crossing(value: WeakReference(object: newValue))
      state.withLock { $0.value.delegate = reference.value }
    }
  }

  public var transactions: [SKPaymentTransaction] { state.withLock { $0.value.transactions } }

  public var transactionObservers: [any SKPaymentTransactionObserver] {
    currentObservers.compactMap { $0.value.object as? any SKPaymentTransactionObserver }
  }

  public var storefront: SKStorefront? { host.storefront.map(SKStorefront.init) }

  public func add(_ observer: any SKPaymentTransactionObserver) {
    let reference = Crossing(value: WeakReference(object: observer))
    let isFirst = state.withLock { state in
      state.value.observers.removeAll { $0.object == nil }
      guard !state.value.observers.contains(where: { $0.object === reference.value.object }) else {
        return false
      }
      state.value.observers.append(reference.value)
      return state.value.observers.count == 1
    }
    if isFirst { host.paymentQueueIsObserved() }
  }

  public func remove(_ observer: any SKPaymentTransactionObserver) {
    let reference = Crossing(value: WeakReference(object: observer))
    state.withLock { state in
      state.value.observers.removeAll {
        $0.object == nil || $0.object === reference.value.object
      }
    }
  }

  public func add(_ payment: SKPayment) {
    precondition(!payment.productIdentifier.isEmpty, "a payment must name a product")
    precondition(payment.quantity >= 1, "a payment must ask for at least one")
    host.add(payment.value)
  }

  public func finishTransaction(_ transaction: SKPaymentTransaction) {
    precondition(
      transaction.transactionState != .purchasing,
      "a transaction that is being purchased cannot be finished"
    )
    host.finish(transaction)
  }

  public func restoreCompletedTransactions() {
    host.restoreCompletedTransactions(applicationUsername: nil)
  }

  public func restoreCompletedTransactions(withApplicationUsername username: String?) {
    host.restoreCompletedTransactions(applicationUsername: username)
  }

  public func presentCodeRedemptionSheet() { host.presentCodeRedemptionSheet() }

  public func showPriceConsentIfNeeded() { host.showPriceConsentIfNeeded() }

  private var currentObservers: [Crossing<WeakReference>] {
    state.withLock { state in state.value.observers.map { Crossing(value: $0) } }
  }

  private var currentDelegate: Crossing<WeakReference> {
    state.withLock { Crossing(value: $0.value.delegate) }
  }
}

// What the host does with the queue.
extension SKPaymentQueue {
  /// Whether anybody would hear an announcement.
  package var isObserved: Bool { currentObservers.contains { $0.value.object != nil } }

  /// Puts transactions at the end of the queue.
  package func append(_ transactions: [SKPaymentTransaction]) {
    state.withLock { $0.value.transactions += transactions }
  }

  /// Takes transactions out of the queue and tells the observers.
  package func remove(_ transactions: [SKPaymentTransaction]) {
    let removed = state.withLock { state in
      let held = state.value.transactions.filter { transactions.contains($0) }
      state.value.transactions.removeAll { transactions.contains($0) }
      return held
    }
    guard !removed.isEmpty else { return }
    tellObservers { queue, observer in
      observer.paymentQueue(queue, removedTransactions: removed)
    }
  }

  /// Takes a transaction out of the queue, and tells nobody.
  package func drop(_ transaction: SKPaymentTransaction) {
    state.withLock { $0.value.transactions.removeAll { $0 === transaction } }
  }

  /// Tells the observers about new transactions or new states.
  package func announce(_ transactions: [SKPaymentTransaction]) {
    guard !transactions.isEmpty else { return }
    tellObservers { queue, observer in
      observer.paymentQueue(queue, updatedTransactions: transactions)
    }
  }

  /// Changes a transaction, and tells the observers before anything else can change it.
  package func announce(
    _ transaction: SKPaymentTransaction,
    after change: @escaping @Sendable (inout SKPaymentTransaction.Snapshot) -> Void
  ) {
    host.callBack { transaction.change(change) }
    announce([transaction])
  }

  /// Tells the observers how a restore ended.
  package func announceRestoreEnd(_ error: (any Error)?) {
    tellObservers { queue, observer in
      if let error {
        observer.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: error)
      } else {
        observer.paymentQueueRestoreCompletedTransactionsFinished(queue)
      }
    }
  }

  /// Tells the observers that the account is in another storefront now.
  package func announceStorefrontChange() {
    tellObservers { queue, observer in observer.paymentQueueDidChangeStorefront(queue) }
  }

  /// Tells the observers that a family member no longer shares products.
  package func announceRevocation(productIDs: [String]) {
    tellObservers { queue, observer in
      observer.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: productIDs)
    }
  }

  /// Asks the observers whether a purchase that began on the App Store goes on in the app now;
  /// answers through the closure.
  package func askToAddStorePayment(
    for product: Product,
    answer: @escaping @Sendable (Bool) -> Void
  ) {
    host.callBack { [self] in
      let payment = SKPayment(PaymentValue(productIdentifier: product.id))
      let product = SKProduct(product)
      let answers = transactionObservers.map {
        $0.paymentQueue(self, shouldAddStorePayment: payment, for: product)
      }
      answer(answers.contains(true))
    }
  }

  /// Asks the delegate whether a purchase goes on in another storefront; answers through the
  /// closure.
  package func askToContinue(
    _ transaction: SKPaymentTransaction,
    in storefront: Storefront,
    answer: @escaping @Sendable (Bool) -> Void
  ) {
    host.callBack { [self] in
      let storefront = SKStorefront(storefront)
      answer(delegate?.paymentQueue(self, shouldContinue: transaction, in: storefront) ?? true)
    }
  }

  /// Asks the delegate whether a price increase is shown now; answers through the closure.
  package func askToShowPriceConsent(answer: @escaping @Sendable (Bool) -> Void) {
    host.callBack { [self] in
      answer(delegate?.paymentQueueShouldShowPriceConsent(self) ?? true)
    }
  }

  private func tellObservers(
    _ tell:
      @escaping @MainActor @Sendable (SKPaymentQueue, any SKPaymentTransactionObserver) -> Void
  ) {
    host.callBack { [self] in
      for observer in transactionObservers { tell(self, observer) }
    }
  }
}
