import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("An order on a device", .timeLimit(.minutes(1)))
struct OrderingTests {
  // MARK: Numbers and tokens

  @Test("keeps the app's own number, and is found by it and by its UUID", arguments: generations)
  func ownNumber(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let options = PurchaseOptions(orderReference: "2026/11-订单 42")
    _ = try await app.buy(Shop.coins, options: options)
    let record = try #require(shop.store.transactions(of: Shop.account).first)
    let store = app.manager.store
    let order = try #require(store.order("2026/11-订单 42"))
    #expect(record.appAccountToken?.rawValue == order.number.rawValue)
    #expect(store.order(order.number.description) == order)
    #expect(store.order(order.number.description)?.displayNumber == "2026/11-订单 42")
  }

  @Test("for a text that is no UUID is refused before the sheet", arguments: generations)
  func textRefused(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    var options = PurchaseOptions()
    options.accountText = "ada@example.com"
    let outcome = try await app.buy(Shop.coins, options: options)
    #expect(outcome == .failed(.invalidOrder(reason: "")))
    #expect(app.manager.store.orders == [])
    #expect(shop.store.transactions(of: Shop.account).isEmpty)
  }

  @Test("for a text carries the same UUID every time, by choice", arguments: generations)
  func textDerived(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch { $0.orders.accountTexts = .derived }
    let uuid = UUID(uuidString: "0E984725-C51C-4BF4-9960-E1C80E27ABA0")!
    for text in ["ada@example.com", "ada@example.com", uuid.uuidString.lowercased()] {
      var options = PurchaseOptions()
      options.accountText = text
      guard case .delivered = try await app.buy(Shop.coins, options: options) else {
        Issue.record("not delivered")
        return
      }
    }
    let derived = PurchaseOptions.accountToken(for: "ada@example.com")
    let tokens = shop.store.transactions(of: Shop.account).map { $0.appAccountToken?.rawValue }
    #expect(tokens == [derived, derived, uuid])
    #expect(app.manager.store.orders.map(\.state) == [.delivered, .delivered, .delivered])
  }

  @Test("is not opened for two tokens, or for an empty text", arguments: generations)
  func badTokens(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch { $0.orders.accountTexts = .derived }
    var both = PurchaseOptions(accountToken: UUID())
    both.accountText = "ada"
    var empty = PurchaseOptions()
    empty.accountText = ""
    for options in [both, empty] {
      #expect(
        try await app.buy(Shop.coins, options: options) == .failed(.invalidOrder(reason: ""))
      )
    }
    #expect(app.manager.store.orders == [])
  }

  // MARK: What a generation cannot do

  @Test("is not opened for what StoreKit 1 cannot do, and the next tap works")
  func unsupported() async throws {
    let shop = try Shop(.storekit1)
    let app = try await shop.launch()
    var eligibility = PurchaseOptions()
    eligibility.introductoryEligibility = .signed(isAllowed: true, transactionId: nil)
    var custom = PurchaseOptions()
    custom.custom = ["colour": .string("red")]
    let refused = [
      PurchaseOptions(offer: .winBack(id: "please")),
      PurchaseOptions(offer: .promotionalJWS(id: "half", jws: nil)),
      eligibility, custom,
    ]
    for options in refused {
      #expect(
        try await app.buy(Shop.coins, options: options) == .failed(.unsupported(reason: ""))
      )
    }
    #expect(app.manager.store.orders == [])
    #expect(app.manager.purchaseState(Shop.coins.rawValue) == .failed(.unsupported))
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("the button did not work again")
      return
    }
  }

  @Test("with an offer that nobody signs ends before the sheet", arguments: generations)
  func unsigned(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let app = try await shop.launch()
    let options = PurchaseOptions(offer: .promotional(id: "half"))
    let outcome = try await app.buy(PlanCatalog.silver, options: options)
    guard case .failed(.offerRefused(let problem)) = outcome else {
      Issue.record("not refused: \(outcome)")
      return
    }
    #expect(problem == .notSigned)
    #expect(app.manager.store.orders.map(\.state) == [.failed])
    #expect(shop.store.transactions(of: Shop.account).isEmpty)
    guard case .delivered = try await app.buy(PlanCatalog.silver) else {
      Issue.record("the button did not work again")
      return
    }
  }

  // MARK: In flight

  @Test(
    "is in flight for two minutes after a kill",
    arguments: generations,
    [(119, false), (120, true)]
  )
  func inFlight(generation: StoreGeneration, row: (seconds: Double, mayBuy: Bool)) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.person.willAnswer(.hold)
    async let first: Void = { _ = try? await app.buy(Shop.coins) }()
    await app.device.sheet.waitUntilOpen()
    app.kill()
    await first
    try await app.launch()
    shop.store.clock.advance(by: row.seconds)
    let outcome = try await app.buy(Shop.coins)
    #expect((outcome == .failed(.purchaseInProgress)) != row.mayBuy)
    #expect((outcome.result != nil) == row.mayBuy)
  }

  @Test("is one at all when the policy says so", arguments: generations)
  func oneAtAll(generation: StoreGeneration) async throws {
    let app = try await Shop(generation).launch { $0.orders.concurrency = .oneAtAll }
    app.device.person.willAnswer(.hold)
    async let first = app.buy(Shop.coins)
    await app.device.sheet.waitUntilOpen()
    #expect(try await app.buy(Shop.lifetime) == .failed(.purchaseInProgress))
    #expect(app.manager.purchaseState(Shop.lifetime.rawValue) == .failed(.purchaseInProgress))
    try app.device.sheet.confirm()
    _ = try await first
    guard case .delivered = try await app.buy(Shop.lifetime) else {
      Issue.record("not delivered when the first was over")
      return
    }
  }

  // MARK: One story

  @Test("that was interrupted is the order of the later transaction", arguments: generations)
  func interrupted(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    shop.store.changeFaults { $0.interruptsPurchases = true }
    let options = PurchaseOptions(orderReference: "A-7", context: ["level": "7"])
    #expect(try await app.buy(Shop.coins, options: options) == .cancelled)
    #expect(app.manager.store.orders.map(\.state) == [.cancelled])
    shop.store.changeFaults { $0.interruptsPurchases = false }
    _ = try shop.store.approve(try #require(shop.store.pendingPurchases.first).id)
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    #expect(app.effects.map(\.orderNumber) == ["A-7"])
    #expect(app.effects.map(\.context) == [["level": "7"]])
    #expect(app.manager.store.orders.map(\.state) == [.delivered])
  }

  @Test(
    "that was cancelled is reopened for thirty days",
    arguments: generations,
    [(30 * 86_400 - 1, true), (30 * 86_400, false)]
  )
  func reopened(generation: StoreGeneration, row: (seconds: Double, joins: Bool)) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    app.device.person.willAnswer(.cancel)
    _ = try await app.buy(Shop.coins)
    let order = try #require(app.manager.store.orders.first)
    app.kill()
    shop.store.clock.advance(by: row.seconds)
    _ = try shop.store.purchase(
      PurchaseRequest(
        device: app.device.id,
        productID: Shop.coins,
        appAccountToken: order.accountToken
      )
    )
    try await app.launch()
    await app.waitUntil(1, of: Shop.coins)
    await app.waitUntilQueueIsEmpty()
    #expect(app.manager.store.orders.map(\.state) == [row.joins ? .delivered : .cancelled])
  }

  // MARK: Changes of plan

  @Test("for a higher plan is delivered at once", arguments: generations)
  func upgrade(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let app = try await shop.launch { $0.productTypes = PlanCatalog.types }
    _ = try await app.buy(PlanCatalog.silver)
    guard case .delivered(let result) = try await app.buy(PlanCatalog.gold) else {
      Issue.record("not delivered")
      return
    }
    #expect(result.productId == PlanCatalog.gold.rawValue)
    #expect(app.count(of: PlanCatalog.gold) == 1)
  }

  @Test("for a lower plan is scheduled, and is delivered at the renewal", arguments: generations)
  func downgrade(generation: StoreGeneration) async throws {
    let shop = try Shop(generation, catalog: PlanCatalog.text)
    let app = try await shop.launch { $0.productTypes = PlanCatalog.types }
    _ = try await app.buy(PlanCatalog.gold)
    await app.waitUntilQueueIsEmpty()
    let outcome = try await app.buy(
      PlanCatalog.silver,
      options: PurchaseOptions(orderReference: "down")
    )
    guard case .scheduled(let held?) = outcome else {
      Issue.record("not scheduled: \(outcome)")
      return
    }
    await app.waitUntilQueueIsEmpty()
    #expect(held.productId == PlanCatalog.gold.rawValue)
    #expect(app.count(of: PlanCatalog.silver) == 0)
    #expect(app.manager.store.order("down")?.state == .scheduled)
    shop.store.clock.advance(by: 32 * 86_400)
    if generation == .storekit1 { try await app.launch() }
    await app.waitUntil(1, of: PlanCatalog.silver)
    await app.waitUntilQueueIsEmpty()
    #expect(app.manager.store.order("down")?.state == .delivered)
    #expect(app.effects.last?.orderNumber == "down")
  }

  @Test("for what is owned costs nothing", arguments: generations)
  func owned(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    for product in [Shop.lifetime, Shop.monthly] {
      _ = try await app.buy(product)
      await app.waitUntilQueueIsEmpty()
      let outcome = try await app.buy(product)
      guard case .alreadyOwned(let result) = outcome else {
        Issue.record("not owned: \(outcome)")
        return
      }
      #expect(result.productId == product.rawValue)
      await app.waitUntilQueueIsEmpty()
      #expect(app.count(of: product) == 1)
    }
    #expect(app.manager.store.orders.count { $0.state == .delivered } == 2)
    #expect(app.manager.store.orders.count { $0.state == .cancelled } == 2)
  }

  // MARK: States

  @Test("goes through its states, and the button works after each end", arguments: generations)
  func states(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    let coins = Shop.coins.rawValue
    let changes = EventLog<PurchaseState>()
    let stream = app.manager.purchaseStateStream
    let listening = Task {
      for await change in stream where change.productId == coins { changes.append(change.state) }
    }
    #expect(app.manager.purchaseState(coins) == .idle)
    let answers: [PersonAnswer] = [.cancel, .fail(.paymentFailed), .confirm, .askParent]
    for answer in answers {
      app.device.person.willAnswer(answer)
      _ = try await app.buy(Shop.coins)
      #expect(app.manager.purchaseState(coins).canBuy)
    }
    let seen: [PurchaseState] = [
      .inProgress, .cancelled, .inProgress,
      generation == .storekit1 ? .failed(.store) : .unknown,
      .inProgress, .verifying, .complete, .inProgress, .pending,
    ]
    await changes.wait { $0 == .pending }
    listening.cancel()
    #expect(changes.elements == seen)
    app.kill()
    try await app.launch()
    #expect(app.manager.purchaseState(coins) == .pending)
  }
}

extension PlanCatalog {
  static let types: [String: ProductType] = [
    gold.rawValue: .autoRenewable, silver.rawValue: .autoRenewable, coins.rawValue: .consumable,
  ]
}
