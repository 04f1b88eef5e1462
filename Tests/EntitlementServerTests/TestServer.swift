import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import SQLiteStorage
import ServerStorage
import Synchronization
import Testing

/// The ledgers that the server is tested on.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { rawValue }
}

/// A simulated store and the server under test, on one virtual clock.
final class TestServer: Sendable {
  static let start = Date(milliseconds: 1_767_268_800_000)  // 2026-01-01T12:00:00Z
  static let appB: BundleID = "com.example.other"

  let store: SimulatedAppStore
  let server: EntitlementServer
  let ledger: any Ledger
  let phone: DeviceID = "phone"
  let pad: DeviceID = "pad"

  /// Makes store and server; RSA keys are made once for all tests.
  init(
    ledger: any Ledger = InMemoryLedger(),
    storeEnvironment: StoreEnvironment = .sandbox,
    serverEnvironments: Set<StoreEnvironment> = [.production, .sandbox],
    trusts other: SimulatedAppStore? = nil,
    limits: ServerLimits = .standard,
    depth: NotificationVerifier.Depth = .everySignature,
    receipts: Bool = false,
    root: [UInt8]? = nil,
    requiresKeys: Bool = false,
    otherApp: Bool = false,
    transfers: TransferPolicy = .keep,
    accounts: AccountTrust = .claimed,
    offerKeys: [BundleID: AppStoreServerKey] = [:],
    lookup: (any StoreLookup)? = nil,
    apple: StandInApple? = nil,
    revocation: RevocationDesk? = nil,
    webhooks: WebhookWorld? = nil,
    worker: String? = nil,
    clockAhead: TimeInterval = 0
  ) throws {
    store = try Self.makeStore(storeEnvironment)
    let roots = try Self.roots(of: other ?? store, root, receipts: receipts)
    let app = ServerApp(
      bundleID: DemoCatalog.bundleID,
      appAppleID: DemoCatalog.appAppleID,
      environments: serverEnvironments,
      transfers: transfers,
      accounts: accounts
    )
    let others = otherApp ? [ServerApp(bundleID: Self.appB, appAppleID: AppAppleID(99))] : []
    let configuration = ServerConfiguration(
      apps: [app] + others,
      isSimulated: true,
      requiresKeys: requiresKeys,
      limits: limits
    )
    let (clock, sink, uptime) = (store.clock, EventSink(), VirtualUptime())
    (self.uptime, self.ledger) = (uptime, ledger)
    server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: ServerVerifiers(
        anchors: try .simulated(roots),
        configuration: configuration,
        crypto: Self.crypto,
        cache: BoundedChainCache(),
        depth: depth,
        revocation: revocation
      ),
      clock: ClosureClock { clock.now.addingTimeInterval(clockAhead) },
      world: Self.world(uptime, sink, worker),
      offerKeys: offerKeys,
      lookup: lookup,
      apple: try Self.access(apple, store),
      webhooks: webhooks
    )
    self.sink = sink
    try connect()
  }

  private static func roots(
    of store: SimulatedAppStore,
    _ other: [UInt8]?,
    receipts: Bool
  ) throws -> [[UInt8]] {
    let roots = [store.jwsRootCertificate] + (other.map { [$0] } ?? [])
    return receipts ? roots + [try store.receiptRootCertificate()] : roots
  }

  private static func access(
    _ apple: StandInApple?,
    _ store: SimulatedAppStore
  ) throws -> [BundleID: AppleAccess] {
    guard let apple else { return [:] }
    return [DemoCatalog.bundleID: try apple.access(to: store)]
  }

  /// Makes the store send its notifications to the server.
  private func connect() throws {
    let handler = server.handler
    try store.setNotificationURL(URL(string: "http://server.test/v1/notifications/apple"))
    store.setNotificationTransport { _, body in
      await handler(
        HTTPRequest(method: .post, target: "/v1/notifications/apple", body: body)
      ).status
    }
  }

  private static func world(
    _ uptime: VirtualUptime,
    _ sink: EventSink,
    _ worker: String?
  ) -> ServerWorld {
    let number = Mutex(0)
    var world = ServerWorld(
      requestID: {
        number.withLock { number in
          number += 1
          return "req_\(number)"
        }
      },
      uptime: { uptime.now.withLock { $0 } },
      random: { uptime.bytes($0) },
      pause: { duration in
        // A wait takes no time here: the clock is moved instead.
        if uptime.isStill.withLock({ $0 }) { return await ServerWorld.cancellation() }
        await Task.yield()
        uptime.advance(duration)
      },
      log: { sink.add($0) }
    )
    world.worker = worker
    return world
  }

  private let sink: EventSink
  let uptime: VirtualUptime

  /// What the server logged.
  var logged: [ServerEvent] { sink.events.withLock { $0 } }

  static var sharedCrypto: OpenSSLPrimitives { crypto }

  private static let crypto: OpenSSLPrimitives = {
    do { return try OpenSSLPrimitives() } catch { fatalError("\(error)") }
  }()

  private static func makeStore(_ environment: StoreEnvironment) throws -> SimulatedAppStore {
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environment: environment,
        seed: 7,
        start: start
      ),
      signing: crypto
    )
    try store.addApp(appB, appAppleID: AppAppleID(99), catalog: try DemoCatalog.load())
    try store.addAccount("mia")
    try store.addDevice("phone", account: "mia")
    try store.addDevice("pad", account: "mia")
    try store.addDevice("other-app", account: "mia", app: appB)
    return store
  }

  func buy(
    _ product: ProductID,
    on device: DeviceID = "phone",
    token: AppAccountToken? = nil,
    quantity: Int = 1
  ) throws -> StoreTransactionRecord {
    let outcome = try store.purchase(
      PurchaseRequest(
        device: device,
        productID: product,
        quantity: quantity,
        appAccountToken: token
      )
    )
    guard case .purchased(let record) = outcome else { throw NotBought(outcome: outcome) }
    return record
  }

  struct NotBought: Error { let outcome: PurchaseOutcome }

  func post(_ path: String, _ body: JSONObject) async throws -> TestAnswer {
    try await send(HTTPRequest(method: .post, target: path, body: body.serialized))
  }

  func verify(_ body: JSONObject) async throws -> TestAnswer { try await post("/v1/verify", body) }

  func verify(
    _ record: StoreTransactionRecord,
    _ more: JSONObject = [:]
  ) async throws -> TestAnswer {
    let text = try store.signedTransaction(record.transactionID)
    var body: JSONObject = ["signedTransaction": .string(text)]
    for member in more.members { body[member.name] = member.value }
    return try await verify(body)
  }

  func get(_ target: String) async throws -> TestAnswer {
    try await send(HTTPRequest(method: .get, target: target))
  }

  func send(_ request: HTTPRequest) async throws -> TestAnswer {
    let response = await server.answer(request)
    return TestAnswer(
      status: response.status,
      headers: response.headers,
      body: try JSONParser.parseObject(response.body, limits: .document)
    )
  }

  /// Makes a key and returns its text.
  func key(
    _ kind: APIKeyRecord.Kind,
    app: BundleID = DemoCatalog.bundleID
  ) async throws -> String {
    let key = NewAPIKey(
      kind,
      app: app,
      label: "test",
      at: store.clock.now,
      random: { uptime.bytes($0) },
      digest: { Self.sharedCrypto.digest(.sha256, $0) }
    )
    var write = LedgerWrite(date: store.clock.now)
    write.documents = [key.record.document(.mustBeAbsent)]
    _ = try await ledger.commit(write)
    return key.text
  }

  /// Sends a request with a key and, where given, a customer token and other header fields.
  func send(
    _ method: HTTPMethod,
    _ target: String,
    key: String? = nil,
    token: String? = nil,
    headers: [String: String] = [:],
    _ body: JSONObject? = nil
  ) async throws -> TestAnswer {
    var request = HTTPRequest(method: method, target: target, body: body?.serialized ?? [])
    if let key { request.headers["Authorization"] = "Bearer \(key)" }
    if let token { request.headers["Customer-Token"] = token }
    for (name, value) in headers { request.headers[name] = value }
    let response = await server.answer(request)
    return TestAnswer(
      status: response.status,
      headers: response.headers,
      body: response.body.isEmpty
        ? [:] : try JSONParser.parseObject(response.body, limits: .document)
    )
  }

  func customer(_ id: String) async throws -> JSONObject {
    try await get("/v1/customers/\(id)?environment=Sandbox").body
  }
}

/// A clock that moves when a test moves it, and chance that repeats itself in every run.
final class VirtualUptime: Sendable {
  let now = Mutex(Duration.zero)
  /// Whether waits only end by what is waited for.
  let isStill = Mutex(false)
  private let count = Mutex(UInt64(0))

  func advance(_ duration: Duration) { now.withLock { $0 += duration } }

  /// Different bytes each time.
  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in
      self.count.withLock { state in
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: mixed >> 24)
      }
    }
  }
}

private final class EventSink: Sendable {
  let events = Mutex<[ServerEvent]>([])
  func add(_ event: ServerEvent) { events.withLock { $0.append(event) } }
}

/// An answer, taken apart.
struct TestAnswer: Hashable {
  let status: Int
  let headers: HTTPHeaders
  let body: JSONObject

  /// The body without what names the request.
  var withoutRequestID: JSONObject {
    var object = body
    object["request_id"] = nil
    return object
  }

  func text(_ name: String) -> String? { body[name]?.stringValue }

  var errorCode: String? { body["error"]?.objectValue?["code"]?.stringValue }
  var errorParameter: String? { body["error"]?.objectValue?["param"]?.stringValue }

  /// The rules that failed.
  var rules: [String] {
    (body["reasons"]?.arrayValue ?? []).compactMap { $0.objectValue?["rule"]?.stringValue }
  }

  /// The entitlements' identifiers.
  var entitlements: [String] { names(body["entitlements"]) }
}

func names(_ list: JSONValue?) -> [String] {
  (list?.arrayValue ?? []).compactMap { $0.objectValue?["id"]?.stringValue }
}

/// Runs `body` on each backend's empty ledger.
func withLedger(_ backend: Backend, _ body: (any Ledger) async throws -> Void) async throws {
  switch backend {
  case .memory: try await body(InMemoryLedger())
  case .sqlite:
    try await withTemporaryFolder { folder in
      let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite")
      do {
        try await body(ledger)
      } catch {
        await ledger.close()
        throw error
      }
      await ledger.close()
    }
  }
}

func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("iap-server-" + UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder.path)
}
