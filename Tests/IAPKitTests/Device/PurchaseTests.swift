import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("A purchase on a device", .timeLimit(.minutes(1)))
struct PurchaseTests {
  @Test("shows products in the order asked for and names the unknown id", arguments: generations)
  func products(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    let answer = try await app.products([Shop.monthly, "com.example.unknown", Shop.coins])
    #expect(answer.products.map(\.id) == [Shop.monthly.rawValue, Shop.coins.rawValue])
    #expect(answer.missing == ["com.example.unknown"])
    let monthly = try #require(answer.products.first)
    #expect(monthly.type == .autoRenewable)
    #expect(monthly.subscriptionPeriod == IAPModel.SubscriptionPeriod(1, .month))
    #expect(monthly.subscriptionGroupID == DemoCatalog.group.rawValue)
    #expect(monthly.currency == "USD")
    #expect(monthly.displayPrice.contains("4.99"))
    #expect(monthly.price == Decimal(string: "4.99"))
  }

  @Test("hands a consumable over, once, and finishes it", arguments: generations)
  func consumable(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let outcome = try await app.buy(Shop.coins, options: PurchaseOptions(quantity: 3))
    guard case .delivered(let result) = outcome else {
      Issue.record("not delivered: \(outcome)")
      return
    }
    await app.waitUntilQueueIsEmpty()
    #expect(result.productId == Shop.coins.rawValue)
    #expect(result.quantity == 3)
    #expect(result.generation == generation)
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.effects.map(\.quantity) == [3])
    #expect(try await app.waitingCount() == 0)
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .complete)
    #expect(app.manager.store.orders.map(\.state) == [.delivered])
  }

  @Test("can be made again as soon as it is over", arguments: generations)
  func again(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    for _ in 0..<3 { _ = try await app.buy(Shop.coins) }
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 3)
    #expect(Set(app.effects.map(\.key)).count == 3)
  }

  @Test("is shown to the server with its order", arguments: generations)
  func evidence(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.account = "user-1" }
    _ = try await app.buy(Shop.coins)
    let order = try #require(app.manager.store.orders.first)
    let asked = try #require(shop.server.asked.first)
    #expect(asked.productId == Shop.coins.rawValue)
    #expect(asked.orderNumber == order.number.description)
    #expect(asked.account == "user-1")
    #expect(asked.installation != nil)
    #expect((asked.signedTransaction != nil) == (generation == .storekit2))
    #expect((asked.receipt != nil) == (generation == .storekit1))
    let record = try #require(shop.store.transactions(of: Shop.account).first)
    #expect(record.appAccountToken == order.accountToken)
  }

  @Test("that cannot be checked is processing, and is delivered by itself", arguments: generations)
  func serverDown(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    shop.server.mood = .down
    let outcome = try await app.buy(Shop.coins)
    guard case .processing = outcome else {
      Issue.record("not processing: \(outcome)")
      return
    }
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .processing)
    #expect(app.effects == [])
    #expect(!app.isQueueEmpty)
    shop.server.mood = .truthful
    #expect(await app.letTimePass { app.count(of: Shop.coins) == 1 })
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
    // The state follows the events, as the log here does.
    while app.manager.purchaseState(Shop.coins.rawValue) == .processing { await Task.yield() }
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .complete)
  }

  @Test("that cannot be checked is tried again when the app comes to the front")
  func foreground() async throws {
    for generation in generations {
      let shop = try Shop(generation)
      let app = try await shop.launch()
      shop.server.mood = .down
      _ = try await app.buy(Shop.coins)
      shop.server.mood = .truthful
      try await app.enterForeground()
      await app.waitUntilQueueIsEmpty()
      #expect(app.count(of: Shop.coins) == 1)
    }
  }

  @Test("killed after the save and before the check is delivered once", arguments: generations)
  func killedBeforeTheCheck(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.kill(at: .beforeRequest)
    await #expect(throws: DeviceError.self) { _ = try await app.buy(Shop.coins) }
    #expect(app.effects == [])
    try await app.launch()
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.manager.store.orders.map(\.state) == [.delivered])
    #expect(app.effects.map(\.orderNumber) == app.manager.store.orders.map(\.displayNumber))
  }

  @Test(
    "killed after delivery and before the finish is not delivered again",
    arguments: generations
  )
  func killedBeforeTheFinish(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.kill(at: .beforeFinish)
    _ = try? await app.buy(Shop.coins)
    await app.waitUntilKilled()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(!app.isQueueEmpty)
    try await app.launch()
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
    #expect(app.deliveries.elements.count == 1)
    #expect(try await app.waitingCount() == 0)
  }

  @Test(
    "killed at any step is delivered once",
    arguments: generations,
    [
      KillStep.beforePurchase, .afterPurchase, .beforeFlush, .afterFlush, .beforeRequest,
      .afterResponse, .beforeDelivery, .afterDelivery, .beforeFinish, .afterFinish,
    ]
  )
  func killedAnywhere(generation: StoreGeneration, step: KillStep) async throws {
    for occurrence in 1...4 {
      let shop = try Shop(generation)
      let app = try await shop.launch()
      _ = try await app.products()
      app.kill(at: step, occurrence: occurrence)
      _ = try? await app.buy(Shop.coins)
      app.kill()
      try await app.launch()
      await app.waitUntilQueueIsEmpty()
      let sold = shop.store.transactions(of: Shop.account).count
      if sold == 1 { await app.waitUntil(1, of: Shop.coins) }
      #expect(app.count(of: Shop.coins) == sold, "killed at \(step.rawValue) \(occurrence)")
    }
  }

  @Test("cancelled closes its order without an error", arguments: generations)
  func cancelled(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.person.willAnswer(.cancel)
    #expect(try await app.buy(Shop.coins) == .cancelled)
    #expect(app.manager.store.orders.map(\.state) == [.cancelled])
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .cancelled)
    #expect(try await app.waitingCount() == 0)
    await #expect(throws: IAPError.userCancelled) {
      app.device.person.willAnswer(.cancel)
      _ = try await app.perform { try await $0.purchase(productId: Shop.coins.rawValue) }
    }
  }

  @Test("is refused a second time while the sheet is open", arguments: generations)
  func secondTap(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.person.willAnswer(.hold)
    async let first = app.buy(Shop.coins)
    await app.device.sheet.waitUntilOpen()
    #expect(try await app.buy(Shop.coins) == .failed(.purchaseInProgress))
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .inProgress)
    try app.device.sheet.confirm()
    guard case .delivered = try await first else {
      Issue.record("the first tap was not delivered")
      return
    }
    #expect(shop.store.transactions(of: Shop.account).count == 1)
  }

  @Test("joins the first one when the policy says so", arguments: generations)
  func secondTapJoins(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.orders.secondTap = .join }
    app.device.person.willAnswer(.hold)
    async let first = app.buy(Shop.coins)
    await app.device.sheet.waitUntilOpen()
    async let second = app.buy(Shop.coins)
    try app.device.sheet.confirm()
    let outcomes = try await [first, second]
    #expect(outcomes[0] == outcomes[1])
    #expect(shop.store.transactions(of: Shop.account).count == 1)
  }

  @Test("is not begun where payments are not allowed", arguments: generations)
  func paymentsNotAllowed(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    app.device.person.isAllowedToPay = false
    #expect(try await app.buy(Shop.coins) == .failed(.paymentsNotAllowed))
    #expect(app.manager.store.orders == [])
  }

  @Test("of an unknown product says so", arguments: generations)
  func unknownProduct(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    #expect(try await app.buy("com.example.unknown") == .failed(.productNotFound(id: "")))
  }

  @Test("takes 1 to 10", arguments: generations, [(0, false), (1, true), (10, true), (11, false)])
  func quantities(generation: StoreGeneration, quantity: (Int, Bool)) async throws {
    let app = try await Shop(generation).launch()
    let outcome = try await app.buy(
      Shop.coins,
      options: PurchaseOptions(quantity: quantity.0)
    )
    if quantity.1 {
      #expect(outcome.result?.quantity == quantity.0)
    } else {
      #expect(outcome == .failed(.invalidOrder(reason: "")))
    }
  }

  @Test("without network is an error that may be tried again", arguments: generations)
  func offline(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch()
    app.device.isInAirplaneMode = true
    guard case .failed(let error) = try await app.buy(Shop.coins) else {
      Issue.record("no error")
      return
    }
    #expect(error.isRetryable)
    app.device.isInAirplaneMode = false
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("not delivered when the network was back")
      return
    }
  }

  @Test("is accepted by the device's own verdict where there is no server", arguments: generations)
  func withoutServer(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install()
    app.update { $0.judge = .device }
    try await app.launch()
    guard case .delivered = try await app.buy(Shop.lifetime) else {
      Issue.record("not delivered")
      return
    }
    await app.waitUntilQueueIsEmpty()
    #expect(
      app.access(to: Shop.lifetime) == .yes(until: nil, source: .device, provisional: false)
    )
    #expect(app.manager.entitlements.purchasedProductIDs == [Shop.lifetime.rawValue])
  }

  @Test("is lost for nobody while the disk is full", arguments: generations)
  func fullDisk(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.person.willAnswer(.hold)
    async let outcome = app.buy(Shop.coins)
    await app.device.sheet.waitUntilOpen()
    app.device.disk.faults.capacity = 0
    try app.device.sheet.confirm()
    #expect(try await outcome == .failed(.storage(.full)))
    #expect(!app.isQueueEmpty)
    app.device.disk.faults.capacity = nil
    #expect(await app.letTimePass { app.count(of: Shop.coins) == 1 })
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 1)
  }
}

let generations = StoreGeneration.allCases
