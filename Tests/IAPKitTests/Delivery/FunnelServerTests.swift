import Foundation
import IAPKit
import IAPModel
import Testing

@Suite(.timeLimit(.minutes(1))) struct FunnelServerTests {
  private let world = ScriptedWorld()
  private let coins = OrderDraft(productID: "coins", context: ["level": "7"])

  // MARK: The server

  @Test func silentServerMeansProcessingUntilItAnswers() async throws {
    world.sellsCoins()
    world.validator.script(.unreachable, .unreachable)
    let process = world.launch()
    let outcome = await process.funnel.buy(coins)
    guard case .processing = outcome else { return #expect(outcome == .cancelled) }
    #expect(world.store.finished == [])
    #expect(await world.clock.advanceToNextDeadline() == 2)
    _ = await process.retryScheduled("1")
    _ = await process.retryScheduled("1")
    #expect(await world.clock.advanceToNextDeadline() == 4)
    await process.finished("1")
    #expect(world.app.effects == ["grant:tx:1"])
    #expect(process.store.orders.map(\.state) == [.delivered])
  }

  @Test(arguments: [RetryTrigger.foreground, .networkBack])
  func triggerDoesNotWaitForTheTimer(_ trigger: RetryTrigger) async {
    world.sellsCoins()
    world.validator.script(.unreachable)
    let process = world.launch()
    _ = await process.funnel.buy(coins)
    await process.funnel.retry(trigger)
    await process.finished("1")
    #expect(world.app.effects == ["grant:tx:1"])
  }

  @Test func fourRefusalsSetAsideAndALaterOrderIsDelivered() async throws {
    world.sellsAnything()
    world.validator.state.withLock { $0.always["coins"] = .reject }
    let (reported, report) = AsyncStream.makeStream(of: String.self)
    let configuration = FunnelConfiguration(
      reportQuarantine: { record in report.yield(record.transactionId) }
    )
    let process = world.launch(configuration: configuration)
    #expect(await process.funnel.buy(coins) == .failed(.receiptValidationFailed))
    #expect(world.store.finished == [])
    for _ in 1...3 { await world.clock.advanceToNextDeadline() }
    await process.finished("1")
    #expect(world.validator.asked.count == 4)
    #expect(process.state("1") == .quarantined)
    #expect(world.store.finished == ["1"])
    #expect(world.app.calls == [])
    #expect(process.store.pendingRecords().map(\.transactionId) == ["1"], "visible")
    #expect(process.store.record("1")?.jws == "header.1.signature", "can be delivered later")
    guard case .delivered = await process.funnel.buy(OrderDraft(productID: "pro")) else {
      return #expect(Bool(false), "a later order is delivered")
    }
    // The report is made beside the queue, which it must not hold up: wait for it.
    var reports = reported.makeAsyncIterator()
    #expect(await reports.next() == "1")
    #expect(process.store.orders.map(\.state) == [.quarantined, .delivered])

    world.validator.state.withLock { $0.always = [:] }
    await process.funnel.release("1")
    await process.finished("1")
    #expect(world.app.effects == ["grant:tx:2", "grant:tx:1"])
    report.finish()
    #expect(await reports.next() == nil, "reported once")
  }

  @Test func quarantineIsReportedUntilTheServerHasIt() async {
    world.sellsCoins()
    world.validator.state.withLock { $0.always["coins"] = .reject }
    let (calls, call) = AsyncStream.makeStream(of: Int.self)
    let isDown = Guarded(true)
    let configuration = FunnelConfiguration(
      quarantine: QuarantinePolicy(rejectionsBorne: 0),
      reportQuarantine: { record in
        call.yield(record.attempts)
        if isDown.withLock({ $0 }) { throw IAPError.unknown }
      }
    )
    var reports = calls.makeAsyncIterator()
    let first = world.launch(configuration: configuration)
    #expect(await first.funnel.buy(coins) == .failed(.receiptValidationFailed))
    #expect(await reports.next() == 1)
    first.life.kill()
    isDown.withLock { $0 = false }
    let second = world.launch(configuration: configuration)
    #expect(await reports.next() == 1)
    while second.store.record(TransactionID("1"))?.isReported == false { await Task.yield() }
    second.life.kill()
    let third = world.launch(configuration: configuration)
    _ = await third.funnel.process(.coins("2"))
    await third.funnel.retry(.foreground)
    call.finish()
    #expect(await reports.next() == 1, "the second transaction's own report")
    #expect(await reports.next() == nil, "the first is not reported again")
  }

  // MARK: StoreKit 1's receipt

  @Test func missingReceiptIsFetchedAndKept() async throws {
    world.store.state.withLock { $0.receipt = [7, 7] }
    world.validator.script(.unreachable)
    let process = world.launch(generation: .storekit1)
    let progress = await process.funnel.process(.legacy("1", receipt: nil))
    guard case .processing = progress else { return #expect(Bool(false)) }
    #expect(world.validator.asked.map(\.receipt) == [Data([7, 7])])
    #expect(process.store.record(TransactionID("1"))?.transaction.proof == .receipt([7, 7]))
  }

  @Test func receiptThatCannotBeHadIsUnknownAndNeverFinishes() async {
    let process = world.launch(generation: .storekit1)
    let progress = await process.funnel.process(.legacy("1", receipt: nil))
    guard case .processing = progress else { return #expect(Bool(false)) }
    #expect(world.validator.asked == [])
    #expect(process.store.record("1")?.lastError == "there is no receipt")
    #expect(world.store.finished == [])
  }

  @Test func refusedReceiptIsFetchedAnewBeforeTheNextQuestion() async {
    world.store.state.withLock { $0.receipt = [9] }
    world.validator.script(.reject)
    let process = world.launch(generation: .storekit1)
    world.store.pay(.legacy("1", receipt: [1]))
    let progress = await process.funnel.process(.legacy("1", receipt: [1]))
    guard case .rejected = progress else { return #expect(Bool(false)) }
    await world.clock.advanceToNextDeadline()
    await process.finished("1")
    #expect(world.validator.asked.map(\.receipt) == [Data([1]), Data([9])])
  }

  @Test func failedTransactionOutsideACallClosesItsOrderAndIsFinished() async {
    let process = world.launch(generation: .storekit1)
    _ = await process.funnel.buy(coins)
    process.adapter.send(
      .failed(
        StoreFailure(
          reference: StoreReference("failed-1"),
          productID: "coins",
          quantity: 1,
          accountToken: nil,
          error: .userCancelled
        )
      )
    )
    _ = await process.first { event -> Bool? in
      if case .purchaseFailed(let product, let error) = event {
        #expect(product == "coins")
        #expect(error == .userCancelled)
        return true
      }
      return nil
    }
    #expect(process.store.orders.map(\.state) == [.cancelled])
    while world.store.finished.isEmpty { await Task.yield() }
    #expect(world.store.finished == ["failed-1"])
  }

  @Test func deferredTransactionIsPendingAndNeverFinished() async {
    let first = world.launch(generation: .storekit1)
    let gate = Gate()
    first.adapter.sheetGate.withLock { $0 = gate }
    async let lost = first.funnel.buy(coins)
    await gate.isReached()
    first.adapter.send(
      .deferred(StoreDeferral(productID: "coins", quantity: 1, accountToken: nil))
    )
    let state = await first.first { event -> Order.State? in
      if case .order(let order) = event, order.state != .opened { return order.state }
      return nil
    }
    #expect(state == .pending)
    #expect(world.store.finished == [])
    gate.open()
    _ = await lost
  }

  // MARK: One bad item blocks nobody

  @Test func slowOrderDelaysNoOther() async {
    world.sellsAnything()
    let gate = Gate()
    world.validator.state.withLock { $0.gates["slow"] = gate }
    let process = world.launch()
    async let slow = process.funnel.buy(OrderDraft(productID: "slow"))
    await gate.isReached()
    for _ in 1...3 {
      guard case .delivered = await process.funnel.buy(coins) else {
        return #expect(Bool(false))
      }
    }
    #expect(world.app.effects == ["grant:tx:2", "grant:tx:3", "grant:tx:4"])
    gate.open()
    guard case .delivered = await slow else { return #expect(Bool(false)) }
  }

  @Test func unverifiedTransactionIsHeldAndLaterDeliveredWithoutBlockingOthers() async {
    let process = world.launch()
    var bad = StoreTransaction.coins("1")
    bad.verification = .unverified(reason: "chain")
    world.store.pay(bad)
    process.adapter.send(.transaction(bad))
    process.adapter.send(.transaction(.coins("2")))
    await process.finished("2")
    #expect(process.state("1") == .held)
    #expect(process.store.pendingRecords().map(\.transactionId) == ["1"])
    #expect(world.validator.asked.map(\.transactionId) == ["2"])
    // The device's clock is set right; StoreKit now says that the signature holds.
    world.store.state.withLock { $0.paid = [.coins("1")] }
    await process.funnel.retry(.foreground)
    await process.finished("1")
    #expect(world.app.effects == ["grant:tx:2", "grant:tx:1"])
  }

  @Test func hundredTransactionsAtOnceAreEachDeliveredOnce() async {
    for number in 1...100 { world.store.pay(.coins("\(number)")) }
    let process = world.launch()
    for number in 1...100 { process.adapter.send(.transaction(.coins("\(number)"))) }
    while world.store.unfinished.count > 0 { _ = await process.first { $0 } }
    #expect(world.app.calls.count == 100)
    #expect(Set(world.app.effects).count == 100)
  }

  @Test func copiesOfOnePurchaseThatArriveTogetherAreDeliveredOnce() async {
    var original = StoreTransaction.legacy("1")
    original.type = .nonConsumable
    let process = world.launch(generation: .storekit1)
    var all = [original]
    for number in 2...9 {
      var copy = StoreTransaction.legacy("\(number)")
      copy.originalTransactionID = "1"
      copy.storeState = .restored
      copy.type = .nonConsumable
      all.append(copy)
    }
    for transaction in all { world.store.pay(transaction) }
    for transaction in all { process.adapter.send(.transaction(transaction)) }
    while world.store.unfinished.count > 0 { _ = await process.first { $0 } }
    #expect(world.app.calls.map(\.idempotencyKey) == ["grant:orig:1"])
  }
}
