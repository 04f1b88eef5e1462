import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPKit
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage
import SimulatedApp
import SimulatedDevice
import Synchronization

/// A simulated store whose apps ask the real server, in memory and on the store's clock.
final class ServedShop: Sendable {
  let shop: Shop
  let ledger = InMemoryLedger()
  private let server: EntitlementServer
  private let losesAcknowledgements = Mutex(false)
  private let acknowledgements = Mutex(0)
  private let asked = Mutex<[HTTPRequest]>([])

  /// Opens a shop and its server.
  ///
  /// - Parameters:
  ///   - generation: Which of Apple's APIs the app uses.
  ///   - catalog: The text of a configuration file.
  ///   - environments: Whose data the server takes; without the sandbox it refuses every purchase.
  init(
    _ generation: StoreGeneration,
    catalog: String = DemoCatalog.text,
    environments: Set<StoreEnvironment> = [.production, .sandbox]
  ) throws {
    let shop = try Shop(generation, catalog: catalog)
    self.shop = shop
    let configuration = ServerConfiguration(
      apps: [
        ServerApp(
          bundleID: DemoCatalog.bundleID,
          appAppleID: DemoCatalog.appAppleID,
          environments: environments
        )
      ],
      isSimulated: true
    )
    let anchors = try TrustAnchors.simulated([
      shop.store.jwsRootCertificate, try shop.store.receiptRootCertificate(),
    ])
    let clock = shop.store.clock
    let number = Mutex(0)
    server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: ServerVerifiers(
        anchors: anchors,
        configuration: configuration,
        crypto: try RememberingPrimitives.standard.get(),
        cache: BoundedChainCache()
      ),
      clock: ClosureClock { clock.now },
      world: ServerWorld(
        requestID: {
          number.withLock { number in
            number += 1
            return "req_\(number)"
          }
        },
        uptime: { .zero },
        random: { count in
          number.withLock { number in
            number += 1
            return (0..<count).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
          }
        },
        log: { _ in }
      ),
      offerKeys: [DemoCatalog.bundleID: try Self.offerKey(of: shop)]
    )
  }

  /// The key that the store gives away for offers, as App Store Connect does.
  private static func offerKey(of shop: Shop) throws -> AppStoreServerKey {
    let issued = try shop.store.issuedDeveloperKey()
    return try AppStoreServerKey(
      id: AppStoreKeyID(issued.id.rawValue),
      issuer: AppStoreIssuerID(issued.issuer.rawValue),
      key: try OpenSSLPrimitives().readSigningKey(pem: Array(issued.p8.utf8))
    )
  }

  var store: SimulatedAppStore { shop.store }

  /// Whether acknowledgements get lost on their way.
  var isDeafToAcknowledgements: Bool {
    get { losesAcknowledgements.withLock { $0 } }
    set { losesAcknowledgements.withLock { $0 = newValue } }
  }

  /// How many acknowledgements the server got.
  var acknowledgementCount: Int { acknowledgements.withLock { $0 } }

  /// Installs the app; it does not run yet.
  func install(
    on id: DeviceID = "phone",
    handle: @escaping @Sendable (Delivery) -> DeliveryAnswer? = { _ in nil },
    configure: @escaping @Sendable (inout IAPConfiguration) -> Void = { _ in }
  ) throws -> SimulatedApp {
    let app = try shop.install(on: id, configure: configure, handle: handle)
    guard let endpoint = URL(string: "http://server.test/v1/verify") else { return app }
    let served = self
    app.update { setup in
      setup.judge = .server(endpoint: endpoint) { try await served.answer($0) }
    }
    return app
  }

  private func answer(_ request: ClientRequest) async throws -> ClientResponse {
    let object = try request.body.isEmpty ? [:] : JSONParser.parseObject(request.body)
    if object["acknowledged"]?.boolValue == true {
      guard !isDeafToAcknowledgements else {
        throw IAPError.network(underlying: URLError(.networkConnectionLost))
      }
      acknowledgements.withLock { $0 += 1 }
    }
    let response = await answer(
      request.method,
      request.url.path,
      headers: request.headers,
      body: request.body
    )
    var headers: [String: String] = [:]
    for field in response.headers { headers[field.name] = field.value }
    return ClientResponse(status: response.status, headers: headers, body: response.body)
  }

  /// What the app's backend, or anybody else, gets from the server.
  @discardableResult
  func answer(
    _ method: String,
    _ target: String,
    headers: [String: String] = [:],
    body: [UInt8] = []
  ) async -> HTTPResponse {
    var all = HTTPHeaders()
    for (name, value) in headers { all[name] = value }
    if !body.isEmpty { all["Content-Type"] = "application/json" }
    let request = HTTPRequest(
      method: HTTPMethod(method),
      target: target,
      headers: all,
      body: body
    )
    asked.withLock { $0.append(request) }
    return await server.answer(request)
  }

  /// Shows the server a transaction as the store signs it now: what a notification would do.
  func tellServer(of id: TransactionID) async throws {
    let body: JSONObject = ["signedTransaction": .string(try store.signedTransaction(id))]
    await answer("POST", "/v1/verify", body: body.serialized)
  }

  /// Every request that the server got, oldest first.
  var requests: [HTTPRequest] { asked.withLock { $0 } }

  /// The claim to the goods of a transaction.
  func claim(to transaction: TransactionID) async throws -> ClaimRecord? {
    try await ledger.read { reader throws(StorageError) in
      try reader.claim(
        to: UnitID("tx:\(transaction)"),
        in: LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox)
      )
    }
  }
}

extension SimulatedApp {
  /// Takes the app off the telephone with all that it has written, and installs it anew.
  func reinstall() async throws {
    kill()
    for name in device.disk.names { device.disk.place(nil, as: name) }
    try await launch()
  }
}
