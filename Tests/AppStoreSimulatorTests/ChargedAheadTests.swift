import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

/// The running period and the one that was charged ahead, refunded and reversed in every order.
struct ChargedAheadTests {
  private enum Step: Sendable { case running, ahead, runningBack, aheadBack }

  /// What was done, and what the subscription is then: its phase, and which periods are left.
  private static let rows: [([Step], SubscriptionPhase, running: Bool, ahead: Bool)] = [
    ([.running], .active, false, true),
    ([.ahead], .active, true, false),
    ([.running, .ahead], .revoked, false, false),
    ([.ahead, .running], .revoked, false, false),
    ([.running, .runningBack], .active, true, true),
    ([.ahead, .aheadBack], .active, true, true),
    ([.running, .ahead, .runningBack], .active, true, false),
    ([.running, .ahead, .aheadBack], .active, false, true),
    ([.ahead, .running, .runningBack], .active, true, false),
    ([.ahead, .running, .aheadBack], .active, false, true),
    ([.ahead, .running, .aheadBack, .runningBack], .active, true, true),
    ([.ahead, .running, .aheadBack, .ahead], .revoked, false, false),
    ([.running, .ahead, .runningBack, .aheadBack], .active, true, true),
    ([.running, .runningBack, .ahead], .active, true, false),
  ]

  private func life(isShared: Bool) throws -> (TestStore, running: TransactionID, TransactionID) {
    let test = try TestStore.rules()
    if isShared {
      try test.store.addFamily("home", organizer: test.account)
      try test.store.joinFamily("home", test.other)
    }
    let running = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 6.5 * day)
    let ahead = try #require(test.store.transactions(of: test.account).last)
    #expect(ahead.purchaseDate > test.store.now)
    return (test, running.transactionID, ahead.transactionID)
  }

  @Test(arguments: rows.indices)
  func whatIsLeftIsWhatWasNotPaidBack(_ index: Int) throws {
    let (steps, phase, running, ahead) = Self.rows[index]
    let (test, first, second) = try life(isShared: false)
    for step in steps {
      switch step {
      case .running: try test.store.refund(first)
      case .ahead: try test.store.refund(second)
      case .runningBack: try test.store.reverseRefund(first)
      case .aheadBack: try test.store.reverseRefund(second)
      }
    }
    let subscription = try test.subscription
    #expect(subscription.phase == phase)
    #expect((test.store.transaction(first)?.revocationDate == nil) == running)
    #expect((test.store.transaction(second)?.revocationDate == nil) == ahead)
    #expect(test.lastNotification?.status == SubscriptionStatusRule.status(phase))
    let entitled = try test.store.currentEntitlements(on: test.phone).map(\.transactionID)
    #expect(entitled == (ahead ? [second] : running ? [first] : []))
    // Who has the next period keeps it; who has not loses access when the present one ends.
    test.store.clock.advance(by: day)
    #expect(try test.subscription.isEntitled == ahead)
    test.store.clock.advance(by: 60 * day)
    let isRefunded = phase == .revoked && !ahead
    #expect(try test.subscription.isEntitled == (ahead && subscription.willAutoRenew))
    #expect(isRefunded == (try test.subscription.phase == .revoked))
  }

  @Test func aFamilyFollows() throws {
    let (test, running, ahead) = try life(isShared: true)
    func member() throws -> SubscriptionRecord {
      try #require(test.store.subscriptions.first { $0.account == test.other })
    }
    try test.store.refund(running)
    #expect(try member().phase == .active)
    try test.store.refund(ahead)
    #expect(try member().phase == .revoked)
    let copies = test.store.transactions(of: test.other)
    #expect(copies.count == 2 && copies.allSatisfy { $0.revocationDate != nil })
    try test.store.reverseRefund(ahead)
    #expect(try member().phase == .active)
    #expect(test.announced.last == "SUBSCRIBED/RESUBSCRIBE")
    try test.store.leaveFamily("home", test.other)
    let dates = test.store.transactions(of: test.other).map(\.revocationDate)
    #expect(dates.first == copies.first?.revocationDate, "a refund keeps its date")
    #expect(dates.allSatisfy { $0 != nil })
  }

  @Test func aReversalAfterANewPurchaseChangesNothing() throws {
    let (test, running, ahead) = try life(isShared: false)
    try test.store.refund(running)
    try test.store.refund(ahead)
    let again = try test.buy(RulesCatalog.silver)
    try test.store.reverseRefund(ahead)
    try test.store.reverseRefund(running)
    #expect(try test.subscription.period.transactionID == again.transactionID)
    #expect(try test.subscription.phase == .active)
  }

  @Test func anExtensionLengthensThePeriodThatWasChargedLast() throws {
    let (test, running, ahead) = try life(isShared: false)
    let before = try [running, ahead].map { try #require(test.store.transaction($0)) }
    let outcome = try test.store.extendRenewal(
      of: try test.subscription.originalTransactionID,
      days: 10,
      reason: 3,
      request: "r"
    )
    guard case .extended(let done) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let after = try [running, ahead].map { try #require(test.store.transaction($0)) }
    #expect(done.transactionID == ahead)
    #expect(after[0] == before[0])
    #expect(after[1].purchaseDate == before[1].purchaseDate)
    let moved = try #require(before[1].expiresDate).addingTimeInterval(10 * day)
    #expect(after[1].expiresDate == moved)
    test.store.clock.advance(to: moved.addingTimeInterval(-day + 1))
    #expect(test.store.transactions(of: test.account).last?.purchaseDate == moved)
  }
}
