import Foundation
import IAPKit
import IAPModel
import Testing

/// Ways out for orders that wait or were set aside.
@Suite(.timeLimit(.minutes(1))) struct AttentionTests {
  private let world = ScriptedWorld()
  private let coins = OrderDraft(productID: "coins", account: "ada", context: ["level": "7"])

  /// Until an order was refused four times.
  private func setAside(_ process: ScriptedProcess) async {
    world.validator.state.withLock { $0.always["coins"] = .reject }
    world.sellsCoins()
    _ = await process.funnel.buy(coins)
    while await process.isRetried("1") { await world.clock.advanceToNextDeadline() }
    await process.funnel.whenIdle()
  }

  private func reason(_ process: ScriptedProcess, _ id: String) -> OrderNeedingAttention.Reason? {
    process.store.record(TransactionID(id)).flatMap { record in
      process.funnel.reasonForAttention(record, record.order.flatMap { process.store.order($0) })
    }
  }

  @Test func orderThatWasSetAsideIsDeliveredWhenItIsRetriedAndTheServerAgrees() async {
    let process = world.launch(
      configuration: FunnelConfiguration(account: SignedInAccount("ada"))
    )
    await setAside(process)
    #expect(reason(process, "1") == .rejected)
    #expect(world.store.unfinished == [])
    world.validator.state.withLock { $0.always = [:] }
    let progress = await process.funnel.retryNow("1")
    guard case .delivered = progress else {
      Issue.record("\(String(describing: progress))")
      return
    }
    await process.funnel.whenIdle()
    #expect(world.app.effects == ["grant:tx:1"])
    #expect(process.state("1") == .finished)
    #expect(reason(process, "1") == nil)
    #expect(process.store.orders.map(\.state) == [.delivered])
  }

  @Test func retryThatIsRefusedAgainCountsAnew() async {
    let process = world.launch(
      configuration: FunnelConfiguration(account: SignedInAccount("ada"))
    )
    await setAside(process)
    #expect(
      await process.funnel.retryNow("1").map { PurchaseOutcome($0) }
        == .failed(.receiptValidationFailed)
    )
    #expect(process.state("1") == .received)
    #expect(process.store.record("1")?.rejections == 1)
    #expect(await process.funnel.retryNow("unknown") == nil)
  }

  @Test func reportHoldsEverythingThatIsNeededToDeliverByHand() async throws {
    let reports = Guarded<[QuarantineReport]>([])
    let process = world.launch(
      configuration: FunnelConfiguration(
        account: SignedInAccount("ada"),
        reportQuarantine: { report in reports.withLock { $0.append(report) } }
      )
    )
    await setAside(process)
    await process.funnel.whenIdle()
    let report = try #require(reports.withLock(\.first))
    #expect(report.transactionId == "1")
    #expect(report.productId == "coins")
    #expect(report.reason == .rejected)
    #expect(report.attempts == 4)
    #expect(report.signedTransaction == "header.1.signature")
    #expect(report.account == "ada")
    #expect(report.context == ["level": "7"])
    #expect(report.orderNumber == process.store.orders.first?.number.description)
    #expect(report.installation == process.store.installation?.rawValue)
    #expect(report.contactReference == ContactReference.make("1"))
  }

  /// Refused reports come again by themselves, and after a relaunch; one that was taken does not.
  @Test func reportIsRepeatedUntilItWasTaken() async {
    let (asked, fails) = (Guarded(0), Guarded(true))
    func launch() -> ScriptedProcess {
      world.launch(
        configuration: FunnelConfiguration(
          account: SignedInAccount("ada"),
          reportQuarantine: { _ in
            asked.withLock { $0 += 1 }
            if fails.withLock(\.self) { throw ScriptedValidator.Unreachable() }
          }
        )
      )
    }
    let first = launch()
    await setAside(first)
    #expect(first.store.record("1")?.isFinished == true, "the queue moves all the same")
    while asked.withLock(\.self) < 3 {
      await world.clock.advanceToNextDeadline()
      await first.funnel.whenIdle()
    }
    #expect(first.store.record("1")?.isReported == false)
    first.life.kill()
    first.funnel.stop()
    fails.withLock { $0 = false }
    let second = launch()
    await second.funnel.retry(.foreground)
    while second.store.record("1")?.isReported != true { await Task.yield() }
    let count = asked.withLock(\.self)
    await second.funnel.retry(.foreground)
    await second.funnel.whenIdle()
    #expect(asked.withLock(\.self) == count)
  }

  @Test func contactReferenceIsShortAndTheSameEverywhere() {
    #expect(ContactReference.make("2000000123456789") == ContactReference.make("2000000123456789"))
    let all = (0..<2_000).map { ContactReference.make("\($0)") }
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0.count == 9 && !$0.contains { "ILOU".contains($0) } })
  }

  // MARK: The handler

  @Test func handlerThatThrowsIsCalledAgainWithTheSameKey() async {
    let calls = Guarded<[String]>([])
    world.store.pay(.coins("1"))
    let process = world.launch(handler: { delivery in
      let count = calls.withLock { calls in
        calls.append(delivery.idempotencyKey)
        return calls.count
      }
      if count < 3 { throw ScriptedValidator.Unreachable() }
      return .delivered
    })
    while process.state("1") != .finished {
      if await process.isRetried("1") { await world.clock.advanceToNextDeadline() }
      await process.funnel.whenIdle()
    }
    #expect(calls.withLock(\.self) == ["grant:tx:1", "grant:tx:1", "grant:tx:1"])
  }

  @Test func handlerThatHangsDelaysNoOtherOrderAndIsShown() async {
    let gate = Gate()
    let handed = Guarded<[String]>([])
    let process = world.launch(handler: { delivery in
      if delivery.transaction.transactionId == "1" { await gate.pass() }
      handed.withLock { $0.append(delivery.idempotencyKey) }
      return .delivered
    })
    world.store.pay(.coins("1"))
    let first = Task { await process.funnel.process(.coins("1")) }
    await gate.isReached()
    world.store.pay(.coins("2"))
    guard case .delivered = await process.funnel.process(.coins("2")) else {
      Issue.record("the second was delayed")
      return
    }
    #expect(handed.withLock(\.self) == ["grant:tx:2"])
    #expect(reason(process, "1") == nil, "not before its limit")
    world.clock.advance(by: 59)
    #expect(reason(process, "1") == nil)
    world.clock.advance(by: 1)
    // The caller hears that it is being processed.
    guard case .processing = await first.value else {
      Issue.record("the caller was not told")
      return
    }
    #expect(reason(process, "1") == .handlerSilent)
    gate.open()
    await process.funnel.whenIdle()
    #expect(reason(process, "1") == nil)
    #expect(process.state("1") == .finished)
  }

  // MARK: Time

  @Test func clockSetBackAYearDelaysNothingForAYear() async {
    world.store.pay(.coins("1"))
    world.validator.script(.reject)
    let process = world.launch()
    _ = await process.retryScheduled("1")
    await process.funnel.whenIdle()
    process.life.kill()
    process.funnel.stop()
    world.clock.set(back: 365 * 86_400)
    let second = world.launch()
    await second.funnel.retry(.foreground)
    await second.finished("1")
    #expect(world.app.effects == ["grant:tx:1"])
  }

  @Test func waitingOrdersGoBeforeANewOne() async {
    world.store.pay(.coins("1"))
    world.validator.script(.unreachable)
    let process = world.launch()
    _ = await process.retryScheduled("1")
    await process.funnel.whenIdle()
    world.sellsCoins("2")
    _ = await process.funnel.buy(OrderDraft(productID: "coins"))
    await process.funnel.whenIdle()
    #expect(process.state("1") == .finished)
    #expect(process.state("2") == .finished)
    #expect(world.validator.asked.map(\.transactionId) == ["1", "1", "2"])
  }

  /// The handler took effect under the name of the one copy, the process died, and the other copy
  /// comes first afterwards.
  @Test(arguments: [false, true])
  func copyOfUnknownTypeTakesOverTheNameThatAKillLeftBehind(_ copyIsFirst: Bool) async {
    let original = StoreTransaction.legacy("1")
    var copy = StoreTransaction.legacy("2")
    copy.originalTransactionID = "1"
    copy.storeState = .restored
    let (first, later) = copyIsFirst ? (copy, original) : (original, copy)
    world.store.pay(first)
    // One write for the arrival, one for the verdict, the effect; the record of it is lost.
    let life = Life(effects: 4)
    let dying = world.launch(life: life, generation: .storekit1)
    while !life.isDead { await Task.yield() }
    await dying.funnel.whenIdle()
    dying.funnel.stop()
    #expect(world.app.effects.count == 1)
    let second = world.launch(generation: .storekit1, starts: false)
    _ = await second.funnel.process(later)
    await second.funnel.retry(.launch)
    await second.funnel.whenIdle()
    #expect(world.app.effects.count == 1)
    #expect(Set(world.app.calls.map(\.idempotencyKey)).count == 1)
    #expect(second.store.records().map(\.state) == [.finished, .finished])
  }
}
