import AppStoreSimulator
import Foundation
import IAPModel
import Testing

struct RenewalTests {
  @Test func aMonthlySubscriptionRenewsADayAheadAndStartsAtTheExpiry() throws {
    let test = try TestStore()
    let first = try test.buy(DemoCatalog.monthly)
    test.store.clock.advance(to: try date("2026-01-31T11:59:59Z"))
    #expect(test.store.transactions(of: test.account) == [first])
    test.store.clock.advance(to: try date("2026-01-31T12:00:00Z"))
    let second = try #require(test.store.transactions(of: test.account).last)
    #expect(second.transactionID != first.transactionID)
    #expect(second.originalTransactionID == first.originalTransactionID)
    #expect(second.webOrderLineItemID != first.webOrderLineItemID)
    #expect(second.purchaseDate == first.expiresDate)
    #expect(second.expiresDate == (try date("2026-03-01T12:00:00Z")))
    #expect(second.originalPurchaseDate == first.purchaseDate)
    #expect(second.reason == .renewal)
    #expect(test.announced == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
    #expect(try test.store.currentEntitlements(on: test.phone) == [second])
  }

  @Test func aYearOfMonthsComesBackToTheDayItBeganOn() throws {
    let test = try TestStore()
    test.store.clock.advance(to: try date("2026-01-31T20:00:00Z"))
    try test.buy(DemoCatalog.monthly)
    test.store.clock.advance(to: try date("2026-06-15T00:00:00Z"))
    let ends = test.store.transactions(of: test.account).compactMap(\.expiresDate)
    let expected = [
      "2026-02-28T20:00:00Z", "2026-03-31T19:00:00Z", "2026-04-30T19:00:00Z",
      "2026-05-31T19:00:00Z", "2026-06-30T19:00:00Z",
    ]
    #expect(ends == (try expected.map { try date($0) }))
  }

  @Test func aCancelledSubscriptionEndsAndCanBeBoughtAgain() throws {
    let test = try TestStore()
    let first = try test.buy(DemoCatalog.monthly)
    try test.store.setAutoRenew(false, of: first.originalTransactionID)
    #expect(try test.store.currentEntitlements(on: test.phone) == [first])
    test.store.clock.advance(to: try date("2026-02-01T12:00:00Z"))
    #expect(try test.store.currentEntitlements(on: test.phone) == [])
    #expect(try test.store.subscriptionStatuses(on: test.phone).map(\.status) == [.expired])
    test.store.clock.advance(by: 90 * day)
    let again = try test.buy(DemoCatalog.monthly)
    #expect(again.originalTransactionID == first.originalTransactionID)
    #expect(again.originalPurchaseDate == first.purchaseDate)
    #expect(
      test.announced == [
        "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
        "EXPIRED/VOLUNTARY", "SUBSCRIBED/RESUBSCRIBE",
      ]
    )
    let status = try #require(try test.store.subscriptionStatuses(on: test.phone).first)
    #expect(status.renewalInfo.recentSubscriptionStartDate == again.purchaseDate)
  }

  @Test func aFailedChargeIsRecoveredInTheGracePeriod() throws {
    let test = try TestStore { $0.gracePeriod = 16 * day }
    let first = try test.buy(DemoCatalog.monthly)
    try test.store.setPayment(works: false, of: test.account)
    test.store.clock.advance(to: try date("2026-02-05T00:00:00Z"))
    let grace = try #require(try test.store.subscriptionStatuses(on: test.phone).first)
    #expect(grace.status == .gracePeriod)
    #expect(grace.renewalInfo.isInBillingRetryPeriod == true)
    #expect(grace.renewalInfo.gracePeriodExpiresDate == (try date("2026-02-17T12:00:00Z")))
    #expect(grace.renewalInfo.expirationIntent == .billingError)
    #expect(try test.store.currentEntitlements(on: test.phone) == [first])
    try test.store.setPayment(works: true, of: test.account)
    let recovered = try #require(test.store.transactions(of: test.account).last)
    #expect(recovered.purchaseDate == first.expiresDate)
    #expect(
      test.announced == [
        "SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_RENEW/BILLING_RECOVERY",
      ]
    )
  }

  @Test func aFailedChargeThatNobodyMendsEndsAfterSixtyDays() throws {
    let test = try TestStore { $0.gracePeriod = 16 * day }
    try test.buy(DemoCatalog.monthly)
    try test.store.setPayment(works: false, of: test.account)
    test.store.clock.advance(to: try date("2026-02-18T00:00:00Z"))
    #expect(try test.store.subscriptionStatuses(on: test.phone).map(\.status) == [.billingRetry])
    #expect(try test.store.currentEntitlements(on: test.phone) == [])
    test.store.clock.advance(by: 60 * day)
    let status = try #require(try test.store.subscriptionStatuses(on: test.phone).first)
    #expect(status.status == .expired)
    #expect(status.renewalInfo.isInBillingRetryPeriod == false)
    #expect(status.renewalInfo.willAutoRenew == false)
    #expect(
      test.announced == [
        "SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
        "EXPIRED/BILLING_RETRY",
      ]
    )
    #expect(test.store.transactions(of: test.account).count == 1)
  }

  @Test func aRecoveryWithoutGraceStartsANewCycle() throws {
    let test = try TestStore()
    try test.buy(DemoCatalog.monthly)
    try test.store.setPayment(works: false, of: test.account)
    test.store.clock.advance(to: try date("2026-02-11T12:00:00Z"))
    try test.store.setPayment(works: true, of: test.account)
    let recovered = try #require(test.store.transactions(of: test.account).last)
    #expect(recovered.purchaseDate == (try date("2026-02-11T12:00:00Z")))
    #expect(recovered.expiresDate == (try date("2026-03-11T11:00:00Z")))
  }

  @Test func aChangeOfEqualLevelAndOtherLengthWaitsForTheRenewal() throws {
    let test = try TestStore()
    let first = try test.buy(DemoCatalog.monthly)
    let outcome = try test.store.purchase(
      PurchaseRequest(device: test.phone, productID: DemoCatalog.yearly)
    )
    #expect(outcome == .unchanged(first, .changeScheduled))
    test.store.clock.advance(to: try date("2026-02-02T00:00:00Z"))
    let second = try #require(test.store.transactions(of: test.account).last)
    #expect(second.productID == DemoCatalog.yearly)
    #expect(second.reason == .renewal)
    #expect(second.offer == nil)
    #expect(second.expiresDate == (try date("2027-02-01T12:00:00Z")))
    #expect(
      test.announced == [
        "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_RENEW",
      ]
    )
  }

  @Test func anUpgradeTakesTheOldOnesPlaceAtOnce() throws {
    let text = DemoCatalog.text.replacing(
      #""groupNumber" : 1,"#,
      with: #""groupNumber" : 2,"#,
      maxReplacements: 1
    )
    let catalog = try StoreCatalog(parsing: Array(text.utf8), file: "upgrade")
    let test = try TestStore(catalog: catalog)
    let old = try test.buy(DemoCatalog.monthly)
    test.store.clock.advance(by: 10 * day)
    let new = try test.buy(DemoCatalog.yearly)
    #expect(new.originalTransactionID == old.originalTransactionID)
    #expect(new.priceMilliunits == 49_990)
    #expect(new.purchaseDate == TestStore.start.addingTimeInterval(10 * day))
    let records = test.store.transactions(of: test.account)
    #expect(records.map(\.isUpgraded) == [true, false])
    #expect(records.first?.expiresDate == old.expiresDate)
    #expect(try test.store.currentEntitlements(on: test.pad) == [new])
    #expect(test.announced == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE"])
  }
}

struct RefundTests {
  @Test func aRefundedConsumableIsMarkedAndAnnounced() throws {
    let test = try TestStore()
    let log = Log()
    try test.store.observe(test.phone) { event in
      guard case .transaction(let record, let cause) = event else { return }
      log.add("\(cause) \(record.revocationDate == test.store.now)")
    }
    let bought = try test.buy(DemoCatalog.coins)
    try test.store.finish(bought.transactionID, on: test.phone)
    test.store.clock.advance(by: day)
    try test.store.refund(bought.transactionID, reason: .developerIssue)
    let refunded = try #require(test.store.transaction(bought.transactionID))
    #expect(refunded.revocationDate == test.store.now)
    #expect(refunded.revocationReason == .developerIssue)
    #expect(refunded.modifiedDate > bought.modifiedDate)
    #expect(test.announced == ["ONE_TIME_CHARGE", "REFUND"])
    #expect(log.lines == ["refunded true"])
    #expect(try test.store.allTransactions(on: test.phone) == [refunded])
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.refund(bought.transactionID)
    }
  }

  @Test func aRefundOfTheRunningPeriodEndsAccessAndAReversalGivesItBack() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.monthly)
    try test.store.refund(bought.transactionID)
    #expect(try test.store.subscriptionStatuses(on: test.phone).map(\.status) == [.revoked])
    #expect(try test.store.currentEntitlements(on: test.phone) == [])
    try test.store.reverseRefund(bought.transactionID)
    let back = try #require(test.store.transaction(bought.transactionID))
    #expect(back.revocationDate == nil)
    #expect(back.expiresDate == bought.expiresDate)
    #expect(try test.store.currentEntitlements(on: test.phone) == [back])
    #expect(test.announced == ["SUBSCRIBED/INITIAL_BUY", "REFUND", "REFUND_REVERSED"])
    test.store.clock.advance(by: 40 * day)
    #expect(test.announced.last == "EXPIRED/VOLUNTARY")
  }

  @Test func whatWasNeverSoldOrRefundedCannotBeTakenOrGivenBack() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.coins)
    #expect(throws: SimulatorError(.unknownTransaction, "")) { try test.store.refund("1") }
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.reverseRefund(bought.transactionID)
    }
  }
}
