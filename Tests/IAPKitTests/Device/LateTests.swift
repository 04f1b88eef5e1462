import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("What comes later", .timeLimit(.minutes(1)))
struct LateTests {
  @Test("a parent's yes after a kill brings the order's own context", arguments: generations)
  func askToBuy(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.person.willAnswer(.askParent)
    let options = PurchaseOptions(orderReference: "order-42", context: ["level": "7"])
    #expect(try await app.buy(Shop.coins, options: options) == .pending(orderNumber: "order-42"))
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .pending)
    app.kill()
    let question = try #require(shop.store.pendingPurchases.first)
    _ = try shop.store.approve(question.id)
    #expect(app.effects == [])
    try await app.launch()
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    #expect(app.effects.map(\.context) == [["level": "7"]])
    #expect(app.effects.map(\.orderNumber) == ["order-42"])
    #expect(app.manager.store.orders.map(\.state) == [.delivered])
  }

  @Test(
    "a parent's yes while the app runs is delivered",
    .timeLimit(.minutes(1)),
    arguments: generations
  )
  func approvedWhileRunning(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.person.willAnswer(.askParent)
    _ = try await app.buy(Shop.coins)
    let changes = app.manager.purchaseStateStream
    _ = try shop.store.approve(try #require(shop.store.pendingPurchases.first).id)
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    for await change in changes where change.state == .complete { break }
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .complete)
  }

  @Test("four refusals set an order aside, and the next one is delivered", arguments: generations)
  func quarantine(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    shop.server.mood = .rejecting
    #expect(try await app.buy(Shop.coins) == .failed(.receiptValidationFailed))
    #expect(!app.isQueueEmpty)
    #expect(await app.letTimePass { app.isQueueEmpty })
    #expect(shop.server.asked.count == 4)
    #expect(app.effects == [])
    await app.events.wait { event in
      if case .quarantined = event { true } else { false }
    }
    #expect(app.manager.store.pendingRecords().map(\.state) == [.quarantined])
    shop.server.mood = .truthful
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("the later order was not delivered")
      return
    }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
  }

  @Test("a non-consumable comes back on a second device", arguments: generations)
  func restore(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let first = try await shop.launch()
    _ = try await first.buy(Shop.lifetime)
    await first.waitUntilQueueIsEmpty()
    let second = try await shop.launch(on: "tablet")
    let summary = try await second.restore()
    await second.waitUntilQueueIsEmpty()
    let all = summary.restored + summary.alreadyHad
    #expect(all.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(summary.error == nil)
    #expect(second.count(of: Shop.lifetime) == 1)
    #expect(second.effects.map(\.key) == first.effects.map(\.key))
    #expect(second.access(to: Shop.lifetime).isGranted)
    let again = try await second.restore()
    #expect(again.restored == [])
    #expect(again.alreadyHad.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(second.count(of: Shop.lifetime) == 1)
  }

  @Test("a restore that finds nothing says so", arguments: generations)
  func nothingToRestore(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    let summary = try await app.restore()
    #expect(summary == RestoreSummary())
    #expect(summary.isNothingFound)
    #expect(app.lines.elements.contains { $0.message.contains("another App Store account") })
    #expect(try await app.perform { try await $0.restore() } == [])
  }

  @Test("a restore that the user closes is cancelled, not empty", arguments: generations)
  func cancelledRestore(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    app.device.person.signsIn = false
    let summary = try await app.restore()
    #expect(summary.isCancelled)
    #expect(!summary.isNothingFound)
    await #expect(throws: IAPError.userCancelled) {
      _ = try await app.perform { try await $0.restore() }
    }
  }

  @Test("a restore without network is an error, not empty", arguments: generations)
  func offlineRestore(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    app.device.isInAirplaneMode = true
    let summary = try await app.restore()
    #expect(summary.error != nil)
    #expect(!summary.isNothingFound)
  }

  @Test("a restore that the server cannot judge says so", arguments: generations)
  func unjudgedRestore(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let first = try await shop.launch()
    _ = try await first.buy(Shop.lifetime)
    await first.waitUntilQueueIsEmpty()
    shop.server.mood = .down
    let second = try await shop.launch(on: "tablet")
    let summary = try await second.restore()
    #expect(summary.couldNotCheck.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(second.effects == [])
    await #expect(throws: IAPError.pending) {
      _ = try await second.perform { try await $0.restore() }
    }
  }

  @Test("a renewal reaches the device, and access reaches to its date", arguments: generations)
  func renewal(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    guard case .delivered(let bought) = try await app.buy(Shop.monthly) else {
      Issue.record("not delivered")
      return
    }
    await app.waitUntilQueueIsEmpty()
    let before = try #require(shop.store.transactions(of: Shop.account).last?.expiresDate)
    #expect(
      app.access(to: Shop.monthly) == .yes(until: before, source: .server, provisional: false)
    )
    if generation == .storekit2 { #expect(bought.expiresDate == before) }
    shop.store.clock.advance(to: before.addingTimeInterval(3600))
    if generation == .storekit1 { try await app.launch() }
    await app.waitUntil(2, of: Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    try await app.enterForeground()
    let after = try #require(shop.store.transactions(of: Shop.account).last?.expiresDate)
    #expect(after > before)
    #expect(
      app.access(to: Shop.monthly) == .yes(until: after, source: .server, provisional: false)
    )
    #expect(app.count(of: Shop.monthly) == 2)
  }

  @Test("a refund ends access and takes the goods back, once", arguments: generations)
  func refund(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    #expect(app.access(to: Shop.lifetime).isGranted)
    let record = try #require(shop.store.transactions(of: Shop.account).first)
    try shop.store.refund(record.transactionID)
    if generation == .storekit1 { try await app.enterForeground() }
    await app.waitUntil(1, .clawback, of: Shop.lifetime)
    try await app.enterForeground()
    await app.waitUntilQueueIsEmpty()
    #expect(app.access(to: Shop.lifetime) == .no)
    #expect(app.effects.map(\.kind) == [.grant, .clawback])
  }

  @Test("a transaction whose signature does not hold is held, and the next one is delivered")
  func forged() async throws {
    let shop = try Shop(.storekit2)
    let app = try await shop.launch()
    shop.store.changeFaults { $0.signature = .broken }
    #expect(
      try await app.buy(Shop.lifetime)
        == .failed(.verificationFailed(underlying: CancellationError()))
    )
    #expect(app.manager.purchaseState(Shop.lifetime.rawValue) == .failedVerification)
    #expect(!app.isQueueEmpty)
    #expect(app.effects == [])
    #expect(app.access(to: Shop.lifetime) != .yes(until: nil, source: .server, provisional: false))
    shop.store.changeFaults { $0.signature = .genuine }
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("the next one was not delivered")
      return
    }
    try await app.enterForeground()
    await app.waitUntil(1, of: Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
  }
}
