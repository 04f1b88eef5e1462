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

  init(_ generation: StoreGeneration) throws {
    let shop = try Shop(generation)
    self.shop = shop
    let configuration = ServerConfiguration(
      apps: [ServerApp(bundleID: DemoCatalog.bundleID, appAppleID: DemoCatalog.appAppleID)],
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
      )
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
    var headers = HTTPHeaders()
    for (name, value) in request.headers { headers[name] = value }
    let response = await server.answer(
      HTTPRequest(
        method: request.method == "GET" ? .get : .post,
        target: request.url.path,
        headers: headers,
        body: request.body
      )
    )
    return ClientResponse(status: response.status, body: response.body)
  }

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
