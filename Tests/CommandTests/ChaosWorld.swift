import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import Synchronization

/// The servers of a chaos test, which come and go.
final class ChaosWorld: Sendable {
  private struct State {
    var servers: [ServedProcess]
    var turn = 0
    var heard = 0
    var lost = 0
    var audits: Set<String> = []
    var isOver = false
  }

  private let state: Mutex<State>
  private static let client = HTTPClient()

  init(_ servers: [ServedProcess]) { state = Mutex(State(servers: servers)) }

  var servers: [ServedProcess] { state.withLock(\.servers) }
  /// How many requests were answered with success.
  var heard: Int { state.withLock(\.heard) }
  /// How many were not.
  var lost: Int { state.withLock(\.lost) }
  /// The audits that were begun.
  var audits: Set<String> { state.withLock(\.audits) }
  var isOver: Bool { state.withLock(\.isOver) }

  func end() { state.withLock { $0.isOver = true } }

  func replace(_ index: Int, by server: ServedProcess) {
    state.withLock { $0.servers[index] = server }
  }

  /// Any of the servers, each in its turn.
  func any() -> ServedProcess {
    state.withLock { state in
      state.turn += 1
      return state.servers[state.turn % state.servers.count]
    }
  }

  /// Sends a proof to one server after the other until one has it.
  func tell(_ proof: Proof) async {
    while await any().post(proof)?.isSuccess != true {
      state.withLock { $0.lost += 1 }
      await Task.yield()
    }
    state.withLock { $0.heard += 1 }
  }

  /// Begins an audit, whose adding up is a job of whatever server takes it.
  func beginAudit(_ body: JSONObject) async {
    let proof = Proof(path: "/v1/audits", body: body.serialized)
    guard let response = await any().post(proof), response.isSuccess,
      let object = try? JSONParser.parseObject(response.body, limits: .document),
      let id = object["id"]?.stringValue
    else { return }
    state.withLock { _ = $0.audits.insert(id) }
  }

  /// An object out of any server; nil when there is none.
  func object(_ path: String) async -> JSONObject? {
    guard let response = await any().get(path), response.isSuccess else { return nil }
    return try? JSONParser.parseObject(response.body, limits: .document)
  }
}
