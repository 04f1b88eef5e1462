import AppStoreSimulator
import Foundation
import HTTPValues
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

private let serverURL = URL(string: "http://server.test")

extension ServedShop {
  /// An app that asks this server about everything.
  func installServed(
    configure: @escaping @Sendable (inout IAPConfiguration) -> Void = { _ in }
  ) throws -> SimulatedApp {
    let access = ServerAccess(url: try #require(serverURL))
    return try install(configure: { configuration in
      configuration.server = access
      configure(&configuration)
    })
  }

  /// The JSON that the server answers a backend with.
  fileprivate func backend(
    _ method: String,
    _ target: String,
    _ body: JSONObject? = nil
  ) async throws -> JSONObject {
    let response = await answer(method, target, body: body?.serialized ?? [])
    #expect(response.status == 200, "\(method) \(target)")
    return try JSONParser.parseObject(response.body)
  }
}

/// Orders that the real server refuses, and what people decide about them there.
@Suite("An order in the server's review queue", .timeLimit(.minutes(1)))
struct ServedReviewTests {
  /// Buys coins from a server that takes no sandbox, until the order is set aside and reported.
  private func setAside(
    _ served: ServedShop
  ) async throws -> (app: SimulatedApp, order: OrderNeedingAttention) {
    let app = try served.installServed { $0.account = "mia" }
    try await app.launch()
    let options = PurchaseOptions(quantity: 3, orderReference: "A-7", context: ["level": "7"])
    #expect(try await app.buy(Shop.coins, options: options) == .failed(.receiptValidationFailed))
    #expect(await app.letTimePass { app.manager.ordersNeedingAttention.count == 1 })
    let order = try #require(app.manager.ordersNeedingAttention.first)
    while app.manager.store.record(order.transactionId)?.isReported != true { await Task.yield() }
    await app.waitUntilQueueIsEmpty()
    return (app, order)
  }

  @Test("holds everything that is needed to deliver it by hand", arguments: generations)
  func reported(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation, environments: [.production])
    let (app, order) = try await setAside(served)
    #expect(order.reason == .rejected)
    #expect(order.attempts == 4)
    let list = try await served.backend("GET", "/v1/reviews")
    let listed = try #require(list["reviews"]?.arrayValue?.compactMap(\.objectValue).first)
    #expect(list["reviews"]?.arrayValue?.count == 1)
    #expect(listed["signedTransaction"] == nil && listed["receipt"] == nil)
    let id = try #require(listed["id"]?.stringValue)
    let review = try await served.backend("GET", "/v1/reviews/\(id)")
    let bought = try #require(served.store.transactions(of: Shop.account).first)
    let known = try #require(app.manager.store.order("A-7"))
    #expect(review["transactionId"]?.stringValue == bought.transactionID.rawValue)
    #expect(review["productId"]?.stringValue == Shop.coins.rawValue)
    #expect(review["reason"] == "rejected")
    #expect(review["attempts"] == 4)
    #expect(review["quantity"] == 3)
    #expect(review["context"] == .object(["level": "7"]))
    #expect(review["orderNumber"]?.stringValue == known.number.description)
    #expect(review["account"] == "mia")
    #expect(review["installation"]?.stringValue == app.manager.store.installation?.rawValue)
    #expect(review["contactReference"]?.stringValue == order.contactReference)
    #expect((review["signedTransaction"] != nil) == (generation == .storekit2))
    #expect((review["receipt"] != nil) == (generation == .storekit1))
    // What the user can export says the same.
    let export = try JSONParser.parseObject(
      Array(try app.manager.exportOrder(bought.transactionID.rawValue))
    )
    for name in [
      "transactionId", "productId", "reason", "orderNumber", "account", "contactReference",
      "installation", "context", "signedTransaction", "quantity",
    ] {
      #expect(export[name] == review[name], "\(name)")
    }
    #expect(order.userText(.english).hasSuffix("(\(order.contactReference))"))
  }

  @Test("that support delivers is handed over when it is retried", arguments: generations)
  func delivered(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation, environments: [.production])
    let (app, order) = try await setAside(served)
    let id = try await review(served)
    #expect(
      try await app.perform { await $0.retryNow(order.transactionId) }
        == .failed(.receiptValidationFailed),
      "nobody has decided yet"
    )
    _ = try await served.backend("POST", "/v1/reviews/\(id)/resolve", ["action": "deliver"])
    let outcome = try await app.perform { await $0.retryNow(order.transactionId) }
    guard case .delivered(let result)? = outcome else {
      Issue.record("not delivered: \(String(describing: outcome))")
      return
    }
    #expect(result.orderNumber == "A-7")
    #expect(app.effects.map(\.quantity) == [3])
    #expect(app.effects.map(\.context) == [["level": "7"]])
    #expect(app.manager.ordersNeedingAttention == [])
    #expect(app.manager.store.orders.map(\.state) == [.delivered])
    #expect(try await app.perform { await $0.retryNow(order.transactionId) }?.result != nil)
    #expect(app.count(of: Shop.coins) == 1)
  }

  @Test("that support refuses stays set aside", arguments: generations)
  func refused(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation, environments: [.production])
    let (app, order) = try await setAside(served)
    let id = try await review(served)
    _ = try await served.backend("POST", "/v1/reviews/\(id)/resolve", ["action": "refuse"])
    #expect(
      try await app.perform { await $0.retryNow(order.transactionId) }
        == .failed(.receiptValidationFailed)
    )
    #expect(app.effects == [])
    #expect(
      app.manager.store.record(order.transactionId)?.lastError?.contains("review") == true
    )
  }

  @Test("is one case however often it is reported", arguments: generations)
  func once(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation, environments: [.production])
    let (app, order) = try await setAside(served)
    // Set aside a second time.
    _ = try await app.perform { await $0.retryNow(order.transactionId) }
    #expect(await app.letTimePass { app.manager.ordersNeedingAttention.count == 1 })
    while app.manager.store.record(order.transactionId)?.isReported != true { await Task.yield() }
    let list = try await served.backend("GET", "/v1/reviews")
    #expect(list["reviews"]?.arrayValue?.count == 1)
    #expect(served.requests.count { $0.path == "/v1/reviews" && $0.method == .post } == 2)
  }

  private func review(_ served: ServedShop) async throws -> String {
    let list = try await served.backend("GET", "/v1/reviews")
    return try #require(
      list["reviews"]?.arrayValue?.first?.objectValue?["id"]?.stringValue
    )
  }
}

/// Offers that the real server signs with a key of the store.
@Suite("An offer that the server signs", .timeLimit(.minutes(1)))
struct ServedOfferTests {
  private func lapsed(_ served: ServedShop) async throws -> SimulatedApp {
    let app = try served.installServed { configuration in
      configuration.productTypes = PlanCatalog.types
    }
    try await app.launch()
    _ = try await app.buy(PlanCatalog.silver)
    await app.waitUntilQueueIsEmpty()
    let first = try #require(served.store.transactions(of: Shop.account).last)
    try served.store.setAutoRenew(false, of: first.originalTransactionID)
    served.store.clock.advance(by: 40 * 86_400)
    return app
  }

  @Test("is taken by the store", arguments: generations)
  func promotional(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation, catalog: PlanCatalog.text)
    let app = try await lapsed(served)
    let options = PurchaseOptions(orderReference: "half", offer: .promotional(id: "half"))
    guard case .delivered = try await app.buy(PlanCatalog.silver, options: options) else {
      Issue.record("not delivered")
      return
    }
    let newest = try #require(served.store.transactions(of: Shop.account).last)
    #expect(newest.offer?.reference == OfferReference(type: .promotional, id: "half"))
    #expect(newest.appAccountToken == app.manager.store.order("half")?.accountToken)
    #expect(served.requests.count { $0.path == "/v1/offers/signature" } == 1)
  }

  @Test("as a JWS is taken by the store on StoreKit 2")
  func promotionalJWS() async throws {
    let served = try ServedShop(.storekit2, catalog: PlanCatalog.text)
    let app = try await lapsed(served)
    let options = PurchaseOptions(offer: .promotionalJWS(id: "half", jws: nil))
    let outcome = try await app.buy(PlanCatalog.silver, options: options)
    #expect(outcome.result?.offerId == "half")
  }

  @Test("says whether the introductory offer is allowed", arguments: [true, false])
  func introductory(isAllowed: Bool) async throws {
    let served = try ServedShop(.storekit2, catalog: PlanCatalog.text)
    let app = try served.installServed { $0.productTypes = PlanCatalog.types }
    try await app.launch()
    let coins = try #require(try await app.buy(PlanCatalog.coins).result)
    var options = PurchaseOptions()
    options.introductoryEligibility = .signed(
      isAllowed: isAllowed,
      transactionId: coins.transactionId
    )
    let bought = try await app.buy(PlanCatalog.silver, options: options)
    #expect((bought.result?.offerType == .introductory) == isAllowed)
    // Apple wants a transaction in it: without one nobody signs.
    options.introductoryEligibility = .signed(isAllowed: true, transactionId: nil)
    guard
      case .failed(.offerRefused(let problem)) = try await app.buy(
        PlanCatalog.gold,
        options: options
      )
    else {
      Issue.record("not refused")
      return
    }
    #expect(problem == .notSigned)
  }
}

/// The catalog that the real server gives out.
@Suite("The server's catalog", .timeLimit(.minutes(1)))
struct ServedCatalogTests {
  private static func entry(_ id: ProductID, _ type: String) -> JSONValue {
    .object(["id": .string(id.rawValue), "type": .string(type), "entitlements": ["pro"]])
  }

  @Test("is asked for with its tag, and read again only when it changed", arguments: generations)
  func tags(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let first: JSONObject = ["products": [Self.entry(Shop.lifetime, "Non-Consumable")]]
    let put = await served.answer("PUT", "/v1/catalog", body: first.serialized)
    #expect(put.status == 200)
    let app = try served.installServed { configuration in
      configuration.productIds = []
      configuration.productTypes = [:]
      configuration.usesRemoteCatalog = true
    }
    try await app.launch()
    #expect(try await app.products().products.map(\.id) == [Shop.lifetime.rawValue])
    #expect(try await app.perform { await $0.refreshCatalog() } == .unchanged)
    let tag = try #require(put.headers["ETag"])
    #expect(asked(served).last == tag)
    let known = await served.answer("GET", "/v1/catalog", headers: ["If-None-Match": tag])
    #expect(known.status == 304)
    let second: JSONObject = [
      "products": [
        Self.entry(Shop.monthly, "Auto-Renewable Subscription"),
        Self.entry(Shop.lifetime, "Non-Consumable"),
      ]
    ]
    let changed = await served.answer(
      "PUT",
      "/v1/catalog",
      headers: ["If-Match": tag],
      body: second.serialized
    )
    #expect(changed.status == 200)
    guard case .updated(let catalog) = try await app.perform({ await $0.refreshCatalog() }) else {
      Issue.record("not updated")
      return
    }
    #expect(catalog.productIds == [Shop.monthly.rawValue, Shop.lifetime.rawValue])
    #expect(try await app.products().products.map(\.id) == catalog.productIds)
    // What it opens is the server's word as well.
    _ = try await app.buy(Shop.lifetime)
    #expect(app.manager.entitlements.access(to: "pro").isGranted)
    // After a relaunch the copy is shown with the new tag.
    try await app.launch()
    #expect(try await app.perform { await $0.refreshCatalog() } == .unchanged)
    #expect(asked(served).last == changed.headers["ETag"])
  }

  /// With which tags the app asked.
  private func asked(_ served: ServedShop) -> [String?] {
    served.requests.filter { $0.path == "/v1/catalog" && $0.method == .get }
      .map { $0.headers["If-None-Match"] }
  }
}
