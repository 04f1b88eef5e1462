import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

struct SubscriptionReducerTests {
  static let start = Date(timeIntervalSince1970: 1_800_000_000)
  static let end = start.addingTimeInterval(30 * day)
  static let graceEnd = end.addingTimeInterval(16 * day)
  static let terms = SubscriptionTerms(
    chargeLead: day,
    grace: 16 * day,
    retry: 60 * day,
    gapMax: 60 * day
  )

  static func period(_ id: TransactionID = "1", product: ProductID = "monthly") -> BillingPeriod {
    BillingPeriod(
      transactionID: id,
      productID: product,
      start: start,
      end: end,
      anchor: BillingAnchor(start: start, period: SubscriptionPeriod(1, .month), periodCount: 1),
      introductoryPeriodsLeft: 0
    )
  }

  static func record(
    _ phase: SubscriptionPhase = .active,
    autoRenew: Bool = true,
    next: ProductID = "monthly"
  ) -> SubscriptionRecord {
    var record = SubscriptionRecord(
      original: "1",
      account: "mia",
      bundleID: "com.example",
      groupID: "group",
      period: period()
    )
    record.phase = phase
    record.willAutoRenew = autoRenew
    record.renewalProductID = next
    return record
  }

  /// A situation, an event, and what comes of both.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var before = SubscriptionReducerTests.record()
    let event: SubscriptionEvent
    var now = SubscriptionReducerTests.end
    var terms = SubscriptionReducerTests.terms
    let after: SubscriptionRecord
    let actions: [SubscriptionAction]
  }

  static var withoutGrace: SubscriptionTerms {
    var terms = Self.terms
    terms.grace = nil
    return terms
  }

  static var inGrace: SubscriptionRecord {
    var record = Self.record(.grace(until: graceEnd))
    record.graceEndDate = graceEnd
    return record
  }

  static var earlyFailed: SubscriptionRecord {
    var record = Self.record()
    record.earlyChargeFailed = true
    return record
  }

  static let rows: [Row] = charging + failing + choosing + refunding

  static let charging = [
    Row(
      testDescription: "a charge ahead of the expiry starts at the expiry",
      event: .chargeDue(paymentWorks: true),
      now: end.addingTimeInterval(-day),
      after: record(),
      actions: [.charge("monthly", from: end, kind: .renewed)]
    ),
    Row(
      testDescription: "a charge that fails ahead of the expiry is not announced",
      event: .chargeDue(paymentWorks: false),
      now: end.addingTimeInterval(-day),
      after: earlyFailed,
      actions: []
    ),
    Row(
      testDescription: "a cancelled subscription is not charged",
      before: record(autoRenew: false),
      event: .chargeDue(paymentWorks: true),
      after: record(autoRenew: false),
      actions: []
    ),
    Row(
      testDescription: "the charge at the expiry starts at the expiry",
      before: earlyFailed,
      event: .periodEnded(paymentWorks: true, isForSale: true),
      after: earlyFailed,
      actions: [.charge("monthly", from: end, kind: .renewed)]
    ),
    Row(
      testDescription: "a period that is not over does not end",
      event: .periodEnded(paymentWorks: true, isForSale: true),
      now: end.addingTimeInterval(-1),
      after: record(),
      actions: []
    ),
    Row(
      testDescription: "a cancelled subscription ends by choice",
      before: record(autoRenew: false),
      event: .periodEnded(paymentWorks: true, isForSale: true),
      after: record(.expired(.cancelled), autoRenew: false),
      actions: [.notify(.expired, .voluntary)]
    ),
    Row(
      testDescription: "a product that is gone ends its subscription",
      event: .periodEnded(paymentWorks: true, isForSale: false),
      after: record(.expired(.productUnavailable), autoRenew: false),
      actions: [.notify(.expired, .productNotForSale)]
    ),
  ]

  static let failing = [
    Row(
      testDescription: "a failed charge with grace keeps access",
      event: .periodEnded(paymentWorks: false, isForSale: true),
      after: inGrace,
      actions: [.notify(.didFailToRenew, .gracePeriod)]
    ),
    Row(
      testDescription: "a failed charge without grace ends access",
      event: .periodEnded(paymentWorks: false, isForSale: true),
      terms: withoutGrace,
      after: record(.retry),
      actions: [.notify(.didFailToRenew, nil)]
    ),
    Row(
      testDescription: "the end of the grace period ends access",
      before: record(.grace(until: graceEnd)),
      event: .graceEnded,
      now: graceEnd,
      after: record(.retry),
      actions: [.notify(.gracePeriodExpired, nil)]
    ),
    Row(
      testDescription: "the end of the retries ends the subscription",
      before: record(.retry),
      event: .retryEnded,
      after: record(.expired(.billingError), autoRenew: false),
      actions: [.notify(.expired, .billingRetry)]
    ),
    Row(
      testDescription: "an active subscription has no retries to end",
      event: .retryEnded,
      after: record(),
      actions: []
    ),
    Row(
      testDescription: "a recovery in the grace period keeps the cycle",
      before: record(.grace(until: graceEnd)),
      event: .paymentRecovered,
      now: end.addingTimeInterval(5 * day),
      after: record(.grace(until: graceEnd)),
      actions: [.charge("monthly", from: end, kind: .recovered)]
    ),
    Row(
      testDescription: "a recovery after it starts a new cycle",
      before: record(.retry),
      event: .paymentRecovered,
      now: end.addingTimeInterval(20 * day),
      after: record(.retry),
      actions: [.charge("monthly", from: end.addingTimeInterval(20 * day), kind: .recovered)]
    ),
  ]

  static let choosing = [
    Row(
      testDescription: "cancelling is announced and keeps the period",
      event: .autoRenewSet(false),
      after: record(autoRenew: false),
      actions: [.notify(.didChangeRenewalStatus, .autoRenewDisabled)]
    ),
    Row(
      testDescription: "cancelling withdraws a scheduled change",
      before: record(next: "yearly"),
      event: .autoRenewSet(false),
      after: record(autoRenew: false),
      actions: [.notify(.didChangeRenewalStatus, .autoRenewDisabled)]
    ),
    Row(
      testDescription: "cancelling twice is announced once",
      before: record(autoRenew: false),
      event: .autoRenewSet(false),
      after: record(autoRenew: false),
      actions: []
    ),
    Row(
      testDescription: "cancelling in the grace period ends the subscription at once",
      before: record(.grace(until: graceEnd)),
      event: .autoRenewSet(false),
      after: record(.expired(.cancelled), autoRenew: false),
      actions: [
        .notify(.didChangeRenewalStatus, .autoRenewDisabled), .notify(.expired, .voluntary),
      ]
    ),
    Row(
      testDescription: "an expired subscription cannot be switched on",
      before: record(.expired(.cancelled), autoRenew: false),
      event: .autoRenewSet(true),
      after: record(.expired(.cancelled), autoRenew: false),
      actions: []
    ),
    Row(
      testDescription: "another product is scheduled",
      event: .renewalProductSet("yearly"),
      after: record(next: "yearly"),
      actions: [.notify(.didChangeRenewalPref, .downgrade)]
    ),
    Row(
      testDescription: "choosing a product switches auto-renewal on without a word",
      before: record(autoRenew: false),
      event: .renewalProductSet("yearly"),
      after: record(next: "yearly"),
      actions: [.notify(.didChangeRenewalPref, .downgrade)]
    ),
    Row(
      testDescription: "the same product again withdraws the change",
      before: record(next: "yearly"),
      event: .renewalProductSet("monthly"),
      after: record(),
      actions: [.notify(.didChangeRenewalPref, nil)]
    ),
  ]

  static let refunding = [
    Row(
      testDescription: "a refund of the newest period revokes",
      event: .refunded("1"),
      after: record(.revoked, autoRenew: false),
      actions: [.notify(.refund, nil)]
    ),
    Row(
      testDescription: "a refund of an older period changes nothing but is announced",
      event: .refunded("0"),
      after: record(),
      actions: [.notify(.refund, nil)]
    ),
    Row(
      testDescription: "a reversal inside the period gives it back",
      before: record(.revoked, autoRenew: false),
      event: .refundReversed("1"),
      now: start.addingTimeInterval(day),
      after: record(autoRenew: false),
      actions: [.notify(.refundReversed, nil)]
    ),
    Row(
      testDescription: "a reversal after the period gives nothing back",
      before: record(.revoked, autoRenew: false),
      event: .refundReversed("1"),
      after: record(.expired(.cancelled), autoRenew: false),
      actions: [.notify(.refundReversed, nil)]
    ),
  ]

  @Test(arguments: rows)
  func followsTheTable(_ row: Row) {
    let (after, actions) = SubscriptionReducer.reduce(
      row.before,
      row.event,
      at: row.now,
      terms: row.terms
    )
    #expect(after == row.after)
    #expect(actions == row.actions)
  }

  @Test(arguments: [
    (PeriodKind.first, SubscriptionAction.notify(.subscribed, .initialBuy)),
    (.resubscribed, .notify(.subscribed, .resubscribe)),
    (.renewed, .notify(.didRenew, nil)),
    (.recovered, .notify(.didRenew, .billingRecovery)),
    (.upgraded, .notify(.didChangeRenewalPref, .upgrade)),
    (.upgradedWithOffer, .notify(.offerRedeemed, .upgrade)),
  ])
  func everyPeriodIsAnnouncedByItsKind(_ kind: PeriodKind, _ action: SubscriptionAction) {
    let old = Self.record(.expired(.cancelled), autoRenew: false)
    let (after, actions) = SubscriptionReducer.reduce(
      old,
      .periodBought(Self.period("2", product: "yearly"), kind),
      at: Self.end,
      terms: Self.terms
    )
    #expect(actions == [action])
    #expect(after.phase == .active)
    #expect(after.period.transactionID == "2")
    #expect(after.renewalProductID == "yearly")
    #expect(after.willAutoRenew == (kind != .renewed && kind != .recovered))
  }

  @Test(arguments: [
    ("active", record(), end.addingTimeInterval(-day)),
    ("early charge failed", earlyFailed, end),
    ("cancelled", record(autoRenew: false), end),
    ("grace", record(.grace(until: graceEnd)), graceEnd),
    ("retry", record(.retry), end.addingTimeInterval(60 * day)),
    ("expired", record(.expired(.cancelled)), nil),
    ("revoked", record(.revoked), nil),
  ])
  func timeActsWhenTheSituationSays(
    _ name: String,
    _ record: SubscriptionRecord,
    _ due: Date?
  ) {
    #expect(SubscriptionReducer.nextDue(record, terms: Self.terms) == due)
  }

  @Test func aShortPeriodIsNotChargedBeforeItsMiddle() {
    var terms = Self.terms
    terms.chargeLead = 300 * day
    #expect(
      SubscriptionReducer.nextDue(Self.record(), terms: terms)
        == Self.start.addingTimeInterval(15 * day)
    )
  }
}
