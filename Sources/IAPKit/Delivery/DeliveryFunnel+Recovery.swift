package import Foundation
package import IAPModel

extension DeliveryFunnel {
  /// How much later than what is known the word of the server counts as signed.
  private static let laterSeconds: TimeInterval = 0.001

  /// Tries again at once whatever waits: the app came to the front, or the network is back.
  ///
  /// - Parameter trigger: What happened. An explicit refusal keeps its time all the same.
  package func retry(_ trigger: RetryTrigger) async {
    await recover(trigger)
  }

  /// Goes on where the journal says that something is left, the oldest purchase first; then with
  /// what StoreKit waits to be finished.
  func recover(_ trigger: RetryTrigger) async {
    begin()
    // What this launch brought is under way already.
    let isLaunch = trigger == .launch
    let waiting =
      store.openRecords()
      .filter { $0.hasWorkLeft && !(isLaunch && $0.savedInLaunch == store.launch) }
      .map(\.transaction.transactionID) + (validator == nil ? [] : store.owingAcknowledgement())
    let known = Set(waiting)
    for id in waiting + unsaved.keys.filter({ !known.contains($0) }).sorted() { goOn(id, trigger) }
    for transaction in await adapter.unfinished() {
      post(.arrived(transaction, order: nil), to: transaction.transactionID)
    }
    if isLaunch { prune() }
  }

  /// Goes on with what waits, because the store or the server is about to be asked anyway.
  func retryWaiting(but id: TransactionID) {
    for record in store.openRecords() where record.state == .received || record.state == .accepted {
      let waiting = record.transaction.transactionID
      if waiting != id, !active.contains(waiting) { goOn(waiting, .networkBack) }
    }
  }

  private func prune() {
    do throws(IAPError) {
      try store.prune(configuration.retention, keepsOwing: validator != nil)
    } catch {
      tell(.storageFailed(error))
    }
  }

  /// Hands over what waited for the app: its login is ready.
  package func openDelivery() {
    isDeliveryOpen = true
    handOverWaiting()
  }

  /// Sets or removes the closure that is told of goods.
  ///
  /// Without a handler its return acknowledges, and what waited for it comes first.
  package func attachListener(
    _ listener: (@Sendable (Delivery.Kind, IAPTransactionResult) -> Void)?
  ) {
    self.listener = listener
    if listener != nil { handOverWaiting() }
  }

  private func handOverWaiting() {
    for record in store.openRecords() where record.state == .accepted {
      post(.due(nil), to: record.transaction.transactionID)
    }
  }

  /// Whether a transaction that StoreKit lists belongs to whoever uses the app now.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - token: What travelled with it, when that is known.
  /// - Returns: What its record and order say, and without them its token.
  nonisolated func isOwn(_ id: TransactionID, _ token: AppAccountToken?) -> Bool {
    let record = store.record(id)
    guard record?.isAnothers != true else { return false }
    let order =
      record?.order.flatMap { store.order($0) }
      ?? token.flatMap { store.order(OrderNumber($0.rawValue)) }
    return account.owns(record?.transaction.appAccountToken ?? token, order: order)
  }

  /// Takes note of a refund that the server knows of and this device does not (StoreKit 1).
  ///
  /// A copy that was signed after that date and names no refund says that it was undone: the server
  /// has not heard of it yet.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - date: When the App Store took it back.
  package func applyRevocation(_ id: TransactionID, at date: Date) {
    guard var transaction = store.record(id)?.transaction else { return }
    if let signedDate = transaction.signedDate, signedDate > date { return }
    transaction.revocationDate = date
    post(.arrived(transaction, order: nil), to: id)
  }

  /// Takes note that a refund was undone, which the server knows of and StoreKit 1 does not.
  ///
  /// The refund that this device knows of may be an earlier one: it was undone as well, or there
  /// could have been no second one. One that came later stays.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - date: When the App Store took it back last, before it gave it again.
  package func applyReversal(_ id: TransactionID, of date: Date) {
    guard var transaction = store.record(id)?.transaction,
      let revocationDate = transaction.revocationDate, revocationDate <= date
    else { return }
    // Without a date a copy says nothing about refunds. This one does, as of the refund that was
    // undone: the answer was under way for a while, and another refund may be on its way already.
    let known = max(transaction.signedDate ?? date, date)
    transaction.signedDate = known.addingTimeInterval(Self.laterSeconds)
    transaction.revocationDate = nil
    transaction.revocationReason = nil
    post(.arrived(transaction, order: nil), to: id)
  }

  /// Looks again at what was set aside: it is judged once more and handed over.
  ///
  /// - Parameter id: The transaction.
  package func release(_ id: TransactionID) { post(.released, to: id) }
}

extension TransactionRecord {
  /// Whether a launch has to go on with it.
  package var hasWorkLeft: Bool {
    switch state {
    case .held, .received, .accepted, .delivered: true
    case .finished: false
    case .quarantined: quarantine == .unanswered || !isReported || !isFinished
    case .refused: !isReported || !isFinished
    }
  }
}
