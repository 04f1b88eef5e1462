import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// A request that was let in, with everything that its route needs.
struct Call: Sendable {
  let request: HTTPRequest
  let route: Route
  /// The values of the parameters in the path.
  let path: [String: String]
  /// The JSON object that it carries; empty for a route without one.
  let body: JSONObject
  let caller: Caller
  /// The customer whose token it shows, when the token is good.
  let customer: CustomerPass?
  /// When it is worked on.
  let now: Date
  let configuration: ServerConfiguration
  /// Bytes that belong to this request by its `Idempotency-Key`; nil when it has none.
  var naming: [UInt8]?

  /// The value of a parameter in the path.
  func parameter(_ name: String) -> String {
    guard let value = path[name] else { preconditionFailure("\(route.path) has no {\(name)}") }
    return value
  }

  /// The app that the request is about: its key's, else the one it names, else the only one.
  func app() throws(ServerError) -> ServerApp {
    let named = request.queryValue("app").map { BundleID($0) }
    if let own = caller.app ?? customer?.scope.app {
      guard let app = configuration.app(own), named == nil || named == own else {
        throw ServerError.anotherApp
      }
      return app
    }
    guard let named else {
      guard configuration.apps.count == 1, let only = configuration.apps.first else {
        throw ServerError(
          400,
          .invalidRequest,
          .parameterMissing,
          "This server works for several apps: say which with ?app=BUNDLE.",
          parameter: "app"
        )
      }
      return only
    }
    guard let app = configuration.app(named) else {
      throw RequestMembers.invalid("app", "an app of this server")
    }
    return app
  }

  /// Whether the caller may speak for a customer: with its token, or as the app's backend.
  func isTrusted(for customer: CustomerID) -> Bool {
    if self.customer?.customer == customer { return true }
    switch caller {
    case .nobody, .person: return true
    case .key(let key): return key.kind == .secret
    }
  }

  /// The app and the environment that the request is about.
  func scope() throws(ServerError) -> LedgerScope {
    let app = try app()
    let allowed = app.orderedEnvironments
    guard let name = request.queryValue("environment") else {
      return LedgerScope(app: app.bundleID, environment: customer?.scope.environment ?? allowed[0])
    }
    guard let found = allowed.first(where: { $0.rawValue == name }) else {
      throw RequestMembers.invalid(
        "environment",
        "one of " + allowed.map(\.rawValue).joined(separator: ", ")
      )
    }
    return LedgerScope(app: app.bundleID, environment: found)
  }

  /// The part of a list that is asked for.
  func page() throws(ServerError) -> (after: Int64, limit: Int) {
    let after = try number("after", 0...Int64.max) ?? 0
    let limit = try number("limit", 1...1000) ?? 100
    return (after, Int(limit))
  }

  private func number(
    _ name: String,
    _ range: ClosedRange<Int64>
  ) throws(ServerError) -> Int64? {
    guard let text = request.queryValue(name) else { return nil }
    guard let value = Int64(text), range.contains(value) else {
      throw RequestMembers.invalid(name, Shape.integer(range).wanted)
    }
    return value
  }
}

/// Who calls.
enum Caller: Hashable, Sendable {
  /// Somebody without a key, where none is needed.
  case nobody
  /// Who has this key.
  case key(APIKeyRecord)
  /// A person who works with the server through pages, by the name in the audit log.
  case person(String)

  /// The app that the key is for.
  var app: BundleID? {
    switch self {
    case .nobody, .person: nil
    case .key(let key): key.app
    }
  }

  /// The name of the caller in the audit log.
  var auditName: String {
    switch self {
    case .nobody: "nobody"
    case .key(let key): key.id.rawValue
    case .person(let name): "operator:\(name)"
    }
  }
}

/// What a route answers with.
enum Reply: Sendable {
  /// A JSON object, which gets the request's name and the mark of simulated stores.
  case object(Int, JSONObject, headers: HTTPHeaders)
  /// A JSON object with status 200 that was written before, and gets the same.
  case written(WrittenObject)
  /// Anything else, as it is.
  case whole(HTTPResponse)

  /// A JSON object with status 200.
  static func ok(_ object: JSONObject) -> Reply { .object(200, object, headers: [:]) }
}
