import Foundation
import IAPModel

/// What became of asking the server for its catalog.
public enum CatalogRefresh: Equatable, Sendable {
  /// The server has another catalog, which is in use now.
  case updated(IAPCatalog)
  /// The catalog in use is the server's.
  case unchanged
  /// The server gave no usable answer; what was in use stays in use.
  case failed(IAPError)

  var isUpdate: Bool {
    if case .updated = self { true } else { false }
  }
}

/// The server's catalog: asked for with the tag of what is known, kept on the disk.
///
/// An answer takes the place of the last good one only when all of it can be used. It is written to
/// the disk before it is used.
final class RemoteCatalog: Sendable {
  static let fileName = "catalog.json"
  static let version: Int64 = 1
  /// How many seconds the server has; the first list of products waits for so long at most.
  static let timeoutSeconds: TimeInterval = 8
  /// How many seconds pass before the server is asked again because the app comes to the front.
  static let refreshSecondsMin: TimeInterval = 300

  private struct State {
    var catalog: IAPCatalog?
    var tag: String?
    /// Whether a server has ever said the catalog: in this process, or before.
    var isServers = false
    var askedAt: Date?
    var running: Task<CatalogRefresh, Never>?
  }

  /// Sends each catalog that comes from the server.
  let changes = Broadcast<IAPCatalog>()

  private let server: ServerAccess?
  private let world: IAPWorld
  private let state: Locked<State>

  /// Reads the last good copy; without one the catalog that is shipped with the app is used.
  init(_ configuration: IAPConfiguration, world: IAPWorld) {
    server = configuration.usesRemoteCatalog ? configuration.server : nil
    self.world = world
    state = Locked(State(catalog: configuration.fallbackCatalog))
    guard let server else { return }
    do throws(IAPError) {
      guard let bytes = try world.files.read(Self.fileName) else { return }
      guard let kept = KeptCatalog(bytes, of: server) else {
        world.log(LogLine(.warning, "catalog: the kept copy cannot be used"))
        return
      }
      state.withLock { state in
        state.catalog = kept.catalog
        state.tag = kept.tag
        state.isServers = true
      }
    } catch {
      world.log(LogLine(.warning, "catalog: the kept copy cannot be read: \(error)"))
    }
  }

  /// The catalog in use; nil when none is known.
  var current: IAPCatalog? { state.withLock { $0.catalog } }

  /// Whether the server has to be asked before anything is known.
  var isUnknown: Bool { server != nil && current == nil }

  /// Asks again, unless the server was asked a short while ago.
  ///
  /// - Returns: What became of it; nil when it is too early.
  func refreshIfDue() async -> CatalogRefresh? {
    let now = world.now()
    let isDue = state.withLock { state in
      let age = state.askedAt.map { now.timeIntervalSince($0) }
      return server != nil && (age.map { $0 < 0 || $0 >= Self.refreshSecondsMin } ?? true)
    }
    return isDue ? await refresh() : nil
  }

  /// Asks the server, or joins who is asking.
  func refresh() async -> CatalogRefresh {
    guard let server else {
      return .failed(.invalidConfiguration(problems: ["usesRemoteCatalog and server are not set"]))
    }
    let now = world.now()
    let task = state.withLock { state in
      if let running = state.running { return running }
      let task = Task {
        let result = await ask(server)
        self.state.withLock { $0.running = nil }
        return result
      }
      state.askedAt = now
      state.running = task
      return task
    }
    return await task.value
  }

  private func ask(_ server: ServerAccess) async -> CatalogRefresh {
    let tag = state.withLock { $0.tag }
    var request = server.request(
      "GET",
      "v1/catalog",
      headers: tag.map { ["If-None-Match": $0] } ?? [:],
      timeout: Self.timeoutSeconds
    )
    request.answerBytesMax = IAPCatalog.bytesMax
    do throws(IAPError) {
      let response: ClientResponse
      do {
        response = try await world.http(request)
      } catch {
        throw error as? IAPError ?? .network(underlying: error)
      }
      if response.status == 304, tag != nil { return .unchanged }
      return try take(response, of: server)
    } catch {
      let used = state.withLock { $0.isServers ? "the last good copy" : "what the app brought" }
      world.log(LogLine(.warning, "catalog: \(error.catalogReason); \(used) stays in use"))
      return .failed(error)
    }
  }

  private func take(
    _ response: ClientResponse,
    of server: ServerAccess
  ) throws(IAPError) -> CatalogRefresh {
    guard response.status == 200 else {
      throw ServerAnswer.problem("the server answered \(response.status)", status: response.status)
    }
    let catalog = try IAPCatalog(json: Data(response.body))
    let kept = KeptCatalog(
      catalog: catalog,
      tag: response.headers.first { $0.key.lowercased() == "etag" }?.value,
      text: response.body
    )
    // Written first: what is used now is also used after the next launch without a network.
    do throws(IAPError) {
      try world.files.replace(Self.fileName, with: kept.serialized(for: server))
    } catch {
      world.log(LogLine(.warning, "catalog: it cannot be kept: \(error)"))
    }
    let isNew = state.withLock { state in
      defer {
        state.catalog = catalog
        state.tag = kept.tag
        state.isServers = true
      }
      return state.catalog != catalog
    }
    guard isNew else { return .unchanged }
    world.log(LogLine(.info, "catalog: \(catalog.entries.count) products from the server"))
    changes.send(catalog)
    return .updated(catalog)
  }
}

extension IAPError {
  /// Why a catalog cannot be used; nothing out of the answer but the names of its members.
  fileprivate var catalogReason: String {
    switch self {
    case .invalidConfiguration(let problems): problems.prefix(5).joined(separator: "; ")
    case .network(let error as NSError) where error.domain == ServerAnswer.problemDomain:
      error.localizedDescription
    default: "\(self)"
    }
  }
}

/// A catalog on the disk, with a checksum over its text and the server that it belongs to.
struct KeptCatalog: Hashable, Sendable {
  let catalog: IAPCatalog
  let tag: String?
  let text: [UInt8]

  init(catalog: IAPCatalog, tag: String?, text: [UInt8]) {
    self.catalog = catalog
    self.tag = tag
    self.text = text
  }

  /// Reads a file; nil when it is damaged, newer, or of another server.
  init?(_ bytes: [UInt8], of server: ServerAccess) {
    guard let root = try? JSONParser.parseObject(bytes, limits: .document),
      root["version"]?.integerValue == RemoteCatalog.version,
      root["server"]?.stringValue == server.url.absoluteString,
      let text = root["text"]?.stringValue,
      root["crc"]?.stringValue == Self.checksum(Array(text.utf8)),
      let catalog = try? IAPCatalog(json: Data(text.utf8))
    else { return nil }
    self.init(catalog: catalog, tag: root["tag"]?.stringValue, text: Array(text.utf8))
  }

  func serialized(for server: ServerAccess) -> [UInt8] {
    var root: JSONObject = ["version": .integer(RemoteCatalog.version)]
    root["server"] = .string(server.url.absoluteString)
    root["tag"] = tag.map { .string($0) }
    root["crc"] = .string(Self.checksum(text))
    root["text"] = .string(String(decoding: text, as: UTF8.self))
    return root.serialized
  }

  private static func checksum(_ text: [UInt8]) -> String {
    String(decoding: CRC32.hex(text), as: UTF8.self)
  }
}
