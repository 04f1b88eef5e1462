import AppStoreSimulator
import Dashboard
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage
import Synchronization

/// A server with a dashboard on a simulated store, and a browser's memory of cookies.
final class TestSite: Sendable {
  static let start = Date(milliseconds: 1_767_268_800_000)  // 2026-01-01T12:00:00Z
  static let app = DemoCatalog.bundleID
  static let otherApp: BundleID = "com.example.other"
  static let password = "correct horse battery"

  let store: SimulatedAppStore
  let ledger: any Ledger
  let server: EntitlementServer
  let site: DashboardSite
  private let clock = Mutex(TestSite.start)
  private let chance = Mutex<UInt8>(0)

  private struct FollowedClock: ServerClock {
    let read: @Sendable () -> Date
    func now() async -> Date { read() }
  }

  init(ledger: any Ledger = InMemoryLedger()) throws {
    let crypto = try OpenSSLPrimitives()
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: Self.app,
        appAppleID: DemoCatalog.appAppleID,
        environment: .sandbox,
        seed: 7,
        start: Self.start
      ),
      signing: crypto
    )
    try store.addAccount("mia")
    try store.addDevice("phone", account: "mia")
    self.ledger = ledger
    let configuration = ServerConfiguration(
      apps: [
        ServerApp(
          bundleID: Self.app,
          appAppleID: DemoCatalog.appAppleID,
          accounts: .claimed
        ), ServerApp(bundleID: Self.otherApp, appAppleID: AppAppleID(99)),
      ],
      isSimulated: true
    )
    let (store, counter) = (store, Counter())
    server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: ServerVerifiers(
        anchors: try .simulated([store.jwsRootCertificate]),
        configuration: configuration,
        crypto: crypto,
        cache: BoundedChainCache()
      ),
      clock: FollowedClock { store.clock.now },
      world: ServerWorld(
        requestID: { "req" },
        uptime: { .zero },
        random: { counter.bytes($0) },
        log: { _ in }
      )
    )
    // Quick on purpose: how slow a guess is made is tested where the work is done.
    site = DashboardSite(
      server: server,
      mill: PasswordMill(cost: PasswordCost(cost: 2, blockSize: 1, rounds: 1)) {
        crypto.digest(.sha256, $0 + $1) + [UInt8](repeating: 0, count: $3 - 32)
      }
    )
    let handler = server.handler
    try store.setNotificationURL(URL(string: "http://server.test/v1/notifications/apple"))
    store.setNotificationTransport { _, body in
      await handler(
        HTTPRequest(method: .post, target: "/v1/notifications/apple", body: body)
      ).status
    }
  }

  private final class Counter: Sendable {
    private let number = Mutex<UInt64>(0)

    func bytes(_ count: Int) -> [UInt8] {
      let seed = number.withLock { number -> UInt64 in
        number += 1
        return number
      }
      return (0..<count).map { UInt8(truncatingIfNeeded: seed &* 31 &+ UInt64($0) &* 7) }
    }
  }

  func add(
    _ name: OperatorName = "ada",
    role: OperatorRecord.Role = .act,
    apps: [BundleID] = []
  ) async throws {
    try await site.accounts.put(
      name,
      password: Self.password,
      role: role,
      apps: apps,
      at: store.clock.now
    )
  }

  /// Buys something and tells the server for an account.
  @discardableResult
  func buy(
    _ product: ProductID,
    account: String = "mia-1",
    order: OrderNumber? = nil
  ) async throws -> StoreTransactionRecord {
    let outcome = try store.purchase(
      PurchaseRequest(
        device: "phone",
        productID: product,
        quantity: 1,
        appAccountToken: order?.accountToken
      )
    )
    guard case .purchased(let record) = outcome else { throw NotBought() }
    let text = try store.signedTransaction(record.transactionID)
    let answer = await post(
      "/v1/verify",
      [
        "signedTransaction": .string(text), "account": .string(account),
        "productId": .string(product.rawValue),
      ]
    )
    guard answer.status == 200 else { throw NotBought() }
    await store.drainNotifications()
    return record
  }

  struct NotBought: Error {}

  func post(_ path: String, _ body: JSONObject, app: BundleID = app) async -> HTTPResponse {
    await server.answer(
      HTTPRequest(
        method: .post,
        target: path + "?app=\(app)",
        headers: ["Content-Type": "application/json"],
        body: body.serialized
      )
    )
  }
}

/// Somebody's browser: it keeps cookies and follows nothing by itself.
final class TestBrowser: Sendable {
  let site: DashboardSite
  private let jar = Mutex<[String: String]>([:])
  let address: String
  let language: String

  init(_ test: TestSite, address: String = "192.0.2.7", language: String = "en-GB") {
    site = test.site
    self.address = address
    self.language = language
  }

  var cookies: [String: String] { jar.withLock { $0 } }

  func setCookie(_ name: String, _ value: String) { jar.withLock { $0[name] = value } }

  func send(
    _ method: HTTPMethod,
    _ target: String,
    form: [(String, String)]? = nil,
    headers: [String: String] = [:]
  ) async -> TestPage {
    var request = HTTPRequest(
      method: method,
      target: target,
      headers: ["Host": "127.0.0.1:8080", "Accept-Language": language],
      remote: address
    )
    let cookie = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    if !cookie.isEmpty { request.headers["Cookie"] = cookie.joined(separator: "; ") }
    for (name, value) in headers { request.headers[name] = value }
    if let form {
      request.headers["Content-Type"] = "application/x-www-form-urlencoded"
      let text = form.map { "\(PercentCoding.encode($0.0))=\(PercentCoding.encode($0.1))" }
      request.body = Array(text.joined(separator: "&").utf8)
    }
    let response = await site.answer(request)
    for field in response.headers where field.name.lowercased() == "set-cookie" {
      let words = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      let value = words.count > 1 ? String(words[1]) : ""
      jar.withLock { $0[String(words[0])] = value.isEmpty ? nil : value }
    }
    return TestPage(response: response)
  }

  func get(_ target: String) async -> TestPage { await send(.get, target) }

  /// Sends the form of a page with its token.
  func submit(
    _ page: TestPage,
    to target: String,
    _ fields: [(String, String)] = []
  ) async -> TestPage {
    await send(.post, target, form: [("token", page.token ?? "")] + fields)
  }

  @discardableResult
  func logIn(
    _ name: String = "ada",
    password: String = TestSite.password
  ) async -> TestPage {
    let page = await get("/dashboard/login")
    return await submit(
      page,
      to: "/dashboard/login",
      [("name", name), ("password", password)]
    )
  }
}

/// A response, as a test reads it.
struct TestPage {
  let response: HTTPResponse

  var status: Int { response.status }
  var text: String { String(decoding: response.body, as: UTF8.self) }
  var location: String? { response.headers["Location"] }

  /// The token of the last form that has one.
  var token: String? {
    let mark = "name=\"token\" value=\""
    guard let found = text.range(of: mark, options: .backwards) else { return nil }
    return String(text[found.upperBound...].prefix { $0 != "\"" })
  }

  /// What people read: without the elements.
  var words: String {
    var result = ""
    var isInside = false
    for character in text {
      if character == "<" {
        isInside = true
      } else if character == ">" {
        isInside = false
      } else if !isInside {
        result.append(character)
      }
    }
    return result
  }
}
