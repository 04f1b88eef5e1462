import Foundation
import IAPKit
import IAPModel
import Testing

@Suite struct AcknowledgementReducerTests {
  private var machine = DrivenMachine(hasJudge: true)
  private let coins = StoreTransaction.coins("1")
  private let due = DueEffect(kind: .grant, key: "grant:tx:1")

  private func result(
    claimedBy: String? = nil,
    isAcknowledged: Bool? = nil
  ) -> ReceiptValidationResult {
    var result = ReceiptValidationResult(isValid: true, claimedBy: claimedBy)
    result.isAcknowledged = isAcknowledged
    return result
  }

  private mutating func accept(_ result: ReceiptValidationResult) -> [String] {
    machine.feed(.verdict(.accepted(result)))
  }

  @Test mutating func serverIsToldBetweenTheDeliveryAndTheFinish() {
    _ = machine.feed(.arrived(coins, order: nil))
    _ = accept(result(claimedBy: "here"))
    #expect(
      machine.feed(.answered(.delivered, due))
        == ["save", "tell ready grant", "acknowledge", "finish"]
    )
    #expect(machine.feed(.storeAnswered(.finished)) == ["save", "tell finished"])
    #expect(machine.feed(.due(.foreground)) == ["acknowledge"], "there was no answer")
    #expect(machine.feed(.serverTold) == ["save"])
    #expect(machine.feed(.serverTold) == [])
    #expect(machine.feed(.due(.foreground)) == [])
    #expect(machine.feed(.arrived(coins, order: nil)) == ["finish"])
  }

  @Test mutating func relaunchTellsTheServerBeforeItFinishes() {
    _ = machine.feed(.arrived(coins, order: nil))
    _ = accept(result(claimedBy: "here"))
    _ = machine.feed(.answered(.delivered, due))
    #expect(machine.feed(.due(.launch)) == ["acknowledge", "finish"])
    _ = machine.feed(.serverTold)
    #expect(machine.feed(.due(.launch)) == ["finish"])
  }

  @Test(arguments: [ProductType.nonConsumable, .autoRenewable, .nonRenewable])
  func goodsThatEveryInstallationGetsAreNotAcknowledged(_ type: ProductType) {
    var machine = DrivenMachine(hasJudge: true)
    var transaction = coins
    transaction.type = type
    _ = machine.feed(.arrived(transaction, order: nil))
    _ = machine.feed(.verdict(.accepted(ReceiptValidationResult(isValid: true))))
    let due = machine.due ?? due
    #expect(
      machine.feed(.answered(.delivered, due)) == ["save", "tell ready grant", "finish"]
    )
  }

  @Test mutating func withoutAJudgeNobodyIsTold() {
    machine.hasJudge = false
    _ = machine.feed(.arrived(coins, order: nil))
    _ = machine.feed(.verdict(.accepted(nil)))
    #expect(machine.feed(.answered(.delivered, due)) == ["save", "tell ready grant", "finish"])
  }

  @Test mutating func whatWasHandedOverElsewhereIsFinishedAndNeverTakenBackHere() {
    _ = machine.feed(.arrived(coins, order: nil))
    #expect(
      accept(result(claimedBy: "lost", isAcknowledged: true))
        == ["save", "tell accepted", "save", "finish"]
    )
    _ = machine.feed(.storeAnswered(.finished))
    #expect(machine.record?.isAcknowledged == true)
    let refund = coins.retold(signedAfter: 10, revoked: true)
    #expect(machine.feed(.arrived(refund, order: nil)) == ["save", "finish"])
    #expect(machine.record?.acknowledged == [])
  }

  @Test mutating func whoeverWaitsForAnotherInstallationAsksTheServerAtEachOccasion() {
    _ = machine.feed(.arrived(coins, order: nil))
    #expect(accept(result(claimedBy: "lost")).last == "retry in 2")
    #expect(machine.feed(.arrived(coins, order: nil)) == [], "not before its time")
    machine.now += 2
    #expect(machine.feed(.due(nil)) == ["validate"])
    #expect(accept(result(claimedBy: "lost")).last == "retry in 4")
    machine.now += 4
    #expect(machine.feed(.arrived(coins, order: nil)) == ["validate"])
    #expect(accept(result(claimedBy: "here")).last == "deliver grant:tx:1")
  }

  @Test mutating func acceptanceOfLongAgoIsAskedForAgainBeforeTheDelivery() {
    let limit = DeliveryReducer.claimFreshSecondsMax
    _ = machine.feed(.arrived(coins, order: nil))
    _ = accept(result(claimedBy: "here"))
    machine.now += limit
    #expect(machine.feed(.due(.launch)) == ["deliver grant:tx:1"])
    machine.now += 1
    #expect(machine.feed(.due(.launch)) == ["validate"], "somebody else may have it by now")
    #expect(
      accept(result(claimedBy: "here")) == ["save", "tell accepted", "deliver grant:tx:1"]
    )
    machine.now -= limit
    #expect(machine.feed(.due(.launch)) == ["validate"], "the clock was set back")
  }

  @Test mutating func staleReceiptIsUnknownHoweverOften() {
    _ = machine.feed(.arrived(.legacy("1"), order: nil))
    for attempt in 1...40 {
      #expect(machine.feed(.verdict(.staleReceipt)).first == "save")
      #expect(machine.record?.attempts == attempt)
    }
    #expect(machine.record?.rejections == 0)
    #expect(machine.state == .received)
    #expect(machine.record?.hasStaleReceipt == true)
    #expect(accept(result()).last == "deliver grant:tx:1")
    #expect(machine.record?.hasStaleReceipt == false)
  }
}

@Suite(.timeLimit(.minutes(1))) struct FunnelAcknowledgementTests {
  private let world = ScriptedWorld()
  private let coins = OrderDraft(productID: "coins")

  @Test func serverIsToldOnceWithTheProof() async {
    world.sellsCoins()
    let process = world.launch()
    _ = await process.funnel.buy(coins)
    await process.funnel.whenIdle()
    await process.funnel.retry(.foreground)
    await process.funnel.whenIdle()
    #expect(world.validator.told == ["1"])
    let evidence = world.validator.state.withLock { $0.told.first }
    #expect(evidence?.signedTransaction == "header.1.signature")
    #expect(evidence?.installation == process.store.installation?.rawValue)
    #expect(world.store.finished == ["1"])
  }

  @Test func silenceHoldsNothingUpAndTheServerIsToldLater() async {
    world.sellsCoins()
    world.validator.state.withLock { $0.lostAcknowledgements = .max }
    let process = world.launch()
    guard case .delivered = await process.funnel.buy(coins) else {
      return #expect(Bool(false), "delivered")
    }
    #expect(world.store.finished == ["1"])
    #expect(world.validator.told == [])
    await process.funnel.retry(.networkBack)
    await process.funnel.whenIdle()
    #expect(world.validator.told == [])
    process.life.kill()
    world.validator.state.withLock { $0.lostAcknowledgements = 0 }
    let second = world.launch()
    _ = await second.funnel.process(.coins("2"))
    await second.funnel.retry(.foreground)
    await second.funnel.whenIdle()
    #expect(Set(world.validator.told) == ["1", "2"])
    #expect(world.app.effects == ["grant:tx:1", "grant:tx:2"])
  }

  @Test func legacyPurchaseIsAcknowledgedWithTheReceiptOfTheDevice() async {
    world.store.state.withLock { $0.receipt = [7] }
    let process = world.launch(generation: .storekit1)
    world.store.pay(.legacy("1", receipt: [7]))
    _ = await process.funnel.process(.legacy("1", receipt: [7]))
    await process.funnel.whenIdle()
    #expect(world.validator.state.withLock { $0.told.map(\.receipt) } == [Data([7])])
  }

  // MARK: Stale receipts

  @Test func staleReceiptIsFetchedAnewAndAskedAboutAtOnce() async {
    world.store.state.withLock { $0.receipt = [9] }
    world.validator.script(.stale)
    let process = world.launch(generation: .storekit1)
    world.store.pay(.legacy("1", receipt: [1]))
    guard case .delivered = await process.funnel.process(.legacy("1", receipt: [1])) else {
      return #expect(Bool(false), "delivered")
    }
    #expect(world.validator.asked.map(\.receipt) == [Data([1]), Data([9])])
  }

  @Test func storeIsAskedForAReceiptAtMostEveryHalfMinute() async {
    world.store.state.withLock { $0.receipt = [1] }
    world.validator.state.withLock { $0.always["pro"] = .stale }
    let process = world.launch(generation: .storekit1)
    world.store.pay(.legacy("1", receipt: [1]))
    _ = await process.funnel.process(.legacy("1", receipt: [1]))
    #expect(process.adapter.receiptRequests.withLock { $0 } == 1)
    world.clock.advance(by: DeliveryFunnel.receiptRequestSecondsMin - 1)
    await process.funnel.retry(.foreground)
    await process.funnel.whenIdle()
    #expect(process.adapter.receiptRequests.withLock { $0 } == 1)
    world.clock.advance(by: 1)
    await process.funnel.retry(.foreground)
    await process.funnel.whenIdle()
    #expect(process.adapter.receiptRequests.withLock { $0 } == 2)
    #expect(process.store.record("1")?.rejections == 0)
    #expect(world.store.finished == [])
  }
}
