import Foundation
import IAPModel

// What refunds, offers and prices do to a subscription.
extension SubscriptionReducer {
  static func refunded(
    _ old: SubscriptionRecord,
    _ transaction: TransactionID,
    at now: Date,
    _ terms: SubscriptionTerms
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    // A family member is not paid anything back.
    let notice = SubscriptionAction.notify(old.sharedFrom == nil ? .refund : .revoke, nil)
    var record = old
    if transaction == old.previousPeriod?.transactionID {
      // The next period was paid for and stays; without it nothing is left.
      record.isPreviousRefunded = true
      return (record, [notice])
    }
    guard transaction == old.period.transactionID else { return (old, [notice]) }
    record.scheduledOffer = nil
    if let running = old.previousPeriod, !old.isPreviousRefunded, old.period.start > now,
      running.end > now
    {
      // The next period was charged ahead and is given back; the present one was paid for.
      record.period = running
      record.previousPeriod = nil
      record.returnedPeriod = old.period
      record.willAutoRenew = false
      return (record, [notice])
    }
    record.phase = .revoked
    if !terms.refundKeepsAutoRenew || old.sharedFrom != nil { record.willAutoRenew = false }
    return (record, [notice])
  }

  static func reversed(
    _ old: SubscriptionRecord,
    _ transaction: TransactionID,
    at now: Date
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    var record = old
    switch transaction {
    case old.period.transactionID where old.phase == .revoked:
      let isOver = old.period.end <= now
      if isOver { record.willAutoRenew = false }
      record.phase = isOver ? .expired(.cancelled) : .active
    case old.returnedPeriod?.transactionID: returnAhead(&record, at: now)
    case old.previousPeriod?.transactionID where old.isPreviousRefunded:
      record.isPreviousRefunded = false
      if old.phase == .revoked, let running = old.previousPeriod, running.end > now {
        // Both were paid back: the running one comes back alone.
        record.period = running
        record.previousPeriod = nil
        record.returnedPeriod = old.period
        record.phase = .active
      }
    default: break
    }
    guard old.sharedFrom != nil else { return (record, [.notify(.refundReversed, nil)]) }
    let hasAccessAgain = !old.isEntitled && record.isEntitled
    return (record, hasAccessAgain ? [.notify(.subscribed, .resubscribe)] : [])
  }

  /// Puts a period that was charged ahead and paid back behind the one before it again.
  private static func returnAhead(_ record: inout SubscriptionRecord, at now: Date) {
    guard let ahead = record.returnedPeriod else { return }
    record.returnedPeriod = nil
    guard ahead.end > now, record.phase == .active || !record.isRunning else { return }
    record.isPreviousRefunded = record.phase == .revoked
    record.previousPeriod = record.period.end > now ? record.period : nil
    record.period = ahead
    record.phase = .active
  }

  static func offerScheduled(
    _ old: SubscriptionRecord,
    _ offer: ScheduledOffer,
    _ product: ProductID
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    guard old.isRunning else { return (old, []) }
    var record = old
    record.scheduledOffer = offer
    record.renewalProductID = product
    record.willAutoRenew = true
    let isChange = product != old.period.productID
    return (record, [.notify(.offerRedeemed, isChange ? .downgrade : nil)])
  }

  static func priceRaised(
    _ old: SubscriptionRecord,
    from price: Int64,
    to increased: Int64,
    _ needsConsent: Bool,
    at now: Date
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    guard old.isRunning else { return (old, []) }
    var record = old
    record.keptPriceMilliunits = price
    record.priceIncrease = PriceIncrease(priceMilliunits: increased, isAgreed: !needsConsent)
    record.priceIncreaseDate = now
    // Who has cancelled is not asked.
    guard old.willAutoRenew else { return (record, []) }
    return (record, [.notify(.priceIncrease, needsConsent ? .pending : .accepted)])
  }

  static func priceAnswered(
    _ old: SubscriptionRecord,
    _ agrees: Bool
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    guard old.isRunning, old.priceIncrease?.isAgreed == false else { return (old, []) }
    var record = old
    if agrees {
      record.priceIncrease?.isAgreed = true
      record.earlyChargeFailed = false
      return (record, [.notify(.priceIncrease, .accepted)])
    }
    record.priceIncrease = nil
    guard old.willAutoRenew else { return (record, []) }
    record.willAutoRenew = false
    record.renewalProductID = record.period.productID
    record.scheduledOffer = nil
    return (record, [.notify(.didChangeRenewalStatus, .autoRenewDisabled)])
  }
}
