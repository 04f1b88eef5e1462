import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

/// The usual code of an app, on simulated telephones of both generations.
@Suite("The usual code", .timeLimit(.minutes(1)))
struct UsualCodeTests {
  /// An app whose validator is its own and which has no delivery handler: it takes goods from the
  /// listener, or marks them.
  private func launch(
    _ generation: StoreGeneration,
    validator: any ReceiptValidator = OwnValidator()
  ) async throws -> SimulatedApp {
    let shop = try Shop(generation)
    let app = try shop.install(configure: { $0.delivery = nil })
    app.update { $0.judge = .validator(validator) }
    try await app.launch()
    return app
  }

  @Test("loads, buys, restores and hears of it in the stream", arguments: generations)
  func stream(generation: StoreGeneration) async throws {
    let app = try await launch(generation)
    let (name, bought, restored, heard) = try await app.perform { manager in
      let service: any IAPService = manager
      var stream = service.transactionStream.makeAsyncIterator()
      let product = try #require(
        try await service.loadProducts(ids: [Shop.lifetime.rawValue]).first
      )
      let result = try await service.purchase(productId: product.id)
      let heard = await stream.next()
      return (product.displayName, result, try await service.restore(), heard)
    }
    #expect(!name.isEmpty)
    #expect(heard?.transactionId == bought.transactionId)
    #expect(restored.map(\.productId) == [Shop.lifetime.rawValue])
  }

  @Test("gives consumables by the listener's return", arguments: generations)
  func listener(generation: StoreGeneration) async throws {
    let app = try await launch(generation)
    let heard = EventLog<String>()
    let entitlements = EntitlementManager()
    try await app.perform { manager in
      manager.startTransactionListener { result in
        entitlements.apply(result)
        heard.append(result.productId)
      }
      _ = await manager.buy(Shop.coins.rawValue)
      _ = await manager.buy(Shop.lifetime.rawValue)
    }
    await heard.wait(until: { $0.count == 2 })
    await app.waitUntilQueueIsEmpty()
    #expect(Set(heard.elements) == [Shop.coins.rawValue, Shop.lifetime.rawValue])
    #expect(entitlements.purchasedProductIDs == [Shop.lifetime.rawValue])
    #expect(app.manager.store.pendingRecords() == [])
  }

  @Test("consumes after delivery: pending until marked, and finished then", arguments: generations)
  func consumption(generation: StoreGeneration) async throws {
    let app = try await launch(generation)
    let result = try await app.perform { try await $0.purchase(productId: Shop.coins.rawValue) }
    let pending = app.manager.store.pendingRecords()
    #expect(pending.map(\.transactionId) == [result.transactionId])
    #expect(!app.isQueueEmpty)
    try await app.perform { try $0.store.markConsumed(result.transactionId) }
    await app.waitUntilQueueIsEmpty()
    #expect(app.manager.store.pendingRecords() == [])
    #expect(app.manager.store.record(result.transactionId)?.isConsumed == true)
  }

  @Test("throws what the facade says", arguments: generations)
  func errors(generation: StoreGeneration) async throws {
    let app = try await launch(generation)
    app.device.person.willAnswer(.cancel)
    await #expect(throws: IAPError.userCancelled) {
      try await app.perform { try await $0.purchase(productId: Shop.coins.rawValue) }
    }
    app.device.person.willAnswer(.askParent)
    await #expect(throws: IAPError.pending) {
      try await app.perform { try await $0.purchase(productId: Shop.coins.rawValue) }
    }
    await #expect(throws: IAPError.productNotFound(id: "")) {
      try await app.perform { try await $0.purchase(productId: "com.example.unknown") }
    }
  }

  @Test("is refused by a validator of its own", arguments: generations)
  func ownValidator(generation: StoreGeneration) async throws {
    let app = try await launch(generation, validator: OwnValidator(accepts: false))
    await #expect(throws: IAPError.receiptValidationFailed) {
      try await app.perform { try await $0.purchase(productId: Shop.coins.rawValue) }
    }
    #expect(!app.isQueueEmpty)
  }

  @Test("runs through the services that name their generation")
  func services() async throws {
    let directory = URL(fileURLWithPath: NSTemporaryDirectory())
      .appendingPathComponent("iapkit-usual-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    for generation in generations {
      let shop = try Shop(generation)
      let device = try SimulatedDevice(store: shop.store, account: Shop.account, id: "phone")
      let ids = try await device.launch().run {
        var configuration = IAPConfiguration(
          productIds: [Shop.lifetime.rawValue],
          validator: OwnValidator(),
          isSandbox: true
        )
        configuration.storeDirectory = directory.appendingPathComponent("\(generation)")
        configuration.logHandler = { _ in }
        configuration.productTypes = [Shop.lifetime.rawValue: .nonConsumable]
        let service: any IAPService =
          generation == .storekit1
          ? SK1PurchaseService(config: configuration) : SK2PurchaseService(config: configuration)
        // The receipt of this test is the telephone's, which the live client cannot read.
        guard generation == .storekit2 else {
          return try await service.loadProducts(ids: configuration.productIds).map(\.id)
        }
        return [try await service.purchase(productId: Shop.lifetime.rawValue).productId]
      }
      #expect(ids == [Shop.lifetime.rawValue])
    }
  }
}

/// A validator of the app's own: one method.
private struct OwnValidator: ReceiptValidator {
  var accepts = true

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    ReceiptValidationResult(isValid: accepts && !receiptData.isEmpty)
  }
}
