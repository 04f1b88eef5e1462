import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("A restore", .timeLimit(.minutes(1)))
struct RestoreTests {
  /// A tablet of a customer who has bought on a telephone.
  private func tablet(_ shop: Shop, buying products: [ProductID]) async throws -> SimulatedApp {
    let phone = try await shop.launch(on: "phone")
    for product in products { _ = try await phone.buy(product) }
    await phone.waitUntilQueueIsEmpty()
    phone.kill()
    return try shop.install(on: "tablet")
  }

  private func restoreEnd(_ app: SimulatedApp) async {
    await app.events.wait { if case .restoreEnded = $0 { true } else { false } }
  }

  @Test("tells what it brought from what was there before", arguments: generations)
  func restoredThenHad(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await tablet(shop, buying: [Shop.lifetime, Shop.coins])
    try await app.launch()
    let first = try await app.restore()
    // StoreKit 2 has announced the purchase at the launch already.
    let brought = first.restored + first.alreadyHad
    #expect(brought.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(app.count(of: Shop.lifetime) == 1)
    #expect(app.count(of: Shop.coins) == 0, "what is used up is not restored")
    let second = try await app.restore()
    #expect(second.restored == [])
    #expect(second.alreadyHad.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(second.userText(.english) == nil)
    #expect(app.count(of: Shop.lifetime) == 1)
    await app.waitUntilQueueIsEmpty()
    await restoreEnd(app)
  }

  @Test("that finds nothing names another account as a likely reason", arguments: generations)
  func nothingFound(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    let summary = try await app.restore()
    #expect(summary == RestoreSummary())
    #expect(summary.isNothingFound)
    #expect(summary.userText(.english)?.contains("another App Store account") == true)
    #expect(summary.userText(.simplifiedChinese)?.contains("Apple 账户") == true)
    #expect(app.access(to: Shop.lifetime) == .no)
  }

  @Test("that the user cancels says so, and is not empty", arguments: generations)
  func cancelled(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    app.device.person.signsIn = false
    let summary = try await app.restore()
    #expect(summary == RestoreSummary(isCancelled: true))
    #expect(!summary.isNothingFound)
    #expect(app.access(to: Shop.lifetime) == (generation == .storekit2 ? .no : .unknown))
    await #expect(throws: IAPError.userCancelled) {
      _ = try await app.perform { try await $0.restore() }
    }
    await restoreEnd(app)
  }

  @Test("that fails says why", arguments: generations)
  func failed(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    app.device.isInAirplaneMode = true
    let summary = try await app.restore()
    #expect(summary.error?.isRetryable == true)
    #expect(!summary.isNothingFound)
    #expect(!summary.isCancelled)
    await restoreEnd(app)
  }

  @Test("shows what could not be checked, and brings it later", arguments: generations)
  func couldNotCheck(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await tablet(shop, buying: [Shop.lifetime])
    shop.server.mood = .down
    try await app.launch()
    let summary = try await app.restore()
    #expect(summary.couldNotCheck.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(summary.restored == [])
    #expect(summary.userText(.english)?.contains("checked") == true)
    await #expect(throws: IAPError.pending) {
      _ = try await app.perform { try await $0.restore() }
    }
    shop.server.mood = .truthful
    #expect(await app.letTimePass { app.count(of: Shop.lifetime) == 1 })
    await app.waitUntilQueueIsEmpty()
  }

  @Test("shows what the server refuses as held", arguments: generations)
  func held(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await tablet(shop, buying: [Shop.lifetime])
    shop.server.mood = .rejecting
    try await app.launch()
    let summary = try await app.restore()
    #expect(summary.held.map(\.productId) == [Shop.lifetime.rawValue])
    #expect(summary.restored + summary.alreadyHad == [])
    #expect(app.effects == [])
    #expect(app.access(to: Shop.lifetime) == .no)
  }

  @Test("asks the user to sign in only when the device knows of nothing")
  func listFirst() async throws {
    let shop = try Shop(.storekit2)
    let app = try await tablet(shop, buying: [Shop.lifetime])
    app.device.person.signsIn = false
    try await app.launch()
    let summary = try await app.restore()
    #expect((summary.restored + summary.alreadyHad).map(\.productId) == [Shop.lifetime.rawValue])
    #expect(!summary.isCancelled)
  }
}
