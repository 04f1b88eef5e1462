import AppStoreServerAPI
import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Synchronization

/// Apple's addresses with a simulated store behind them, and a client that asks there.
final class SimulatedApple: Sendable {
  static let start = Date(milliseconds: 1_767_268_800_000)
  static let phone: DeviceID = "mia-phone"
  static let hosts = AppStoreServerHosts(
    production: "https://production.test",
    sandbox: "https://sandbox.test"
  )

  /// What happens to a request before the store sees it.
  enum Step: Sendable {
    case answer(HTTPResponse)
    case breakOff
    case pass
  }

  struct Broken: Error {}

  let store: SimulatedAppStore
  private let face: StoreHTTPFace
  private let state = Mutex(State())

  private struct State {
    var sent: [HTTPOutgoingRequest] = []
    var steps: [Step] = []
    var waits: [TimeInterval] = []
    var now = SimulatedApple.start
  }

  init(environment: StoreEnvironment = .sandbox) throws {
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environment: environment,
        seed: 7,
        start: Self.start,
        options: StoreOptions(environment: environment)
      ),
      signing: try OpenSSLPrimitives()
    )
    try store.addAccount("mia")
    try store.addDevice(Self.phone, account: "mia")
    face = StoreHTTPFace(store: store, wallClock: { Self.start })
  }

  var sent: [HTTPOutgoingRequest] { state.withLock { $0.sent } }
  var waits: [TimeInterval] { state.withLock { $0.waits } }

  func plan(_ steps: Step...) { state.withLock { $0.steps = steps } }

  var world: AppStoreServerWorld {
    AppStoreServerWorld(
      now: { self.state.withLock { $0.now } },
      sleep: { seconds in
        self.state.withLock { state in
          state.waits.append(seconds)
          state.now += seconds
        }
      },
      random: { 0 },
      uuid: { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)) },
      send: { try await self.answer($0) }
    )
  }

  func key() throws -> AppStoreServerKey {
    let issued = try store.issuedDeveloperKey()
    return try AppStoreServerKey(
      id: AppStoreKeyID(issued.id.rawValue),
      issuer: AppStoreIssuerID(issued.issuer.rawValue),
      key: try OpenSSLPrimitives().readSigningKey(pem: Array(issued.p8.utf8))
    )
  }

  func client(
    policy: CallPolicy = CallPolicy(),
    bundleID: BundleID = DemoCatalog.bundleID
  ) throws -> AppStoreServerClient {
    AppStoreServerClient(
      bundleID: bundleID,
      key: try key(),
      hosts: Self.hosts,
      policy: policy,
      world: world
    )
  }

  func receiptClient(policy: CallPolicy = CallPolicy()) -> VerifyReceiptClient {
    VerifyReceiptClient(hosts: Self.hosts, sharedSecret: "secret", policy: policy, world: world)
  }

  @discardableResult
  func buy(_ product: ProductID) throws -> StoreTransactionRecord {
    let outcome = try store.purchase(PurchaseRequest(device: Self.phone, productID: product))
    guard case .purchased(let record) = outcome else { throw Broken() }
    return record
  }

  private func answer(_ outgoing: HTTPOutgoingRequest) async throws -> HTTPResponse {
    let step = state.withLock { state in
      state.sent.append(outgoing)
      return state.steps.isEmpty ? Step.pass : state.steps.removeFirst()
    }
    switch step {
    case .answer(let response): return response
    case .breakOff: throw Broken()
    case .pass: break
    }
    let isSandbox = outgoing.url.hasPrefix(Self.hosts.sandbox)
    let host = isSandbox ? Self.hosts.sandbox : Self.hosts.production
    return await face.handle(
      HTTPRequest(
        method: outgoing.method,
        target: (isSandbox ? "/sandbox" : "/production") + outgoing.url.dropFirst(host.count),
        headers: outgoing.headers,
        body: outgoing.body
      )
    )
  }
}
