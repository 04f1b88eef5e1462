import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage
import Synchronization
import Testing

/// A backend that events are sent to, on a clock of its own that moves when a test moves it.
///
/// It checks what Standard Webhooks asks receivers to check, with cryptography that is not the
/// sender's.
final class WebhookReceiver: Sendable {
  struct Received: Hashable, Sendable {
    let id: String
    let type: String
    let customer: String?
    let sequence: Int64
    let host: String
    let date: Date
  }

  struct State {
    var now = TestServer.start
    var secrets: [String: [String]] = [:]
    var received: [Received] = []
    var requests: [HTTPOutgoingRequest] = []
    var badSignatures = 0
    var inFlight = 0
    var inFlightMax = 0
    var looked: [String] = []
  }

  let state = Mutex(State())
  /// What is answered; the count says how often this event came before.
  private let reply: @Sendable (Received, Int) -> WebhookReply
  private let addresses: @Sendable (String) -> [String]

  init(
    reply: @escaping @Sendable (Received, Int) -> WebhookReply = { _, _ in .ok },
    addresses: @escaping @Sendable (String) -> [String] = { _ in ["93.184.216.34"] }
  ) {
    self.addresses = addresses
    self.reply = reply
  }

  var received: [Received] { state.withLock(\.received) }
  var now: Date { state.withLock(\.now) }

  func advance(_ seconds: TimeInterval) {
    state.withLock { $0.now = $0.now.addingTimeInterval(seconds) }
  }

  /// Everything that one customer's events came in, without what came twice.
  func order(of customer: String) -> [Int64] {
    var seen: Set<String> = []
    return received.filter { $0.customer == customer && seen.insert($0.id).inserted }
      .map(\.sequence)
  }

  func world(worker: String = "one", allowsLoopback: Bool = false) -> WebhookWorld {
    WebhookWorld(
      now: { self.now },
      chance: { 0.5 },
      addresses: { host in
        self.state.withLock { $0.looked.append(host) }
        return self.addresses(host)
      },
      send: { await self.take($0) },
      allowsLoopback: allowsLoopback,
      worker: worker
    )
  }

  private func take(_ request: HTTPOutgoingRequest) async -> WebhookReply {
    state.withLock { state in
      state.inFlight += 1
      state.inFlightMax = max(state.inFlightMax, state.inFlight)
    }
    await Task.yield()
    let body = (try? JSONParser.parseObject(request.body)) ?? [:]
    let received = Received(
      id: request.headers["webhook-id"] ?? "",
      type: body["type"]?.stringValue ?? "",
      customer: body["customer"]?.stringValue,
      sequence: body["sequence"]?.integerValue ?? 0,
      host: request.pin?.host ?? "",
      date: now
    )
    let isGenuine = isGenuine(request)
    let count = state.withLock { state in
      state.inFlight -= 1
      state.requests.append(request)
      if !isGenuine { state.badSignatures += 1 }
      defer { state.received.append(received) }
      return state.received.count { $0.id == received.id }
    }
    return reply(received, count)
  }

  private func isGenuine(_ request: HTTPOutgoingRequest) -> Bool {
    let (secrets, now) = state.withLock { ($0.secrets[request.pin?.host ?? ""] ?? [], $0.now) }
    guard let id = request.headers["webhook-id"], !id.contains("."),
      let time = request.headers["webhook-timestamp"], let seconds = Int64(time),
      abs(now.timeIntervalSince1970 - Double(seconds)) < 300,
      let signatures = request.headers["webhook-signature"]?.split(separator: " ")
    else { return false }
    let content = Array("\(id).\(time).".utf8) + request.body
    return secrets.contains { secret in
      guard secret.hasPrefix("whsec_"),
        let key = Data(base64Encoded: String(secret.dropFirst(6)))
      else { return false }
      let code = Self.authenticationCode(content, key: Array(key))
      return signatures.contains { $0 == "v1," + Data(code).base64EncodedString() }
    }
  }

  /// HMAC-SHA256, written down a second time.
  private static func authenticationCode(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
    let inner = TestServer.sharedCrypto.digest(.sha256, padded.map { $0 ^ 0x36 } + message)
    return TestServer.sharedCrypto.digest(.sha256, padded.map { $0 ^ 0x5C } + inner)
  }
}

extension WebhookReply {
  static let ok = WebhookReply.response(status: 200, retryAfter: nil)
  static let broken = WebhookReply.response(status: 500, retryAfter: nil)
}

extension TestServer {
  /// A server that sends to a receiver.
  convenience init(
    ledger: any Ledger = InMemoryLedger(),
    _ receiver: WebhookReceiver,
    worker: String = "one",
    limits: ServerLimits = .standard,
    requiresKeys: Bool = false,
    transfers: TransferPolicy = .keep
  ) throws {
    try self.init(
      ledger: ledger,
      limits: limits,
      requiresKeys: requiresKeys,
      transfers: transfers,
      webhooks: receiver.world(worker: worker)
    )
  }

  /// Makes an endpoint, and the receiver know its secret.
  @discardableResult
  func addEndpoint(
    _ receiver: WebhookReceiver,
    host: String = "hooks.shop.com",
    _ more: JSONObject = [:]
  ) async throws -> String {
    var body: JSONObject = ["url": .string("https://\(host)/in")]
    for member in more.members { body[member.name] = member.value }
    let answer = try await post("/v1/webhooks", body)
    #expect(answer.status == 200)
    let secret = try #require(answer.text("secret"))
    receiver.state.withLock { $0.secrets[host, default: []].append(secret) }
    return try #require(answer.text("id"))
  }

  /// Buys something as a customer.
  @discardableResult
  func buy(_ product: ProductID, as customer: String) async throws -> StoreTransactionRecord {
    let record = try buy(product)
    let answer = try await verify(record, ["account": .string(customer), "installation": "one"])
    #expect(answer.status == 200)
    return record
  }

  /// Sends until nothing is due any more.
  func sendAll() async {
    for _ in 0..<1000 where await server.sendWebhooks() == 0 { return }
  }

  func events(_ query: String = "") async throws -> [JSONObject] {
    try await get("/v1/events?limit=1000&\(query)").body["events"]?.arrayValue?
      .compactMap(\.objectValue) ?? []
  }
}
