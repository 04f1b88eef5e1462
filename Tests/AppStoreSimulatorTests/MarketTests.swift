import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

struct MarketTests {
  @Test(
    arguments: [
      (5_000, 10_000, "P1M", false, false), (5_000, 10_001, "P1M", false, true),
      (10_000, 15_001, "P1M", false, true), (10_010, 15_015, "P1M", false, false),
      (20_000, 29_000, "P1M", false, false), (50_000, 100_000, "P1Y", false, false),
      (50_000, 100_001, "P1Y", false, true), (5_000, 5_001, "P1M", true, true),
      (5_000, 4_000, "P1M", true, false),
    ] as [(Int64, Int64, String, Bool, Bool)]
  )
  func consentIsNeededAboveBothThresholds(
    _ old: Int64,
    _ new: Int64,
    _ period: String,
    _ hadOne: Bool,
    _ expected: Bool
  ) throws {
    let length = try #require(SubscriptionPeriod(iso8601: period))
    #expect(
      PriceIncreaseRule.needsConsent(
        from: old,
        to: new,
        period: length,
        hadIncreaseWithinYear: hadOne
      ) == expected
    )
  }

  private func subscribed() throws -> (TestStore, OriginalTransactionID) {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.silverTwin)
    return (test, first.originalTransactionID)
  }

  @Test func whoDoesNotAgreeLosesTheSubscription() throws {
    let (test, _) = try subscribed()
    try test.store.setPrice(12_000, of: RulesCatalog.silverTwin, existing: .raise)
    #expect(test.announced.last == "PRICE_INCREASE/PENDING")
    #expect(test.lastNotification?.renewalInfo?.priceIncreaseStatus == .pending)
    #expect(test.lastNotification?.renewalInfo?.renewalPriceMilliunits == 12_000)
    test.store.clock.advance(by: 40 * day)
    #expect(test.announced.last == "EXPIRED/PRICE_INCREASE")
    #expect(test.lastNotification?.renewalInfo?.expirationIntent == .didNotConsentToPriceIncrease)
    #expect(test.lastNotification?.renewalInfo?.priceIncreaseStatus == .pending)
    #expect(test.store.transactions(of: test.account).count == 1)
  }

  @Test func whoAgreesPaysThePrice() throws {
    let (test, original) = try subscribed()
    try test.store.setPrice(12_000, of: RulesCatalog.silverTwin, existing: .raise)
    test.store.clock.advance(by: 30.5 * day)
    try test.store.answerPriceIncrease(true, of: original)
    #expect(test.announced.last == "PRICE_INCREASE/ACCEPTED")
    test.store.clock.advance(by: 2 * day)
    #expect(test.store.transactions(of: test.account).last?.priceMilliunits == 12_000)
    #expect(test.lastNotification?.renewalInfo?.priceIncreaseStatus == nil)
  }

  @Test func whoDeclinesEndsByChoice() throws {
    let (test, original) = try subscribed()
    try test.store.raisePrice(to: 6_000, of: original, needsConsent: true)
    try test.store.answerPriceIncrease(false, of: original)
    #expect(test.announced.last == "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED")
    test.store.clock.advance(by: 40 * day)
    #expect(test.announced.last == "EXPIRED/VOLUNTARY")
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.answerPriceIncrease(true, of: original)
    }
  }

  @Test(
    arguments: [
      (PriceChoice.keep, 6_000, [String](), [5_000, 5_000, 5_000]),
      (.raise, 6_000, ["PRICE_INCREASE/ACCEPTED"], [5_000, 6_000, 6_000]),
      (.raiseWithoutConsent, 50_000, ["PRICE_INCREASE/ACCEPTED"], [5_000, 50_000, 50_000]),
      (.raise, 4_000, [], [5_000, 4_000, 4_000]),
      (.keep, 4_000, [], [5_000, 4_000, 4_000]),
    ] as [(PriceChoice, Int64, [String], [Int64])]
  )
  func subscribersPayWhatTheChoiceSays(
    _ choice: PriceChoice,
    _ price: Int64,
    _ announced: [String],
    _ prices: [Int64]
  ) throws {
    let (test, _) = try subscribed()
    try test.store.setPrice(price, of: RulesCatalog.silverTwin, existing: choice)
    #expect(Array(test.announced.dropFirst()) == announced)
    test.store.clock.advance(by: 65 * day)
    #expect(test.store.transactions(of: test.account).prefix(3).map(\.priceMilliunits) == prices)
    let new = try test.buy(RulesCatalog.silverTwin, on: test.otherPhone)
    #expect(new.priceMilliunits == price)
  }

  @Test func aRemovedProductIsNotSoldAndNotRenewed() throws {
    let (test, _) = try subscribed()
    try test.store.setForSale(false, RulesCatalog.silverTwin)
    #expect(try test.store.products([RulesCatalog.silverTwin], on: test.phone) == [])
    let request = PurchaseRequest(device: test.otherPhone, productID: RulesCatalog.silverTwin)
    #expect(try test.store.purchase(request) == .failed(.productUnavailable))
    test.store.clock.advance(by: 40 * day)
    #expect(test.announced.last == "EXPIRED/PRODUCT_NOT_FOR_SALE")
    #expect(test.lastNotification?.renewalInfo?.expirationIntent == .productUnavailable)
  }

  @Test func aTestForcesRenewalsAndTheEnd() throws {
    let (test, original) = try subscribed()
    test.store.clock.advance(by: 10 * day)
    try test.store.forceRenewal(of: original)
    let held = test.store.transactions(of: test.account)
    #expect(held.first?.expiresDate == test.store.now)
    #expect(held.last?.purchaseDate == test.store.now)
    #expect(test.announced.last == "DID_RENEW")
    test.store.clock.advance(by: day)
    try test.store.expire(original)
    #expect(test.announced.last == "EXPIRED")
    #expect(test.lastNotification?.renewalInfo?.expirationIntent == .other)
    #expect(try test.subscription.period.end == test.store.now)
    let count = test.store.history.count
    #expect(throws: SimulatorError(.notAllowed, "")) { try test.store.expire(original) }
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.forceRenewal(of: original)
    }
    #expect(test.store.history.count == count)
  }

  @Test(
    arguments: [
      (GraceSettings(days: 3), RulesCatalog.silver, false, 3.0),
      (GraceSettings(days: 16), RulesCatalog.silver, false, 16),
      (GraceSettings(days: 28), RulesCatalog.silver, false, 28),
      (GraceSettings(days: 3), RulesCatalog.weekly, false, 3),
      (GraceSettings(days: 16), RulesCatalog.weekly, false, 6),
      (GraceSettings(days: 28), RulesCatalog.weekly, false, 6),
      (GraceSettings(days: 16, scope: .paidToPaid), RulesCatalog.silver, true, nil),
      (GraceSettings(days: 16, scope: .paidToPaid), RulesCatalog.silverTwin, true, 16),
    ] as [(GraceSettings, ProductID, Bool, Double?)]
  )
  func graceIsAsLongAsItWasSetUp(
    _ settings: GraceSettings,
    _ product: ProductID,
    _ failsAtOnce: Bool,
    _ days: Double?
  ) throws {
    let test = try TestStore.rules()
    try test.store.setGracePeriod(settings)
    try test.buy(product)
    if !failsAtOnce { test.store.clock.advance(by: 8 * day) }
    try test.store.setPayment(works: false, of: test.account)
    var phase = SubscriptionPhase.active
    for _ in 0..<60 where phase == .active {
      test.store.clock.advance(by: day)
      phase = try test.subscription.phase
    }
    // What was set up later changes nothing.
    try test.store.setGracePeriod(nil)
    let end = try test.subscription.period.end
    let until = days.map {
      BillingCalendar().end(from: end, of: SubscriptionPeriod(Int($0), .day))
    }
    #expect(phase == (until.map { .grace(until: $0) } ?? .retry))
  }

  @Test func graceEndsAtTheSameTimeOfDayOverSummerTime() {
    // Sunday 2026-03-08 is the day of the change on the US west coast.
    let end = Date(timeIntervalSince1970: 1_772_740_800)
    let length = GraceRule.length(
      GraceSettings(days: 6),
      pace: .realTime,
      plan: SubscriptionPeriod(1, .week),
      wasFreeTrial: false,
      end: end,
      calendar: BillingCalendar()
    )
    #expect(length == 6 * day - 3600)
  }
}

struct RenewalPaceTests {
  @Test(
    arguments: [
      (3, [180, 180, 360, 540, 1080, 2160]), (5, [180, 300, 600, 900, 1800, 3600]),
      (15, [300, 900, 1800, 2700, 5400, 10800]), (30, [600, 1800, 3600, 5400, 10800, 21600]),
      (60, [900, 3600, 7200, 10800, 21600, 43200]),
    ] as [(Int, [TimeInterval])]
  )
  func theSandboxHasTheTable(_ minutes: Int, _ seconds: [TimeInterval]) throws {
    let pace = RenewalPace.sandbox(monthMinutes: minutes)
    #expect(try Self.lengths(pace) == seconds)
  }

  @Test(
    arguments: [
      (15, [10, 30, 60, 90, 180, 360], 9, 15, 60),
      (13, [180, 300, 600, 900, 1800, 3600], 154, 150, 600),
      (12, [300, 900, 1800, 2700, 5400, 10800], 257, 450, 1800),
      (11, [600, 1800, 3600, 5400, 10800, 21600], 514, 900, 3600),
      (10, [900, 3600, 7200, 10800, 21600, 43200], 771, 1800, 7200),
      (1005, [2, 2, 2, 2, 2, 2], 2, 2, 4),
    ] as [(Int, [TimeInterval], TimeInterval, TimeInterval, TimeInterval)]
  )
  func xcodeHasTheTable(
    _ rate: Int,
    _ seconds: [TimeInterval],
    _ weeklyGrace: TimeInterval,
    _ grace: TimeInterval,
    _ retry: TimeInterval
  ) throws {
    let pace = RenewalPace.xcode(timeRate: rate)
    #expect(try Self.lengths(pace) == seconds)
    #expect(pace.grace(of: SubscriptionPeriod(1, .week)) == weeklyGrace)
    #expect(pace.grace(of: SubscriptionPeriod(1, .month)) == grace)
    #expect(pace.retry == retry)
  }

  private static func lengths(_ pace: RenewalPace) throws -> [TimeInterval] {
    try ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"].map { text in
      let period = try #require(SubscriptionPeriod(iso8601: text))
      return try #require(pace.seconds(of: period))
    }
  }

  @Test func theSandboxRenewsTwelveTimes() throws {
    let test = try TestStore.rules { $0.pace = .sandbox(monthMinutes: 5) }
    try test.buy(RulesCatalog.silverTwin)
    test.store.clock.advance(by: 2 * day)
    let held = test.store.transactions(of: test.account)
    #expect(held.count == 13)
    #expect(held.last?.expiresDate == TestStore.start.addingTimeInterval(13 * 300))
    #expect(test.announced.last == "EXPIRED/VOLUNTARY")
    try test.buy(RulesCatalog.silverTwin)
    test.store.clock.advance(by: 2 * day)
    #expect(test.store.transactions(of: test.account).count == 26)
  }

  @Test func testFlightRenewsSixTimesDaily() throws {
    let test = try TestStore.rules { $0.pace = .testFlight }
    try test.buy(RulesCatalog.silverTwin)
    test.store.clock.advance(by: 30 * day)
    #expect(test.store.transactions(of: test.account).count == 7)
    #expect(
      test.store.transactions(of: test.account).last?.expiresDate
        == TestStore.start.addingTimeInterval(7 * day)
    )
  }
}
