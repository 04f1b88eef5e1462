import Foundation
import HTTPClient
import HTTPValues
import IAPModel

/// Asks a running server, with the secret key of the environment.
struct ServerCall {
  /// Where a server listens unless somebody says otherwise.
  static let usualAddress = "http://127.0.0.1:8080"
  private static let timeout = Duration.seconds(30)

  private let base: String
  private let key: String?

  /// The options with which a server, an app and an environment are named.
  static let options: [CommandOption] = [
    .value(
      "server",
      "URL",
      Words(
        "The server's address. Default http://127.0.0.1:8080.",
        zh: "服务器地址，默认 http://127.0.0.1:8080。"
      )
    ),
    .value("app", "BUNDLE", Words("The app, where the server has several.", zh: "App（服务器有多个时）。")),
    .value(
      "environment",
      "NAME",
      Words("Production or Sandbox. Default Production.", zh: "Production 或 Sandbox，默认 Production。")
    ),
  ]

  /// The query that says which app and environment is meant.
  let query: String

  init(_ arguments: CommandArguments, _ console: Console) {
    let server = arguments.value("server") ?? Self.usualAddress
    base = server.hasSuffix("/") ? String(server.dropLast()) : server
    key = console.environment["IAP_KEY"]
    var query =
      "environment=" + PercentCoding.encode(arguments.value("environment") ?? "Production")
    if let app = arguments.value("app") { query += "&app=" + PercentCoding.encode(app) }
    self.query = query
  }

  /// Asks for a JSON object.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path, without a query.
  ///   - body: What is sent; nil for nothing.
  ///   - name: Names the request, so that it can be sent again.
  /// - Returns: The object.
  /// - Throws: ``CommandError`` with code `failed` when there is no success.
  func object(
    _ method: HTTPMethod,
    _ path: String,
    _ body: JSONObject? = nil,
    named name: String? = nil
  ) async throws(CommandError) -> JSONObject {
    let response = try await send(method, "\(path)?\(query)", body?.serialized ?? [], name)
    guard let object = try? JSONParser.parseObject(response.body, limits: .document) else {
      throw Self.strange
    }
    guard response.status == 200 else {
      let message = object["error"]?.objectValue?["message"]?.stringValue ?? "\(response.status)"
      throw CommandError(
        .failed,
        Words("the server refuses: \(message)", zh: "服务器拒绝：\(message)")
      )
    }
    return object
  }

  /// Asks for a text of another kind.
  func text(_ path: String, _ more: String) async throws(CommandError) -> [UInt8] {
    let response = try await send(.get, "\(path)?\(query)&\(more)", [], nil)
    guard response.status == 200 else { throw Self.strange }
    return response.body
  }

  private func send(
    _ method: HTTPMethod,
    _ target: String,
    _ body: [UInt8],
    _ name: String?
  ) async throws(CommandError) -> HTTPResponse {
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    if let key { headers["Authorization"] = "Bearer \(key)" }
    if let name { headers["Idempotency-Key"] = name }
    do {
      return try await HTTPClient().send(
        HTTPOutgoingRequest(
          method: method,
          url: base + target,
          headers: headers,
          body: body,
          timeout: Self.timeout
        )
      )
    } catch {
      throw CommandError(.failed, Words("the server does not answer.", zh: "服务器没有回答。"))
    }
  }

  /// What answered is something else.
  static let strange = CommandError(
    .failed,
    Words("what answers is no entitlement server.", zh: "回答者不是权益服务器。")
  )

  /// How often the server is asked how far something is, in seconds.
  private static let pauseSeconds = 1.0

  /// Asks for a report until it is over, with a line for each step.
  ///
  /// - Parameters:
  ///   - path: The report's path.
  ///   - first: The report as it began.
  ///   - console: Takes the lines, on standard error.
  ///   - line: Says how far it is.
  /// - Returns: The report that is over.
  /// - Throws: ``CommandError`` when the server cannot be asked.
  func wait(
    for path: String,
    _ first: JSONObject,
    _ console: Console,
    _ line: (JSONObject) -> String
  ) async throws(CommandError) -> JSONObject {
    var report = first
    var shown = ""
    var progress = ProgressLine("", console: console)
    defer { progress.end() }
    while report["state"] == "running" {
      let text = line(report)
      if text != shown {
        if console.isWatched {
          progress.show(text)
        } else {
          console.errors(Array((text + "\n").utf8))
        }
        shown = text
      }
      await LivePause.wait(seconds: Self.pauseSeconds)
      report = try await object(.get, path)
    }
    return report
  }
}
