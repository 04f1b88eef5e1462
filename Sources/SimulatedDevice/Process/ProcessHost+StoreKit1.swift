import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit
import Synchronization

// The payment queue.
extension ProcessHost {
  func add(_ payment: PaymentValue) {
    guard life.isAlive else { return }
    let entry = SKPaymentTransaction(.init(payment: payment, state: .purchasing))
    let queue = paymentQueue
    queue.append([entry])
    queue.announce([entry])
    let storefront = line.storefront.id.rawValue
    StoreHostBinding.bind(self) {
      _ = Task { await buy(entry, from: storefront) }
    }
  }

  private func buy(_ entry: SKPaymentTransaction, from storefront: String) async {
    let payment = entry.snapshot.payment
    let request: AppStoreSimulator.PurchaseRequest
    do {
      request = try AppStoreSimulator.PurchaseRequest(payment, on: line.device)
    } catch {
      return fail(entry, error)
    }
    let outcome = await visitSheet(request, from: storefront) { storefront in
      // Not resumed when the process ends first, like all of its code.
      await withUnsafeContinuation { answer in
        paymentQueue.askToContinue(entry, in: storefront) { answer.resume(returning: $0) }
      }
    }
    switch outcome {
    case .cancelled, .failed(.interrupted): fail(entry, SKError(.paymentCancelled))
    case .leftStorefront: fail(entry, SKError(.storeProductNotAvailable))
    case .forced(let failure): fail(entry, failure.storeKit1 ?? SKError(.unknown))
    case .answerLost: fail(entry, StoreKitError.storeKit1(Self.lostAnswer))
    case .failed(let failure), .paid(.failed(let failure)): fail(entry, failure.storeKit1)
    case .paid(.pending(let id)):
      deferredEntries.withLock { $0[id] = entry }
      paymentQueue.announce(entry) { $0.state = .deferred }
    case .paid(.purchased(let record)), .paid(.unchanged(let record, _)):
      complete(entry, record)
    }
  }

  private func fail(_ entry: SKPaymentTransaction, _ error: any Error) {
    guard life.isAlive else { return }
    let failure = queueMemory.failed(entry.snapshot.payment, error)
    claimedFailures.withLock { _ = $0.insert(failure.number) }
    paymentQueue.announce(entry) { snapshot in
      snapshot.state = .failed
      snapshot.error = error
      snapshot.hostNumber = failure.number
    }
  }

  private func complete(_ entry: SKPaymentTransaction, _ record: StoreTransactionRecord) {
    guard life.isAlive else { return }
    claimed.withLock { _ = $0.insert(record.transactionID) }
    let original = original(of: record)
    paymentQueue.announce(entry) { snapshot in
      snapshot.state = .purchased
      snapshot.identifier = record.transactionID.rawValue
      snapshot.date = record.purchaseDate
      snapshot.original = original
    }
  }

  func finish(_ transaction: SKPaymentTransaction) {
    guard (try? life.pass(.beforeFinish)) != nil else { return }
    let snapshot = transaction.snapshot
    switch snapshot.state {
    case .purchased, .restored:
      if let id = snapshot.identifier { line.finish(TransactionID(id)) }
    case .failed:
      if let number = snapshot.hostNumber { queueMemory.finished(number) }
    case .deferred, .purchasing: return
    }
    paymentQueue.remove([transaction])
    // A kill here finds the work done.
    _ = try? life.pass(.afterFinish)
  }

  func restoreCompletedTransactions(applicationUsername: String?) {
    guard life.isAlive else { return }
    StoreHostBinding.bind(self) {
      _ = Task { await restore() }
    }
  }

  private func restore() async {
    await life.passOrHang()
    let queue = paymentQueue
    guard person.signsIn else { return queue.announceRestoreEnd(SKError(.paymentCancelled)) }
    do {
      let records = try await reaching(nil) { () throws(SimulatorError) in try line.restore() }
      let copies = claim(records)
      queue.append(copies)
      queue.announce(copies)
      queue.announceRestoreEnd(nil)
    } catch {
      queue.announceRestoreEnd(StoreKitError.storeKit1(error))
    }
  }

  func refreshReceipt() async throws {
    await life.passOrHang()
    guard person.signsIn else { throw StoreKitError.userCancelled }
    try await reaching(nil) { () throws(SimulatorError) in try line.refreshReceipt() }
  }

  func paymentQueueIsObserved() {
    synchronizeQueue(announcingAll: true)
    announceFamilyRevocations()
    askAboutPromotedPurchases()
  }

  func enterForeground() {
    guard life.isAlive, !line.controls.isLocked else { return }
    resume()
    hearLostAnswers()
    for callback in foregroundCallbacks.withLock({ $0 }) { callBack(callback) }
    announceMessages()
    guard paymentQueue.isObserved else { return }
    synchronizeQueue(announcingAll: false)
    announceFamilyRevocations()
  }

  /// Fetches what the queue has not announced in this process.
  private func synchronizeQueue(announcingAll: Bool) {
    guard (try? life.pass(.beforeUpdate)) != nil else { return }
    let queue = paymentQueue
    let held = queue.transactions
    let finished = announcingAll && options.announcesFinishedAgain ? line.finished() : []
    let missing = claim(finished + line.unfinished() + line.unfinishedCopies())
    let failed = claim(queueMemory.failures())
    if !missing.isEmpty { try? line.refreshReceipt() }
    queue.append(failed + missing)
    queue.announce((announcingAll ? held : []) + failed + missing)
  }

  /// A transaction came by itself.
  func queueHears(_ record: StoreTransactionRecord, _ cause: TransactionCause) {
    let queue = paymentQueue
    switch cause {
    case .approved(let id):
      guard let entry = deferredEntries.withLock({ $0.removeValue(forKey: id) }),
        queue.transactions.contains(entry)
      else {
        return announceNew(record)
      }
      complete(entry, record)
    case .resumed: announceNew(record)
    case .renewed, .purchasedElsewhere:
      // These wait for the next launch, or the next time that the app comes to the front.
      break
    case .refunded where record.ownership == .familyShared: announceFamilyRevocations()
    case .upgraded, .refunded, .refundReversed:
      // StoreKit 1 says nothing; only the receipt shows it.
      break
    }
  }

  /// Tells the queue which products a family member shares no more; while nobody observes it, or
  /// the app does not run, that waits.
  private func announceFamilyRevocations() {
    let queue = paymentQueue
    // A process that is killed before it runs again was not told.
    guard queue.isObserved, !life.isSuspended else { return }
    var seen: Set<ProductID> = []
    let products = memory.takeQueueRevocations(in: line.history()).map(\.productID)
      .filter { seen.insert($0).inserted }
    if !products.isEmpty { queue.announceRevocation(productIDs: products.map(\.rawValue)) }
  }

  /// A parent declined.
  func queueHearsDecline(_ id: PendingID) {
    guard let entry = deferredEntries.withLock({ $0.removeValue(forKey: id) }) else { return }
    if options.failsDeclinedPayments {
      fail(entry, SKError(.paymentCancelled))
    } else {
      paymentQueue.drop(entry)
    }
  }

  private func announceNew(_ record: StoreTransactionRecord) {
    let queue = paymentQueue
    guard queue.isObserved else { return }
    try? line.refreshReceipt()
    let entries = claim([record])
    queue.append(entries)
    queue.announce(entries)
  }

  /// Makes entries for what is not in this process's queue yet.
  private func claim(_ records: [StoreTransactionRecord]) -> [SKPaymentTransaction] {
    let new = claimed.withLock { claimed in
      records.filter { claimed.insert($0.transactionID).inserted }
    }
    return new.map { entry(for: $0) }
  }

  private func claim(_ failures: [QueueMemory.Failure]) -> [SKPaymentTransaction] {
    let new = claimedFailures.withLock { claimed in
      failures.filter { claimed.insert($0.number).inserted }
    }
    return new.map { failure in
      var snapshot = SKPaymentTransaction.Snapshot(payment: failure.payment, state: .failed)
      snapshot.error = failure.error
      snapshot.hostNumber = failure.number
      return SKPaymentTransaction(snapshot)
    }
  }

  func queueForgets(_ id: TransactionID) {
    let queue = paymentQueue
    queue.remove(queue.transactions.filter { $0.transactionIdentifier == id.rawValue })
  }

  /// The entry of the queue for a transaction of the store.
  private func entry(for record: StoreTransactionRecord) -> SKPaymentTransaction {
    var payment = PaymentValue(productIdentifier: record.productID.rawValue)
    payment.quantity = record.quantity
    payment.applicationUsername = record.applicationUsername
    var snapshot = SKPaymentTransaction.Snapshot(
      payment: payment,
      state: record.isRestoredCopy ? .restored : .purchased
    )
    snapshot.identifier = record.transactionID.rawValue
    snapshot.date = record.isRestoredCopy ? line.store.clock.now : record.purchaseDate
    snapshot.original = original(of: record)
    return SKPaymentTransaction(snapshot)
  }

  /// The entry for what a renewal or a restored copy goes back to.
  private func original(of record: StoreTransactionRecord) -> SKPaymentTransaction? {
    let id = record.originalTransactionID.rawValue
    guard id != record.transactionID.rawValue else { return nil }
    var payment = PaymentValue(productIdentifier: record.productID.rawValue)
    payment.quantity = record.quantity
    var snapshot = SKPaymentTransaction.Snapshot(payment: payment, state: .purchased)
    snapshot.identifier = id
    snapshot.date = record.originalPurchaseDate
    return SKPaymentTransaction(snapshot)
  }
}
