import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("A plan that another telephone bought", .timeLimit(.minutes(1)))
struct OtherPhoneTests {
  @Test("is not taken for the lower one that is asked for here", arguments: generations)
  func downgrade(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let first = try await shop.launch { $0.productTypes = PlanCatalog.types }
    _ = try await first.buy(PlanCatalog.gold)
    await first.waitUntilQueueIsEmpty()
    let second = try await shop.launch(on: "tablet") { $0.productTypes = PlanCatalog.types }
    let options = PurchaseOptions(orderReference: "down", context: ["level": "7"])
    let outcome = try await second.buy(PlanCatalog.silver, options: options)
    guard case .scheduled(let held?) = outcome else {
      Issue.record("not scheduled: \(outcome)")
      return
    }
    #expect(held.productId == PlanCatalog.gold.rawValue)
    #expect(second.manager.store.order("down")?.state == .scheduled)
    #expect(second.manager.ordersNeedingAttention == [])
    #expect(!shop.server.asked.contains { $0.productId == PlanCatalog.silver.rawValue })
    // What was handed over here is the plan that runs, not the order of the other one.
    #expect(second.count(of: PlanCatalog.silver) == 0)
    #expect(second.effects.allSatisfy { $0.orderNumber != "down" })
    shop.store.clock.advance(by: 32 * 86_400)
    if generation == .storekit1 { try await second.launch() }
    await second.waitUntil(1, of: PlanCatalog.silver)
    await second.rest()
    #expect(second.effects.last?.context == ["level": "7"])
    #expect(second.manager.store.order("down")?.state == .delivered)
  }
}

@Suite("A period that was restored before", .timeLimit(.minutes(1)))
struct RestoredPeriodTests {
  @Test("keeps its name when StoreKit 1 calls it by the plan that is asked for")
  func namedByItsBegin() async throws {
    let served = try ServedShop(.storekit1, catalog: PlanCatalog.text)
    let shop = served.shop
    let first = try served.install(configure: { $0.productTypes = PlanCatalog.types })
    try await first.launch()
    _ = try await first.buy(PlanCatalog.gold)
    await first.waitUntilQueueIsEmpty()
    let second = try served.install(
      on: "tablet",
      configure: { $0.productTypes = PlanCatalog.types }
    )
    try await second.launch()
    // From here on the receipt shows the period under the copy's identifier alone.
    _ = try await second.restore()
    await second.waitUntil(1, of: PlanCatalog.gold)
    let outcome = try await second.buy(PlanCatalog.silver)
    guard case .scheduled(let held?) = outcome else {
      Issue.record("not scheduled: \(outcome)")
      return
    }
    #expect(held.productId == PlanCatalog.gold.rawValue)
    shop.store.clock.advance(by: 32 * 86_400)
    try await second.launch()
    await second.waitUntil(1, of: PlanCatalog.silver)
    await second.rest()
    #expect(second.manager.store.openRecords() == [])
    let paid = shop.store.transactions(of: Shop.account).map(\.transactionID.rawValue)
    #expect(second.effects.count == 2)
    #expect(second.effects.last?.transactionId == paid.last)
  }
}

@Suite("Access on a telephone with two users", .timeLimit(.minutes(1)))
struct TwoUsersAccessTests {
  private let ada = UUID()
  private let bob = UUID()

  @Test("is each user's own, by the device's word alone", arguments: generations)
  func own(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install { [ada] configuration in
      configuration.account = "ada"
      configuration.orders.userToken = ada
    }
    app.update { $0.judge = .device }
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    try await app.enterForeground()
    let products = [Shop.lifetime, Shop.monthly]
    #expect(products.allSatisfy { app.access(to: $0).isGranted })
    try await app.perform { [bob] in await $0.setAccount("bob", userToken: bob) }
    try await app.enterForeground()
    #expect(products.allSatisfy { !app.access(to: $0).isGranted })
    #expect(app.manager.entitlements.purchasedProductIDs == [])
    #expect(app.manager.entitlements.subscriptions == [])
    try await app.perform { [ada] in await $0.setAccount("ada", userToken: ada) }
    #expect(products.allSatisfy { app.access(to: $0).isGranted })
  }

  @Test("is what the server says of this user, whoever bought last", arguments: generations)
  func bothBought(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let app = try served.installServed { [ada] configuration in
      configuration.account = "ada"
      configuration.orders.userToken = ada
    }
    try await app.launch()
    _ = try await app.buy(DemoCatalog.season)
    await app.waitUntilQueueIsEmpty()
    try await app.perform { [bob] in await $0.setAccount("bob", userToken: bob) }
    _ = try await app.buy(DemoCatalog.season)
    await app.waitUntilQueueIsEmpty()
    try await app.perform { [ada] in await $0.setAccount("ada", userToken: ada) }
    try await app.enterForeground()
    #expect(
      app.access(to: DemoCatalog.season) == .yes(until: nil, source: .server, provisional: false)
    )
  }

  @Test("is not opened by what StoreKit 2 lists of somebody else's", arguments: [true, false])
  func listed(isAfterRelaunch: Bool) async throws {
    let shop = try Shop(.storekit2)
    let app = try shop.install { [bob] configuration in
      configuration.account = "bob"
      configuration.orders.userToken = bob
    }
    app.update { $0.judge = .device }
    // Another telephone of the same App Store account, and another user of the app.
    let other = try await shop.launch(on: "tablet") { [ada] configuration in
      configuration.account = "ada"
      configuration.orders.userToken = ada
    }
    if !isAfterRelaunch { try await app.launch() }
    _ = try await other.buy(Shop.lifetime)
    await other.waitUntilQueueIsEmpty()
    if isAfterRelaunch { try await app.launch() }
    try await app.enterForeground()
    _ = try await app.restore()
    #expect(!app.access(to: Shop.lifetime).isGranted)
    #expect(app.effects == [])
    #expect(app.manager.ordersNeedingAttention.map(\.reason) == [.anotherAccount])
  }
}
