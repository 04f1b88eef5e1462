import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@testable import IAPKit

@Suite("A validator that takes for ever", .timeLimit(.minutes(1)))
struct SilentValidatorTests {
  /// An app whose validator does not answer about one product before the gate opens, not even when
  /// it is told that nobody listens any more.
  private func install(
    _ shop: Shop,
    silentAbout product: ProductID,
    on id: DeviceID = "phone",
    _ gate: Gate
  ) throws -> SimulatedApp {
    let app = try shop.install(on: id)
    let server = shop.server
    app.update { setup in
      setup.judge = .script { evidence in
        if evidence.productId == product.rawValue { await gate.pass() }
        return try await server.judge(evidence)
      }
    }
    return app
  }

  @Test("has not answered after a minute, and delays nobody else", arguments: generations)
  func purchase(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let gate = Gate()
    let app = try install(shop, silentAbout: Shop.coins, gate)
    try await app.launch()
    let bought = Task { try await app.buy(Shop.coins) }
    await gate.isReached()
    guard case .delivered = try await app.buy(Shop.lifetime) else {
      Issue.record("the other purchase was delayed")
      return
    }
    shop.store.clock.advance(by: IAPWorld.answerSecondsMax - 1)
    #expect(!app.manager.purchaseState(Shop.coins.rawValue).canBuy, "it is still waited for")
    shop.store.clock.advance(by: 1)
    guard case .processing(let result) = try await bought.value else {
      Issue.record("the caller was not told")
      return
    }
    let record = try #require(app.manager.store.record(result.transactionId))
    #expect(record.state == .received)
    #expect(record.attempts == 1)
    #expect(record.lastError == "no answer: network")
    #expect(app.count(of: Shop.coins) == 0)
    gate.open()
    #expect(await app.letTimePass { app.count(of: Shop.coins) == 1 })
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
  }

  @Test("lets a restore come to its end", arguments: generations)
  func restore(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let first = try await shop.launch()
    _ = try await first.buy(Shop.lifetime)
    await first.waitUntilQueueIsEmpty()
    let gate = Gate()
    let app = try install(shop, silentAbout: Shop.lifetime, on: "tablet", gate)
    try await app.launch()
    let summary = EventLog<RestoreSummary>()
    let restoring = Task { summary.append(try await app.restore()) }
    await gate.isReached()
    while summary.elements.isEmpty {
      shop.store.clock.advance(by: IAPWorld.answerSecondsMax)
      await Task.yield()
    }
    _ = try await restoring.value
    #expect(summary.elements.first?.couldNotCheck.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(app.effects == [])
    gate.open()
  }
}

@Suite("A signer that takes for ever", .timeLimit(.minutes(1)))
struct SilentSignerTests {
  private struct SilentSigner: OfferSigner {
    let gate: Gate
    func sign(_ request: OfferSignatureRequest) async throws -> IAPKit.OfferProof {
      await gate.pass()
      throw CancellationError()
    }
  }

  @Test("ends the purchase before its sheet, and the next tap works", arguments: generations)
  func silent(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let gate = Gate()
    let app = try await shop.launch { configuration in
      configuration.productTypes = PlanCatalog.types
      configuration.offerSigner = SilentSigner(gate: gate)
    }
    let options = PurchaseOptions(offer: .promotional(id: "half"))
    let bought = Task { try await app.buy(PlanCatalog.silver, options: options) }
    await gate.isReached()
    shop.store.clock.advance(by: IAPWorld.answerSecondsMax)
    #expect(try await bought.value == .failed(.network(underlying: URLError(.timedOut))))
    #expect(app.manager.store.orders.map(\.state) == [.failed])
    #expect(shop.store.transactions(of: Shop.account).isEmpty)
    guard case .delivered = try await app.buy(PlanCatalog.silver) else {
      Issue.record("the next tap does not work")
      return
    }
    gate.open()
  }
}

@Suite("A purchase of an impossible quantity", .timeLimit(.minutes(1)))
struct QuantityTests {
  @Test("opens no sheet and leaves nothing behind", arguments: generations, [0, 11, -1, .max])
  func refused(generation: StoreGeneration, quantity: Int) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let options = PurchaseOptions(quantity: quantity)
    guard
      case .failed(.invalidOrder(let reason)) = try await app.buy(Shop.coins, options: options)
    else {
      Issue.record("not refused")
      return
    }
    #expect(reason == "the quantity is not from 1 to 10")
    await #expect(throws: IAPError.invalidOrder(reason: "")) {
      try await app.perform {
        try await $0.purchase(productId: Shop.coins.rawValue, options: options)
      }
    }
    #expect(app.manager.store.orders == [])
    #expect(shop.store.transactions(of: Shop.account).isEmpty)
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .failed(.invalidOrder))
    guard case .delivered(let result) = try await app.buy(Shop.coins) else {
      Issue.record("the next tap does not work")
      return
    }
    #expect(result.quantity == 1)
  }

  @Test("is one beyond the limits", arguments: generations, [1, 10])
  func fits(generation: StoreGeneration, quantity: Int) async throws {
    let app = try await Shop(generation).launch()
    let outcome = try await app.buy(Shop.coins, options: PurchaseOptions(quantity: quantity))
    #expect(outcome.result?.quantity == quantity)
    #expect(app.effects.map(\.quantity) == [quantity])
  }
}
