public import Foundation
import IAPModel

/// Asks your server whether a purchase is real.
///
/// It posts JSON to the endpoint: `signedTransaction` (StoreKit 2) or `receipt` in base64 with
/// `transactionId` (StoreKit 1), `sandbox`, and beside them `productId`, `orderNumber`, `account`
/// and `installation` where they are known. Only an answer with status 200 whose JSON says
/// `isValid` or `verdict` is a verdict. Everything else is thrown and means "ask again": no
/// connection, a time-out, any other status, a body that is too long, malformed, or about another
/// product. A receipt that does not show the transaction yet is no verdict either
/// (``IAPError/staleReceipt``).
///
/// After a consumable was handed over, the same body is posted once more with `acknowledged`.
public struct ServerReceiptValidator: ReceiptValidator {
  /// The longest answer that is read, in bytes.
  package static let answerBytesMax = 1024 * 1024
  /// How many seconds the server has to answer.
  package static let timeoutSeconds: TimeInterval = 30
  /// How many seconds the server has to take an acknowledgement; finishing waits for so long.
  package static let acknowledgementTimeoutSeconds: TimeInterval = 10

  let endpoint: URL
  let headers: [String: String]
  let http: @Sendable (ClientRequest) async throws -> ClientResponse

  /// Makes a validator that posts to the endpoint.
  ///
  /// - Parameter endpoint: The whole address, for example `https://example.com/v1/verify`.
  public init(endpoint: URL) { self.init(endpoint: endpoint, headers: [:]) }

  /// Makes a validator that sends more headers, for example the app's public key.
  ///
  /// - Parameters:
  ///   - endpoint: The whole address.
  ///   - headers: Sent with each request, beside `Content-Type`.
  public init(endpoint: URL, headers: [String: String]) {
    self.init(endpoint: endpoint, headers: headers, http: LiveWorld.http)
  }

  package init(
    endpoint: URL,
    headers: [String: String] = [:],
    http: @escaping @Sendable (ClientRequest) async throws -> ClientResponse
  ) {
    self.endpoint = endpoint
    self.headers = headers
    self.http = http
  }

  /// Asks about a receipt.
  ///
  /// - Parameters:
  ///   - receiptData: The app receipt, or the ASCII text of a signed transaction.
  ///   - isSandbox: A hint; signed data decides.
  /// - Returns: The verdict.
  /// - Throws: ``IAPError/network(underlying:)`` when there is none.
  public func validate(
    receiptData: Data,
    isSandbox: Bool
  ) async throws -> ReceiptValidationResult {
    try await ask(
      ["receipt": .string(receiptData.base64EncodedString()), "sandbox": .bool(isSandbox)]
    )
  }

  /// Asks about one transaction.
  ///
  /// - Parameter evidence: What is known of it.
  /// - Returns: The verdict.
  /// - Throws: ``IAPError/network(underlying:)`` when there is none, ``IAPError/staleReceipt`` when
  ///   the receipt is genuine but older than the transaction.
  public func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    let result = try await ask(
      Self.body(for: evidence),
      about: Self.subject(of: evidence),
      token: evidence.customerToken
    )
    // A receipt that lacks the purchase does not say that there was none.
    if evidence.signedTransaction == nil, result.saysReceiptIsStale { throw IAPError.staleReceipt }
    if result.isValid, let product = result.productId, product != evidence.productId {
      throw ServerAnswer.problem("the answer is about another product", status: 200)
    }
    return result
  }

  /// Tells the server that this installation has handed the purchase over.
  ///
  /// - Parameter evidence: What is known of the transaction.
  /// - Throws: ``IAPError/network(underlying:)`` when the server did not answer. A refusal is an
  ///   answer: saying it again would not change it.
  public func acknowledge(_ evidence: TransactionEvidence) async throws {
    var body = Self.body(for: evidence)
    body["acknowledged"] = .bool(true)
    _ = try await ask(
      body,
      about: Self.subject(of: evidence),
      token: evidence.customerToken,
      timeout: Self.acknowledgementTimeoutSeconds
    )
  }

  private static func body(for evidence: TransactionEvidence) -> JSONObject {
    var body = JSONObject()
    if let text = evidence.signedTransaction {
      body["signedTransaction"] = .string(text)
    } else {
      body["receipt"] = evidence.receipt.map { .string($0.base64EncodedString()) }
      body["transactionId"] = .string(evidence.transactionId)
    }
    body["sandbox"] = .bool(evidence.isSandbox)
    body["productId"] = .string(evidence.productId)
    body["orderNumber"] = evidence.orderNumber.map { .string($0) }
    body["account"] = evidence.account.map { .string($0) }
    body["installation"] = evidence.installation.map { .string($0) }
    return body
  }

  private static func subject(of evidence: TransactionEvidence) -> ClientRequest.Subject {
    var subject = ClientRequest.Subject()
    subject.transaction = TransactionID(evidence.transactionId)
    subject.order = evidence.orderNumber.flatMap { OrderNumber($0) }
    subject.product = ProductID(evidence.productId)
    return subject
  }

  private func ask(
    _ body: JSONObject,
    about subject: ClientRequest.Subject = .init(),
    token: String? = nil,
    timeout: TimeInterval = Self.timeoutSeconds
  ) async throws -> ReceiptValidationResult {
    var request = request("POST", endpoint, token: token)
    request.headers["Content-Type"] = "application/json"
    request.body = body.serialized
    request.timeout = timeout
    request.subject = subject
    return try ServerAnswer.verdict(try await http(request))
  }

  private func request(_ method: String, _ url: URL, token: String?) -> ClientRequest {
    var all = headers
    all["Accept"] = "application/json"
    all["Customer-Token"] = token
    return ClientRequest(method: method, url: url, headers: all, timeout: Self.timeoutSeconds)
  }
}

extension ServerReceiptValidator: CustomerSource {
  /// Asks for the customer's own data, beside the endpoint: `…/v1/customers/me`.
  package func customer(token: String) async throws(IAPError) -> CustomerAnswer? {
    guard endpoint.lastPathComponent == "verify" else { throw .unknown }
    let url = endpoint.deletingLastPathComponent().appendingPathComponent("customers/me")
    let response: ClientResponse
    do {
      response = try await http(request("GET", url, token: token))
    } catch {
      throw error as? IAPError ?? .network(underlying: error)
    }
    // The token is not known there, or not any more; a server of another kind knows no tokens.
    guard ![401, 403, 404].contains(response.status) else { return nil }
    guard let answer = CustomerAnswer(try ServerAnswer.body(response)) else {
      throw ServerAnswer.problem("the answer is malformed", status: response.status)
    }
    return answer
  }
}

extension ServerReceiptValidator: ServerCaller {
  func calling(_ wrap: (@escaping CallWatch.Transport) -> CallWatch.Transport) -> Self {
    Self(endpoint: endpoint, headers: headers, http: wrap(http))
  }
}

extension ReceiptValidationResult {
  /// Whether nothing is wrong but that the receipt does not show the transaction.
  var saysReceiptIsStale: Bool {
    !isValid && reasons.map(\.rule) == [RejectionReason.matchingTransaction]
  }
}

/// Reads what a server answered, and tells verdicts from everything else.
enum ServerAnswer {
  /// The domain of ``problem(_:status:)``, whose texts may be logged.
  static let problemDomain = "IAPKit.ServerAnswer"

  static func verdict(_ response: ClientResponse) throws(IAPError) -> ReceiptValidationResult {
    let body = try body(response)
    do {
      return try JSONDecoder().decode(ReceiptValidationResult.self, from: body)
    } catch {
      throw problem("the answer is malformed", status: response.status)
    }
  }

  static func body(_ response: ClientResponse) throws(IAPError) -> Data {
    guard response.status == 200 else {
      throw problem("the server answered \(response.status)", status: response.status)
    }
    guard response.body.count <= ServerReceiptValidator.answerBytesMax else {
      throw problem("the answer is too long", status: response.status)
    }
    return Data(response.body)
  }

  /// An answer that is none.
  ///
  /// The text holds nothing out of the answer.
  static func problem(_ text: String, status: Int) -> IAPError {
    .network(
      underlying: NSError(
        domain: problemDomain,
        code: status,
        userInfo: [NSLocalizedDescriptionKey: text]
      )
    )
  }
}
