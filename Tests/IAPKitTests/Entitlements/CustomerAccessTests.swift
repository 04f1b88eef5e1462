import AppStoreSimulator
import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import SimulatedApp
import SimulatedDevice
import Synchronization
import Testing

@testable import IAPKit

/// A server that gives tokens and answers for them, from the store's own books as they are and as
/// they were whenever it was asked: like the real one it forgets no refund that was undone.
private final class TokenServer: Sendable {
  static let token = "tok_PLANTED_SECRET"

  private let shop: Shop
  private let state = Mutex((isDown: false, forgets: false, asked: [String]()))
  private let facts = Mutex<Set<StoreFact>>([])

  init(_ shop: Shop) { self.shop = shop }

  var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }
  var forgetsTokens: Bool {
    get { state.withLock { $0.forgets } }
    set { state.withLock { $0.forgets = newValue } }
  }
  /// The paths that were asked for, and with which token.
  var asked: [String] { state.withLock { $0.asked } }

  func install(
    on id: DeviceID = "phone",
    account: String? = "user-1"
  ) throws -> SimulatedApp {
    let app = try shop.install(on: id, configure: { $0.account = account })
    let endpoint = try #require(URL(string: "https://server.test/v1/verify"))
    app.update { setup in
      setup.judge = .server(endpoint: endpoint) { try self.answer($0) }
    }
    return app
  }

  private func answer(_ request: ClientRequest) throws -> ClientResponse {
    let given = request.headers["Customer-Token"]
    let (isDown, forgets) = state.withLock { state in
      state.asked.append("\(request.method) \(request.url.path) \(given == nil ? "-" : "token")")
      return (state.isDown, state.forgets)
    }
    guard !isDown else { throw IAPError.network(underlying: URLError(.timedOut)) }
    let news = try shop.server.history(of: Shop.account).facts
    let history = facts.withLock { facts in
      facts.formUnion(news)
      return StoreHistory(facts)
    }
    let now = shop.store.clock.now
    let entitlements = history.access(at: now).entitlements.map { entitlement -> JSONValue in
      var object: JSONObject = [
        "id": .string(entitlement.id.rawValue),
        "productId": .string(entitlement.productID.rawValue),
      ]
      object["until"] = entitlement.until.map { .integer($0.milliseconds) }
      return .object(object)
    }
    var answer: JSONObject = ["entitlements": .array(entitlements)]
    if request.url.path == "/v1/customers/me" {
      guard given == Self.token, !forgets else { return ClientResponse(status: 401) }
      answer["purchases"] = .array(
        history.units.map { unit in
          var object: JSONObject = [
            "transactionIds": .array(unit.transactionIDs.map { .string($0.rawValue) }),
            "isActive": .bool(unit.isActive),
          ]
          object["revocationDate"] = unit.revocationDate.map { .integer($0.milliseconds) }
          return .object(object)
        }
      )
      answer["subscriptions"] = .array(
        history.subscriptions(at: now).map { state in
          [
            "originalTransactionId": .string(state.originalTransactionID.rawValue),
            "productId": .string(state.productID.rawValue),
            "state": .string(state.phase.rawValue), "willAutoRenew": true,
          ]
        }
      )
    } else {
      answer["isValid"] = true
      answer["customerToken"] = .string(Self.token)
    }
    return ClientResponse(status: 200, body: answer.serialized)
  }
}

@Suite("Access by the customer's own token", .timeLimit(.minutes(1)))
struct CustomerAccessTests {
  private static let secretFile = "customer-token.secret"

  @Test("is known to a device that knows no transaction", arguments: generations)
  func freshInstallation(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let server = TokenServer(shop)
    let app = try server.install()
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    app.kill()
    // The keychain outlives the app; everything else goes with it.
    let secret = try #require(app.device.disk.flushedBytes(of: Self.secretFile))
    for name in app.device.disk.names { app.device.disk.place(nil, as: name) }
    app.device.disk.place(secret, as: Self.secretFile)
    try await app.launch()
    try await app.enterForeground()
    #expect(app.manager.store.records() == [])
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: false))
    #expect(server.asked.last == "GET /v1/customers/me token")
  }

  @Test("is what the real server gives and takes", arguments: generations)
  func realServer(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let app = try served.install(configure: { $0.account = "user-1" })
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    app.kill()
    let secret = try #require(app.device.disk.flushedBytes(of: Self.secretFile))
    for name in app.device.disk.names { app.device.disk.place(nil, as: name) }
    app.device.disk.place(secret, as: Self.secretFile)
    app.update { $0.receipt = { _ in nil } }
    try await app.launch()
    try await app.enterForeground()
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: false))
  }

  @Test("tells of a consumable's refund, which StoreKit 1 does not", arguments: generations)
  func consumableRefund(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try TokenServer(shop).install()
    try await app.launch()
    _ = try await app.buy(Shop.coins)
    await app.waitUntilQueueIsEmpty()
    let bought = try #require(shop.store.transactions(of: Shop.account).last)
    try shop.store.refund(bought.transactionID)
    try await app.enterForeground()
    await app.waitUntil(1, .clawback, of: Shop.coins)
    try await app.enterForeground()
    #expect(app.count(.clawback, of: Shop.coins) == 1)
  }

  @Test("is not needed to hear of a consumable's refund, and of its end", arguments: generations)
  func consumableRefundWithoutToken(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let app = try served.install(configure: { $0.account = "user-1" })
    try await app.launch()
    _ = try await app.buy(Shop.coins)
    await app.waitUntilQueueIsEmpty()
    let bought = try #require(served.store.transactions(of: Shop.account).last)
    app.kill()
    app.device.disk.place(nil, as: Self.secretFile)
    served.store.clock.advance(by: 60)
    try served.store.refund(bought.transactionID)
    try await served.tellServer(of: bought.transactionID)
    try await app.launch()
    await app.waitUntil(1, .clawback, of: Shop.coins)
    served.store.clock.advance(by: EntitlementRefresh.usedUpSecondsMin)
    try served.store.reverseRefund(bought.transactionID)
    try await served.tellServer(of: bought.transactionID)
    if generation == .storekit1 { try await app.enterForeground() }
    await app.waitUntil(1, .regrant, of: Shop.coins)
    #expect(app.effects.count == 3)
  }

  @Test("is not needed by the second user of a telephone either, right behind the first")
  func consumableRefundOfTheSecondUser() async throws {
    let served = try ServedShop(.storekit1)
    let app = try served.install(configure: { $0.account = "user-1" })
    try await app.launch()
    _ = try await app.buy(Shop.coins)
    await app.waitUntilQueueIsEmpty()
    let bought = try #require(served.store.transactions(of: Shop.account).last)
    app.kill()
    app.device.disk.place(nil, as: Self.secretFile)
    served.store.clock.advance(by: 60)
    try served.store.refund(bought.transactionID)
    try await served.tellServer(of: bought.transactionID)
    app.update { $0.configure = { $0.account = "user-2" } }
    try await app.launch()
    try await app.enterForeground()
    #expect(app.count(.clawback, of: Shop.coins) == 0)
    try await app.perform { await $0.setAccount("user-1", userToken: nil) }
    try await app.enterForeground()
    await app.waitUntil(1, .clawback, of: Shop.coins)
  }

  @Test(
    "or its lack is no reason to ask about what is used up at each occasion",
    arguments: [
      (EntitlementRefresh.usedUpSecondsMin - 1, 1), (EntitlementRefresh.usedUpSecondsMin, 2),
    ]
  )
  func usedUpIsAskedAboutRarely(_ row: (seconds: TimeInterval, count: Int)) async throws {
    let shop = try Shop(.storekit1)
    let server = TokenServer(shop)
    let app = try server.install(account: nil)
    try await app.launch()
    _ = try await app.buy(Shop.coins)
    await app.waitUntilQueueIsEmpty()
    server.forgetsTokens = true
    try await app.enterForeground()
    shop.store.clock.advance(by: row.seconds)
    let before = server.asked.count
    try await app.enterForeground()
    let asked = server.asked.dropFirst(before).filter { $0.hasPrefix("POST") }
    #expect(asked.count == row.count - 1)
  }

  @Test("ends with a refund of which only the server told, whatever was signed before")
  func refundByTheServer() async throws {
    let shop = try Shop(.storekit2)
    let app = try TokenServer(shop).install()
    let heard = EventLog<Access>()
    app.update { setup in
      setup.hears = { [weak app] delivery in
        guard let app, delivery.kind == .clawback else { return }
        heard.append(app.access(to: Shop.lifetime))
      }
    }
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    // From now on StoreKit has nothing to say that holds.
    shop.store.changeFaults { $0.signature = .broken }
    try await app.launch()
    let bought = try #require(shop.store.transactions(of: Shop.account).last)
    // What was signed later than a refund, and names none, says that it was undone.
    shop.store.clock.advance(by: 60)
    try shop.store.refund(bought.transactionID)
    try await app.enterForeground()
    await app.waitUntil(1, .clawback, of: Shop.lifetime)
    #expect(heard.elements == [.no], "at once, and not when the server is asked again")
    #expect(app.access(to: Shop.lifetime) == .no)
  }

  @Test("comes back with a reversal of which only the server told", arguments: generations)
  func reversalByTheServer(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try TokenServer(shop).install()
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    let bought = try #require(shop.store.transactions(of: Shop.account).last)
    try shop.store.refund(bought.transactionID)
    try await app.enterForeground()
    await app.waitUntil(1, .clawback, of: Shop.lifetime)
    shop.store.changeFaults { $0.signature = .broken }
    try await app.launch()
    shop.store.clock.advance(by: 60)
    try shop.store.reverseRefund(bought.transactionID)
    try await app.enterForeground()
    await app.waitUntil(1, .regrant, of: Shop.lifetime)
    #expect(app.access(to: Shop.lifetime).isGranted)
  }

  @Test("is the server's word on subscriptions where StoreKit has none")
  func subscriptions() async throws {
    let shop = try Shop(.storekit1)
    let app = try TokenServer(shop).install()
    try await app.launch()
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    try await app.enterForeground()
    let known = app.manager.entitlements.subscriptions
    #expect(known.map(\.productID) == [Shop.monthly])
    #expect(known.map(\.state) == [.subscribed])
    #expect(known.map(\.willAutoRenew) == [true])
    #expect(known.map(\.source) == [.server])
  }

  @Test("goes on without the token that the server has forgotten", arguments: generations)
  func forgottenToken(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let server = TokenServer(shop)
    let app = try server.install()
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    server.forgetsTokens = true
    try await app.enterForeground()
    #expect(
      server.asked.suffix(2) == ["GET /v1/customers/me token", "POST /v1/verify -"],
      "the purchase is shown again, without it"
    )
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: false))
  }

  @Test("asks nobody twice while the server is down, and keeps what is known")
  func serverDown() async throws {
    let shop = try Shop(.storekit2)
    let server = TokenServer(shop)
    let app = try server.install()
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    server.isDown = true
    let before = server.asked.count
    try await app.enterForeground()
    #expect(server.asked.count == before + 1)
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: false))
  }

  @Test("is never another user's", arguments: generations)
  func anotherUser(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let server = TokenServer(shop)
    let app = try server.install()
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    server.isDown = true
    app.update { $0.configure = { $0.account = "user-2" } }
    try await app.launch()
    let access = app.access(to: Shop.lifetime)
    if case .yes(_, .server, _) = access { Issue.record("\(access)") }
    #expect(!server.asked.suffix(1).contains("GET /v1/customers/me token"))
  }

  @Test("stays a secret: no line of the log shows the token")
  func secrecy() async throws {
    let shop = try Shop(.storekit2)
    let app = try TokenServer(shop).install()
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    try await app.enterForeground()
    #expect(app.lines.elements.allSatisfy { !$0.message.contains("PLANTED") })
  }
}

@Suite("What is remembered of access", .timeLimit(.minutes(1)))
struct RememberedAccessTests {
  private static let cache = "access.json"

  private func bought(_ shop: Shop) async throws -> SimulatedApp {
    let app = try await shop.launch()
    _ = try await app.buy(Shop.lifetime)
    await app.waitUntilQueueIsEmpty()
    app.kill()
    shop.server.mood = .down
    app.device.isInAirplaneMode = true
    return app
  }

  @Test("counts for nothing when the file was changed", arguments: generations)
  func changedFile(generation: StoreGeneration) async throws {
    let app = try await bought(Shop(generation))
    let bytes = try #require(app.device.disk.flushedBytes(of: Self.cache))
    let text = String(decoding: bytes.dropFirst(32), as: UTF8.self)
    let forged = text.replacingOccurrences(of: Shop.lifetime.rawValue, with: Shop.monthly.rawValue)
    #expect(forged != text)
    app.device.disk.place(Array(bytes.prefix(32)) + Array(forged.utf8), as: Self.cache)
    try await app.launch()
    #expect(!app.access(to: Shop.monthly).isGranted)
    if case .yes(_, .server, _) = app.access(to: Shop.lifetime) { Issue.record("believed") }
    #expect(app.lines.elements.contains { $0.message.contains("was not written here") })
  }

  @Test(
    "is unknown when the file is damaged, foreign or without its key",
    arguments: ["truncated", "empty", "junk", "flipped", "other key", "no key"]
  )
  func damagedFile(damage: String) async throws {
    let shop = try Shop(.storekit1)
    let app = try await bought(shop)
    let disk = app.device.disk
    var bytes = try #require(disk.flushedBytes(of: Self.cache))
    switch damage {
    case "truncated": bytes.removeLast()
    case "empty": bytes = []
    case "junk": bytes = Array("{}".utf8)
    case "flipped": bytes[40] ^= 1
    case "other key": disk.place([UInt8](repeating: 7, count: 32), as: "access-key.secret")
    default: disk.place(nil, as: "access-key.secret")
    }
    disk.place(bytes, as: Self.cache)
    app.update { $0.receipt = { _ in nil } }
    try await app.launch()
    #expect(app.access(to: Shop.lifetime) == .unknown)
  }

  @Test("is provisional for a week and unknown a moment later", arguments: generations)
  func offline(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await bought(shop)
    app.update { $0.receipt = { _ in nil } }
    let asOf = shop.store.clock.now
    shop.store.clock.advance(to: asOf.addingTimeInterval(7 * 86_400 - 1))
    try await app.launch()
    #expect(app.access(to: Shop.lifetime) == .yes(until: nil, source: .server, provisional: true))
    shop.store.clock.advance(by: 2)
    let after = app.access(to: Shop.lifetime)
    // StoreKit 2 knows of the purchase without any server; provisionally, as there is one.
    #expect(
      generation == .storekit1
        ? after == .unknown
        : after == .yes(until: nil, source: .device, provisional: true) || after == .unknown
    )
  }

  @Test("does not come back with a clock that was set back a year", arguments: generations)
  func clockSetBack(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install()
    app.update { $0.judge = .device }
    try await app.launch()
    _ = try await app.buy(Shop.monthly)
    await app.waitUntilQueueIsEmpty()
    try await app.enterForeground()
    #expect(app.access(to: Shop.monthly).isGranted)
    let original = try #require(shop.store.subscriptions.first?.originalTransactionID)
    try shop.store.setAutoRenew(false, of: original)
    await shop.store.advance(by: 40 * 86_400)
    try await app.enterForeground()
    #expect(app.access(to: Shop.monthly) == .no)
    app.device.isInAirplaneMode = true
    app.update { $0.clockOffset = -365 * 86_400 }
    try await app.launch()
    try await app.enterForeground()
    #expect(app.access(to: Shop.monthly) == .unknown)
    #expect(app.manager.entitlements.purchasedProductIDs == [])
    app.update { $0.clockOffset = 0 }
    try await app.launch()
    try await app.enterForeground()
    #expect(app.access(to: Shop.monthly) == .no)
  }
}
