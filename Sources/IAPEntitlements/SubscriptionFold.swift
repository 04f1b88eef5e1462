public import Foundation
public import IAPModel

extension StoreHistory {
  /// How long the App Store tries a failed charge again, from the end of the paid period.
  public static let billingRetryMax: TimeInterval = 60 * 24 * 60 * 60

  /// The state of every auto-renewable subscription, in order of original identifier.
  ///
  /// - Parameter now: The instant to judge at.
  /// - Returns: One state for each subscription with a known period.
  public func subscriptions(at now: Date) -> [SubscriptionState] {
    let periods = self.periods
    return periods.keys.sorted().compactMap { original in
      periods[original].flatMap { subscription(original, periods: $0, at: now) }
    }
  }

  /// The state of one subscription; nil when no transaction of it is known.
  public func subscription(
    _ original: OriginalTransactionID,
    at now: Date
  ) -> SubscriptionState? {
    periods[original].flatMap { subscription(original, periods: $0, at: now) }
  }

  /// The periods of each subscription.
  private var periods: [OriginalTransactionID: [Period]] {
    var latest: [UnitID: TransactionState] = [:]
    for transaction in transactions where transaction.payload.type == .autoRenewable {
      guard let unit = transaction.unit, transaction.payload.expiresDate != nil else { continue }
      let known = latest[unit]?.payload.signedDate ?? .distantPast
      if latest[unit] == nil || known < transaction.payload.signedDate ?? .distantPast {
        latest[unit] = transaction
      }
    }
    var firstSigned: [TransactionID: Date] = [:]
    for fact in facts {
      guard let id = fact.transaction?.transactionID else { continue }
      firstSigned[id] = min(firstSigned[id] ?? .distantFuture, fact.signedDate)
    }
    var result: [OriginalTransactionID: [Period]] = [:]
    for unit in units {
      guard let face = latest[unit.unit], let expires = face.payload.expiresDate else { continue }
      result[unit.originalTransactionID, default: []].append(
        Period(
          unit: unit,
          payload: face.payload,
          start: unit.purchaseDate,
          end: expires,
          firstSigned: unit.transactionIDs.compactMap { firstSigned[$0] }.min() ?? .distantPast
        )
      )
    }
    return result
  }

  private func subscription(
    _ original: OriginalTransactionID,
    periods: [Period],
    at now: Date
  ) -> SubscriptionState? {
    let standing = periods.filter { period in
      !period.payload.isUpgraded && !periods.contains { $0.supersedes(period) }
    }
    guard let last = standing.max(by: Period.endsEarlier) ?? periods.max(by: Period.endsEarlier)
    else { return nil }
    let paid = standing.filter(\.unit.isActive).max(by: Period.endsEarlier)
    let (newest, lastNotification) = newestWords(about: original)
    let decided: Decision
    let period: Period
    if let paid, paid.end > now || last.unit.isActive {
      period = paid
      decided = Decision(paid, renewal: newest.flatMap { $0.bears(on: paid) ? $0 : nil }, now: now)
    } else {
      period = last
      decided = Decision(takenBack: last, renewal: newest)
    }
    return SubscriptionState(
      originalTransactionID: original,
      transaction: period.payload,
      unit: period.unit.unit,
      phase: decided.phase,
      reason: decided.reason,
      since: decided.since,
      accessUntil: decided.accessUntil,
      renewal: decided.renewal,
      lastNotification: lastNotification
    )
  }

  /// What was said last of a subscription beside its transactions.
  private func newestWords(
    about original: OriginalTransactionID
  ) -> (renewal: RenewalInfoPayload?, notification: NotificationContext?) {
    var renewal: RenewalInfoPayload?
    var notification: NotificationContext?
    for fact in facts {
      switch fact {
      case .transaction, .receiptLine: break
      case .renewal(let info):
        guard info.originalTransactionID == original else { continue }
        if renewal.map({ $0.precedes(info) }) ?? true { renewal = info }
      case .notification(let context):
        guard context.originalTransactionID == original else { continue }
        if notification.map({ $0.precedes(context) }) ?? true { notification = context }
      }
    }
    return (renewal, notification)
  }
}

/// One paid period of a subscription.
private struct Period {
  let unit: UnitState
  let payload: TransactionPayload
  let start: Date
  let end: Date
  let firstSigned: Date

  static func endsEarlier(_ left: Period, _ right: Period) -> Bool {
    (left.end, left.start, left.unit.unit) < (right.end, right.start, right.unit.unit)
  }

  /// Whether this period was charged first, for two that begin at the same instant: signed first,
  /// else by the number that the App Store gave.
  private func isChargedBefore(_ other: Period) -> Bool {
    if firstSigned != other.firstSigned { return firstSigned < other.firstSigned }
    let (mine, theirs) = (payload.transactionID.rawValue, other.payload.transactionID.rawValue)
    return (mine.utf8.count, mine) < (theirs.utf8.count, theirs)
  }

  /// Whether this period took the other's place before that one was over: an upgrade, which the
  /// App Store does not always announce for the transaction that it replaces.
  ///
  /// A renewal may be charged up to a day before it begins; a plan bought between its charge and
  /// its beginning replaces it although it begins earlier.
  func supersedes(_ other: Period) -> Bool {
    guard unit.unit != other.unit.unit, payload.transactionReason != .renewal, end > start else {
      return false
    }
    if start > other.start { return start < other.end }
    if start == other.start { return other.isChargedBefore(self) }
    return start < other.start && other.payload.transactionReason == .renewal
      && other.firstSigned < start
  }
}

extension RenewalInfoPayload {
  /// Whether this renewal info speaks about the period, not about an earlier lapse.
  fileprivate func bears(on period: Period) -> Bool {
    if let renewalDate { return renewalDate.milliseconds / 1000 >= period.end.milliseconds / 1000 }
    return (signedDate ?? .distantPast) >= min(period.start, period.firstSigned)
  }
}

/// The verdict on a subscription.
private struct Decision {
  let phase: SubscriptionState.Phase
  let reason: SubscriptionState.Reason
  let since: Date
  let accessUntil: Date?
  let renewal: RenewalInfoPayload?

  /// Judges a subscription whose last period is paid and not taken back.
  init(_ period: Period, renewal: RenewalInfoPayload?, now: Date) {
    self.renewal = renewal
    if period.end > now {
      phase = .subscribed
      reason = renewal?.willAutoRenew == false ? .paidUntilEnd : .paid
      since = period.start
      accessUntil = period.end
      return
    }
    let isRetrying = renewal?.isInBillingRetryPeriod == true
    let grace = renewal?.gracePeriodExpiresDate
    if isRetrying, let grace, grace > now {
      phase = .inGracePeriod
      reason = .billingError
      since = period.end
      accessUntil = grace
    } else if isRetrying, now < period.end + StoreHistory.billingRetryMax {
      phase = .inBillingRetry
      reason = .billingError
      since = max(period.end, grace ?? period.end)
      accessUntil = nil
    } else {
      phase = .expired
      reason = Self.reason(for: renewal?.expirationIntent, renewal: renewal)
      since = isRetrying ? period.end + StoreHistory.billingRetryMax : period.end
      accessUntil = nil
    }
  }

  /// Judges a subscription whose last period was taken back, or replaced by one not yet heard of.
  init(takenBack period: Period, renewal: RenewalInfoPayload?) {
    let payload = period.payload
    let isFamily = payload.ownershipType == .familyShared || payload.revocationType == .familyRevoke
    let reason: SubscriptionState.Reason =
      period.unit.isActive ? .upgraded : isFamily ? .familySharingEnded : .refunded
    self.phase = period.unit.isActive ? .expired : .revoked
    self.reason = reason
    self.since = period.unit.revocationDate ?? period.end
    self.accessUntil = nil
    self.renewal = renewal
  }

  private static func reason(
    for intent: ExpirationIntent?,
    renewal: RenewalInfoPayload?
  ) -> SubscriptionState.Reason {
    switch intent {
    case .cancelled?: .cancelled
    case .billingError?: .billingError
    case .didNotConsentToPriceIncrease?: .priceIncreaseNotAccepted
    case .productUnavailable?: .productUnavailable
    case .some: .other
    case nil:
      renewal?.isInBillingRetryPeriod == true
        ? .billingError : renewal?.willAutoRenew == false ? .cancelled : .periodOver
    }
  }
}
