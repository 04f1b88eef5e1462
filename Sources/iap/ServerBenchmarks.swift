import EntitlementServer
import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import IAPSignatures
import MicroHTTP
import OpenSSLCrypto
import SQLiteStorage
import Synchronization

/// The server over real connections: notifications that are durable before they are answered, and
/// what a customer has, beside an empty route of the same HTTP server.
enum ServerBenchmarks {
  /// The name of the raw limit of reads.
  static let readLimit = "emptyRoute"
  /// The connections of the reads.
  static let readConnections = 16
  /// Over how many connections notifications come.
  static let connections = [1, 16, 64]
  /// How many notifications are sent for each second of measuring, at most as many as can be taken.
  static let notificationsPerSecond = 3_000
  static let readsPerSecond = 12_000

  static func make(now: Date, folder: URL) throws -> [Benchmark] {
    let rig = try ServerRig(now: now, folder: folder)
    let depths: [(NotificationVerifier.Depth, String, Words, Double)] = [
      (.outerSignature, "Outer", Words("outer signature", zh: "外层签名"), 0.4),
      (.everySignature, "Every", Words("all three signatures", zh: "全部三个签名"), 0.3),
    ]
    var benchmarks = depths.flatMap { depth, word, name, target in
      connections.map { count in
        Benchmark(
          "http\(word)\(count)",
          Words(
            "server: notifications made durable, \(name(.english)), \(count) connection(s)",
            zh: "服务器：持久化通知，\(name(.simplifiedChinese))，\(count) 个连接"
          ),
          limit: VerificationBenchmarks.limit,
          target: count == 1 ? nil : target,
          way: .load { await rig.notifications(depth, connections: count, seconds: $0) }
        )
      }
    }
    benchmarks.append(
      Benchmark(
        readLimit,
        Words("HTTP server: an empty route: the limit", zh: "HTTP 服务器：空路由：上限"),
        limit: readLimit,
        way: .load { await rig.emptyRoute(seconds: $0) }
      )
    )
    benchmarks.append(
      Benchmark(
        "customer",
        Words("server: what a customer has", zh: "服务器：查询客户权益"),
        limit: readLimit,
        target: 0.5,
        way: .load { await rig.customers(seconds: $0) }
      )
    )
    return benchmarks
  }
}

/// Servers of this process, and requests for them.
private actor ServerRig {
  private static let customerCount = 200

  private let inputs: BenchmarkInputs
  private let crypto: OpenSSLPrimitives
  private let now: Date
  private let folder: URL
  private var runs = 0
  private var nextNumber = 10

  init(now: Date, folder: URL) throws {
    crypto = try OpenSSLPrimitives()
    inputs = try BenchmarkInputs(now: now, crypto: crypto)
    self.now = now
    self.folder = folder
  }

  func notifications(
    _ depth: NotificationVerifier.Depth,
    connections: Int,
    seconds: Double
  ) async -> Benchmark.Load? {
    let count = Int(seconds * Double(ServerBenchmarks.notificationsPerSecond))
    var requests: [[UInt8]] = []
    for number in nextNumber..<(nextNumber + count) {
      guard let text = try? inputs.notification(number: number, now: now) else { return nil }
      let body = Array("{\"signedPayload\":\"".utf8) + text + Array("\"}".utf8)
      requests.append(Self.request("POST", "/v1/notifications/apple", body))
    }
    nextNumber += count
    return await serving(depth) { [requests] port in
      await Self.load(port, connections, requests)
    }
  }

  func customers(seconds: Double) async -> Benchmark.Load? {
    let count = Int(seconds * Double(ServerBenchmarks.readsPerSecond))
    let now = now
    let inputs = inputs
    return await serving(.everySignature) { port in
      // A purchase for each customer, presented by its app.
      for customer in 0..<Self.customerCount {
        guard let text = try? inputs.transaction(number: customer, now: now) else { return nil }
        let body = Array(
          #"{"signedTransaction":"\#(text)","account":"customer-\#(customer)"}"#.utf8
        )
        let request = Self.request("POST", "/v1/verify", body)
        guard await Self.load(port, 1, [request]) != nil else { return nil }
      }
      let app = BenchmarkInputs.bundleID.rawValue
      let requests = (0..<count).map { number in
        let name = "customer-\(number % Self.customerCount)"
        return Self.request("GET", "/v1/customers/\(name)?app=\(app)&environment=Production", [])
      }
      return await Self.load(port, ServerBenchmarks.readConnections, requests)
    }
  }

  func emptyRoute(seconds: Double) async -> Benchmark.Load? {
    let count = Int(seconds * Double(ServerBenchmarks.readsPerSecond))
    let limits = HTTPLimits(connectionsPerAddressMax: 256)
    guard
      let http = try? HTTPServer.start(
        host: "127.0.0.1",
        port: 0,
        limits: limits,
        handler: { _ in .json(200, Array("{}".utf8)) }
      )
    else { return nil }
    let requests = [[UInt8]](repeating: Self.request("GET", "/", []), count: count)
    let load = await Self.load(http.address.port, ServerBenchmarks.readConnections, requests)
    await http.stop()
    return load
  }

  /// Runs a server on a ledger of its own while the body does its work.
  private func serving(
    _ depth: NotificationVerifier.Depth,
    _ body: @Sendable (Int) async -> Benchmark.Load?
  ) async -> Benchmark.Load? {
    runs += 1
    let app = ServerApp(
      bundleID: BenchmarkInputs.bundleID,
      appAppleID: BenchmarkInputs.appAppleID,
      environments: [.production]
    )
    var limits = ServerLimits.standard
    limits.requestsPerMinuteMax = .max
    let configuration = ServerConfiguration(apps: [app], isSimulated: true, limits: limits)
    let path = folder.appendingPathComponent("server-\(runs).sqlite").path
    guard let ledger = try? SQLiteLedger(path: path),
      let anchors = try? TrustAnchors.simulated([inputs.chain.root])
    else { return nil }
    let server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: ServerVerifiers(
        anchors: anchors,
        configuration: configuration,
        crypto: crypto,
        cache: BoundedChainCache(),
        depth: depth
      ),
      clock: WallClock(),
      world: .live { _ in }
    )
    let http = try? HTTPServer.start(
      host: "127.0.0.1",
      port: 0,
      limits: server.httpLimits,
      refuse: { server.refusal($0) },
      handler: server.handler
    )
    var load: Benchmark.Load?
    if let http {
      load = await body(http.address.port)
      await http.stop()
    }
    await ledger.close()
    return load
  }

  /// Sends the requests in several rounds, so that there is a median.
  private static func load(
    _ port: Int,
    _ connections: Int,
    _ requests: [[UInt8]]
  ) async -> Benchmark.Load? {
    var whole = Benchmark.Load(rates: [], latencies: [])
    var worked = 0.0
    let rounds = min(Benchmark.roundCount, requests.count)
    for round in 0..<rounds {
      let part = requests[
        (requests.count * round / rounds)..<(requests.count * (round + 1) / rounds)
      ]
      let queue = RequestQueue(part)
      let load = await LiveHTTPLoad(port: port, connections: connections).run(status: 200) {
        queue.next()
      }
      guard let load else { return nil }
      whole.rates += load.rates
      whole.latencies += load.latencies
      worked += (load.processor ?? 0) * Double(load.latencies.count)
    }
    whole.processor = worked / Double(whole.latencies.count)
    return whole
  }

  private static func request(_ method: String, _ target: String, _ body: [UInt8]) -> [UInt8] {
    let header =
      "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    return Array(header.utf8) + body
  }
}

/// Requests that many threads take from, each once.
private final class RequestQueue: Sendable {
  private let requests: ArraySlice<[UInt8]>
  private let place: Atomic<Int>

  init(_ requests: ArraySlice<[UInt8]>) {
    self.requests = requests
    place = Atomic(requests.startIndex)
  }

  func next() -> [UInt8]? {
    let index = place.add(1, ordering: .relaxed).oldValue
    return index < requests.endIndex ? requests[index] : nil
  }
}
