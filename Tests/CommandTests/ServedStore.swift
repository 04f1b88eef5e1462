import AppStoreSimulator
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import OpenSSLCrypto
import Synchronization

/// A simulated store in this process, for which a built `iap serve` is started.
struct ServedStore {
  let store: SimulatedAppStore
  let folder: URL

  /// Makes a store and writes its root certificate into a new folder.
  ///
  /// - Parameters:
  ///   - seed: What chance begins with.
  ///   - environment: The store's environment.
  ///   - start: The store's first instant.
  init(
    seed: UInt64 = 11,
    environment: StoreEnvironment = .sandbox,
    start: Date = Date(milliseconds: 1_767_268_800_000)  // 2026-01-01T12:00:00Z
  ) throws {
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        environment: environment,
        seed: seed,
        start: start
      ),
      signing: try OpenSSLPrimitives()
    )
    try store.addAccount("mia")
    try store.addDevice("phone", account: "mia")
    try store.setNotificationURL(URL(string: "http://server.test/"))
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-serve-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(store.jwsRootCertificate).write(to: folder.appendingPathComponent("root.der"))
  }

  /// Takes the folder away.
  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// The words of a call that serves this store.
  var words: [String] {
    [
      "serve", "--listen", "127.0.0.1:0", "--database", folder.path + "/ledger.sqlite",
      "--app", "\(DemoCatalog.bundleID)=\(DemoCatalog.appAppleID)",
      "--simulated", "--root", folder.path + "/root.der", "--insecure-no-keys",
    ]
  }

  /// Signed purchases of consumables, each another transaction.
  func purchases(_ count: Int) throws -> [Proof] {
    try (0..<count).map { _ in
      let outcome = try store.purchase(
        PurchaseRequest(device: "phone", productID: DemoCatalog.coins)
      )
      guard case .purchased(let record) = outcome else { throw NotBought() }
      let text = try store.signedTransaction(record.transactionID)
      return Proof(
        path: "/v1/verify",
        body: JSONObject([JSONMember("signedTransaction", .string(text))]).serialized
      )
    }
  }

  /// The notifications about everything that was bought so far.
  func notifications() async throws -> [Proof] {
    let bodies = Mutex<[[UInt8]]>([])
    store.setNotificationTransport { _, body in
      bodies.withLock { $0.append(body) }
      return 200
    }
    await store.drainNotifications()
    return bodies.withLock { $0 }.map { Proof(path: "/v1/notifications/apple", body: $0) }
  }

  struct NotBought: Error {}
}

/// A request that has to be recorded once it was answered with success.
struct Proof: Hashable, Sendable {
  let path: String
  let body: [UInt8]
}

/// A built `iap serve` that listens.
final class ServedProcess: Sendable {
  let process: CommandProcess
  let url: String
  private let client = HTTPClient()

  /// Starts it and waits for its first line.
  ///
  /// - Parameters:
  ///   - words: The words of the call.
  ///   - tool: A program that starts it, with its own words in front.
  init(_ words: [String], under tool: [String] = []) async throws {
    if let first = tool.first {
      process = try CommandProcess(
        tool.dropFirst() + [CommandProcess.executable.path] + words,
        tool: URL(fileURLWithPath: first)
      )
    } else {
      process = try CommandProcess(words)
    }
    guard let line = await process.lines.first(where: { _ in true }),
      line.hasPrefix("listening http://")
    else { throw NotListening(errors: process.errors) }
    url = String(line.dropFirst("listening ".count))
  }

  struct NotListening: Error { let errors: String }

  /// Posts a proof; nil when there is no answer.
  func post(_ proof: Proof) async -> HTTPResponse? {
    try? await client.send(
      HTTPOutgoingRequest(
        method: .post,
        url: url + proof.path,
        headers: ["Content-Type": "application/json"],
        body: proof.body
      )
    )
  }

  /// Gets a path; nil when there is no answer.
  func get(_ path: String) async -> HTTPResponse? {
    try? await client.send(HTTPOutgoingRequest(method: .get, url: url + path))
  }

  /// A number out of the metrics.
  func metric(_ name: String) async -> Int? {
    guard let response = await get("/metrics") else { return nil }
    let text = String(decoding: response.body, as: UTF8.self)
    return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .flatMap { Int($0.dropFirst(name.count + 1)) }
  }
}
