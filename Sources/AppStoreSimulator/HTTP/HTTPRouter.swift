import HTTPValues
import IAPModel

/// What a route makes of a request; ``SimulatorError`` becomes an error body.
typealias RouteAnswer =
  @Sendable (HTTPRequest, RouteParameters) async throws(SimulatorError) -> HTTPResponse

/// The parts of a path that stand for something.
struct RouteParameters: Sendable {
  let values: [String: String]

  subscript(name: String) -> String { values[name] ?? "" }
}

/// A method, a path, and what answers.
struct Route: Sendable {
  let method: HTTPMethod
  /// Parts between slashes; one that starts with a colon stands for anything.
  let path: [String]
  let handler: RouteAnswer

  init(_ method: HTTPMethod, _ path: String, _ handler: @escaping RouteAnswer) {
    self.method = method
    self.path = path.split(separator: "/").map(String.init)
    self.handler = handler
  }

  func match(_ segments: [String]) -> RouteParameters? {
    guard segments.count == path.count else { return nil }
    var values: [String: String] = [:]
    for (part, segment) in zip(path, segments) {
      if part.hasPrefix(":") {
        values[String(part.dropFirst())] = segment
      } else if part != segment {
        return nil
      }
    }
    return RouteParameters(values: values)
  }
}

/// Finds the route of a request.
struct HTTPRouter: Sendable {
  let routes: [Route]

  func handle(_ request: HTTPRequest) async -> HTTPResponse {
    let segments = request.pathSegments
    let matches = routes.compactMap { route in route.match(segments).map { (route, $0) } }
    guard let (route, parameters) = matches.first(where: { $0.0.method == request.method }) else {
      guard !matches.isEmpty else {
        return .problem(404, code: "unknownRoute", "there is nothing at \(request.path)")
      }
      let known = matches.map(\.0.method.rawValue).joined(separator: ", ")
      var response = HTTPResponse.problem(
        405,
        code: "wrongMethod",
        "\(request.path) knows \(known) only"
      )
      response.headers["Allow"] = known
      return response
    }
    do throws(SimulatorError) {
      return try await route.handler(request, parameters)
    } catch {
      return .problem(error.status, code: error.code.rawValue, error.reason)
    }
  }
}

extension HTTPResponse {
  static func json(_ value: JSONValue) -> HTTPResponse { .json(200, value.serialized) }

  /// Our own kind of error body.
  static func problem(_ status: Int, code: String, _ message: String) -> HTTPResponse {
    let body: JSONValue = [
      "error": [
        "type": status >= 500 ? "store_error" : "invalid_request",
        "code": .string(code),
        "message": .string(message),
      ]
    ]
    return .json(status, body.serialized)
  }
}

extension SimulatorError {
  /// The HTTP status that says the same.
  var status: Int {
    switch code {
    case .unknownApp, .unknownAccount, .unknownDevice, .unknownProduct, .unknownTransaction,
      .unknownPending, .unknownSubscription, .unknownKey:
      404
    case .duplicate, .notAllowed: 409
    case .unreachable: 503
    case .signingFailed: 500
    default: 400
    }
  }
}
