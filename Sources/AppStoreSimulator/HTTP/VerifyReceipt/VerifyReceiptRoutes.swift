import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

/// What `verifyReceipt` answers: the HTTP status is 200, and the body says how it went.
///
/// - **Source:** the receipt facts, section 7.
struct VerifyReceiptRoutes: Sendable {
  let store: SimulatedAppStore
  let desk: ServerAPIDesk
  /// Which of Apple's two addresses it is; nil when the host name says it, or else the store's own.
  let environment: StoreEnvironment?
  let prefix: String

  /// The longest body, in bytes.
  static let bodyBytesMax = 8 * 1024 * 1024

  /// The numbers in `status`.
  enum Status: Int64 {
    case valid = 0
    case notPosted = 21_000
    case malformed = 21_002
    case notAuthenticated = 21_003
    case wrongSecret = 21_004
    case expired = 21_006
    case isSandbox = 21_007
    case isProduction = 21_008
    case internalError = 21_009
    case accountNotFound = 21_010
  }

  var routes: [Route] {
    [HTTPMethod.post, .get, .head, .put, .delete, .patch].map { method in
      Route(method, prefix + "/verifyReceipt") { request, _ in answer(request) }
    }
  }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    if let fault = desk.takeReceiptFault() { return fault }
    guard request.method == .post else { return Self.status(.notPosted) }
    do throws(SimulatorError) {
      return try judge(request)
    } catch {
      return Self.status(.internalError)
    }
  }

  private func judge(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let limits = JSONLimits(sizeBytesMax: Self.bodyBytesMax, depthMax: 8)
    guard let body = try? JSONParser.parseObject(request.body, limits: limits),
      let text = body["receipt-data"]?.stringValue
    else { return Self.status(.malformed) }
    if let bytes = Base64.decode(text.utf8, .standard),
      let single = TransactionReceipt(bytes)
    {
      return try answer(single, body, addressed(request))
    }
    let verdict: Verdict<ReceiptPayload>
    do throws(CryptoError) {
      verdict = try ReceiptVerifier(
        anchors: .simulated([try receiptRoot()]),
        origin: ExpectedOrigin(apps: nil, environments: nil),
        crypto: store.signer.signing
      ).verify(base64: Array(text.utf8))
    } catch {
      throw SimulatorError(.signingFailed, "the receipt: \(error.reason)", underlying: error)
    }
    guard let receipt = verdict.accepted?.payload else {
      let unreadable: Set<Rule> = [.format, .container, .payload, .limits]
      let isUnreadable = verdict.failures.contains { unreadable.contains($0.rule) }
      return Self.status(isUnreadable ? .malformed : .notAuthenticated)
    }
    return try answer(receipt, text, body, addressed(request))
  }

  private func receiptRoot() throws(CryptoError) -> [UInt8] {
    do throws(SimulatorError) {
      return try store.receiptRootCertificate()
    } catch {
      throw CryptoError(code: "signingFailed", reason: error.reason)
    }
  }

  private func addressed(_ request: HTTPRequest) -> StoreEnvironment {
    if let environment { return environment }
    switch request.hostName {
    case "buy.itunes.apple.com": return .production
    case "sandbox.itunes.apple.com": return .sandbox
    default: return store.configuration.environment
    }
  }

  private func answer(
    _ receipt: ReceiptPayload,
    _ text: String,
    _ body: JSONObject,
    _ addressed: StoreEnvironment
  ) throws(SimulatorError) -> HTTPResponse {
    guard let bundleID = receipt.bundleID, store.apps.contains(where: { $0.bundleID == bundleID })
    else { return Self.status(.notAuthenticated) }
    switch (receipt.environment, addressed) {
    case (.production?, .sandbox): return Self.status(.isProduction)
    case (.sandbox?, .production): return Self.status(.isSandbox)
    case (.production?, _), (.sandbox?, _): break
    default: return Self.status(.malformed)
    }
    let hasSubscriptions = receipt.items.contains { $0.type == .autoRenewable }
    if hasSubscriptions {
      guard body["password"]?.stringValue == (try store.sharedSecret(of: bundleID)) else {
        return Self.status(.wrongSecret)
      }
    }
    var members = WireMembers()
    members.integer("status", 0)
    members.text("environment", addressed.rawValue)
    members.value("receipt", decoded(receipt))
    if let holder = holder(of: receipt), hasSubscriptions {
      let unified = UnifiedReceipt(store: store, holder: holder)
      let excludes = body["exclude-old-transactions"]?.boolValue ?? false
      let lines = unified.lines(excludingOld: excludes)
      members.value("latest_receipt_info", .array(lines.map(\.json)))
      members.text("latest_receipt", try unified.latestReceipt() ?? text)
      members.value("pending_renewal_info", .array(unified.pendingRenewalInfo()))
    }
    return .json(.object(members.object))
  }

  /// Whose receipt it is, by what was bought.
  private func holder(of receipt: ReceiptPayload) -> StoreState.Holder? {
    for item in receipt.items {
      guard let record = store.transaction(item.transactionID) else { continue }
      return StoreState.Holder(account: record.account, bundleID: record.bundleID)
    }
    return nil
  }

  private func decoded(_ receipt: ReceiptPayload) -> JSONValue {
    let number = receipt.appAppleID?.rawValue ?? 0
    var members = WireMembers()
    members.text("receipt_type", receipt.receiptType?.rawValue)
    members.integer("adam_id", number)
    members.integer("app_item_id", number)
    members.text("bundle_id", receipt.bundleID?.rawValue)
    members.text("application_version", receipt.applicationVersion)
    members.integer("download_id", receipt.downloadID ?? 0)
    members.integer("version_external_identifier", receipt.versionExternalIdentifier ?? 0)
    members.dates("receipt_creation_date", receipt.creationDate)
    members.dates("request_date", store.now, isExact: true)
    members.dates("original_purchase_date", receipt.originalPurchaseDate)
    members.dates("expiration_date", receipt.expirationDate)
    members.text("original_application_version", receipt.originalApplicationVersion)
    let lines = receipt.items.map { item in
      ReceiptLine(item, store.transaction(item.transactionID))
    }
    members.value("in_app", .array(lines.map(\.json)))
    return .object(members.object)
  }

  static func status(_ status: Status) -> HTTPResponse {
    .json(["status": .integer(status.rawValue)])
  }
}

extension HTTPRequest {
  /// The name in `Host`, without the port.
  var hostName: String? {
    headers["Host"].map { host in String(host.prefix { $0 != ":" }).lowercased() }
  }
}
