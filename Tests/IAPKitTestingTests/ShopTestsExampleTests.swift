// An app's own test, as docs/guide shows it: the app's code over a fake store.
import Foundation
import IAPKit
import IAPKitTesting
import Testing

/// The code of an app that is under test: what a purchase adds to the user's wallet.
actor CoinWallet {
  private var applied: Set<String> = []
  private(set) var coins = 0

  func apply(_ delivery: Delivery) -> DeliveryAnswer {
    guard applied.insert(delivery.idempotencyKey).inserted else { return .delivered }
    coins += (delivery.kind == .clawback ? -100 : 100) * delivery.transaction.quantity
    return .delivered
  }
}

@Suite("A shop")
struct ShopTests {
  let store = FakeStore(products: [
    .fake("com.example.coins", .consumable, price: 0.99),
    .fakeSubscription("com.example.pro.monthly", group: "pro", price: 4.99),
  ])
  let wallet = CoinWallet()

  /// What the app does at its start.
  func launch() -> IAPManager {
    store.launch(
      IAPConfiguration(
        productIds: ["com.example.coins", "com.example.pro.monthly"],
        validator: store.validator,
        delivery: { [wallet] in await wallet.apply($0) }
      )
    )
  }

  @Test func coinsArriveAlsoWhenTheServerWasDown() async throws {
    let manager = launch()
    store.validator.mood = .unavailable
    guard case .processing = await manager.buy("com.example.coins") else {
      Issue.record("the purchase should wait for the server")
      return
    }
    #expect(await wallet.coins == 0)
    store.validator.mood = .truthful
    await store.advance(by: 3600)
    #expect(await wallet.coins == 100)
  }

  @Test func aParentApprovesTheNextDay() async throws {
    let manager = launch()
    store.willAnswer(.askParent)
    guard case .pending = await manager.buy("com.example.coins") else {
      Issue.record("the purchase should wait for a parent")
      return
    }
    await store.advance(by: 86_400)
    try await store.approvePurchase(of: "com.example.coins")
    #expect(await wallet.coins == 100)
  }

  @Test func proLastsUntilItExpires() async throws {
    let manager = launch()
    _ = try await manager.purchase(productId: "com.example.pro.monthly")
    #expect(manager.entitlements.access(to: "com.example.pro.monthly").isGranted)
    try await store.renew("com.example.pro.monthly")
    #expect(manager.entitlements.access(to: "com.example.pro.monthly").isGranted)
    try await store.expire("com.example.pro.monthly")
    #expect(!manager.entitlements.access(to: "com.example.pro.monthly").isGranted)
  }
}
