import AppStoreSimulator
import Dashboard
import EntitlementServer
import Foundation
import HTTPClient
import HTTPValues
import IAPModel
import MicroHTTP
import OpenSSLCrypto

/// A server of the tour, which can be stopped and started again: same address, same file.
actor TourServer {
  /// Where it listens, also while it is stopped.
  nonisolated let base: String
  private let settings: ServeSettings
  private var running: RunningServer?

  /// Starts a server on a port that is free.
  init(_ settings: ServeSettings) async throws(CommandError) {
    let running = try await ServerComposition.start(settings)
    var settings = settings
    settings.port = running.address.port
    self.settings = settings
    self.running = running
    base = running.address.url
  }

  /// Stops it: connections are refused.
  func stop() async {
    await running?.stop()
    running = nil
  }

  /// Adds somebody who may work with the dashboard.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - now: When that is.
  /// - Returns: The password, made from chance.
  /// - Throws: ``CommandError`` while the server does not run; what the ledger throws.
  func addOperator(_ name: OperatorName, at now: Date) async throws -> String {
    guard let running else {
      throw CommandError(.failed, Words("the server does not run", zh: "服务器未运行"))
    }
    let accounts = OperatorAccounts(
      ledger: running.ledger,
      mill: .live(try OpenSSLPrimitives()),
      chance: secureRandomBytes
    )
    let password = accounts.newPassword()
    try await accounts.put(name, password: password, role: .act, at: now)
    return password
  }

  /// Starts it again.
  func start() async throws(CommandError) {
    guard running == nil else { return }
    running = try await ServerComposition.start(settings)
  }
}

/// What the tour asks a server, as a backend or an attacker would.
struct TourCaller: Sendable {
  let client: HTTPClient
  let base: String

  /// Posts to `/v1/verify`; the answer without the number of the request.
  func verify(_ body: JSONObject) async throws -> JSONObject {
    var answer = try await send(
      HTTPOutgoingRequest(
        method: .post,
        url: base + "/v1/verify",
        headers: ["Content-Type": "application/json"],
        body: body.serialized
      )
    )
    answer["request_id"] = nil
    return answer
  }

  /// Asks for a customer's sandbox purchases.
  func customer(_ id: String) async throws -> JSONObject {
    try await send(
      HTTPOutgoingRequest(
        method: .get,
        url: base + "/v1/customers/\(id)?environment=\(StoreEnvironment.sandbox)"
      )
    )
  }

  private func send(_ request: HTTPOutgoingRequest) async throws -> JSONObject {
    let response = try await client.send(request)
    let object = try JSONParser.parseObject(response.body, limits: .document)
    try require(response.status == 200, "\(request.url) answered \(response.status)")
    return object
  }
}

/// Fails the step unless the condition holds.
///
/// - Throws: ``CommandError`` with code `failed`.
func require(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
  guard !condition else { return }
  throw CommandError(.failed, Words(otherwise()))
}
