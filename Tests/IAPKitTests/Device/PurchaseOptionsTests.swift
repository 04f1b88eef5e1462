import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Options of a purchase", .timeLimit(.minutes(1)))
struct PurchaseOptionsTests {
  @Test("let the sandbox act as if a parent had to approve", arguments: generations)
  func askToBuy(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let options = PurchaseOptions(orderReference: "A-1", simulatesAskToBuy: true)
    #expect(try await app.buy(Shop.coins, options: options) == .pending(orderNumber: "A-1"))
    #expect(shop.store.transactions(of: Shop.account).isEmpty)
    _ = try shop.store.approve(try #require(shop.store.pendingPurchases.first).id)
    await app.waitUntil(1, of: Shop.coins)
    #expect(app.effects.map(\.orderNumber) == ["A-1"])
    // Nobody is asked about the next one.
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("not delivered")
      return
    }
  }

  @Test("that are not known here reach StoreKit 2, of every kind")
  func custom() async throws {
    let app = try await Shop(.storekit2).launch()
    var options = PurchaseOptions()
    options.custom = [
      "text": .string("a"), "number": .number(1.5), "flag": .bool(true),
      "bytes": .data(Data([1])),
    ]
    guard case .delivered = try await app.buy(Shop.coins, options: options) else {
      Issue.record("not delivered")
      return
    }
  }
}
