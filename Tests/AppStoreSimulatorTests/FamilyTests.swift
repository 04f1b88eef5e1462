import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

struct FamilyTests {
  private func family(_ options: (inout StoreOptions) -> Void = { _ in }) throws -> TestStore {
    let test = try TestStore.rules(options)
    try test.store.addFamily("home", organizer: test.account)
    try test.store.joinFamily("home", test.other)
    return test
  }

  private func copies(_ test: TestStore) -> [StoreTransactionRecord] {
    test.store.transactions(of: test.other)
  }

  @Test func membersGetCopiesWithIdentifiersOfTheirOwn() throws {
    let test = try family()
    let first = try test.buy(RulesCatalog.silver)
    let copy = try #require(copies(test).first)
    #expect(copy.ownership == .familyShared)
    #expect(copy.transactionID != first.transactionID)
    #expect(copy.originalTransactionID.rawValue == copy.transactionID.rawValue)
    #expect(copy.appAccountToken == nil)
    #expect(copy.expiresDate == first.expiresDate)
    #expect(test.announced == ["SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/INITIAL_BUY"])
    #expect(try test.store.currentEntitlements(on: test.otherPhone) == [copy])
    test.store.clock.advance(by: 8 * day)
    #expect(copies(test).map(\.reason) == [.purchase, .renewal])
    #expect(
      copies(test).map(\.originalTransactionID) == [
        copy.originalTransactionID, copy.originalTransactionID,
      ]
    )
    #expect(test.announced.suffix(2) == ["DID_RENEW", "DID_RENEW"])
  }

  @Test func whoJoinsGetsWhatIsThereAndWhoLeavesLosesIt() throws {
    let test = try TestStore.rules()
    try test.buy(RulesCatalog.silver)
    try test.buy(RulesCatalog.book)
    try test.store.addFamily("home", organizer: test.account)
    try test.store.joinFamily("home", test.other)
    #expect(copies(test).map(\.productID) == [RulesCatalog.silver, RulesCatalog.book])
    #expect(test.announced.suffix(2) == ["SUBSCRIBED/INITIAL_BUY", "ONE_TIME_CHARGE"])
    try test.store.leaveFamily("home", test.other)
    #expect(test.announced.suffix(2) == ["REVOKE", "REVOKE"])
    #expect(copies(test).map(\.revocationType) == [.familyRevoke, .familyRevoke])
    #expect(try test.store.currentEntitlements(on: test.otherPhone) == [])
    let own = test.store.transactions(of: test.account)
    #expect(own.allSatisfy { $0.revocationDate == nil })
    try test.store.joinFamily("home", test.other)
    #expect(test.announced.suffix(2) == ["SUBSCRIBED/RESUBSCRIBE", "ONE_TIME_CHARGE"])
  }

  @Test func whoJoinsAfterTheNextChargeGetsBothPeriods() throws {
    let test = try TestStore.rules()
    try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 6.5 * day)
    try test.store.addFamily("home", organizer: test.account)
    try test.store.joinFamily("home", test.other)
    let own = test.store.transactions(of: test.account)
    #expect(copies(test).map(\.purchaseDate) == own.map(\.purchaseDate))
    #expect(test.announced.suffix(2) == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
  }

  @Test func aRefundOfThePurchaserRevokesTheCopies() throws {
    let test = try family()
    let first = try test.buy(RulesCatalog.silver)
    try test.store.refund(first.transactionID, reason: .developerIssue)
    #expect(test.announced.suffix(2) == ["REFUND", "REVOKE"])
    #expect(test.lastNotification?.status == .revoked)
    #expect(copies(test).map(\.revocationReason) == [.developerIssue])
    try test.store.reverseRefund(first.transactionID)
    #expect(test.announced.suffix(2) == ["REFUND_REVERSED", "SUBSCRIBED/RESUBSCRIBE"])
    #expect(try test.store.currentEntitlements(on: test.otherPhone).count == 1)
  }

  @Test func anUpgradeToSomethingThatIsNotSharedRevokes() throws {
    let test = try family()
    try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: day)
    try test.buy(RulesCatalog.goldAlone)
    #expect(test.announced.suffix(2) == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "REVOKE"])
    let shared = try family()
    try shared.buy(RulesCatalog.silver)
    shared.store.clock.advance(by: day)
    try shared.buy(RulesCatalog.gold)
    #expect(copies(shared).map(\.isUpgraded) == [true, false])
  }

  @Test func copiesFollowGraceRetryAndTheEnd() throws {
    let test = try family { $0.gracePeriod = 16 * day }
    try test.buy(RulesCatalog.silver)
    try test.store.setPayment(works: false, of: test.account)
    test.store.clock.advance(by: 100 * day)
    let expected = [
      "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED/BILLING_RETRY",
    ]
    #expect(test.announced.dropFirst(2) == (expected.flatMap { [$0, $0] })[...])
  }

  @Test func keepingPurchasesToOneselfRevokes() throws {
    let test = try family()
    try test.buy(RulesCatalog.silver)
    try test.store.setSharesPurchases(false, of: test.account)
    #expect(test.announced.last == "REVOKE")
    try test.store.setSharesPurchases(true, of: test.account)
    #expect(test.announced.last == "SUBSCRIBED/RESUBSCRIBE")
  }

  @Test func aMemberMaySubscribeBesidesTheCopy() throws {
    let test = try family()
    try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: day)
    try test.buy(RulesCatalog.goldAlone, on: test.otherPhone)
    #expect(try test.store.subscriptionStatuses(on: test.otherPhone).count == 2)
  }

  @Test func impossibleThingsAreRefusedAndChangeNothing() throws {
    let test = try family()
    let first = try test.buy(RulesCatalog.silver)
    let copy = try #require(copies(test).first)
    let count = test.store.history.count
    let notAllowed = SimulatorError(.notAllowed, "")
    #expect(throws: notAllowed) { try test.store.joinFamily("home", test.other) }
    #expect(throws: notAllowed) { try test.store.refund(copy.transactionID) }
    #expect(throws: notAllowed) { try test.store.expire(copy.originalTransactionID) }
    #expect(throws: notAllowed) { try test.store.reverseRefund(first.transactionID) }
    #expect(throws: SimulatorError(.unknownAccount, "")) {
      try test.store.joinFamily("nowhere", "nobody")
    }
    #expect(test.store.history.count == count)
  }

  @Test(arguments: [6, 7])
  func aFamilyHasSixMembers(_ count: Int) throws {
    let test = try TestStore.rules()
    try test.store.addFamily("home", organizer: test.account)
    for number in 2..<count {
      try test.store.addAccount(AccountID("member-\(number)"))
      try test.store.joinFamily("home", AccountID("member-\(number)"))
    }
    if count <= FamilyRule.memberCountMax {
      try test.store.joinFamily("home", test.other)
    } else {
      #expect(throws: SimulatorError(.notAllowed, "")) {
        try test.store.joinFamily("home", test.other)
      }
    }
  }
}
