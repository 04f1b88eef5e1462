import Foundation
import IAPKit
import IAPModel
import Testing

@Suite(.timeLimit(.minutes(1))) struct FunnelAppTests {
  private let world = ScriptedWorld()
  private let coins = OrderDraft(productID: "coins", context: ["level": "7"])

  // MARK: The app

  @Test func refundIsHandedOverOnceEvenWhenToldTwice() async {
    world.sellsCoins()
    let process = world.launch()
    _ = await process.funnel.buy(coins)
    let refund = StoreTransaction.coins("1").retold(signedAfter: 10, revoked: true)
    _ = await process.funnel.process(refund)
    _ = await process.funnel.process(refund)
    #expect(world.app.calls.map(\.kind) == [.grant, .clawback])
    #expect(world.validator.asked.count == 1, "a revocation acts at once")
  }

  @Test func refundLearntFromTheServerIsHandedOver() async {
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.process(.legacy("1"))
    await process.funnel.applyRevocation("1", at: Date(timeIntervalSince1970: 1_700_000_500))
    await process.finished("1")
    await process.finished("1")
    #expect(world.app.effects == ["grant:tx:1", "clawback:tx:1:1700000500000"])
  }

  @Test func refundUndoneAtTheServerIsHandedOverAgain() async {
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.process(.legacy("1"))
    await process.funnel.applyRevocation("1", at: Date(timeIntervalSince1970: 1_700_000_500))
    await process.finished("1")
    await process.finished("1")
    await process.funnel.applyReversal("1", of: Date(timeIntervalSince1970: 1_700_000_500))
    await process.finished("1")
    await process.funnel.whenIdle()
    #expect(
      world.app.effects
        == [
          "grant:tx:1", "clawback:tx:1:1700000500000", "regrant:tx:1:1700000500000",
        ]
    )
  }

  @Test func refundBehindOneThatWasUndoneIsTakenBackHoweverLateItIsHeardOf() async {
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.process(.legacy("1"))
    let refund = Date(timeIntervalSince1970: 1_700_000_500)
    await process.funnel.applyRevocation("1", at: refund)
    await process.finished("1")
    await process.finished("1")
    // The answer that the refund was undone comes behind the next refund.
    world.clock.advance(by: 86_400)
    await process.funnel.applyReversal("1", of: refund)
    await process.finished("1")
    await process.funnel.applyRevocation("1", at: refund)
    await process.funnel.applyRevocation("1", at: refund + 1)
    await process.finished("1")
    await process.funnel.whenIdle()
    #expect(
      world.app.effects
        == [
          "grant:tx:1", "clawback:tx:1:1700000500000", "regrant:tx:1:1700000500000",
          "clawback:tx:1:1700000501000",
        ]
    )
  }

  @Test func refundBehindOneWhoseEndNobodyHeardOfTakesNothingTwice() async {
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.process(.legacy("1"))
    let refund = Date(timeIntervalSince1970: 1_700_000_500)
    await process.funnel.applyRevocation("1", at: refund)
    await process.finished("1")
    await process.finished("1")
    await process.funnel.applyRevocation("1", at: refund + 24)
    await process.funnel.whenIdle()
    #expect(world.app.effects == ["grant:tx:1", "clawback:tx:1:1700000500000"])
    await process.funnel.applyReversal("1", of: refund + 24)
    await process.funnel.whenIdle()
    #expect(
      world.app.effects
        == ["grant:tx:1", "clawback:tx:1:1700000500000", "regrant:tx:1:1700000500000"]
    )
  }

  @Test func refundUndoneBehindOneThatNobodyHeardOfIsHandedOverAgain() async {
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.process(.legacy("1"))
    let refund = Date(timeIntervalSince1970: 1_700_000_500)
    await process.funnel.applyRevocation("1", at: refund)
    await process.finished("1")
    await process.finished("1")
    // It was undone, taken back a second time, and that was undone too, before the server answered.
    await process.funnel.applyReversal("1", of: refund + 24)
    await process.finished("1")
    // Neither of the two is news any more; a third one is.
    await process.funnel.applyRevocation("1", at: refund + 24)
    await process.funnel.applyReversal("1", of: refund + 24)
    await process.funnel.applyRevocation("1", at: refund + 25)
    await process.finished("1")
    // The word of an earlier one's end says nothing about it.
    await process.funnel.applyReversal("1", of: refund + 24)
    await process.funnel.whenIdle()
    #expect(
      world.app.effects
        == [
          "grant:tx:1", "clawback:tx:1:1700000500000", "regrant:tx:1:1700000500000",
          "clawback:tx:1:1700000525000",
        ]
    )
  }

  @Test func answerAboutTheCustomerTellsRefundsFromThoseUndone() throws {
    let body = """
      {"entitlements": [], "purchases": [
        {"transactionIds": ["1"], "isActive": false, "revocationDate": 1700000500000},
        {"transactionIds": ["2"], "isActive": true, "revocationDate": 1700000600000},
        {"transactionIds": ["3"], "isActive": true}
      ]}
      """
    let answer = try #require(CustomerAnswer(Data(body.utf8)))
    #expect(answer.revocations == ["1": Date(timeIntervalSince1970: 1_700_000_500)])
    #expect(answer.reversals == ["2": Date(timeIntervalSince1970: 1_700_000_600)])
  }

  @Test func handlerThatAsksForLaterIsCalledLater() async {
    world.sellsCoins()
    world.app.script(.retryLater)
    let process = world.launch()
    let outcome = await process.funnel.buy(coins)
    guard case .processing = outcome else { return #expect(outcome == .cancelled) }
    #expect(world.store.finished == [])
    await world.clock.advanceToNextDeadline()
    await process.finished("1")
    #expect(world.app.calls.map(\.idempotencyKey) == ["grant:tx:1", "grant:tx:1"])
  }

  @Test func handlerThatRefusesSetsAsideAndFinishes() async {
    world.sellsCoins()
    world.app.script(.refuse(reason: "banned"))
    let process = world.launch()
    #expect(await process.funnel.buy(coins) == .failed(.receiptValidationFailed))
    #expect(process.state("1") == .refused)
    #expect(process.store.record("1")?.lastError == "banned")
    #expect(world.store.finished == ["1"])
    #expect(process.store.orders.map(\.state) == [.refused])
  }

  @Test func deliveryWaitsUntilTheAppIsReady() async {
    world.sellsCoins()
    let process = world.launch(configuration: FunnelConfiguration(holdsDelivery: true))
    let outcome = await process.funnel.buy(coins)
    guard case .processing = outcome else { return #expect(outcome == .cancelled) }
    #expect(world.app.calls == [])
    await process.funnel.openDelivery()
    await process.finished("1")
    #expect(world.app.effects == ["grant:tx:1"])
  }

  @Test func consumableWithoutAHandlerWaitsForMarkConsumed() async throws {
    world.sellsCoins()
    let process = world.launch(hasHandler: false)
    let outcome = await process.funnel.buy(coins)
    guard case .delivered = outcome else { return #expect(outcome == .cancelled) }
    #expect(world.store.finished == [])
    #expect(process.store.pendingRecords().map(\.transactionId) == ["1"])
    try process.store.markConsumed("1")
    await process.finished("1")
    #expect(world.store.finished == ["1"])
    #expect(process.store.pendingRecords() == [])
  }

  @Test func markThatACrashSeparatesFromTheFinishIsFinishedAtTheNextLaunch() async throws {
    world.sellsCoins()
    let first = world.launch(hasHandler: false)
    _ = await first.funnel.buy(coins)
    first.store.onAcknowledgement(nil)
    try first.store.markConsumed("1")
    first.life.kill()
    let second = world.launch(hasHandler: false)
    await second.finished("1")
    #expect(world.store.finished == ["1"])
  }

  @Test func callerAcknowledgesANonConsumable() async {
    world.store.state.withLock { state in
      state.sheet = { request in
        var badge = StoreTransaction.coins("1", request)
        badge.type = .nonConsumable
        return .transaction(badge)
      }
    }
    let process = world.launch(hasHandler: false)
    let outcome = await process.funnel.buy(coins)
    guard case .delivered = outcome else { return #expect(outcome == .cancelled) }
    #expect(world.store.finished == ["1"])
    #expect(process.store.pendingRecords() == [])
  }

  @Test func listenerGetsWhatWaitedAndItsReturnAcknowledges() async {
    let process = world.launch(hasHandler: false)
    world.store.pay(.coins("1"))
    process.adapter.send(.transaction(.coins("1")))
    _ = await process.first { event -> Bool? in
      if case .ready = event { true } else { nil }
    }
    #expect(process.state("1") == .accepted)
    let heard = Guarded<[String]>([])
    await process.funnel.attachListener { kind, result in
      heard.withLock { $0.append("\(kind) \(result.transactionId)") }
    }
    await process.finished("1")
    #expect(heard.withLock { $0 } == ["grant 1"])
    await process.funnel.attachListener(nil)
    process.adapter.send(.transaction(.coins("2")))
    _ = await process.first { event -> Bool? in
      if case .ready = event { true } else { nil }
    }
    #expect(process.state("2") == .accepted, "it waits for the listener's return")
  }

  // MARK: Restoring

  @Test func restoreTellsWhatIsNewAndWhatWasThere() async {
    var copy = StoreTransaction.legacy("2")
    copy.originalTransactionID = "1"
    copy.storeState = .restored
    var other = copy
    other.transactionID = "3"
    other.originalTransactionID = "9"
    other.reference = StoreReference("3")
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.process(.legacy("1"))
    world.store.state.withLock { $0.copies = [copy, other] }
    let report = await process.funnel.restore()
    #expect(report.error == nil)
    guard case .alreadyDelivered(let had)? = report.progress.first,
      case .delivered(let new)? = report.progress.last
    else { return #expect(report.progress == []) }
    #expect(had.transactionId == "2")
    #expect(new.transactionId == "3")
    #expect(world.app.effects == ["grant:tx:1", "grant:orig:9"])
    #expect(Set(world.store.finished) == ["1", "2", "3"])
  }

  @Test(arguments: [nil, IAPError.network(underlying: IAPError.unknown)])
  func endOfARestoreIsAnEvent(_ error: IAPError?) async {
    world.store.state.withLock { $0.restoreError = error }
    let process = world.launch()
    let report = await process.funnel.restore()
    #expect(report.progress == [])
    #expect(report.error == error)
    let told = await process.first { event -> [IAPError?]? in
      guard case .restoreEnded(let error) = event else { return nil }
      return [error]
    }
    #expect(told == [error])
  }
}
