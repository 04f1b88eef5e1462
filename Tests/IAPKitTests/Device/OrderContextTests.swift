import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Synchronization
import Testing

@Suite("What an order was opened with", .timeLimit(.minutes(1)))
struct OrderContextTests {
  @Test("comes with a restored copy when the purchase itself was set aside")
  func copyAfterQuarantine() async throws {
    let shop = try Shop(.storekit1)
    shop.server.mood = .rejecting
    let app = try await shop.launch()
    let options = PurchaseOptions(orderReference: "order", context: ["level": "7"])
    _ = try await app.buy(Shop.lifetime, options: options)
    let isSetAside = await app.letTimePass {
      app.manager.ordersNeedingAttention.map(\.reason) == [.rejected]
    }
    #expect(isSetAside)
    // The store makes no copy of what it was not told to be done with.
    await app.waitUntilQueueIsEmpty()
    shop.server.mood = .truthful
    _ = try await app.restore()
    await app.waitUntil(1, of: Shop.lifetime)
    #expect(app.effects.map(\.context) == [["level": "7"]])
    #expect(app.effects.map(\.orderNumber) == ["order"])
  }

  @Test("comes with a restored copy when another telephone finished the purchase")
  func finishedElsewhere() async throws {
    let shop = try Shop(.storekit1)
    let app = try await shop.launch()
    let other = try shop.install(on: "tablet")
    other.update { $0.generation = .storekit2 }
    try await other.launch()
    app.kill(at: .afterPurchase)
    let options = PurchaseOptions(orderReference: "order", context: ["level": "7"])
    _ = try? await app.buy(Shop.lifetime, options: options)
    await app.waitUntilKilled()
    await other.waitUntil(1, of: Shop.lifetime)
    await other.waitUntilQueueIsEmpty()
    // A sheet that was open for so long is not open any more.
    shop.store.clock.advance(by: OrderPolicy().inFlightSeconds)
    try await app.launch()
    _ = try await app.restore()
    await app.waitUntil(1, of: Shop.lifetime)
    #expect(app.effects.map(\.context) == [["level": "7"]])
    #expect(app.manager.store.order("order")?.state == .delivered)
  }

  @Test(
    "does not come with what was bought long before the order",
    arguments: [(OrderBook.copySecondsMax - 1, true), (OrderBook.copySecondsMax, false)]
  )
  func boughtBefore(_ row: (seconds: TimeInterval, isItsOwn: Bool)) async throws {
    let shop = try Shop(.storekit1)
    let other = try await shop.launch(on: "tablet")
    _ = try await other.buy(Shop.lifetime)
    await other.waitUntilQueueIsEmpty()
    shop.store.clock.advance(by: row.seconds)
    let app = try await shop.launch()
    app.kill(at: .beforePurchase)
    _ = try? await app.buy(Shop.lifetime, options: PurchaseOptions(context: ["level": "7"]))
    await app.waitUntilKilled()
    shop.store.clock.advance(by: OrderPolicy().inFlightSeconds)
    try await app.launch()
    _ = try await app.restore()
    await app.waitUntil(1, of: Shop.lifetime)
    #expect(app.effects.map(\.context) == [row.isItsOwn ? ["level": "7"] : [:]])
  }

  @Test("does not come with a lower plan's order when the receipt shows the plan that runs late")
  func lateReceipt() async throws {
    let shop = try Shop(.storekit1, catalog: PlanCatalog.text)
    let second = try shop.install(on: "tablet") { $0.productTypes = PlanCatalog.types }
    let old = second.device.receipt
    let first = try await shop.launch { $0.productTypes = PlanCatalog.types }
    _ = try await first.buy(PlanCatalog.gold)
    await first.waitUntilQueueIsEmpty()
    // The receipt lies on the telephone as it was before the plan was bought.
    let isOld = Mutex(true)
    second.update { $0.receipt = { isOld.withLock { $0 } ? old : $0.receipt } }
    shop.server.mood = .down
    try await second.launch()
    let options = PurchaseOptions(orderReference: "down", context: ["level": "7"])
    _ = try await second.buy(PlanCatalog.silver, options: options)
    #expect(second.effects == [])
    isOld.withLock { $0 = false }
    shop.server.mood = .truthful
    #expect(await second.letTimePass { !second.effects.isEmpty })
    #expect(second.effects.map(\.productId) == [PlanCatalog.gold.rawValue])
    #expect(second.effects.map(\.context) == [[:]])
    #expect(second.manager.store.order("down")?.transactionId == nil)
  }
}

@Suite("What a user got on a telephone that others use too", .timeLimit(.minutes(1)))
struct RecipientTests {
  @Test("is taken back from that user only, though nothing on it says whose it is")
  func refundOfRenewal() async throws {
    let shop = try Shop(.storekit1)
    let app = try await shop.launch { $0.account = "ada" }
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    shop.store.clock.advance(by: 32 * 86_400)
    try await app.launch()
    await app.waitUntil(2, of: Shop.monthly)
    try await app.perform { await $0.setAccount("bob") }
    let renewal = try #require(shop.store.transactions(of: Shop.account).last)
    try shop.store.refund(renewal.transactionID)
    try await app.enterForeground()
    await app.rest()
    #expect(app.count(.clawback, of: Shop.monthly) == 0)
    try await app.perform { await $0.setAccount("ada") }
    try await app.enterForeground()
    await app.waitUntil(1, .clawback, of: Shop.monthly)
    #expect(app.effects.last?.transactionId == renewal.transactionID.rawValue)
  }
}
