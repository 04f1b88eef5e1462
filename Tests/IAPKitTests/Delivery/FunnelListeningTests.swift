import Foundation
import IAPKit
import IAPModel
import Testing

@Suite(.timeLimit(.minutes(1))) struct FunnelListeningTests {
  private let world = ScriptedWorld()
  private let coins = OrderDraft(productID: "coins", context: ["level": "7"])

  // MARK: Listening

  @Test func stoppedListenerHearsNothingAndStartsAgain() async {
    let process = world.launch()
    process.funnel.stop()
    world.store.pay(.coins("1"))
    process.adapter.send(.transaction(.coins("1")))
    #expect(process.state("1") == nil)
    process.funnel.start()
    await process.finished("1")
    process.adapter.send(.transaction(.coins("2")))
    await process.finished("2")
    #expect(process.store.launch == 1, "starting again is no launch")
  }

  @Test func everyConsumerHearsEverythingAndALateOneWhatItMissed() async {
    world.sellsCoins()
    let process = world.launch()
    let second = process.funnel.events.subscribe()
    _ = await process.funnel.buy(coins)
    func names(_ stream: AsyncStream<FunnelEvent>) async -> [String] {
      var names: [String] = []
      for await event in stream {
        names.append(event.name)
        if event.name == "finished" { break }
      }
      return names
    }
    let expected = [
      "order opened", "order paid", "saved", "accepted", "order delivered", "ready", "finished",
    ]
    #expect(await names(process.events) == expected)
    #expect(await names(second) == expected)
    #expect(await names(process.funnel.events.subscribe(replaying: true)) == expected)
  }

  @Test func funnelThatIsGoneGivesTheJournalBackAndWaitsForNothing() async {
    world.sellsCoins()
    world.validator.script(.unreachable)
    var process: ScriptedProcess? = world.launch()
    weak let funnel = process?.funnel
    _ = await process?.funnel.buy(coins)
    await process?.funnel.whenIdle()
    #expect(process?.store.record("1")?.attempts == 1)
    process = nil
    while funnel != nil || !world.disk.state.withLock(\.locks.isEmpty) { await Task.yield() }
    #expect(world.disk.state.withLock(\.locks) == [:])
  }

  // MARK: The disk

  @Test(arguments: [StorageProblem.full, .readOnly])
  func diskThatCannotBeWrittenOpensNoSheet(_ fault: StorageProblem) async {
    world.sellsCoins()
    let process = world.launch()
    world.disk.fail(fault)
    #expect(await process.funnel.buy(coins) == .failed(.storage(fault)))
    #expect(world.store.state.withLock(\.requests) == [])
  }

  @Test func paymentThatCannotBeSavedStaysWithStoreKitAndComesLater() async {
    let disk = world.disk
    world.store.state.withLock { state in
      state.sheet = { request in
        disk.fail(.full)
        return .transaction(.coins("1", request))
      }
    }
    let process = world.launch()
    #expect(await process.funnel.buy(coins) == .failed(.storage(.full)))
    #expect(world.validator.asked == [], "nothing is judged before it is saved")
    #expect(world.store.finished == [])
    disk.fail(nil)
    await world.clock.advanceToNextDeadline()
    await process.finished("1")
    #expect(world.app.effects == ["grant:tx:1"])
    #expect(process.store.orders.map(\.state) == [.delivered])
  }

  @Test func deliveryWhoseRecordCannotBeWrittenIsNotFinishedAndKeepsItsKey() async {
    world.sellsCoins()
    let disk = world.disk
    let calls = Guarded<[String]>([])
    let handler: DeliveryHandler = { delivery in
      let count = calls.withLock { calls in
        calls.append(delivery.idempotencyKey)
        return calls.count
      }
      disk.fail(count == 1 ? .full : nil)
      return .delivered
    }
    let process = world.launch(starts: false)
    let funnel = DeliveryFunnel(
      configuration: FunnelConfiguration(),
      world: process.funnel.world,
      adapter: process.adapter,
      store: process.store,
      validator: nil,
      handler: handler
    )
    #expect(await funnel.buy(coins) == .failed(.storage(.full)))
    #expect(world.store.finished == [])
    await funnel.retry(.foreground)
    for await event in funnel.events.subscribe(replaying: true) where event.name == "finished" {
      break
    }
    #expect(calls.withLock { $0 } == ["grant:tx:1", "grant:tx:1"])
    #expect(world.store.finished == ["1"])
  }

  @Test func secondLiveFunnelOnOneJournalFailsAndHarmsNothing() async {
    world.sellsCoins()
    let first = world.launch()
    _ = await first.funnel.process(.coins("7"))
    let second = DeliveryFunnel(
      configuration: FunnelConfiguration(),
      world: first.funnel.world,
      adapter: ScriptedAdapter(world.store),
      store: TransactionStore(
        storage: JournalStorage(files: ScriptedFiles(world.disk)),
        now: first.funnel.world.now,
        uuid: first.funnel.world.uuid
      ),
      validator: nil,
      handler: nil
    )
    let outcome = await second.buy(coins)
    guard case .failed(let error) = outcome else { return #expect(outcome == .cancelled) }
    #expect(problem(error) == .inUse)
    guard case .delivered = await first.funnel.buy(coins) else { return #expect(Bool(false)) }
  }

  @Test func damagedJournalIsReportedAndTheRestGoesOn() async {
    world.sellsCoins()
    let first = world.launch()
    _ = await first.funnel.buy(coins)
    first.life.kill()
    world.disk.state.withLock { state in
      state.files["iapkit.journal"]? += Array("garbage\n".utf8)
    }
    let second = world.launch()
    let damaged = await second.first { event -> Int? in
      if case .journalRepaired(let count) = event { count } else { nil }
    }
    #expect(damaged == 1)
    #expect(second.state("1") == .finished)
  }
}
