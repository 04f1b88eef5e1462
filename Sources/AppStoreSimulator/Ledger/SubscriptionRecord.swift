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
  /// The token of the last purchase, for the renewals.
  var appAccountToken: AppAccountToken?

  init(
    original: OriginalTransactionID,
    account: AccountID,
    bundleID: BundleID,
    groupID: SubscriptionGroupID,
    period: BillingPeriod
  ) {
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
  /// How many more periods the introductory price holds for.
  public let introductoryPeriodsLeft: Int
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
