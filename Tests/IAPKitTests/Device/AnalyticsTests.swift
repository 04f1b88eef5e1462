import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("Analytics", .timeLimit(.minutes(1)))
struct AnalyticsTests {
  /// What is told of an event, without numbers.
  private struct Told: Equatable, CustomStringConvertible {
    let kind: AnalyticsEvent.Kind
    let product: String?
    let source: TransactionSource
    let error: IAPError.Code?

    init(
      _ kind: AnalyticsEvent.Kind,
      _ product: ProductID?,
      _ source: TransactionSource = .purchase,
      _ error: IAPError.Code? = nil
    ) {
      self.kind = kind
      self.product = product?.rawValue
      self.source = source
      self.error = error
    }

    init(_ event: AnalyticsEvent) {
      kind = event.kind
      product = event.productId
      source = event.source
      error = event.error
    }

    var description: String { "\(kind) \(product ?? "-") \(source) \(error?.rawValue ?? "-")" }
  }

  @Test("hear of every way in which a purchase ends", arguments: generations)
  func ends(generation: StoreGeneration) async throws {
    let log = EventLog<AnalyticsEvent>()
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.analytics = { log.append($0) } }
    let answers: [PersonAnswer] = [.cancel, .fail(.paymentFailed), .confirm, .askParent]
    for answer in answers {
      app.device.person.willAnswer(answer)
      _ = try await app.buy(Shop.coins)
    }
    _ = try await app.buy("com.example.unknown")
    try app.device.promotePurchase(of: Shop.lifetime)
    await app.waitUntil(1, of: Shop.lifetime)
    await log.wait { $0.count { $0.kind == .purchased } == 2 }
    let expected = [
      Told(.started, Shop.coins), Told(.cancelled, Shop.coins),
      Told(.started, Shop.coins),
      Told(.failed, Shop.coins, .purchase, generation == .storekit1 ? .store : .unknown),
      Told(.started, Shop.coins), Told(.purchased, Shop.coins),
      Told(.started, Shop.coins), Told(.pending, Shop.coins),
      Told(.failed, "com.example.unknown", .purchase, .productNotFound),
      Told(.started, Shop.lifetime, .promoted), Told(.purchased, Shop.lifetime, .promoted),
    ]
    // A refusal before the order is told by the caller, the rest in the order of the events.
    let isRefusal = { (told: Told) in told.error == .productNotFound }
    let told = log.elements.map(Told.init)
    #expect(told.filter { !isRefusal($0) } == expected.filter { !isRefusal($0) })
    #expect(told.filter(isRefusal) == expected.filter(isRefusal))
  }

  @Test("tell a restore from a purchase", arguments: generations)
  func restored(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let first = try await shop.launch()
    _ = try await first.buy(Shop.lifetime)
    await first.waitUntilQueueIsEmpty()
    let log = EventLog<AnalyticsEvent>()
    let second = try await shop.launch(on: "tablet") { $0.analytics = { log.append($0) } }
    _ = try await second.restore()
    await log.wait { !$0.isEmpty }
    #expect(log.elements.map(Told.init) == [Told(.restored, Shop.lifetime, .restore)])
  }
}
