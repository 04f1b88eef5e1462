import Foundation
public import IAPModel

/// What can happen to a subscription.
public enum SubscriptionEvent: Hashable, Sendable {
  /// A period was charged: the first or a later one.
  case periodBought(BillingPeriod, PeriodKind)
  /// The time to charge ahead of the expiry has come.
  case chargeDue(paymentWorks: Bool)
  /// The paid period is over.
  case periodEnded(paymentWorks: Bool, isForSale: Bool)
  /// The grace period is over.
  case graceEnded
  /// The charge was tried long enough.
  case retryEnded
  /// The customer's payment works again.
  case paymentRecovered
  /// The customer switched auto-renewal.
  case autoRenewSet(Bool)
  /// The customer chose the product of the next renewal.
  case renewalProductSet(ProductID)
  /// A transaction was refunded.
  case refunded(TransactionID)
  /// A refund was taken back.
  case refundReversed(TransactionID)
  /// The customer redeemed an offer that starts with the next renewal, for the product.
  case offerScheduled(ScheduledOffer, ProductID)
  /// A code stands behind the introductory offer that the customer got first.
  case offerStacked(OfferReference)
  /// Renewals will cost more, in thousandths.
  case priceRaised(from: Int64, to: Int64, needsConsent: Bool)
  /// Renewals go on costing this, in thousandths; nil for the catalog's price.
  case priceKept(Int64?)
  /// The customer agreed to the higher price, or did not.
  case priceAnswered(Bool)
  /// The purchaser does not share it any more.
  case shareEnded
  /// It ended at once, for no reason that has a name.
  case expiredNow
}

/// How a period came to be.
public enum PeriodKind: String, Hashable, Sendable {
  /// The first of the subscription.
  case first
  /// After it had ended.
  case resubscribed
  /// Renewed in time.
  case renewed
  /// Renewed after a failed charge.
  case recovered
  /// Another product of the group took the place at once.
  case upgraded
  /// The same, with an offer.
  case upgradedWithOffer
}

/// What has to be done because of an event.
enum SubscriptionAction: Hashable, Sendable {
  /// Charge the next period and tell of it with ``SubscriptionEvent/periodBought(_:_:)``.
  case charge(ProductID, from: Date, kind: PeriodKind)
  /// Tell the app's server.
  case notify(NotificationType, NotificationSubtype?)
}

/// How long the store is patient.
struct SubscriptionTerms: Hashable, Sendable {
  /// After how many renewals auto-renewal ends; nil for never.
  var renewalCountMax: Int?
  /// Whether a refund leaves auto-renewal as it is.
  var refundKeepsAutoRenew = false
  /// How long before the expiry the charge is tried.
  var chargeLead: TimeInterval
  /// How long access goes on after a failed charge; nil when the developer has not set it up.
  var grace: TimeInterval?
  /// How long a failed charge is tried again.
  var retry: TimeInterval
  /// The longest gap that does not start a new run of periods.
  var gapMax: TimeInterval
}

/// The rules of an auto-renewable subscription.
///
/// - **Source:** the lifecycle facts, sections 1 and 3; the notification facts, section 3.
enum SubscriptionReducer {
  /// What follows from the event; one that does not fit the phase changes nothing.
  static func reduce(
    _ record: SubscriptionRecord,
    _ event: SubscriptionEvent,
    at now: Date,
    terms: SubscriptionTerms
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    var record = record
    switch event {
    case .periodBought(let period, let kind):
      return (bought(record, period, kind, terms), [notification(of: kind)])
    case .chargeDue(let paymentWorks):
      return chargedAhead(record, paymentWorks, terms)
    case .periodEnded(let paymentWorks, let isForSale):
      guard record.phase == .active, record.period.end <= now else { return (record, []) }
      return ended(record, paymentWorks: paymentWorks, isForSale: isForSale, terms: terms)
    case .graceEnded:
      guard case .grace = record.phase else { return (record, []) }
      record.phase = .retry
      return (record, [.notify(.gracePeriodExpired, nil)])
    case .retryEnded:
      guard record.isRunning, record.phase != .active else { return (record, []) }
      return expired(record, .billingError, .billingRetry)
    case .paymentRecovered:
      return recovered(record, at: now)
    case .autoRenewSet(let isOn):
      return autoRenew(record, isOn)
    case .renewalProductSet(let product):
      return renewalProduct(record, product)
    case .refunded(let transaction):
      return refunded(record, transaction, at: now, terms)
    case .refundReversed(let transaction):
      return reversed(record, transaction, at: now)
    case .offerScheduled(let offer, let product):
      return offerScheduled(record, offer, product)
    case .offerStacked(let offer):
      record.scheduledOffer = ScheduledOffer(offer: offer, startsAfterRunning: true)
      return (record, [])
    case .priceRaised(let old, let new, let needsConsent):
      return priceRaised(record, from: old, to: new, needsConsent, at: now)
    case .priceKept(let price):
      record.keptPriceMilliunits = price
      record.priceIncrease = nil
      return (record, [])
    case .priceAnswered(let agrees):
      return priceAnswered(record, agrees)
    case .shareEnded:
      guard record.isRunning else { return (record, []) }
      record.phase = .revoked
      record.willAutoRenew = false
      return (record, [.notify(.revoke, nil)])
    case .expiredNow:
      guard record.isRunning else { return (record, []) }
      return expired(record, .other, nil)
    }
  }

  /// When time next acts on the subscription by itself; nil when it does not.
  static func nextDue(_ record: SubscriptionRecord, terms: SubscriptionTerms) -> Date? {
    switch record.phase {
    case .active:
      guard record.willAutoRenew, !record.earlyChargeFailed else { return record.period.end }
      // A short period is not charged before its middle.
      let length = record.period.end.timeIntervalSince(record.period.start)
      return record.period.end.addingTimeInterval(-min(terms.chargeLead, length / 2))
    case .grace(let until): return until
    case .retry: return record.period.end.addingTimeInterval(terms.retry)
    case .expired, .revoked: return nil
    }
  }

  /// What time does to the subscription when it is due.
  static func dueEvent(
    _ record: SubscriptionRecord,
    at now: Date,
    paymentWorks: Bool,
    isForSale: Bool
  ) -> SubscriptionEvent? {
    switch record.phase {
    case .active:
      if record.period.end <= now {
        return .periodEnded(paymentWorks: paymentWorks, isForSale: isForSale)
      }
      return .chargeDue(paymentWorks: paymentWorks && isForSale)
    case .grace: return .graceEnded
    case .retry: return .retryEnded
    case .expired, .revoked: return nil
    }
  }
}

extension SubscriptionReducer {
  private static func charge(
    _ record: SubscriptionRecord,
    from start: Date,
    _ kind: PeriodKind
  ) -> SubscriptionAction {
    .charge(record.renewalProductID, from: start, kind: kind)
  }

  private static func notification(of kind: PeriodKind) -> SubscriptionAction {
    switch kind {
    case .first: .notify(.subscribed, .initialBuy)
    case .resubscribed: .notify(.subscribed, .resubscribe)
    case .renewed: .notify(.didRenew, nil)
    case .recovered: .notify(.didRenew, .billingRecovery)
    case .upgraded: .notify(.didChangeRenewalPref, .upgrade)
    case .upgradedWithOffer: .notify(.offerRedeemed, .upgrade)
    }
  }

  private static func bought(
    _ old: SubscriptionRecord,
    _ period: BillingPeriod,
    _ kind: PeriodKind,
    _ terms: SubscriptionTerms
  ) -> SubscriptionRecord {
    var record = old
    let gap = period.start.timeIntervalSince(old.period.end)
    if kind == .first || gap > terms.gapMax { record.recentStartDate = period.start }
    record.period = period
    record.renewalProductID = period.productID
    record.phase = .active
    record.earlyChargeFailed = false
    record.isPreviousRefunded = false
    record.returnedPeriod = nil
    record.graceEndDate = nil
    switch kind {
    case .first, .resubscribed, .upgraded, .upgradedWithOffer:
      record.willAutoRenew = true
      record.renewalCount = 0
      record.scheduledOffer = nil
      record.priceIncrease = nil
      record.keptPriceMilliunits = nil
      record.previousPeriod = nil
    case .renewed, .recovered:
      record.renewalCount += 1
      record.previousPeriod = kind == .renewed ? old.period : nil
      let offerWaitsOn =
        old.scheduledOffer?.startsAfterRunning == true && old.period.introductoryPeriodsLeft > 0
      if !offerWaitsOn { record.scheduledOffer = nil }
      if old.period.productID != period.productID { record.keptPriceMilliunits = nil }
      if let increase = old.priceIncrease {
        // What an offer covers is not the price yet, but the customer agreed to it.
        record.keptPriceMilliunits = increase.isAgreed ? nil : old.keptPriceMilliunits
        record.priceIncrease = nil
      }
    }
    return record
  }

  private static func chargedAhead(
    _ old: SubscriptionRecord,
    _ paymentWorks: Bool,
    _ terms: SubscriptionTerms
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    guard old.phase == .active, old.willAutoRenew else { return (old, []) }
    var record = old
    if reachedLimit(old, terms) {
      record.willAutoRenew = false
      return (record, [])
    }
    // Who has not agreed to a higher price may still do so until the expiry.
    guard paymentWorks, old.priceIncrease?.isAgreed != false else {
      record.earlyChargeFailed = true
      return (record, [])
    }
    return (record, [charge(record, from: record.period.end, .renewed)])
  }

  private static func reachedLimit(_ record: SubscriptionRecord, _ terms: SubscriptionTerms) -> Bool
  {
    terms.renewalCountMax.map { record.renewalCount >= $0 } ?? false
  }

  private static func ended(
    _ old: SubscriptionRecord,
    paymentWorks: Bool,
    isForSale: Bool,
    terms: SubscriptionTerms
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    guard old.willAutoRenew, !reachedLimit(old, terms) else {
      return expired(old, .cancelled, .voluntary)
    }
    guard isForSale else { return expired(old, .productUnavailable, .productNotForSale) }
    guard old.priceIncrease?.isAgreed != false else {
      return expired(old, .didNotConsentToPriceIncrease, .priceIncrease)
    }
    guard !paymentWorks else { return (old, [charge(old, from: old.period.end, .renewed)]) }
    var record = old
    guard let grace = terms.grace else {
      record.phase = .retry
      return (record, [.notify(.didFailToRenew, nil)])
    }
    let end = old.period.end.addingTimeInterval(grace)
    record.phase = .grace(until: end)
    record.graceEndDate = end
    return (record, [.notify(.didFailToRenew, .gracePeriod)])
  }

  private static func expired(
    _ old: SubscriptionRecord,
    _ intent: ExpirationIntent,
    _ subtype: NotificationSubtype?
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    var record = old
    record.phase = .expired(intent)
    record.willAutoRenew = false
    record.scheduledOffer = nil
    record.previousPeriod = nil
    return (record, [.notify(.expired, subtype)])
  }

  private static func recovered(
    _ record: SubscriptionRecord,
    at now: Date
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    switch record.phase {
    // In the grace period the billing cycle stays; after it a new one starts.
    case .grace: (record, [charge(record, from: record.period.end, .recovered)])
    case .retry: (record, [charge(record, from: now, .recovered)])
    case .active, .expired, .revoked: (record, [])
    }
  }

  private static func autoRenew(
    _ old: SubscriptionRecord,
    _ isOn: Bool
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    guard old.isRunning, old.willAutoRenew != isOn else { return (old, []) }
    var record = old
    record.willAutoRenew = isOn
    if isOn {
      record.earlyChargeFailed = false
      return (record, [.notify(.didChangeRenewalStatus, .autoRenewEnabled)])
    }
    record.renewalProductID = record.period.productID
    record.scheduledOffer = nil
    let disabled = SubscriptionAction.notify(.didChangeRenewalStatus, .autoRenewDisabled)
    guard record.phase != .active else { return (record, [disabled]) }
    // Who cancels while the charge is being tried again loses the subscription at once.
    let (ended, actions) = expired(record, .cancelled, .voluntary)
    return (ended, [disabled] + actions)
  }

  private static func renewalProduct(
    _ old: SubscriptionRecord,
    _ product: ProductID
  ) -> (SubscriptionRecord, [SubscriptionAction]) {
    guard old.isRunning, old.renewalProductID != product else { return (old, []) }
    var record = old
    record.renewalProductID = product
    // Choosing a product means renewing, and that is not announced by itself.
    record.willAutoRenew = true
    record.scheduledOffer = nil
    let isWithdrawn = product == old.period.productID
    return (record, [.notify(.didChangeRenewalPref, isWithdrawn ? nil : .downgrade)])
  }
}
