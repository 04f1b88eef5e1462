import Foundation
import IAPKit
import IAPKitTesting
import Testing

@testable import IAPDemo

/// The app's own code over a fake store: no network, no waiting.
@Suite("Demo goods")
struct DemoGoodsTests {
  let store = FakeStore(products: [.fake(DemoProducts.coins, .consumable, price: 0.99)])
  let goods: DemoGoods

  init() {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString)
    goods = DemoGoods(file: folder.appendingPathComponent("goods.json"))
  }

  private func launch() -> IAPManager {
    var configuration = DemoStore.configuration(goods: goods)
    configuration.validator = store.validator
    return store.launch(configuration)
  }

  @Test func coinsArriveOnceAndGoWithTheRefund() async throws {
    let manager = launch()
    _ = await manager.buy(DemoProducts.coins)
    #expect(await goods.coins == 100)
    let id = try #require(store.latestTransactionId(of: DemoProducts.coins))
    try await store.refund(id)
    #expect(await goods.coins == 0)
  }

  @Test func coinsWaitForTheServer() async {
    let manager = launch()
    store.validator.mood = .unavailable
    _ = await manager.buy(DemoProducts.coins)
    #expect(await goods.coins == 0)
    store.validator.mood = .truthful
    await store.advance(by: 3600)
    #expect(await goods.coins == 100)
  }
}
