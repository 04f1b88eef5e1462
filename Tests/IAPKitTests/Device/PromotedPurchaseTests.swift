import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("A promoted purchase", .timeLimit(.minutes(1)))
struct PromotedPurchaseTests {
  private let coins = IAPKit.PromotedPurchase(productId: Shop.coins.rawValue)

  @Test("becomes an order and is delivered", arguments: generations)
  func accepted(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    try app.device.promotePurchase(of: Shop.coins)
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    let order = try #require(app.manager.store.orders.first)
    #expect(order.origin == .promoted)
    #expect(order.state == .delivered)
    let sold = shop.store.transactions(of: Shop.account)
    #expect(sold.map(\.appAccountToken) == [order.accountToken])
    #expect(app.manager.store.records().map(\.source) == [.promoted])
  }

  @Test("that came before the launch is not lost", arguments: generations)
  func beforeLaunch(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install()
    try app.device.promotePurchase(of: Shop.coins)
    try await app.launch()
    await app.waitUntil(1, of: Shop.coins)
    #expect(app.manager.store.orders.map(\.origin) == [.promoted])
  }

  @Test("waits until the app is ready", arguments: generations)
  func later(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.promotedPurchases = { _ in .later } }
    try app.device.promotePurchase(of: Shop.coins)
    var stream = app.manager.promotedPurchaseStream.makeAsyncIterator()
    #expect(await stream.next() == coins)
    #expect(app.manager.waitingPromotedPurchases == [coins])
    #expect(app.manager.store.orders == [])
    let options = PurchaseOptions(orderReference: "P-1", context: ["level": "3"])
    let outcome = try await app.perform { [coins] in await $0.buy(coins, options: options) }
    #expect(outcome.result?.orderNumber == "P-1")
    #expect(app.manager.waitingPromotedPurchases == [])
    await app.waitUntilQueueIsEmpty()
    #expect(app.effects.map(\.context) == [["level": "3"]])
    #expect(shop.store.transactions(of: Shop.account).count == 1)
  }

  @Test("that the app refuses is not bought", arguments: generations)
  func refused(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let asked = EventLog<IAPKit.PromotedPurchase>()
    let app = try await shop.launch { configuration in
      configuration.promotedPurchases = { purchase in
        asked.append(purchase)
        return purchase.productId == Shop.coins.rawValue ? .refuse : .later
      }
    }
    try app.device.promotePurchase(of: Shop.coins)
    try app.device.promotePurchase(of: Shop.lifetime)
    var stream = app.manager.promotedPurchaseStream.makeAsyncIterator()
    let waiting = try #require(await stream.next())
    #expect(waiting.productId == Shop.lifetime.rawValue)
    app.manager.refuse(waiting)
    #expect(app.manager.waitingPromotedPurchases == [])
    #expect(asked.elements.count == 2)
    #expect(app.manager.store.orders == [])
    #expect(shop.store.transactions(of: Shop.account).isEmpty)
  }

  @Test("comes over StoreKit 1's queue where StoreKit 2 has no intents, and is bought once")
  func besideStoreKit2() async throws {
    let shop = try Shop(.storekit2)
    let app = try await shop.launch { $0.usesQueueForPromoted = true }
    try app.device.promotePurchase(of: Shop.coins)
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    let sold = shop.store.transactions(of: Shop.account)
    #expect(sold.count == 2)
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.count(of: Shop.lifetime) == 1)
    #expect(app.deliveries.elements.count == 2)
    #expect(app.manager.store.records().map(\.transaction.generation) == [.storekit2, .storekit2])
    #expect(app.manager.store.orders.count { $0.origin == .promoted } == 1)
    try await app.launch()
    #expect(try await app.waitingCount() == 0)
    #expect(app.deliveries.elements.count == 2)
  }

  @Test("with a win-back offer is bought with it")
  func winBack() async throws {
    let shop = try Shop(.storekit2, catalog: PlanCatalog.text)
    let app = try await shop.launch()
    _ = try await app.buy(PlanCatalog.silver)
    await app.waitUntilQueueIsEmpty()
    let first = try #require(shop.store.transactions(of: Shop.account).last)
    try shop.store.setAutoRenew(false, of: first.originalTransactionID)
    shop.store.clock.advance(by: 40 * 86_400)
    try app.device.promotePurchase(of: PlanCatalog.silver, winBackOffer: "please")
    await app.waitUntil(2, of: PlanCatalog.silver)
    let newest = try #require(shop.store.transactions(of: Shop.account).last)
    #expect(newest.offer?.reference == OfferReference(type: .winBack, id: "please"))
  }
}
