import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage

/// A store and a server to which nobody tells anything.
struct LostOrderDrill {
  /// How a lost purchase is found.
  enum Way: String, CaseIterable {
    case orderID = "order-id"
    case reconciliation
    case sweep
  }

  /// How often goods were granted.
  struct Result {
    var before: Int
    var found: Int
    var again: Int
    var findings: [String]

    var isGood: Bool {
      found == LostOrderDrill.purchaseCount && again == found && !findings.isEmpty
    }
  }

  /// What the customer bought in all.
  private static let purchaseCount = 2

  private static let failure = CommandError(
    .failed,
    Words("the drill came to nothing.", zh: "演练未能完成。")
  )

  private static let device: DeviceID = "phone"
  private static let hosts = AppStoreServerHosts(
    production: "https://store.invalid/production",
    sandbox: "https://store.invalid/sandbox"
  )

  private let store: SimulatedAppStore
  private let server: EntitlementServer
  private let ledger = InMemoryLedger()

  /// Sets both up; the customer owns something that the server knows.
  init(now: @escaping @Sendable () -> Date) async throws {
    let crypto = try OpenSSLPrimitives()
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environment: .production,
        seed: 7,
        start: now()
      ),
      signing: crypto
    )
    try store.addAccount("mia")
    try store.addDevice(Self.device, account: "mia")
    let configuration = ServerConfiguration(
      apps: [
        ServerApp(bundleID: DemoCatalog.bundleID, appAppleID: DemoCatalog.appAppleID)
      ],
      isSimulated: true
    )
    let clock = store.clock
    server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: ServerVerifiers(
        anchors: try .simulated([store.jwsRootCertificate]),
        configuration: configuration,
        crypto: crypto,
        cache: BoundedChainCache()
      ),
      clock: ClosureClock { clock.now },
      world: .live { _ in },
      apple: [DemoCatalog.bundleID: try Self.access(store, crypto, now)]
    )
    // Nothing that the store sends arrives.
    try store.setNotificationURL(URL(string: "https://server.invalid/"))
    store.setNotificationTransport { _, _ in 503 }
  }

  private static func access(
    _ store: SimulatedAppStore,
    _ crypto: OpenSSLPrimitives,
    _ now: @escaping @Sendable () -> Date
  ) throws -> AppleAccess {
    let issued = try store.issuedDeveloperKey()
    let face = StoreHTTPFace(store: store, wallClock: now)
    let world = AppStoreServerWorld(
      now: now,
      sleep: { _ in },
      random: { 0 },
      uuid: { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)) },
      send: { outgoing in
        await face.handle(
          HTTPRequest(
            method: outgoing.method,
            target: String(outgoing.url.dropFirst("https://store.invalid".count)),
            headers: outgoing.headers,
            body: outgoing.body
          )
        )
      }
    )
    let client = AppStoreServerClient(
      bundleID: DemoCatalog.bundleID,
      key: try AppStoreServerKey(
        id: AppStoreKeyID(issued.id.rawValue),
        issuer: AppStoreIssuerID(issued.issuer.rawValue),
        key: try crypto.readSigningKey(pem: Array(issued.p8.utf8))
      ),
      hosts: hosts,
      world: world
    )
    return AppleAccess(client: client, background: client)
  }

  /// Loses a purchase, and finds it.
  func find(_ way: Way) async throws -> Result {
    let known = try buy(DemoCatalog.lifetime)
    if way != .sweep {
      _ = try await ask(
        .post,
        "/v1/verify",
        ["signedTransaction": .string(try store.signedTransaction(known.transactionID))]
      )
    }
    // Of a customer whom the server does not know both are missing.
    let before = try await entries()
    let lost = try buy(DemoCatalog.coins)
    await store.drainNotifications()
    await store.advance(by: 3600)
    let first = try await search(way, lost, known)
    let found = try await entries()
    _ = try await search(way, lost, known)
    return Result(before: before, found: found, again: try await entries(), findings: first)
  }

  private func search(
    _ way: Way,
    _ lost: StoreTransactionRecord,
    _ known: StoreTransactionRecord
  ) async throws -> [String] {
    var body: JSONObject = [:]
    switch way {
    case .orderID:
      let id = try store.orderID(of: lost.transactionID).rawValue
      let answer = try await ask(.get, "/v1/orders/lookup?appStoreOrderId=\(id)", nil)
      return (answer["transactions"]?.arrayValue ?? []).map { "\(id) \($0.serializedText)" }
    case .reconciliation:
      // Only what was sent in the last second: the history has to bring it.
      body["start"] = .integer(store.clock.now.addingTimeInterval(-1).milliseconds)
      body["originalTransactionId"] = .string(known.transactionID.rawValue)
    case .sweep: break
    }
    let begun = try await ask(.post, "/v1/reconciliations", body)
    guard let id = begun["id"]?.stringValue else { throw Self.failure }
    while await server.work() > 0 {}
    let report = try await ask(.get, "/v1/reconciliations/\(id)", nil)
    guard report["state"] == "done" else { throw Self.failure }
    return (report["findings"]?.arrayValue ?? []).map(\.serializedText)
  }

  private func entries() async throws -> Int { try await ledger.counts().entries }

  private func buy(_ product: ProductID) throws -> StoreTransactionRecord {
    let outcome = try store.purchase(
      PurchaseRequest(device: Self.device, productID: product)
    )
    guard case .purchased(let record) = outcome else { throw Self.failure }
    return record
  }

  private func ask(
    _ method: HTTPMethod,
    _ target: String,
    _ body: JSONObject?
  ) async throws -> JSONObject {
    let response = await server.answer(
      HTTPRequest(method: method, target: target, body: body?.serialized ?? [])
    )
    guard response.status == 200 else { throw Self.failure }
    return try JSONParser.parseObject(response.body, limits: .document)
  }
}
