import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Synchronization

/// Apple's addresses with the test's store behind them.
final class StandInApple: Sendable {
  static let hosts = AppStoreServerHosts(
    production: "https://production.test",
    sandbox: "https://sandbox.test"
  )
  static let secret = "0123456789abcdef0123456789abcdef"

  /// What happens to a request before the store sees it.
  enum Step: Sendable {
    case answer(Int, String)
    case breakOff
    /// Whoever asks is stopped meanwhile.
    case giveUp
    /// The store does it, and its answer is lost.
    case loseAnswer
    case pass
  }

  struct Broken: Error {}

  private struct State {
    var face: StoreHTTPFace?
    var sent: [HTTPOutgoingRequest] = []
    var steps: [Step] = []
    var isDown = false
    var waited: TimeInterval = 0
  }

  private let state = Mutex(State())
  private let hasSecret: Bool
  private let hasReceipts: Bool
  private let hasClient: Bool
  private let consents: Bool

  init(
    secret: Bool = false,
    receipts: Bool = false,
    client: Bool = true,
    consent: Bool = false
  ) {
    consents = consent
    hasSecret = secret
    hasReceipts = receipts
    hasClient = client
  }

  var sent: [String] {
    state.withLock { state in
      state.sent.map { String($0.url.dropFirst("https://".count)) }
    }
  }

  /// The bodies of the requests whose address is meant.
  func bodies(_ isMeant: (String) -> Bool) -> [[UInt8]] {
    state.withLock { state in state.sent.filter { isMeant($0.url) }.map(\.body) }
  }

  func plan(_ steps: Step...) { state.withLock { $0.steps = steps } }
  func goDown(_ isDown: Bool = true) { state.withLock { $0.isDown = isDown } }

  /// How the server reaches the store.
  func access(to store: SimulatedAppStore) throws -> AppleAccess {
    let start = store.clock.now
    let face = StoreHTTPFace(
      store: store,
      wallClock: { self.state.withLock { start.addingTimeInterval($0.waited) } }
    )
    state.withLock { $0.face = face }
    let issued = try store.issuedDeveloperKey()
    let key = try AppStoreServerKey(
      id: AppStoreKeyID(issued.id.rawValue),
      issuer: AppStoreIssuerID(issued.issuer.rawValue),
      key: try OpenSSLPrimitives().readSigningKey(pem: Array(issued.p8.utf8))
    )
    let policy = CallPolicy(attemptsMax: 2, waitMax: 5, rateShare: 1)
    let client = AppStoreServerClient(
      bundleID: DemoCatalog.bundleID,
      key: key,
      hosts: Self.hosts,
      policy: policy,
      world: world(start)
    )
    let secret = try store.sharedSecret(of: DemoCatalog.bundleID)
    return AppleAccess(
      client: hasClient ? client : nil,
      background: hasClient ? client : nil,
      receipts: hasReceipts
        ? VerifyReceiptClient(
          hosts: Self.hosts,
          sharedSecret: secret,
          policy: policy,
          world: world(start)
        ) : nil,
      sharedSecret: hasSecret ? SharedSecret(secret) : nil,
      consumption: consents
        ? ConsumptionConsent(wasSampleProvided: false, preference: .decline) : nil
    )
  }

  private func world(_ start: Date) -> AppStoreServerWorld {
    AppStoreServerWorld(
      now: { self.state.withLock { start.addingTimeInterval($0.waited) } },
      sleep: { seconds in self.state.withLock { $0.waited += seconds } },
      random: { 0 },
      uuid: { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)) },
      send: { try await self.answer($0) }
    )
  }

  private func answer(_ outgoing: HTTPOutgoingRequest) async throws -> HTTPResponse {
    let (step, face) = state.withLock { state in
      state.sent.append(outgoing)
      let planned = state.steps.isEmpty ? Step.pass : state.steps.removeFirst()
      return (state.isDown ? Step.breakOff : planned, state.face)
    }
    switch step {
    case .answer(let status, let text):
      return HTTPResponse(
        status: status,
        headers: ["Content-Type": "application/json"],
        body: Array(text.utf8)
      )
    case .breakOff: throw Broken()
    case .giveUp: throw CancellationError()
    case .pass, .loseAnswer: break
    }
    guard let face else { throw Broken() }
    let isSandbox = outgoing.url.hasPrefix(Self.hosts.sandbox)
    let host = isSandbox ? Self.hosts.sandbox : Self.hosts.production
    let answer = await face.handle(
      HTTPRequest(
        method: outgoing.method,
        target: (isSandbox ? "/sandbox" : "/production") + outgoing.url.dropFirst(host.count),
        headers: outgoing.headers,
        body: outgoing.body
      )
    )
    if case .loseAnswer = step { throw Broken() }
    return answer
  }
}
