import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit

// The sheets of the system that the app opens.
extension ProcessHost {
  func requestRefund(
    transactionID: UInt64
  ) async throws -> StoreKit.Transaction.RefundRequestStatus {
    await life.passOrHang()
    try await reaching(.refundRequest) {}
    let subject = String(transactionID)
    guard let record = line.purchase(behind: TransactionID(subject)),
      record.ownership == .purchased
    else {
      log.note(.refund, subject, .refused("not a purchase of this account"))
      throw StoreKit.Transaction.RefundRequestError.failed
    }
    guard record.refundRequest == nil, record.revocationDate == nil else {
      log.note(.refund, subject, .refused("asked for before"))
      throw StoreKit.Transaction.RefundRequestError.duplicateRequest
    }
    switch person.takeRefundAnswer() {
    case .cancel:
      log.note(.refund, subject, .closed)
      return .userCancelled
    case .ask(let reason):
      let isAsked = log.noting(.refund, subject) { () throws(SimulatorError) in
        try line.store.requestRefund(record.transactionID, reason: reason)
      }
      guard isAsked else { throw StoreKit.Transaction.RefundRequestError.failed }
      return .success
    }
  }

  func showOfferCodeEntry() async throws {
    await life.passOrHang()
    try await reaching(.offerCodeRedemption) {}
    enterOfferCode()
  }

  func presentCodeRedemptionSheet() {
    guard let failure = line.failure(of: .offerCodeRedemption) else {
      return enterOfferCode()
    }
    log.note(.offerCode, nil, .refused("\(failure)"))
  }

  private func enterOfferCode() {
    guard life.isAlive else { return }
    guard let code = person.offerCode else { return log.note(.offerCode, nil, .closed) }
    log.noting(.offerCode, code.rawValue) { () throws(SimulatorError) in
      // StoreKit 1 gets the transaction while the app runs, as it does for a settled purchase.
      hearOutside(try line.redeem(code), .resumed)
    }
  }

  func showSubscriptions(in group: String?) async throws {
    await life.passOrHang()
    try await reaching(.manageSubscriptions) {}
    let wishes = person.takeSubscriptionWishes()
    if wishes.isEmpty { log.note(.subscriptions, group, .closed) }
    for wish in wishes {
      log.noting(.subscriptions, group) { () throws(SimulatorError) in
        hearOutside(
          try line.fulfil(wish, in: group.map { SubscriptionGroupID($0) }),
          .purchasedElsewhere
        )
      }
    }
    await life.passOrHang()
  }

  /// Hears of a purchase that was made on this device, and not by a call of the app.
  func hearOutside(_ outcome: PurchaseOutcome?, _ cause: TransactionCause) {
    guard case .purchased(let record)? = outcome, life.isAlive else { return }
    hear(record, cause)
  }
}

extension SheetLog {
  /// Notes a visit at which something was done, or refused.
  ///
  /// - Returns: Whether it was done.
  @discardableResult
  func noting(
    _ kind: SheetVisit.Kind,
    _ subject: String?,
    _ body: () throws(SimulatorError) -> Void
  ) -> Bool {
    do {
      try body()
      note(kind, subject, .done)
      return true
    } catch {
      note(kind, subject, .refused(error.reason))
      return false
    }
  }
}
