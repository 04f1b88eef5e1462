import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Synchronization
import Testing

/// Plays the server that has the catalog.
private final class CatalogServer: Sendable {
  private struct State {
    var response: ClientResponse?
    var requests: [ClientRequest] = []
  }

  private let state: Mutex<State>

  init(_ response: ClientResponse?) { state = Mutex(State(response: response)) }

  /// What it answers; nil for nothing at all.
  var response: ClientResponse? {
    get { state.withLock { $0.response } }
    set { state.withLock { $0.response = newValue } }
  }

  var requests: [ClientRequest] { state.withLock { $0.requests } }

  func answer(_ request: ClientRequest) throws -> ClientResponse {
    let response = state.withLock { state in
      state.requests.append(request)
      return state.response
    }
    guard let response else {
      throw IAPError.network(underlying: URLError(.cannotConnectToHost))
    }
    if let tag = response.headers["etag"], request.headers["If-None-Match"] == tag {
      return ClientResponse(status: 304)
    }
    return response
  }

  static func catalog(_ tag: String, _ products: String) -> ClientResponse {
    ClientResponse(
      status: 200,
      headers: ["etag": tag],
      body: Array(#"{"products":[\#(products)]}"#.utf8)
    )
  }
}

private let lifetimeEntry = """
  {"id":"\(Shop.lifetime)","type":"Non-Consumable","entitlements":["pro"],
    "displayName":{"en":"For ever","zh-Hans":"永久"}}
  """
private let coinsEntry = #"{"id":"\#(Shop.coins)","type":"Consumable","entitlements":[]}"#
private let seasonEntry = """
  {"id":"\(DemoCatalog.season)","type":"Non-Renewing Subscription","entitlements":["season"],
    "duration":"P30D"}
  """

@Suite("A remote catalog", .timeLimit(.minutes(1)))
struct RemoteCatalogTests {
  private static let standard = CatalogServer.catalog("\"1\"", lifetimeEntry + "," + coinsEntry)
  private static let server = URL(string: "https://iap.example.com")

  /// An app that names no product and no type itself.
  private func install(
    _ generation: StoreGeneration,
    _ server: CatalogServer,
    fallback: IAPCatalog? = nil
  ) throws -> SimulatedApp {
    let access = ServerAccess(url: try #require(Self.server), publicKey: "pk_1")
    let app = try Shop(generation).install { configuration in
      configuration.productIds = []
      configuration.productTypes = [:]
      configuration.server = access
      configuration.usesRemoteCatalog = true
      configuration.fallbackCatalog = fallback
      // The device alone judges, by the catalog.
      configuration.validator = nil
      configuration.checksPurchasesAtServer = false
    }
    app.update { setup in setup.transport = { try server.answer($0) } }
    return app
  }

  private func ids(_ app: SimulatedApp) async throws -> [String] {
    try await app.products().products.map(\.id)
  }

  @Test("says list, order, types, entitlements and names before anything", arguments: generations)
  func first(generation: StoreGeneration) async throws {
    let server = CatalogServer(Self.standard)
    let app = try install(generation, server)
    try await app.launch()
    let answer = try await app.products()
    #expect(answer.products.map(\.id) == [Shop.lifetime.rawValue, Shop.coins.rawValue])
    // StoreKit 1 does not tell these types: the catalog does.
    #expect(answer.products.map(\.type) == [.nonConsumable, .consumable])
    let request = try #require(server.requests.first)
    #expect(request.method == "GET")
    #expect(request.url.absoluteString == "https://iap.example.com/v1/catalog")
    #expect(request.headers == ["Authorization": "Bearer pk_1", "Accept": "application/json"])
    #expect(request.timeout == 8)
    let lifetime = try #require(answer.products.first)
    #expect(app.manager.displayName(of: lifetime, languages: ["zh-Hans-CN"]) == "永久")
    #expect(app.manager.displayName(of: lifetime, languages: ["fr"]) == lifetime.displayName)
    _ = try await app.buy(Shop.lifetime)
    #expect(app.manager.entitlements.access(to: "pro").isGranted)
    #expect(!app.access(to: Shop.lifetime).isGranted)
  }

  @Test("is used again when the server is down after a relaunch", arguments: generations)
  func lastGoodCopy(generation: StoreGeneration) async throws {
    let server = CatalogServer(Self.standard)
    let app = try install(generation, server)
    try await app.launch()
    let expected = try await ids(app)
    server.response = nil
    try await app.launch()
    #expect(try await ids(app) == expected)
    let answer = try await app.products()
    #expect(answer.products.map(\.type) == [.nonConsumable, .consumable])
    await app.lines.wait {
      $0 == LogLine(.warning, "catalog: IAPError.network; the last good copy stays in use")
    }
    // The tag of the copy goes with the question.
    #expect(server.requests.last?.headers["If-None-Match"] == "\"1\"")
  }

  @Test(
    "stays what it was when the answer is no catalog",
    arguments: [
      (
        ClientResponse(status: 200, body: Array("<html>Welcome to the airport</html>".utf8)),
        "the text is a page (HTML), no catalog"
      ),
      (
        ClientResponse(status: 200, body: Array("garbage".utf8)),
        "the text is no JSON object: notJSON"
      ),
      (ClientResponse(status: 200), "the text is no JSON object: notJSON"),
      (ClientResponse(status: 302, headers: ["location": "/login"]), "the server answered 302"),
      (ClientResponse(status: 500), "the server answered 500"),
      (ClientResponse(status: 204), "the server answered 204"),
      (
        ClientResponse(status: 200, body: [UInt8](repeating: 0x20, count: 1024 * 1024 + 1)),
        "the text is no JSON object: tooLarge"
      ),
      (
        CatalogServer.catalog("\"2\"", coinsEntry + "," + coinsEntry), "products[1].id stands twice"
      ),
    ] as [(ClientResponse, String)]
  )
  func badAnswers(row: (response: ClientResponse, reason: String)) async throws {
    for generation in generations {
      let server = CatalogServer(Self.standard)
      let app = try install(generation, server)
      try await app.launch()
      let expected = try await ids(app)
      server.response = row.response
      guard case .failed = try await app.perform({ await $0.refreshCatalog() }) else {
        Issue.record("taken: \(row.reason)")
        return
      }
      #expect(try await ids(app) == expected)
      #expect(
        app.lines.elements.contains(
          LogLine(.warning, "catalog: \(row.reason); the last good copy stays in use")
        )
      )
      try await app.launch()
      #expect(try await ids(app) == expected)
    }
  }

  @Test("is what the app brought until the server has answered once", arguments: generations)
  func fallback(generation: StoreGeneration) async throws {
    let server = CatalogServer(nil)
    let brought = IAPCatalog([IAPCatalog.Entry(id: Shop.coins.rawValue, type: .consumable)])
    let app = try install(generation, server, fallback: brought)
    try await app.launch()
    #expect(try await ids(app) == [Shop.coins.rawValue])
    await app.lines.wait {
      $0 == LogLine(.warning, "catalog: IAPError.network; what the app brought stays in use")
    }
    var changes = app.manager.catalogStream.makeAsyncIterator()
    server.response = Self.standard
    guard case .updated(let catalog) = try await app.perform({ await $0.refreshCatalog() }) else {
      Issue.record("not updated")
      return
    }
    #expect(catalog.productIds == [Shop.lifetime.rawValue, Shop.coins.rawValue])
    #expect(await changes.next() == catalog)
    #expect(app.manager.catalog == catalog)
    #expect(try await ids(app) == catalog.productIds)
    #expect(try await app.perform { await $0.refreshCatalog() } == .unchanged)
  }

  @Test("without a copy or a fallback leaves the configured products", arguments: generations)
  func configured(generation: StoreGeneration) async throws {
    let server = CatalogServer(nil)
    let app = try install(generation, server)
    app.update { setup in
      let configure = setup.configure
      setup.configure = { configuration in
        configure(&configuration)
        configuration.productIds = [Shop.monthly.rawValue]
      }
    }
    try await app.launch()
    #expect(try await ids(app) == [Shop.monthly.rawValue])
    // A server that nobody has given a catalog yet.
    server.response = CatalogServer.catalog("\"0\"", "")
    _ = try await app.perform { await $0.refreshCatalog() }
    #expect(try await ids(app) == [Shop.monthly.rawValue])
  }

  @Test("that is damaged on the disk, or another server's, is not used", arguments: generations)
  func damaged(generation: StoreGeneration) async throws {
    let server = CatalogServer(Self.standard)
    let app = try install(generation, server)
    try await app.launch()
    _ = try await ids(app)
    app.kill()
    let bytes = try #require(app.device.disk.flushedBytes(of: "catalog.json"))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("pk_1"))
    let changed = [
      text.replacing("Non-Consumable", with: "Non-Consumabel"),
      text.replacing("iap.example.com", with: "test.example.com"), String(text.dropLast(9)), "",
    ]
    server.response = nil
    for copy in changed {
      app.device.disk.place(Array(copy.utf8), as: "catalog.json")
      try await app.launch()
      #expect(try await ids(app) == [])
      #expect(server.requests.last?.headers["If-None-Match"] == nil)
      app.kill()
    }
    #expect(
      app.lines.elements.count {
        $0 == LogLine(.warning, "catalog: the kept copy cannot be used")
      } == changed.count
    )
  }

  @Test("is asked for when the app comes to the front, not too often", arguments: generations)
  func foreground(generation: StoreGeneration) async throws {
    let server = CatalogServer(Self.standard)
    let app = try install(generation, server)
    try await app.launch()
    _ = try await app.perform { await $0.refreshCatalog() }
    let count = server.requests.count
    app.device.store.clock.advance(by: 299)
    try await app.enterForeground()
    #expect(server.requests.count == count)
    app.device.store.clock.advance(by: 1)
    try await app.enterForeground()
    #expect(server.requests.count == count + 1)
  }

  @Test("says how long a non-renewing subscription gives access", arguments: generations)
  func duration(generation: StoreGeneration) async throws {
    let server = CatalogServer(CatalogServer.catalog("\"1\"", seasonEntry))
    let app = try install(generation, server)
    try await app.launch()
    _ = try await ids(app)
    _ = try await app.buy(DemoCatalog.season)
    let end = Shop.start.addingTimeInterval(30 * 86_400)
    guard case .yes(let until?, _, _) = app.manager.entitlements.access(to: "season") else {
      Issue.record("no access, or without an end")
      return
    }
    #expect(abs(until.timeIntervalSince(end)) < 60)
  }
}

@Suite("A server without a validator", .timeLimit(.minutes(1)))
struct ServerJudgeTests {
  @Test("judges purchases, with the app's key, unless the app says no", arguments: generations)
  func judge(generation: StoreGeneration) async throws {
    let url = try #require(URL(string: "https://iap.example.com"))
    let server = CatalogServer(
      ClientResponse(
        status: 200,
        body: Array(#"{"isValid":true,"productId":"\#(Shop.coins)"}"#.utf8)
      )
    )
    for isAsked in [true, false] {
      let app = try Shop(generation).install { configuration in
        configuration.validator = nil
        configuration.server = ServerAccess(url: url, publicKey: "pk_1")
        configuration.checksPurchasesAtServer = isAsked
      }
      app.update { setup in setup.transport = { try server.answer($0) } }
      let before = server.requests.count
      try await app.launch()
      guard case .delivered = try await app.buy(Shop.coins) else {
        Issue.record("not delivered")
        return
      }
      let asked = server.requests[before...].map(\.url.path)
      #expect(asked.contains("/v1/verify") == isAsked)
      #expect(
        server.requests[before...].allSatisfy { $0.headers["Authorization"] == "Bearer pk_1" }
      )
    }
  }
}
