import Foundation
import HTTPValues
import IAPModel

/// The App Store Server API.
///
/// A request needs a token of a key that the store knows; what it finds belongs to the token's app.
///
/// - **Source:** the server-interface facts.
struct ServerAPIRoutes: Sendable {
  let store: SimulatedAppStore
  let desk: ServerAPIDesk
  /// Which of Apple's two addresses it is; nil when the host name says it, or else the store's own.
  let environment: StoreEnvironment?
  let prefix: String

  /// The longest identifier that is looked up, in characters.
  static let idLengthMax = 64
  /// The longest body of JSON, in bytes.
  static let bodyBytesMax = 64 * 1024

  var routes: [Route] {
    transactionRoutes + subscriptionRoutes + purchaseRoutes + notificationRoutes + retentionRoutes
      + groupRoutes
  }

  typealias Answer = @Sendable (ServerAPICall) throws(SimulatorError) -> HTTPResponse

  /// A route that checks the token, counts the request, and answers refusals as Apple does.
  func route(
    _ method: HTTPMethod,
    _ path: String,
    _ kind: RateKind,
    bodyBytesMax: Int = Self.bodyBytesMax,
    _ answer: @escaping Answer
  ) -> Route {
    Route(method, prefix + path) { request, parameters in
      if let fault = desk.takeFault() { return fault }
      let token = BearerToken.check(
        request.headers["Authorization"],
        store: store,
        at: desk.wallClock()
      )
      let app: BundleID
      switch token {
      case .refused(let reason):
        desk.note(TokenRefusal(date: desk.wallClock(), path: request.path, reason: reason))
        return HTTPResponse(status: 401)
      case .valid(let token): app = token.bundleID
      }
      let environment = addressed(request)
      if let date = desk.count(kind, of: app, in: environment) {
        var response = ServerAPIAnswer.rateLimitExceeded.response
        response.headers["Retry-After"] = String(date.milliseconds)
        return response
      }
      guard request.body.count <= bodyBytesMax else { return HTTPResponse(status: 413) }
      let call = ServerAPICall(
        store: store,
        app: app,
        isHere: environment == store.configuration.environment,
        request: request,
        parameters: parameters
      )
      do throws(SimulatorError) {
        return try answer(call)
      } catch {
        return ServerAPIAnswer(error).response
      }
    }
  }

  private func addressed(_ request: HTTPRequest) -> StoreEnvironment {
    if let environment { return environment }
    switch request.hostName {
    case "api.storekit.apple.com", "api.storekit.itunes.apple.com": return .production
    case "api.storekit-sandbox.apple.com", "api.storekit-sandbox.itunes.apple.com": return .sandbox
    default: return store.configuration.environment
    }
  }
}

/// A request to the App Store Server API whose token was good.
struct ServerAPICall: Sendable {
  let store: SimulatedAppStore
  /// The app that the token is for.
  let app: BundleID
  /// Whether the address is that of the store's environment; elsewhere nothing is known.
  let isHere: Bool
  let request: HTTPRequest
  let parameters: RouteParameters

  /// Any identifier of a customer leads to all that the customer bought in the app.
  func holder(of id: String) throws(SimulatorError) -> StoreState.Holder {
    if let record = find(try checked(id)) {
      return StoreState.Holder(account: record.account, bundleID: record.bundleID)
    }
    if let holder = appTransactionHolder(id) { return holder }
    throw .refusal(.transactionIDNotFound)
  }

  /// A transaction of the app, or the one that a restored copy restores.
  func transaction(
    _ id: String,
    missing: ServerAPIAnswer = .transactionIDNotFound
  ) throws(SimulatorError) -> StoreTransactionRecord {
    guard let found = find(try checked(id)) else {
      guard appTransactionHolder(id) == nil else { throw .refusal(.appTransactionIDNotSupported) }
      throw .refusal(missing)
    }
    guard let original = found.restoredFrom else { return found }
    guard let record = store.transaction(original) else { throw .refusal(missing) }
    return record
  }

  private func find(_ id: TransactionID) -> StoreTransactionRecord? {
    guard isHere, let record = store.transaction(id), record.bundleID == app else { return nil }
    return record
  }

  private func appTransactionHolder(_ id: String) -> StoreState.Holder? {
    guard isHere else { return nil }
    return store.read { core in
      core.state.devices.first { device in
        device.bundleID == app
          && core.identifiers.appTransactionID(device.account, app).rawValue == id
      }.map { StoreState.Holder(account: $0.account, bundleID: app) }
    }
  }

  func checked(
    _ id: String,
    else refusal: ServerAPIAnswer = .invalidTransactionID
  ) throws(SimulatorError) -> TransactionID {
    let isDecimal = id.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isDecimal, (1...ServerAPIRoutes.idLengthMax).contains(id.utf8.count) else {
      throw .refusal(refusal)
    }
    return TransactionID(id)
  }

  /// The body; anything but an object cannot be read.
  func body() throws(SimulatorError) -> JSONObject {
    let limits = JSONLimits(sizeBytesMax: ServerAPIRoutes.bodyBytesMax, depthMax: 8)
    guard let object = try? JSONParser.parseObject(request.body, limits: limits) else {
      throw .refusal(.generalBadRequest)
    }
    return object
  }

  func signed(_ records: [StoreTransactionRecord]) throws(SimulatorError) -> JSONValue {
    var texts: [JSONValue] = []
    for record in records {
      texts.append(.string(try store.signedTransaction(record.transactionID)))
    }
    return .array(texts)
  }
}

extension HTTPResponse {
  /// An answer that says nothing more.
  static func empty(_ status: Int) -> HTTPResponse { HTTPResponse(status: status) }
}
