import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

struct RefundRuleTests {
  @Test func aRequestAsksForTheUseAndEndsRenewing() throws {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.silver)
    try test.store.requestRefund(first.transactionID, reason: .unsatisfied)
    #expect(
      test.announced.suffix(2) == [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
      ]
    )
    let asked = try #require(test.store.notifications.dropLast().last)
    #expect(asked.consumptionRequestReason == .unsatisfied)
    let signed = try Signed.payload(of: try test.store.signedNotification(asked))
    let reason = signed["data"]?.objectValue?["consumptionRequestReason"]?.stringValue
    #expect(reason == "UNSATISFIED_WITH_PURCHASE")
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.requestRefund(first.transactionID)
    }
    try test.store.declineRefund(first.transactionID)
    #expect(test.announced.last == "REFUND_DECLINED")
    #expect(test.store.transaction(first.transactionID)?.revocationDate == nil)
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.declineRefund(first.transactionID)
    }
    #expect(try test.subscription.willAutoRenew == false)
  }

  @Test func aRequestCanBeAnsweredAtOnce() throws {
    let test = try TestStore.rules { $0.refundAnswer = .granted }
    let coins = try test.buy(RulesCatalog.coins)
    try test.store.requestRefund(coins.transactionID)
    #expect(test.announced == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND"])
    #expect(test.store.transaction(coins.transactionID)?.refundRequest?.answer == .granted)
  }

  @Test(arguments: [(nil, "REFUND_FULL"), (50_000, "REFUND_PRORATED")] as [(Int?, String)])
  func aRefundSaysHowMuch(_ percentage: Int?, _ type: String) throws {
    let test = try TestStore.rules()
    let first = try test.buy(RulesCatalog.silver)
    try test.store.refund(first.transactionID, reason: .developerIssue, percentage: percentage)
    let signed = try Signed.payload(of: try test.store.signedTransaction(first.transactionID))
    let payload = try TransactionPayload(signed)
    #expect(payload.revocationType?.rawValue == type)
    #expect(payload.revocationPercentage == percentage)
    #expect(payload.revocationReason == .developerIssue)
    #expect(try test.subscription.phase == .revoked)
    try test.store.reverseRefund(first.transactionID)
    let again = try TransactionPayload(
      try Signed.payload(of: try test.store.signedTransaction(first.transactionID))
    )
    #expect(again.revocationDate == nil)
    #expect(again.revocationType == nil)
    #expect(again.revocationPercentage == nil)
  }

  @Test(arguments: [0, 1, 100_000, 100_001])
  func aPartIsBetweenNothingAndAll(_ percentage: Int) throws {
    let test = try TestStore.rules()
    let coins = try test.buy(RulesCatalog.coins)
    let isAllowed = percentage == 1 || percentage == 100_000
    if isAllowed {
      try test.store.refund(coins.transactionID, percentage: percentage)
    } else {
      #expect(throws: SimulatorError(.notAllowed, "")) {
        try test.store.refund(coins.transactionID, percentage: percentage)
      }
    }
    #expect((test.store.transaction(coins.transactionID)?.revocationDate != nil) == isAllowed)
  }

  @Test func aRefundOfAnEarlierPeriodLeavesTheSubscription() throws {
    let test = try TestStore.rules()
    let trial = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 20 * day)
    try test.store.refund(trial.transactionID)
    #expect(test.lastNotification?.status == .active)
    #expect(try test.subscription.phase == .active)
  }

  @Test func aRefundOfAPeriodChargedAheadLeavesTheOneThatRuns() throws {
    let test = try TestStore.rules()
    let trial = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 6.5 * day)
    let ahead = try #require(test.store.transactions(of: test.account).last)
    #expect(ahead.purchaseDate > test.store.now)
    try test.store.refund(ahead.transactionID)
    #expect(
      try test.store.currentEntitlements(on: test.phone).map(\.transactionID) == [
        trial.transactionID
      ]
    )
    test.store.clock.advance(by: day)
    #expect(test.announced.last == "EXPIRED/VOLUNTARY")
  }

  @Test func anUpgradeTakesThePlaceOfAPeriodChargedAhead() throws {
    let test = try TestStore.rules()
    let trial = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 6.5 * day)
    let ahead = try #require(test.store.transactions(of: test.account).last)
    let gold = try test.buy(RulesCatalog.gold)
    #expect(test.store.transaction(trial.transactionID)?.isUpgraded == true)
    #expect(test.store.transaction(ahead.transactionID)?.isUpgraded == true)
    #expect(try test.store.currentEntitlements(on: test.phone) == [gold])
  }

  @Test func aCancellationAfterTheChargeKeepsThePaidPeriod() throws {
    let test = try TestStore.rules()
    let trial = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 6.5 * day)
    try test.store.setAutoRenew(false, of: trial.originalTransactionID)
    test.store.clock.advance(by: 10 * day)
    #expect(try test.subscription.phase == .active)
    test.store.clock.advance(by: 30 * day)
    #expect(try test.subscription.phase == .expired(.cancelled))
  }
}
