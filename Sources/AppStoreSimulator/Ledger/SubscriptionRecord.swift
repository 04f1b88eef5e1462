public import Foundation
public import IAPModel

/// One auto-renewable subscription: everything under one original transaction.
public struct SubscriptionRecord: Hashable, Sendable {
  /// The first transaction.
  public let originalTransactionID: OriginalTransactionID
  /// The customer.
  public let account: AccountID
  /// The app.
  public let bundleID: BundleID
  /// The group.
  public let groupID: SubscriptionGroupID
  /// The newest period.
  public internal(set) var period: BillingPeriod
  /// What the next renewal is for.
  public internal(set) var renewalProductID: ProductID
  /// Whether it renews.
  public internal(set) var willAutoRenew = true
  /// Where it stands.
  public internal(set) var phase = SubscriptionPhase.active
  /// The start of the current run of periods without a long gap.
  public internal(set) var recentStartDate: Date
  /// Whether the charge ahead of the expiry failed; it is tried again at the expiry.
  var earlyChargeFailed = false
  /// The purchaser's subscription when this is a family member's copy.
  public let sharedFrom: OriginalTransactionID?
  /// An offer that waits for a renewal.
  public internal(set) var scheduledOffer: ScheduledOffer?
  /// A higher price that the customer was told of.
  public internal(set) var priceIncrease: PriceIncrease?
  /// What renewals cost while that is not the catalog's price.
  public internal(set) var keptPriceMilliunits: Int64?
  /// When the customer was last told of a higher price.
  var priceIncreaseDate: Date?
  /// How often it was renewed since it was last bought.
  public internal(set) var renewalCount = 0
  /// The period that still runs when the next one was charged ahead.
  var previousPeriod: BillingPeriod?
  /// When the last grace period ended or ends, until the next charge.
  var graceEndDate: Date?
  /// Whether the running period was paid back while the next one was charged ahead.
  var isPreviousRefunded = false
  /// The period that was charged ahead and paid back while the one before it still ran.
  var returnedPeriod: BillingPeriod?
  /// The token of the last purchase, for the renewals.
  var appAccountToken: AppAccountToken?

  init(
    original: OriginalTransactionID,
    account: AccountID,
    bundleID: BundleID,
    groupID: SubscriptionGroupID,
    period: BillingPeriod,
    sharedFrom: OriginalTransactionID? = nil
  ) {
    self.sharedFrom = sharedFrom
    originalTransactionID = original
    self.account = account
    self.bundleID = bundleID
    self.groupID = groupID
    self.period = period
    renewalProductID = period.productID
    recentStartDate = period.start
  }

  /// Whether the customer has access, or the charge is being tried again.
  public var isRunning: Bool {
    switch phase {
    case .active, .grace, .retry: true
    case .expired, .revoked: false
    }
  }

  /// Whether the customer has what was paid for.
  public var isEntitled: Bool {
    switch phase {
    case .active, .grace: true
    case .retry, .expired, .revoked: false
    }
  }
}

extension SubscriptionRecord {
  /// What is left of it when transactions are deleted; nil when nothing is.
  func without(
    _ ids: Set<TransactionID>,
    _ left: [StoreTransactionRecord],
    at now: Date
  ) -> SubscriptionRecord? {
    guard !ids.contains(TransactionID(originalTransactionID.rawValue)) else { return nil }
    guard ids.contains(period.transactionID) else { return self }
    let mine = left.last { $0.originalTransactionID == originalTransactionID }
    guard let mine, let end = mine.expiresDate else { return nil }
    var record = self
    record.period = BillingPeriod(
      transactionID: mine.transactionID,
      productID: mine.productID,
      start: mine.purchaseDate,
      end: end,
      anchor: BillingAnchor(start: end, period: period.anchor.period, periodCount: 0),
      introductoryPeriodsLeft: 0
    )
    record.renewalProductID = mine.productID
    (record.previousPeriod, record.returnedPeriod) = (nil, nil)
    record.isPreviousRefunded = false
    if mine.revocationDate != nil {
      record.phase = .revoked
    } else {
      record.phase = end > now ? .active : .expired(.other)
    }
    if record.phase != .active { record.willAutoRenew = false }
    return record
  }
}

/// An offer that waits for a renewal.
public struct ScheduledOffer: Hashable, Sendable {
  /// The offer.
  public let offer: OfferReference
  /// Whether it lets a running offer end first.
  public let startsAfterRunning: Bool
}

/// A higher price that a subscriber was told of.
public struct PriceIncrease: Hashable, Sendable {
  /// The new price in thousandths.
  public let priceMilliunits: Int64
  /// Whether the customer agreed, or need not.
  public internal(set) var isAgreed: Bool
}

/// Where a subscription stands.
///
/// - **Source:** the lifecycle facts, section 1.
public enum SubscriptionPhase: Hashable, Sendable {
  /// Paid.
  case active
  /// The charge failed; access goes on until the date.
  case grace(until: Date)
  /// The charge failed and is tried again without access.
  case retry
  /// Over.
  case expired(ExpirationIntent)
  /// Refunded.
  case revoked
}

/// One period that was paid for.
public struct BillingPeriod: Hashable, Sendable {
  /// The transaction.
  public let transactionID: TransactionID
  /// The product.
  public let productID: ProductID
  /// When it starts.
  public let start: Date
  /// When it ends, not included.
  public let end: Date
  /// The instant that the days of the month are counted from, and how far.
  public let anchor: BillingAnchor
  /// How many more periods the offer of this one holds for.
  public let introductoryPeriodsLeft: Int

  /// The period with another end; later ones are counted from there.
  func ending(at end: Date) -> BillingPeriod {
    BillingPeriod(
      transactionID: transactionID,
      productID: productID,
      start: start,
      end: end,
      anchor: BillingAnchor(start: end, period: anchor.period, periodCount: 0),
      introductoryPeriodsLeft: introductoryPeriodsLeft
    )
  }
}

/// Where billing periods are counted from.
///
/// Periods are whole multiples from one instant, so that a subscription of January 31 comes back to
/// the 31st after February.
public struct BillingAnchor: Hashable, Sendable {
  /// The start of the first period of this length.
  public let start: Date
  /// The length of one.
  public let period: SubscriptionPeriod
  /// How many periods lie between it and the end of the present one.
  public let periodCount: Int
}
