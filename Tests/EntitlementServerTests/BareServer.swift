import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage
import Synchronization
import Testing

/// A server without a store of its own: what comes to it was signed elsewhere.
final class BareServer: Sendable {
  let server: EntitlementServer
  let ledger: any Ledger
  /// One for all servers, for what is kept is no verdict: many servers see the same few chains.
  private static let chains = BoundedChainCache()

  init(
    ledger: any Ledger = InMemoryLedger(),
    roots: [[UInt8]],
    apps: [ServerApp],
    now: Date,
    requiresKeys: Bool = false,
    isApples: Bool = false
  ) throws {
    self.ledger = ledger
    let configuration = ServerConfiguration(
      apps: apps,
      isSimulated: !isApples,
      requiresKeys: requiresKeys
    )
    let sink = Sink()
    self.sink = sink
    let present = Present(now)
    self.clock = present
    server = EntitlementServer(
      configuration: configuration,
      ledger: ledger,
      verifiers: ServerVerifiers(
        anchors: isApples ? .apple : try .simulated(roots),
        configuration: configuration,
        crypto: TestServer.sharedCrypto,
        cache: Self.chains
      ),
      clock: ClosureClock { present.date },
      world: ServerWorld(
        requestID: { "req" },
        uptime: { .zero },
        random: { [UInt8](repeating: 7, count: $0) },
        log: { sink.add($0) }
      )
    )
  }

  private let sink: Sink
  private let clock: Present

  func setNow(_ date: Date) { clock.set(date) }

  func post(_ path: String, _ body: [UInt8]) async throws -> TestAnswer {
    let response = await server.answer(HTTPRequest(method: .post, target: path, body: body))
    return TestAnswer(
      status: response.status,
      headers: response.headers,
      body: try JSONParser.parseObject(response.body, limits: .document)
    )
  }

  func post(_ path: String, _ body: JSONObject) async throws -> TestAnswer {
    try await post(path, body.serialized)
  }

  /// The rules of the last refusal, without what they are about.
  var lastRules: Set<String> {
    let text = sink.last?.fields.first { $0.name == "rules" }?.value ?? ""
    return Set(text.split(separator: ",").map { String($0.split(separator: ".").last ?? "") })
  }

  private final class Present: Sendable {
    private let now: Mutex<Date>
    init(_ date: Date) { now = Mutex(date) }
    var date: Date { now.withLock { $0 } }
    func set(_ date: Date) { now.withLock { $0 = date } }
  }

  private final class Sink: Sendable {
    private let failure = Mutex<ServerEvent?>(nil)
    var last: ServerEvent? { failure.withLock { $0 } }
    func add(_ event: ServerEvent) {
      if event.name == "failure" { failure.withLock { $0 = event } }
    }
  }
}

/// Test data that lives beside the project, found through `IAP_VECTORS`, else at
/// `../shared/vectors` from the package's root.
enum ServerVectors {
  static let arePresent: Bool = {
    if FileManager.default.fileExists(atPath: folder.appendingPathComponent("README.md").path) {
      return true
    }
    print("SKIPPED: no test vectors at \(folder.path); set IAP_VECTORS to their folder")
    return false
  }()

  static let folder: URL = {
    if let named = ProcessInfo.processInfo.environment["IAP_VECTORS"] {
      return URL(fileURLWithPath: named)
    }
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("shared/vectors")
  }()

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
  }

  /// One line of a manifest.
  struct Entry: Decodable {
    var file: String
    var kind: String?
    var verdict: String
    var reason: String
  }

  static func manifest(_ path: String) throws -> [Entry] {
    struct Manifest: Decodable { var vectors: [Entry] }
    let data = try Data(contentsOf: folder.appendingPathComponent(path))
    return try JSONDecoder().decode(Manifest.self, from: data).vectors
  }

  /// The signed steps of a sequence, in order.
  static func steps(_ sequence: String) throws -> [String] {
    struct Expected: Decodable { var steps: [String] }
    let file = folder.appendingPathComponent("derived-jws/\(sequence)/expected.json")
    return try JSONDecoder().decode(Expected.self, from: try Data(contentsOf: file)).steps
  }
}
