import Foundation
import HTTPClient
import HTTPValues
import IAPModel

/// One session of a driver: commands of the W3C standard, as they go over the wire.
///
/// - **Source:** W3C WebDriver, section 6.3; Chromium's extension for its DevTools protocol.
struct WebDriverSession: Sendable {
  private let client: HTTPClient
  private let base: String

  /// How long one command may take.
  static let commandSecondsMax = 120

  /// Opens a session.
  init(
    on driver: ChromeDriver,
    client: HTTPClient,
    capabilities: JSONObject
  ) async throws(BrowserError) {
    self.client = client
    let answer = try await Self.send(
      client,
      .post,
      driver.base + "/session",
      ["capabilities": ["alwaysMatch": .object(capabilities)]]
    )
    guard let id = answer.objectValue?["sessionId"]?.stringValue else {
      throw BrowserError(BrowserError.notStarted, "the driver opened no session")
    }
    base = driver.base + "/session/" + id
  }

  func get(_ path: String) async throws(BrowserError) -> JSONValue {
    try await Self.send(client, .get, base + path, nil)
  }

  @discardableResult
  func post(_ path: String, _ body: JSONObject = [:]) async throws(BrowserError) -> JSONValue {
    try await Self.send(client, .post, base + path, body)
  }

  func delete(_ path: String = "") async throws(BrowserError) {
    _ = try await Self.send(client, .delete, base + path, nil)
  }

  /// A command of the browser's own protocol.
  @discardableResult
  func devTools(
    _ command: String,
    _ parameters: JSONObject = [:]
  ) async throws(BrowserError)
    -> JSONObject
  {
    let answer = try await post(
      "/goog/cdp/execute",
      ["cmd": .string(command), "params": .object(parameters)]
    )
    return answer.objectValue ?? [:]
  }

  private static func send(
    _ client: HTTPClient,
    _ method: HTTPMethod,
    _ url: String,
    _ body: JSONObject?
  ) async throws(BrowserError) -> JSONValue {
    let request = HTTPOutgoingRequest(
      method: method,
      url: url,
      headers: body == nil ? [:] : ["Content-Type": "application/json; charset=utf-8"],
      body: body?.serialized ?? [],
      timeout: .seconds(commandSecondsMax)
    )
    let response: HTTPResponse
    do throws(HTTPClientError) {
      response = try await client.send(request)
    } catch {
      throw BrowserError(BrowserError.noAnswer, "\(method) \(url): \(error.reason)")
    }
    guard let object = try? JSONParser.parseObject(response.body, limits: Self.limits),
      let value = object["value"]
    else { throw BrowserError(BrowserError.noAnswer, "\(url) answered \(response.status)") }
    guard response.isSuccess else {
      let code = value.objectValue?["error"]?.stringValue ?? "status \(response.status)"
      let message = value.objectValue?["message"]?.stringValue ?? ""
      throw BrowserError(code, String(message.prefix { $0 != "\n" }))
    }
    return value
  }

  /// A page as a picture is large.
  private static let limits = JSONLimits(sizeBytesMax: 64 * 1024 * 1024, depthMax: 64)
}
