import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Lets requests in: who calls, whether that is allowed, how often, and with which body.
struct Gate: Sendable {
  private let parts: ServerParts
  private let keys: KeyRing
  private let buckets: RateBuckets<APIKeyID>

  init(_ parts: ServerParts) {
    self.parts = parts
    keys = KeyRing(
      ledger: parts.ledger,
      digest: { [verifiers = parts.verifiers] in verifiers.digest($0) },
      uptime: parts.world.uptime
    )
    buckets = RateBuckets(perMinute: parts.configuration.limits.requestsPerMinuteMax)
  }

  /// Lets a request in, or says why not.
  func call(
    _ request: HTTPRequest,
    _ route: Route,
    _ path: [String: String]
  ) async throws(ServerError) -> Call {
    let caller = try await caller(request, route)
    let now = await parts.clock.now()
    let customer = try await customer(request, route, caller, now)
    return Call(
      request: request,
      route: route,
      path: path,
      body: try body(request, route.body),
      caller: caller,
      customer: customer,
      now: now,
      configuration: parts.configuration
    )
  }

  /// Lets in what a person asks for, whom somebody else has let in; the shape of the request is
  /// looked at all the same.
  func call(
    _ request: HTTPRequest,
    _ route: Route,
    _ path: [String: String],
    person: String
  ) async throws(ServerError) -> Call {
    Call(
      request: request,
      route: route,
      path: path,
      body: try body(request, route.body),
      caller: .person(person),
      customer: nil,
      now: await parts.clock.now(),
      configuration: parts.configuration
    )
  }

  private func caller(_ request: HTTPRequest, _ route: Route) async throws(ServerError) -> Caller {
    guard parts.configuration.requiresKeys, route.access != .open, route.access != .apple else {
      return .nobody
    }
    guard let key = try await keys.key(of: request) else { throw ServerError.keyMissing }
    if route.access == .backend, key.kind != .secret { throw ServerError.secretKeyNeeded }
    if let seconds = buckets.take(key.id, at: parts.world.uptime()) {
      throw ServerError(
        429,
        .rateLimited,
        .tooManyRequests,
        "The key has sent more than \(parts.configuration.limits.requestsPerMinuteMax) requests "
          + "in a minute.",
        retryAfterSeconds: seconds
      )
    }
    return .key(key)
  }

  private func customer(
    _ request: HTTPRequest,
    _ route: Route,
    _ caller: Caller,
    _ now: Date
  ) async throws(ServerError) -> CustomerPass? {
    guard route.access == .app || route.access == .customer else { return nil }
    guard let token = request.headers["Customer-Token"] else {
      if route.access == .customer { throw ServerError.tokenRefused }
      return nil
    }
    // Where a token is not needed a stale one is passed over: verifying is how to get a new one.
    guard let pass = try await parts.tokens.pass(token, at: now) else {
      if route.access == .customer { throw ServerError.tokenRefused }
      return nil
    }
    if let app = caller.app, app != pass.scope.app { throw ServerError.anotherApp }
    return pass
  }

  private func body(_ request: HTTPRequest, _ body: Route.Body) throws(ServerError) -> JSONObject {
    let limits = parts.configuration.limits
    let bytesMax: Int
    switch body {
    case .none, .unchecked: return [:]
    case .object: bytesMax = limits.bodyBytesMax
    case .notification: bytesMax = limits.notificationBytesMax
    }
    let object = try RequestBody.object(request, bytesMax: bytesMax, depthMax: limits.bodyDepthMax)
    if let mismatch = body.shape?.mismatch(.object(object), at: "") {
      throw ServerError(
        400,
        .invalidRequest,
        mismatch.isMissing ? .parameterMissing : .parameterInvalid,
        mismatch.isMissing
          ? "\(mismatch.place) is missing: it has to be \(mismatch.wanted)."
          : "\(mismatch.place) has to be \(mismatch.wanted).",
        parameter: mismatch.place
      )
    }
    return object
  }
}
