import Foundation
import IAPModel

/// Whether a subscription can be given days.
///
/// - **Source:** App Store Server API, "Extend a Subscription Renewal Date"; the server-interface
///   facts, sections 5.7 and 5.8.
enum ExtensionRule {
  /// The days of one extension.
  static let days = 1...90
  /// The reasons that there are.
  static let reasons = 0...3
  /// The most extensions of a subscription in ``period``.
  static let countMax = 2
  /// What the extensions are counted in, in seconds: 365 days.
  static let period: TimeInterval = 365 * 24 * 3600

  /// Why not.
  enum Refusal: Hashable, Sendable {
    case isShared
    case isIneligible
    case hadTwo
  }

  static func refusal(
    _ subscription: SubscriptionRecord,
    _ transaction: StoreTransactionRecord,
    earlier: [RenewalExtension],
    at now: Date
  ) -> Refusal? {
    guard transaction.ownership == .purchased else { return .isShared }
    // Only who is in a paid period; a free one has cost nothing.
    guard subscription.phase == .active, transaction.priceMilliunits > 0,
      transaction.revocationDate == nil, subscription.period.end > now
    else { return .isIneligible }
    let recent = earlier.filter { $0.date > now.addingTimeInterval(-period) }
    return recent.count < countMax ? nil : .hadTwo
  }

  /// The period with a later end; later periods are counted from there.
  static func extended(_ period: BillingPeriod, to end: Date) -> BillingPeriod {
    BillingPeriod(
      transactionID: period.transactionID,
      productID: period.productID,
      start: period.start,
      end: end,
      anchor: BillingAnchor(start: end, period: period.anchor.period, periodCount: 0),
      introductoryPeriodsLeft: period.introductoryPeriodsLeft
    )
  }
}
