import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

/// Two users of the app on one telephone with one App Store account.
@Suite("Accounts", .timeLimit(.minutes(1)))
struct AccountTests {
  private func reasons(_ app: SimulatedApp) -> [OrderNeedingAttention.Reason] {
    app.manager.ordersNeedingAttention.map(\.reason)
  }

  @Test("hold another user's order, show it, and hand it over to that user", arguments: generations)
  func heldForItsOwner(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.account = "ada" }
    shop.server.mood = .down
    guard case .processing = try await app.buy(Shop.coins) else {
      Issue.record("not processing")
      return
    }
    try await app.perform { await $0.setAccount("bob") }
    shop.server.mood = .truthful
    try await app.networkReturns()
    await app.events.wait { if case .accepted = $0 { true } else { false } }
    await app.rest()
    #expect(app.effects == [])
    #expect(!app.isQueueEmpty)
    #expect(reasons(app) == [.anotherAccount])
    #expect(app.manager.ordersNeedingAttention.map(\.account) == ["ada"])
    // Bob's own order is not delayed by it.
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("not delivered")
      return
    }
    #expect(app.count(of: Shop.coins) == 1)
    try await app.perform { await $0.setAccount(nil) }
    await app.rest()
    #expect(reasons(app) == [.anotherAccount])
    try await app.perform { await $0.setAccount("ada") }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 2)
    #expect(reasons(app) == [])
    #expect(shop.server.asked.compactMap(\.account).allSatisfy { ["ada", "bob"].contains($0) })
    let orders = app.manager.store.orders
    #expect(Set(orders.map(\.account)) == ["ada", "bob"])
    #expect(orders.map(\.state) == [.delivered, .delivered])
  }

  @Test("keep another user's order over a relaunch and a refund", arguments: generations)
  func heldOverARelaunch(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.account = "ada" }
    app.device.person.willAnswer(.askParent)
    _ = try await app.buy(Shop.coins)
    app.kill()
    _ = try shop.store.approve(try #require(shop.store.pendingPurchases.first).id)
    app.update { $0.configure = { $0.account = "bob" } }
    try await app.launch()
    await app.events.wait { if case .accepted = $0 { true } else { false } }
    await app.rest()
    #expect(app.effects == [])
    #expect(reasons(app) == [.anotherAccount])
    app.update { $0.configure = { $0.account = "ada" } }
    try await app.launch()
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
  }

  @Test("tell users apart by the tokens that travel with payments", arguments: generations)
  func tokens(generation: StoreGeneration) async throws {
    let (ada, bob) = (UUID(), UUID())
    let shop = try Shop(generation)
    let app = try await shop.launch {
      $0.account = "ada"
      $0.orders.userToken = ada
      $0.holdsDelivery = true
    }
    _ = try await app.buy(Shop.lifetime)
    // The app is installed anew: no order here knows of the purchase, its token does.
    try await app.reinstall()
    try await app.perform { await $0.setAccount("bob", userToken: bob) }
    try await app.perform { $0.openDelivery() }
    await app.events.wait { if case .accepted = $0 { true } else { false } }
    await app.rest()
    #expect(app.effects == [])
    #expect(reasons(app) == [.anotherAccount])
    try await app.perform { await $0.setAccount("ada", userToken: ada) }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.lifetime) == 1)
    let record = try #require(shop.store.transactions(of: Shop.account).first)
    #expect(record.appAccountToken?.rawValue == ada)
  }

  @Test("name nobody for what carries an unknown user's token, until that user is there")
  func namesNobody() async throws {
    let (ada, bob) = (UUID(), UUID())
    let shop = try Shop(.storekit2)
    let app = try await shop.launch {
      $0.account = "bob"
      $0.orders.userToken = bob
    }
    let other = try await shop.launch(on: "tablet") {
      $0.account = "ada"
      $0.orders.userToken = ada
    }
    shop.server.mood = .down
    _ = try await other.buy(Shop.coins)
    other.kill()
    shop.server.mood = .truthful
    try await app.enterForeground()
    await app.events.wait { if case .accepted = $0 { true } else { false } }
    await app.rest()
    let asked = shop.server.asked.filter {
      $0.installation == app.manager.store.installation?.rawValue
    }
    #expect(Set(asked.map(\.account)) == [nil])
    #expect(asked.allSatisfy { $0.customerToken == nil })
    #expect(reasons(app) == [.anotherAccount])
    #expect(app.effects == [])
    try await app.perform { await $0.setAccount("ada", userToken: ada) }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(shop.server.asked.last?.account == "ada")
  }

  @Test("forget nothing when the same user signs in once more", arguments: generations)
  func sameUser(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.account = "ada" }
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    shop.server.mood = .down
    try await app.perform { await $0.setAccount("ada") }
    #expect(
      app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: false)
    )
  }

  @Test("hold what the server says is another customer's", arguments: generations)
  func serverKnowsTheOwner(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install(configure: { $0.account = "bob" })
    let server = shop.server
    app.update { setup in
      setup.judge = .script { evidence in
        var result = try await server.judge(evidence)
        result.belongsToAnother = evidence.account != "ada"
        return result
      }
    }
    try await app.launch()
    guard case .processing = try await app.buy(Shop.lifetime) else {
      Issue.record("not held")
      return
    }
    #expect(app.effects == [])
    #expect(reasons(app) == [.anotherAccount])
    #expect(app.access(to: Shop.lifetime) != .yes(until: nil, source: .server, provisional: false))
  }
}
