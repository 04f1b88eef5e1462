import AppStoreSimulator
import EntitlementServer
import HTTPValues
import IAPModel
import Synchronization

/// What stands between the servers and the world and answers in their place.
package enum GatewayMood: String, Hashable, Sendable, CaseIterable {
  /// It passes everything on.
  case passing
  /// It says that it has no server.
  case unavailable
  /// It forbids.
  case forbidding
  /// It slows down.
  case throttling
  /// It shows a page of its own with status 200.
  case page
  /// It answers nothing at all with status 200.
  case empty
  /// It answers JSON that is none of the server's.
  case otherJSON

  func response() -> HTTPResponse? {
    switch self {
    case .passing: nil
    case .unavailable: .json(503, Array(#"{"error":"down"}"#.utf8))
    case .forbidding: .json(403, Array(#"{"isValid":false}"#.utf8))
    case .throttling: .json(429, Array(#"{"isValid":false}"#.utf8))
    case .page: .json(200, Array("<html>sign in to the network</html>".utf8))
    case .empty: .json(200, [])
    case .otherJSON: .json(200, Array(#"{"status":"ok"}"#.utf8))
    }
  }
}

/// The servers behind one address, on one ledger.
final class ServerFarm: Sendable {
  typealias Making = @Sendable (_ ledger: LivingLedger) -> EntitlementServer

  /// A server that runs: a class, because a server is a large value to copy.
  private final class Node: Sendable {
    let life = ServerLife()
    let server: EntitlementServer

    init(disk: ServerDisk, make: Making) {
      server = make(LivingLedger(disk: disk, life: life))
    }
  }

  private struct State {
    var nodes: [Node?]
    var next = 0
    var mood = GatewayMood.passing
  }

  let disk: ServerDisk
  private let state: Mutex<State>
  private let make: Making

  init(count: Int, disk: ServerDisk, make: @escaping Making) {
    self.disk = disk
    self.make = make
    state = Mutex(State(nodes: Array(repeating: nil, count: count)))
    for index in 0..<count { start(index) }
  }

  var count: Int { state.withLock { $0.nodes.count } }

  var mood: GatewayMood {
    get { state.withLock { $0.mood } }
    set { state.withLock { $0.mood = newValue } }
  }

  /// Starts a server that is down.
  func start(_ index: Int) {
    guard state.withLock({ $0.nodes[index] == nil }) else { return }
    let node = Node(disk: disk, make: make)
    state.withLock { $0.nodes[index] = node }
  }

  /// Kills a server.
  ///
  /// - Parameter index: Which.
  /// - Returns: Where it was; empty when nothing was under way or it was down.
  func kill(_ index: Int) -> [String] {
    let node = state.withLock { state in
      defer { state.nodes[index] = nil }
      return state.nodes[index]
    }
    return node?.life.kill() ?? []
  }

  /// Lets one of the servers answer; nil when there is no answer.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isFromApp: Whether a network between an app and the servers may answer in their place.
  ///     What Apple's servers are told with status 200 is told, whoever says it.
  /// - Returns: The response.
  func answer(_ request: HTTPRequest, isFromApp: Bool) async -> HTTPResponse? {
    let (mood, node) = state.withLock { state in
      state.next += 1
      let up = state.nodes.compactMap { $0 }
      return (state.mood, up.isEmpty ? nil : up[state.next % up.count])
    }
    if isFromApp, let response = mood.response() { return response }
    guard let node else { return nil }
    return await withCheckedContinuation {
      (continuation: CheckedContinuation<HTTPResponse?, Never>) in
      let watch = node.life.onKill { continuation.resume(returning: nil) }
      guard let watch else { return continuation.resume(returning: nil) }
      Task {
        let response = await node.server.answer(request)
        if node.life.endWatch(watch) { continuation.resume(returning: response) }
      }
    }
  }
}
