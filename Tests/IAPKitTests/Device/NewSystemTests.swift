import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

/// The client on a system that announces completed purchases once more, lists late, and repeats
/// itself at launches.
@Suite("On a system of 2026", .timeLimit(.minutes(1)))
struct NewSystemTests {
  private func launch(
    _ shop: Shop,
    _ change: (inout DeviceOptions) -> Void = { _ in }
  ) async throws -> SimulatedApp {
    var system = DeviceOptions.macOS26
    change(&system)
    let app = try shop.install(system: system)
    try await app.launch()
    return app
  }

  @Test("a purchase that is announced once more is delivered once")
  func echo() async throws {
    let shop = try Shop(.storekit2)
    let app = try await launch(shop)
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("not delivered")
      return
    }
    await app.waitUntilQueueIsEmpty()
    // The client finishes what it knows already: there the second announcement is dealt with.
    app.kill(at: .beforeFinish)
    shop.store.clock.advance(by: 0.5)
    await app.waitUntilKilled()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.deliveries.elements.count == 1)
    try await app.launch()
    #expect(try await app.waitingCount() == 0)
    #expect(app.count(of: Shop.coins) == 1)
  }

  @Test("a purchase that is announced again before it was checked is delivered once")
  func echoInTheMiddle() async throws {
    let shop = try Shop(.storekit2)
    let app = try await launch(shop)
    shop.server.mood = .down
    guard case .processing = try await app.buy(Shop.coins) else {
      Issue.record("it was checked")
      return
    }
    shop.store.clock.advance(by: 0.5)
    shop.server.mood = .truthful
    #expect(await app.letTimePass { app.count(of: Shop.coins) == 1 })
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.deliveries.elements.count == 1)
  }

  @Test("finished transactions that come again grant nothing", arguments: generations)
  func finishedAgain(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await launch(shop) { $0.announcesFinishedAgain = true }
    for product in [Shop.coins, Shop.lifetime] { _ = try await app.buy(product) }
    await app.waitUntilQueueIsEmpty()
    for _ in 0..<3 {
      try await app.launch()
      // What comes again comes before this.
      _ = try await app.buy(DemoCatalog.season)
      await app.waitUntilQueueIsEmpty()
    }
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.count(of: Shop.lifetime) == 1)
    #expect(app.count(of: DemoCatalog.season) == 3)
    #expect(Set(app.effects.map(\.key)).count == app.effects.count)
  }

  @Test("a listing that lags takes no access away", arguments: generations)
  func lag(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await launch(shop)
    _ = try await app.buy(Shop.lifetime)
    #expect(app.access(to: Shop.lifetime).isGranted)
    shop.store.clock.advance(by: 0.9)
    try await app.enterForeground()
    #expect(app.access(to: Shop.lifetime).isGranted)
    shop.store.clock.advance(by: 1)
    try await app.enterForeground()
    #expect(app.access(to: Shop.lifetime).isGranted)
    #expect(app.count(of: Shop.lifetime) == 1)
  }

  @Test("renewals that were missed, newest first, are each delivered once", arguments: generations)
  func missedRenewals(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await launch(shop)
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    app.kill()
    shop.store.clock.advance(by: 95 * 86_400)
    try await app.launch()
    let sold = shop.store.transactions(of: Shop.account).count
    #expect(sold == 4)
    await app.waitUntil(sold, of: Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.monthly) == sold)
    #expect(Set(app.effects.map(\.key)).count == sold)
  }

  @Test("every season ticket is delivered once", arguments: generations)
  func nonRenewing(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await launch(shop)
    for _ in 0..<2 { _ = try await app.buy(DemoCatalog.season) }
    await app.waitUntilQueueIsEmpty()
    app.kill()
    shop.store.clock.advance(by: 10)
    try await app.launch()
    #expect(try await app.waitingCount() == 0)
    #expect(app.count(of: DemoCatalog.season) == 2)
    #expect(Set(app.effects.map(\.key)).count == 2)
  }

  @Test("a purchase whose answer got lost is delivered once, later", arguments: generations)
  func lostAnswer(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await launch(shop)
    _ = try await app.products()
    app.device.connection.answersToLose = 1
    guard case .failed = try await app.buy(Shop.coins) else {
      Issue.record("the client cannot know that it was sold")
      return
    }
    #expect(shop.store.transactions(of: Shop.account).count == 1)
    try await app.enterForeground()
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(try await app.waitingCount() == 0)
  }

  @Test("a payment that needed action is one story with its order", arguments: generations)
  func interrupted(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await launch(shop)
    app.device.person.paymentNeedsAction = true
    #expect(try await app.buy(Shop.coins) == .cancelled)
    #expect(app.effects == [])
    try app.device.settlePayment()
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.effects.map(\.orderNumber) == app.manager.store.orders.map(\.displayNumber))
  }
}
