import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Listening", .timeLimit(.minutes(1)))
struct ListeningTests {
  private func withoutHandler(_ shop: Shop) throws -> SimulatedApp {
    try shop.install(configure: { $0.delivery = nil })
  }

  @Test("without a handler the listener's return says that the app has the goods")
  func listenerAcknowledges() async throws {
    for generation in generations {
      let shop = try Shop(generation)
      let app = try withoutHandler(shop)
      try await app.launch()
      let heard = EventLog<IAPTransactionResult>()
      try await app.perform { $0.startTransactionListener { heard.append($0) } }
      app.device.person.willAnswer(.askParent)
      _ = try await app.buy(Shop.coins)
      _ = try shop.store.approve(try #require(shop.store.pendingPurchases.first).id)
      await heard.wait { $0.productId == Shop.coins.rawValue }
      await app.waitUntilQueueIsEmpty()
      #expect(heard.elements.count == 1)
    }
  }

  @Test("without a handler and a listener a consumable waits until it is marked")
  func marked() async throws {
    for generation in generations {
      let shop = try Shop(generation)
      let app = try withoutHandler(shop)
      try await app.launch()
      guard case .delivered(let result) = try await app.buy(Shop.coins) else {
        Issue.record("not delivered to its caller")
        return
      }
      #expect(!app.isQueueEmpty)
      try await app.perform { try $0.store.markConsumed(result.transactionId) }
      await app.waitUntilQueueIsEmpty()
    }
  }

  @Test("serves any number of consumers, and a late one on request", arguments: generations)
  func consumers(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    var first = app.manager.transactionStream.makeAsyncIterator()
    var second = app.manager.transactionStream.makeAsyncIterator()
    _ = try await app.buy(Shop.coins)
    let heard = [await first.next(), await second.next()]
    #expect(heard.map { $0?.productId } == [Shop.coins.rawValue, Shop.coins.rawValue])
    var late = app.manager.transactionStream(replayingMissed: true).makeAsyncIterator()
    #expect(await late.next()?.productId == Shop.coins.rawValue)
  }

  @Test("holds goods back until the app is ready", arguments: generations)
  func heldDelivery(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch { $0.holdsDelivery = true }
    guard case .processing = try await app.buy(Shop.coins) else {
      Issue.record("not held back")
      return
    }
    #expect(app.effects == [])
    try await app.perform { $0.openDelivery() }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
  }

  @Test("says at the start what it works with", arguments: generations)
  func startLine(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    await app.lines.wait { $0.message.hasPrefix("started:") }
    let line = try #require(app.lines.elements.first { $0.message.hasPrefix("started:") })
    #expect(line.message.contains("sandbox"))
    #expect(line.message.contains("storefront USA"))
    #expect(line.message.contains(generation.rawValue))
    #expect(line.message.contains(Shop.coins.rawValue))
  }

  @Test("remembers access over a restart without network", arguments: generations)
  func remembers(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    shop.server.mood = .down
    app.device.isInAirplaneMode = true
    try await app.launch()
    #expect(
      app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: true)
    )
  }

  @Test("a second client on one journal fails with a storage error", arguments: generations)
  func secondClient(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    _ = try await app.buy(Shop.coins)
    let outcome = try await app.perform { first in
      let second = IAPManager(
        configuration: first.configuration,
        world: first.world,
        readReceipt: { nil }
      )
      return await second.buy(Shop.coins.rawValue)
    }
    #expect(outcome == .failed(.storage(.inUse)))
  }
}
