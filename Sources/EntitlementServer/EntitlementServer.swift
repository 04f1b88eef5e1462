public import HTTPValues
import IAPModel
public import ServerStorage

/// The server's use cases behind HTTP routes: a handler over values, without any input or output of
/// its own.
///
/// - **Source:** design, section 6.
public struct EntitlementServer: Sendable {
  private let configuration: ServerConfiguration
  private let ledger: any Ledger
  private let world: ServerWorld
  private let metrics = ServerMetrics()
  private let verify: VerifyUseCase
  private let notifications: NotificationUseCase
  private let customers: CustomerUseCase

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - configuration: The apps and limits.
  ///   - ledger: Where facts are kept.
  ///   - verifiers: What signed data is judged with.
  ///   - clock: The present instant.
  ///   - world: Names of requests, measuring and the log.
  public init(
    configuration: ServerConfiguration,
    ledger: any Ledger,
    verifiers: ServerVerifiers,
    clock: any ServerClock,
    world: ServerWorld
  ) {
    self.configuration = configuration
    self.ledger = ledger
    self.world = world
    verify = VerifyUseCase(
      configuration: configuration,
      reader: EvidenceReader(
        configuration: configuration,
        verifiers: verifiers,
        ledger: ledger
      ),
      ledger: ledger,
      clock: clock,
      metrics: metrics
    )
    notifications = NotificationUseCase(
      configuration: configuration,
      verifiers: verifiers,
      ledger: ledger,
      clock: clock,
      metrics: metrics
    )
    customers = CustomerUseCase(configuration: configuration, ledger: ledger, clock: clock)
  }

  /// The handler for an HTTP server.
  public var handler: HTTPHandler {
    { [self] request in await answer(request) }
  }

  /// How much an HTTP server in front of the handler should take.
  public var httpLimits: HTTPLimits {
    HTTPLimits(bodyBytesMax: configuration.limits.bodyBytesMax)
  }

  /// Answers a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response; never a success before what it promises is durable.
  public func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let begin = world.uptime()
    let requestID = world.requestID()
    let endpoint = Endpoint(request.pathSegments)
    let response: HTTPResponse
    do throws(ServerError) {
      response = try await respond(request, endpoint, requestID)
    } catch {
      response = failure(error, requestID)
      metrics.count(.errors, ["code": error.code.rawValue])
      log(error, endpoint, requestID)
    }
    let route = endpoint?.name ?? "unknown"
    metrics.count(.requests, ["route": route, "status": "\(response.status)"])
    let duration = world.uptime() - begin
    metrics.observe(duration)
    world.log(
      ServerEvent(
        .info,
        "request",
        [
          .init("request_id", requestID), .init("route", route),
          .init("status", "\(response.status)"),
          .init("microseconds", "\(Int(duration / .microseconds(1)))"),
        ]
      )
    )
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

  private func respond(
    _ request: HTTPRequest,
    _ endpoint: Endpoint?,
    _ requestID: String
  ) async throws(ServerError) -> HTTPResponse {
    guard let endpoint else {
      throw ServerError(404, .notFound, .routeUnknown, "There is no such route.")
    }
    guard endpoint.methods.contains(request.method) else {
      let known = endpoint.methods.map(\.rawValue).joined(separator: ", ")
      throw ServerError(
        405,
        .invalidRequest,
        .methodNotAllowed,
        "\(endpoint.name) knows \(known) only.",
        parameter: known
      )
    }
    switch endpoint {
    case .verify:
      let body = try body(request, bytesMax: configuration.limits.bodyBytesMax)
      let wanted = try VerifyRequest(body, limits: configuration.limits)
      return json(200, try await verify.answer(wanted), requestID)
    case .appleNotification:
      let body = try body(request, bytesMax: configuration.limits.notificationBytesMax)
      return json(200, try await notifications.answer(body), requestID)
    case .customer(let id):
      return json(200, try await customers.answer(id, request), requestID)
    case .health:
      _ = try await stored { () async throws(StorageError) in try await ledger.counts() }
      return json(200, ["status": "ok"], requestID)
    case .metrics:
      return try await metricsResponse()
    }
  }

  private func body(_ request: HTTPRequest, bytesMax: Int) throws(ServerError) -> JSONObject {
    try RequestBody.object(
      request,
      bytesMax: bytesMax,
      depthMax: configuration.limits.bodyDepthMax
    )
  }

  private func metricsResponse() async throws(ServerError) -> HTTPResponse {
    let counts = try await stored { () async throws(StorageError) in try await ledger.counts() }
    let text = metrics.text(gauges: [
      ("iap_ledger_facts", "Facts in the ledger.", counts.facts),
      ("iap_ledger_subjects", "Purchases and subscriptions in the ledger.", counts.subjects),
      ("iap_ledger_transactions", "Transactions in the ledger.", counts.transactions),
      ("iap_ledger_entries", "Grants, clawbacks and regrants in the ledger.", counts.entries),
      ("iap_ledger_orders", "Orders in the ledger.", counts.orders),
      ("iap_ledger_conflicts", "Purchases presented by another customer.", counts.conflicts),
      ("iap_ledger_outbox", "Events for the app's own backend.", counts.outbox),
      ("iap_simulated", "Whether simulated stores are trusted.", configuration.isSimulated ? 1 : 0),
    ])
    return HTTPResponse(
      status: 200,
      headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
      body: Array(text.utf8)
    )
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
    if let seconds = error.retryAfterSeconds { response.headers["Retry-After"] = "\(seconds)" }
    return response
  }

  /// A JSON answer, marked when simulated stores are trusted.
  private func json(_ status: Int, _ object: JSONObject, _ requestID: String?) -> HTTPResponse {
    var object = object
    if configuration.isSimulated { object["simulated"] = true }
    if let requestID { object["request_id"] = .string(requestID) }
    return .json(status, object.serialized)
  }

  private func log(_ error: ServerError, _ endpoint: Endpoint?, _ requestID: String) {
    var fields: [ServerEvent.Field] = [
      .init("request_id", requestID), .init("route", endpoint?.name ?? "unknown"),
      .init("code", error.code.rawValue),
    ]
    if let inside = error.inside { fields.append(.init("inside", inside)) }
    world.log(ServerEvent(error.status >= 500 ? .error : .notice, "failure", fields))
  }
}
