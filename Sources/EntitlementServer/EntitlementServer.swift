public import AppStoreServerAPI
public import HTTPValues
public import IAPModel
public import ServerStorage

/// The server's use cases behind HTTP routes: a handler over values, without any input or output of
/// its own.
///
/// - **Source:** design, section 6.
public struct EntitlementServer: Sendable {
  let parts: ServerParts
  let gate: Gate
  private let idempotency: IdempotencyBook
  let table: RouteTable

  private var configuration: ServerConfiguration { parts.configuration }
  private var world: ServerWorld { parts.world }
  private var metrics: ServerMetrics { parts.metrics }

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - configuration: The apps and limits.
  ///   - ledger: Where facts are kept.
  ///   - verifiers: What signed data is judged with.
  ///   - clock: The present instant.
  ///   - world: Names of requests, measuring, chance and the log.
  ///   - offerKeys: The keys with which offers are signed, by app.
  ///   - lookup: Finds orders; nil to ask the App Store where `apple` has a key.
  ///   - apple: How the App Store is reached, by app.
  ///   - webhooks: How webhooks are sent; nil to send none.
  public init(
    configuration: ServerConfiguration,
    ledger: any Ledger,
    verifiers: ServerVerifiers,
    clock: any ServerClock,
    world: ServerWorld,
    offerKeys: [BundleID: AppStoreServerKey] = [:],
    lookup: (any StoreLookup)? = nil,
    apple: [BundleID: AppleAccess] = [:],
    webhooks: WebhookWorld? = nil
  ) {
    let parts = ServerParts(
      configuration: configuration,
      verifiers: verifiers,
      ledger: ledger,
      clock: clock,
      world: world,
      offerKeys: offerKeys,
      lookup: lookup,
      apple: apple,
      webhooks: webhooks
    )
    self.parts = parts
    gate = Gate(parts)
    idempotency = IdempotencyBook(parts: parts)
    table = RouteTable(Self.routes(parts))
  }

  /// Every route, in the order in which the documentation lists them.
  private static func routes(_ parts: ServerParts) -> [Route] {
    let routes =
      VerifyUseCase(parts: parts).routes
      + NotificationUseCase(parts: parts).routes
      + CustomerUseCase(parts: parts).routes
      + CustomerLifeUseCase(parts: parts).routes
      + OrderUseCase(parts: parts).routes
      + BalanceUseCase(parts: parts).routes
      + CatalogUseCase(parts: parts).routes
      + OfferUseCase(parts: parts).routes
      + ReviewUseCase(parts: parts).routes
      + ReconciliationUseCase(parts: parts).routes
      + MoneyAuditUseCase(parts: parts).routes
      + WebhookUseCase(parts: parts).routes
      + EventFeedUseCase(parts: parts).routes
      + VerifyReceiptUseCase(parts: parts).routes
      + ExportUseCase(parts: parts).routes
      + OperatingUseCase(parts: parts).routes
    return routes + [OpenAPIDocument.route(describing: routes, parts: parts)]
  }

  /// The handler for an HTTP server.
  public var handler: HTTPHandler {
    { [self] request in await answer(request) }
  }

  /// How much an HTTP server in front of the handler should take.
  public var httpLimits: HTTPLimits {
    HTTPLimits(
      bodyBytesMax: configuration.limits.bodyBytesMax,
      connectionsPerAddressMax: configuration.limits.connectionsPerAddressMax
    )
  }

  /// Answers a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response; never a success before what it promises is durable.
  public func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let requestID = world.requestID()
    let match = table.match(request.method, request.pathSegments)
    let name = Self.name(match)
    let trace = RequestTrace(request, name, requestID) { [parts] in parts.verifiers.digest($0) }
    guard let trace else { return await answer(request, match, name, requestID, nil) }
    return await trace.around {
      await answer(request, match, name, requestID, trace.context.trace)
    }
  }

  private func answer(
    _ request: HTTPRequest,
    _ match: RouteTable.Match,
    _ name: String,
    _ requestID: String,
    _ chain: String?
  ) async -> HTTPResponse {
    let begin = world.uptime()
    metrics.enter(.requestsInFlight)
    defer { metrics.enter(.requestsInFlight, -1) }
    let response: HTTPResponse
    do throws(ServerError) {
      response = try await respond(request, match, requestID)
    } catch {
      response = failure(error, requestID)
      metrics.count(.errors, ["code": error.code.rawValue])
      log(error, name, requestID, chain)
    }
    metrics.count(.requests, ["route": name, "status": "\(response.status)"])
    let duration = world.uptime() - begin
    metrics.observe(.requestSeconds, duration, ["route": name])
    var fields: [ServerEvent.Field] = [
      .init("request_id", requestID), .init("route", name),
      .init("status", "\(response.status)"),
      .init("microseconds", "\(Int(duration / .microseconds(1)))"),
    ]
    if let chain { fields.append(.init("trace_id", chain)) }
    world.log(ServerEvent(.info, "request", fields))
    return response
  }

  /// The response for what an HTTP server refuses before the handler sees it.
  ///
  /// - Parameter status: 400, 413, 431 or 503.
  /// - Returns: The response with the API's error object.
  public func refusal(_ status: Int) -> HTTPResponse {
    let error: ServerError
    switch status {
    case 413:
      error = ServerError(413, .invalidRequest, .bodyTooLarge, "The body is too long.")
    case 431:
      error = ServerError(431, .invalidRequest, .headersTooLarge, "The header is too long.")
    case 503:
      error = ServerError(
        503,
        .unavailable,
        .stopping,
        "The server is stopping; try again.",
        retryAfterSeconds: configuration.limits.retryAfterSeconds
      )
    default:
      error = ServerError(400, .invalidRequest, .requestMalformed, "The request is malformed.")
    }
    metrics.count(.requests, ["route": "refused", "status": "\(error.status)"])
    metrics.count(.errors, ["code": error.code.rawValue])
    return failure(error, world.requestID())
  }

  /// The name of a route in logs and metrics, without any identifier.
  private static func name(_ match: RouteTable.Match) -> String {
    switch match {
    case .found(let route, _): route.path
    case .otherMethods(let path, _): path
    case .nothing: "unknown"
    }
  }

  private func respond(
    _ request: HTTPRequest,
    _ match: RouteTable.Match,
    _ requestID: String
  ) async throws(ServerError) -> HTTPResponse {
    switch match {
    case .nothing:
      throw ServerError(404, .notFound, .routeUnknown, "There is no such route.")
    case .otherMethods(let path, let methods):
      let known = methods.map(\.rawValue).joined(separator: ", ")
      throw ServerError(
        405,
        .invalidRequest,
        .methodNotAllowed,
        "\(path) knows \(known) only.",
        parameter: known
      )
    case .found(let route, let path):
      let call = try await gate.call(request, route, path)
      switch try await idempotency.answer(call) {
      case .object(let status, let object, let headers):
        var response = json(status, object, requestID)
        for field in headers { response.headers[field.name] = field.value }
        return response
      case .written(let object):
        return .json(200, object.serialized(adding: members(requestID)))
      case .whole(let response): return response
      }
    }
  }

  private func failure(_ error: ServerError, _ requestID: String) -> HTTPResponse {
    var inner = AnswerMembers()
    inner.add("type", .string(error.kind.rawValue))
    inner.add("code", .string(error.code.rawValue))
    inner.add("message", .string(error.message))
    inner.add("param", error.code == .methodNotAllowed ? nil : error.parameter)
    inner.add("request_id", .string(requestID))
    var response = json(error.status, ["error": .object(inner.object)], nil)
    if error.code == .methodNotAllowed, let known = error.parameter {
      response.headers["Allow"] = known
    }
    if error.status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
    if let seconds = error.retryAfterSeconds { response.headers["Retry-After"] = "\(seconds)" }
    return response
  }

  /// A JSON answer, marked when simulated stores are trusted.
  private func json(_ status: Int, _ object: JSONObject, _ requestID: String?) -> HTTPResponse {
    var object = object
    for member in members(requestID) { object[member.name] = member.value }
    return .json(status, object.serialized)
  }

  /// What stands at the end of every answer.
  private func members(_ requestID: String?) -> [JSONMember] {
    var members: [JSONMember] = []
    if configuration.isSimulated { members.append(JSONMember("simulated", true)) }
    if let requestID { members.append(JSONMember("request_id", .string(requestID))) }
    return members
  }

  private func log(
    _ error: ServerError,
    _ route: String,
    _ requestID: String,
    _ chain: String?
  ) {
    var fields: [ServerEvent.Field] = [
      .init("request_id", requestID), .init("route", route), .init("code", error.code.rawValue),
    ]
    if let chain { fields.append(.init("trace_id", chain)) }
    if let rules = error.rules { fields.append(.init("rules", rules)) }
    if let inside = error.inside { fields.append(.init("inside", inside)) }
    world.log(ServerEvent(error.status >= 500 ? .error : .notice, "failure", fields))
  }
}
