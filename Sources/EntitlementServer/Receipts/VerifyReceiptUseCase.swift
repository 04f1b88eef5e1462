import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Speaks the contract of Apple's old `verifyReceipt`, from what is verified here and what the
/// ledger knows: backends that were written for it change its address and nothing else.
///
/// - **Source:** the signed-data facts, section 7; decision 0333.
struct VerifyReceiptUseCase: Sendable {
  let parts: ServerParts
  private let buckets: RateBuckets<String>

  /// The most addresses whose requests are counted one by one.
  static let addressesMax = 10_000

  init(parts: ServerParts) {
    self.parts = parts
    buckets = RateBuckets(
      perMinute: parts.configuration.limits.receiptsPerMinuteMax,
      namesMax: Self.addressesMax
    )
  }

  private static let request = Shape.object([
    .required("receipt-data", .text(min: 1, max: 2 * 1024 * 1024)),
    .optional("password", .text(min: 0, max: 256)),
    .optional("exclude-old-transactions", .bool),
  ])
  private static let answers = [
    Route.Answer(200, .object([.required("status", .integer(0...29_999))]))
  ]

  /// The address of production, and the one of the sandbox.
  private static let addresses: [(path: String, environment: StoreEnvironment?)] = [
    ("/verifyReceipt", nil), ("/sandbox/verifyReceipt", .sandbox),
  ]

  var routes: [Route] {
    Self.addresses.flatMap { path, environment in
      [
        Route(
          .post,
          path,
          "Judges a receipt in the words of Apple's old service.",
          access: .open,
          body: .unchecked(Self.request),
          answers: Self.answers,
          errors: [429],
          repetition: .natural,
          run: { call async throws(ServerError) in
            // No key is shown here, and a receipt costs more than most requests.
            try checkRate(call)
            return .ok(try await answer(call, environment))
          }
        ),
        Route(
          .get,
          path,
          "Says that a receipt has to be sent with POST.",
          access: .open,
          answers: Self.answers,
          run: { _ async throws(ServerError) in .ok(Self.status(.notPosted)) }
        ),
      ]
    }
  }

  /// The numbers in `status` that this server gives.
  enum Status: Int64, Hashable, Sendable {
    case valid = 0
    case notPosted = 21_000
    case malformed = 21_002
    case notAuthenticated = 21_003
    case wrongSecret = 21_004
    case isSandbox = 21_007
    case isProduction = 21_008
  }

  static func status(_ status: Status) -> JSONObject { ["status": .integer(status.rawValue)] }

  private func answer(
    _ call: Call,
    _ addressed: StoreEnvironment?
  ) async throws(ServerError) -> JSONObject {
    let limits = JSONLimits(
      sizeBytesMax: parts.configuration.limits.bodyBytesMax,
      depthMax: parts.configuration.limits.bodyDepthMax
    )
    guard let body = try? JSONParser.parseObject(call.request.body, limits: limits),
      let text = body["receipt-data"]?.stringValue
    else { return Self.status(.malformed) }
    guard case .bytes(let bytes) = ReceiptText.read(Array(text.utf8)) else {
      return Self.status(.malformed)
    }
    let verdict = try await parts.verifiers.receipt(bytes, now: call.now)
    guard let verified = verdict.accepted else {
      return Self.status(Self.meaning(verdict.failures, bytes, addressed))
    }
    guard let bundleID = verified.payload.bundleID, let app = parts.configuration.app(bundleID)
    else { return Self.status(.notAuthenticated) }
    if let mistake = misplaced(verified.environment, app, addressed) {
      return Self.status(mistake)
    }
    // Whether there is a secret to know is not said before the receipt was found genuine.
    guard isTrusted(body["password"]?.stringValue, app) else { return Self.status(.wrongSecret) }
    return try await accepted(verified, bytes, body, call.now)
  }

  private func checkRate(_ call: Call) throws(ServerError) {
    let name = call.request.remote ?? ""
    guard let seconds = buckets.take(name, at: parts.world.uptime()) else { return }
    throw ServerError(
      429,
      .rateLimited,
      .tooManyRequests,
      "The address has sent more than \(parts.configuration.limits.receiptsPerMinuteMax) receipts "
        + "in a minute.",
      retryAfterSeconds: seconds
    )
  }

  private static func meaning(
    _ failures: [RuleFailure],
    _ bytes: [UInt8],
    _ addressed: StoreEnvironment?
  ) -> Status {
    // Genuine but for where it was made: the other address is the one to ask.
    if failures.map(\.rule) == [.environment], addressed == nil,
      ReceiptPayload(unverified: bytes)?.environment == .sandbox
    {
      return .isSandbox
    }
    let unreadable: Set<Rule> = [.format, .container, .payload, .limits]
    return failures.contains { unreadable.contains($0.rule) } ? .malformed : .notAuthenticated
  }

  /// Whether the receipt belongs to the other address.
  private func misplaced(
    _ environment: StoreEnvironment,
    _ app: ServerApp,
    _ addressed: StoreEnvironment?
  ) -> Status? {
    let here = addressed ?? (app.environments.contains(.production) ? .production : .sandbox)
    guard app.environments.contains(environment) else {
      return environment == .production ? .isProduction : .notAuthenticated
    }
    switch (environment, here) {
    case (.production, .sandbox): return .isProduction
    case (.sandbox, .production): return .isSandbox
    default: return nil
    }
  }

  /// Whether the caller may see what the ledger knows.
  private func isTrusted(_ password: String?, _ app: ServerApp) -> Bool {
    guard let secret = parts.apple[app.bundleID]?.sharedSecret else {
      return !parts.configuration.requiresKeys
    }
    return secret.matches(password ?? "", digest: { parts.verifiers.digest($0) })
  }

  private func accepted(
    _ verified: Verified<ReceiptPayload>,
    _ bytes: [UInt8],
    _ body: JSONObject,
    _ now: Date
  ) async throws(ServerError) -> JSONObject {
    guard case .accepted(let judged) = ReceiptJudge(parts).accept(verified, bytes, at: now) else {
      return Self.status(.notAuthenticated)
    }
    var write = LedgerWrite(date: now, facts: [judged.record])
    write.documents = try await NewestReceipts(parts: parts).wishes(judged.record, bytes)
    _ = try await parts.commit(write)
    let subjects = Set(
      judged.purchases.map {
        LedgerSubject(scope: judged.scope, original: $0.originalTransactionID)
      }
    )
    let facts = try await parts.read { reader throws(StorageError) in
      var facts: [StoreFact] = []
      for subject in subjects { facts += try reader.facts(of: subject) }
      return facts
    }
    let history = StoreHistory(facts, environment: .only(judged.scope.environment))
    let writer = VerifyReceiptWriter(history: history, now: now)
    return writer.object(
      verified.payload,
      environment: judged.scope.environment,
      receipt: Base64.encode(bytes, .standard),
      excludesOld: body["exclude-old-transactions"]?.boolValue ?? false
    )
  }
}
