public import Foundation
import IAPModel

extension IAPManager {
  /// Paid orders that are not with the user and wait for more than the next answer.
  ///
  /// Oldest first.
  public var ordersNeedingAttention: [OrderNeedingAttention] {
    store.openRecords().filter { !$0.isAcknowledged }.compactMap { record in
      let order = record.order.flatMap { store.order($0) }
      return funnel.reasonForAttention(record, order).map {
        OrderNeedingAttention(record, reason: $0, order: order)
      }
    }
  }

  /// ``ordersNeedingAttention``, now and after each change.
  public var ordersNeedingAttentionStream: AsyncStream<[OrderNeedingAttention]> {
    let events = funnel.events.subscribe()
    return AsyncStream { continuation in
      let task = Task { [weak self] in
        var last: [OrderNeedingAttention]?
        if let now = self?.ordersNeedingAttention {
          continuation.yield(now)
          last = now
        }
        for await _ in events {
          guard let now = self?.ordersNeedingAttention else { break }
          guard now != last else { continue }
          last = now
          continuation.yield(now)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Looks at an order again at once, because the user or support asks for it: also at one that was
  /// set aside, whose refusals are counted anew.
  ///
  /// - Parameter transactionId: The transaction.
  /// - Returns: What became of it; nil when there is no such transaction.
  @discardableResult
  public func retryNow(_ transactionId: String) async -> PurchaseOutcome? {
    await funnel.retryNow(TransactionID(transactionId)).map { PurchaseOutcome($0) }
  }

  /// Everything that is needed to deliver an order by hand.
  ///
  /// It holds the signed transaction or the receipt: give it to the app's own support only.
  ///
  /// - Parameter transactionId: The transaction.
  /// - Returns: A ``QuarantineReport`` as JSON; dates are UNIX milliseconds.
  /// - Throws: ``IAPError/storage(_:)`` with `notFound` when there is no such transaction.
  public func exportOrder(_ transactionId: String) throws(IAPError) -> Data {
    guard let record = store.record(TransactionID(transactionId)) else {
      throw .storage(.notFound)
    }
    let order = record.order.flatMap { store.order($0) }
    let reason = funnel.reasonForAttention(record, order) ?? .unanswered
    return Data(try RecordCoding.encode(funnel.report(record, reason, order)))
  }

  // MARK: Accounts

  /// The app's account of the user who is signed in; nil while nobody is.
  public var account: String? { funnel.account.id?.rawValue }

  /// Takes note that somebody signed in or out.
  ///
  /// An order belongs to the account that made it: what another user paid for is held until that
  /// user signs in (``OrderNeedingAttention/Reason/anotherAccount``).
  ///
  /// - Parameters:
  ///   - account: The user's name for the server; nil when nobody is signed in.
  ///   - userToken: The UUID that shall travel with this user's payments in place of the order's
  ///     number; purchases that carry another user's are held.
  public func setAccount(_ account: String?, userToken: UUID? = nil) async {
    // Who signs in once more is the same user, of whom nothing is forgotten.
    if funnel.account.change(to: account.map { CustomerID($0) }, userToken: userToken) {
      entitlements.accountDidChange(to: account) { [funnel] in
        funnel.isOwn($0.transactionID, $0.appAccountToken)
      }
    }
    await resume(.accountChanged)
  }
}
