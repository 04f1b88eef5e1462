import Foundation
import IAPKit
import IAPModel
import Testing

@Suite struct DeliveryReducerTests {
  private var machine = DrivenMachine()
  private let coins = StoreTransaction.coins("1")

  // MARK: The straight way

  @Test mutating func stepsOfAPurchaseComeInTheirOrder() {
    #expect(machine.feed(.arrived(coins, order: nil)) == ["save", "tell saved", "validate"])
    #expect(machine.state == .received)
    #expect(
      machine.feed(.verdict(.accepted(nil))) == ["save", "tell accepted", "deliver grant:tx:1"]
    )
    #expect(machine.state == .accepted)
    let due = DueEffect(kind: .grant, key: "grant:tx:1")
    #expect(machine.feed(.answered(.delivered, due)) == ["save", "tell ready grant", "finish"])
    #expect(machine.state == .delivered)
    #expect(machine.feed(.storeAnswered(.finished)) == ["save", "tell finished"])
    #expect(machine.state == .finished)
    #expect(machine.record?.acknowledged == ["grant:tx:1"])
  }

  @Test(arguments: [
    DeliveryEvent.verdict(.accepted(nil)), .acknowledged, .storeAnswered(.finished), .due(.launch),
    .released, .reported, .answered(.delivered, DueEffect(kind: .grant, key: "grant:tx:1")),
  ])
  func nothingButAnArrivalBeginsAMachine(_ event: DeliveryEvent) {
    var machine = DrivenMachine()
    #expect(machine.feed(event) == ["nothing"])
  }

  @Test mutating func restoredMachineGoesOnWithTheNextStep() {
    _ = machine.feed(.arrived(coins, order: nil))
    #expect(machine.feed(.due(.launch)) == ["validate"])
    _ = machine.feed(.verdict(.accepted(nil)))
    #expect(machine.feed(.due(.launch)) == ["deliver grant:tx:1"])
    _ = machine.feed(.answered(.delivered, DueEffect(kind: .grant, key: "grant:tx:1")))
    #expect(machine.feed(.due(.launch)) == ["finish"])
    _ = machine.feed(.storeAnswered(.finished))
    #expect(machine.feed(.due(.launch)) == [])
  }

  @Test mutating func transactionThatStoreKitAnnouncesAgainIsOnlyFinished() {
    machine.deliver(coins)
    #expect(machine.feed(.arrived(coins, order: nil)) == ["finish"])
    #expect(machine.feed(.storeAnswered(.finished)) == [])
    #expect(machine.state == .finished)
  }

  @Test mutating func transactionThatWasNotAnnouncedYetStaysDelivered() {
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(.accepted(nil)))
    _ = machine.feed(.answered(.delivered, DueEffect(kind: .grant, key: "grant:tx:1")))
    #expect(machine.feed(.storeAnswered(.notAnnounced)) == [])
    #expect(machine.state == .delivered)
    #expect(machine.feed(.arrived(coins, order: nil)) == ["finish"])
  }

  // MARK: Refusals and silence

  @Test mutating func fourthRefusalSetsAsideAndMovesTheQueue() {
    _ = machine.feed(.arrived(coins, order: nil))
    for (count, wait) in [(1, 2), (2, 4), (3, 8)] {
      #expect(
        machine.feed(.verdict(explicitRefusal)) == ["save", "retry in \(wait)", "tell rejected"]
      )
      #expect(machine.state == .received)
      #expect(machine.record?.rejections == count)
    }
    #expect(
      machine.feed(.verdict(explicitRefusal))
        == ["save", "tell rejected", "tell quarantined", "report", "finish"]
    )
    #expect(machine.state == .quarantined)
    #expect(machine.record?.quarantine == .rejected)
    #expect(machine.record?.lastError == "refused: bundle")
    #expect(machine.record?.transaction.proof == coins.proof, "it can be delivered later")
    #expect(machine.feed(.storeAnswered(.finished)) == ["save", "tell finished"])
    #expect(machine.state == .quarantined)
    #expect(machine.record?.isFinished == true)
  }

  @Test mutating func quarantinedTransactionWithoutProofIsNotFinished() {
    _ = machine.feed(.arrived(.legacy("1", receipt: nil), order: nil))
    for _ in 1...3 { _ = machine.feed(.verdict(explicitRefusal)) }
    #expect(
      machine.feed(.verdict(explicitRefusal))
        == ["save", "tell rejected", "tell quarantined", "report"]
    )
  }

  @Test mutating func silenceIsNeverARefusal() {
    _ = machine.feed(.arrived(coins, order: nil))
    var waits: [String] = []
    for _ in 1...14 { waits += machine.feed(.verdict(.unknown(reason: "time-out"))) }
    #expect(waits.filter { $0 != "save" }.prefix(3) == ["retry in 2", "retry in 4", "retry in 8"])
    #expect(waits.last == "retry in 3600")
    #expect(machine.state == .received)
    #expect(machine.record?.attempts == 14)
    #expect(machine.record?.rejections == 0)
  }

  @Test(arguments: [
    (launches: 2, hours: 72.0, isShown: false), (launches: 3, hours: 71.99, isShown: false),
    (launches: 3, hours: 72, isShown: true), (launches: 9, hours: 1000, isShown: true),
  ])
  func silenceIsShownAfterThreeLaunchesAndThreeDays(
    _ row: (launches: Int, hours: Double, isShown: Bool)
  ) {
    var machine = DrivenMachine()
    _ = machine.feed(.arrived(coins, order: nil))
    machine.launch += row.launches
    machine.now += row.hours * 3600
    let actions = machine.feed(.verdict(.unknown(reason: "time-out")))
    let shown = row.isShown ? ["tell quarantined", "report"] : []
    #expect(actions == ["save", "retry in 2"] + shown)
    #expect(machine.state == (row.isShown ? .quarantined : .received))
    guard row.isShown else { return }
    #expect(machine.record?.quarantine == .unanswered)
    #expect(machine.feed(.verdict(.unknown(reason: "time-out"))) == ["save", "retry in 4"])
    #expect(machine.feed(.due(.foreground)) == ["validate", "report"])
    _ = machine.feed(.reported)
    #expect(machine.feed(.due(nil)) == ["validate"])
    #expect(machine.feed(.verdict(.accepted(nil))).last == "deliver grant:tx:1")
    #expect(machine.record?.quarantine == nil)
  }

  @Test mutating func policyCanCountEveryFailure() {
    machine.quarantine.countsEveryFailure = true
    _ = machine.feed(.arrived(coins, order: nil))
    for _ in 1...3 { _ = machine.feed(.verdict(.unknown(reason: "time-out"))) }
    #expect(machine.state == .received)
    #expect(
      machine.feed(.verdict(.unknown(reason: "time-out")))
        == ["save", "tell quarantined", "report", "finish"]
    )
    #expect(machine.record?.quarantine == .failedChecks)
  }

  @Test(arguments: RetryTrigger.allCases)
  func triggerAsksAgainAfterSilenceButNotAfterARefusal(_ trigger: RetryTrigger) {
    var machine = DrivenMachine()
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(.unknown(reason: "time-out")))
    #expect(machine.feed(.due(trigger)) == ["validate"])
    _ = machine.feed(.verdict(explicitRefusal))
    #expect(machine.feed(.due(trigger)) == ["retry in 4"])
    machine.now += 4
    #expect(machine.feed(.due(trigger)) == ["validate"])
  }

  /// Four copies of one arrival must not use up the refusals that are borne.
  @Test mutating func furtherCopiesDoNotAskAgain() {
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(explicitRefusal))
    for _ in 1...4 { #expect(machine.feed(.arrived(coins, order: nil)) == []) }
  }

  @Test mutating func copyThatBringsTheMissingReceiptIsJudged() {
    _ = machine.feed(.arrived(.legacy("1", receipt: nil), order: nil))
    _ = machine.feed(.verdict(.unknown(reason: "there is no receipt")))
    #expect(machine.feed(.arrived(.legacy("1"), order: nil)) == ["save", "validate"])
    #expect(machine.record?.transaction.proof == .receipt(Array("receipt".utf8)))
  }

  @Test mutating func releasedOrderIsJudgedOnceMoreAndDelivered() {
    _ = machine.feed(.arrived(coins, order: nil))
    for _ in 1...4 { _ = machine.feed(.verdict(explicitRefusal)) }
    _ = machine.feed(.storeAnswered(.finished))
    #expect(machine.feed(.due(.launch)) == ["report"])
    _ = machine.feed(.reported)
    #expect(machine.feed(.due(.launch)) == [])
    #expect(machine.feed(.released) == ["save", "validate"])
    #expect(machine.feed(.verdict(.accepted(nil))).last == "deliver grant:tx:1")
  }

  // MARK: Unverified

  private func unverified() -> StoreTransaction {
    var transaction = coins
    transaction.verification = .unverified(reason: "bad chain")
    return transaction
  }

  @Test mutating func unverifiedTransactionIsHeldAndLookedAtAgain() {
    #expect(
      machine.feed(.arrived(unverified(), order: nil)) == ["save", "retry in 2", "tell held"]
    )
    #expect(machine.state == .held)
    #expect(machine.feed(.due(nil)) == ["reverify"])
    #expect(machine.feed(.arrived(unverified(), order: nil)) == ["save", "retry in 4"])
    #expect(machine.feed(.verdict(.unknown(reason: "gone"))) == ["save", "retry in 8"])
    #expect(machine.feed(.arrived(coins, order: nil)) == ["save", "tell saved", "validate"])
    #expect(machine.state == .received)
  }

  @Test(arguments: [
    DeliveryEvent.verdict(.accepted(nil)), .verdict(explicitRefusal), .acknowledged, .released,
    .storeAnswered(.finished), .answered(.delivered, DueEffect(kind: .grant, key: "grant:tx:1")),
  ])
  func nothingDeliversOrFinishesWhatIsHeld(_ event: DeliveryEvent) {
    var machine = DrivenMachine()
    _ = machine.feed(.arrived(unverified(), order: nil))
    let actions = machine.feed(event)
    #expect(machine.state == .held)
    #expect(!actions.contains { $0 == "finish" || $0.hasPrefix("deliver") || $0 == "validate" })
  }

  @Test mutating func unverifiedCopyOfAKnownTransactionSaysNothing() {
    machine.deliver(coins)
    var forged = unverified()
    forged.revocationDate = machine.now
    #expect(machine.feed(.arrived(forged, order: nil)) == [])
    #expect(machine.record?.transaction.revocationDate == nil)
  }

  // MARK: Words about the server

  @Test mutating func serverAddsWhatStoreKitOneDoesNotSay() {
    _ = machine.feed(.arrived(.legacy("1"), order: nil))
    let until = machine.now + 100
    let result = ReceiptValidationResult(isValid: true, expiresDate: until, unit: "period:1:at:5")
    #expect(machine.feed(.verdict(.accepted(result))).last == "deliver grant:period:1:at:5")
    #expect(machine.record?.expiresDate == until)
  }
}
