import Foundation
import IAPKit
import IAPModel
import Testing

@Suite("The server's answer")
struct ServerReceiptValidatorTests {
  private static let endpoint = URL(string: "https://shop.example/v1/verify")!

  private func ask(
    _ response: ClientResponse,
    _ evidence: TransactionEvidence = .signed
  ) async throws -> ReceiptValidationResult {
    let validator = ServerReceiptValidator(endpoint: Self.endpoint) { _ in response }
    return try await validator.validate(evidence)
  }

  private func answer(_ text: String, status: Int = 200) -> ClientResponse {
    ClientResponse(status: status, body: Array(text.utf8))
  }

  @Test(
    "is a verdict only when it says one",
    arguments: [
      (#"{"isValid":true}"#, true),
      (#"{"isValid":false}"#, false),
      (#"{"verdict":"accepted"}"#, true),
      (#"{"verdict":"rejected","isValid":false,"reasons":[{"rule":"a","reason":"b"}]}"#, false),
      (#"{"isValid":true,"productId":"coins","expiresDate":1700000000000,"new":[1]}"#, true),
    ]
  )
  func verdicts(text: String, isValid: Bool) async throws {
    #expect(try await ask(answer(text)).isValid == isValid)
  }

  @Test(
    "is unknown when it is malformed",
    arguments: [
      "", "not JSON", "[]", "{}", "null", #"{"isValid":"yes"}"#, #"{"isValid":true"#,
      #"{"verdict":"maybe"}"#, #"{"verdict":"rejected","isValid":true}"#,
      #"{"isValid":true,"expiresDate":{}}"#, #"{"isValid":true,"productId":"another"}"#,
    ]
  )
  func malformed(text: String) async {
    await #expect(throws: IAPError.network(underlying: CancellationError())) {
      _ = try await ask(answer(text))
    }
  }

  @Test(
    "is unknown with any status but 200",
    arguments: [201, 204, 301, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504]
  )
  func statuses(status: Int) async {
    await #expect(throws: IAPError.network(underlying: CancellationError())) {
      _ = try await ask(answer(#"{"isValid":false}"#, status: status))
    }
  }

  @Test("is read up to its limit and not beyond")
  func longAnswers() async throws {
    let limit = ServerReceiptValidator.answerBytesMax
    let start = #"{"isValid":true,"padding":""#
    func padded(to size: Int) -> ClientResponse {
      answer(start + String(repeating: "x", count: size - start.utf8.count - 2) + "\"}")
    }
    #expect(try await ask(padded(to: limit)).isValid)
    await #expect(throws: IAPError.network(underlying: CancellationError())) {
      _ = try await ask(padded(to: limit + 1))
    }
  }

  @Test("is unknown when there is none")
  func noAnswer() async {
    let validator = ServerReceiptValidator(endpoint: Self.endpoint) { _ in
      throw IAPError.network(underlying: CancellationError())
    }
    await #expect(throws: IAPError.network(underlying: CancellationError())) {
      _ = try await validator.validate(.signed)
    }
  }

  @Test("is asked for with the signed transaction and what is known of the order")
  func bodyOfASignedTransaction() async throws {
    #expect(
      try await body(of: .signed) == [
        "signedTransaction": "a.b.c", "sandbox": true, "productId": "coins",
        "orderNumber": "00000000-0000-0000-0000-000000000001", "account": "u1",
        "installation": "i1",
      ]
    )
  }

  @Test("is asked for with the receipt and the transaction to find in it")
  func bodyOfAReceipt() async throws {
    #expect(
      try await body(of: .legacy) == [
        "receipt": "AQID", "transactionId": "7", "sandbox": false, "productId": "coins",
      ]
    )
  }

  @Test(
    "about a receipt is unknown when nothing is wrong but that the transaction is missing",
    arguments: [
      (#"[{"rule":"matchingTransaction","reason":"a"}]"#, true),
      (#"[{"rule":"matchingProduct","reason":"a"}]"#, false),
      (#"[{"rule":"matchingTransaction","reason":"a"},{"rule":"bundle","reason":"b"}]"#, false),
      ("[]", false),
    ]
  )
  func staleReceipt(reasons: String, isStale: Bool) async throws {
    let response = answer(#"{"isValid":false,"reasons":\#(reasons)}"#)
    if isStale {
      await #expect(throws: IAPError.staleReceipt) { _ = try await ask(response, .legacy) }
    } else {
      #expect(try await ask(response, .legacy).isValid == false)
    }
    // A signed text is about one transaction and never gets any newer.
    #expect(try await ask(response, .signed).isValid == false)
  }

  @Test("to an acknowledgement may be any verdict, and nothing else")
  func acknowledgement() async throws {
    let sent = SentBody()
    let validator = ServerReceiptValidator(endpoint: Self.endpoint) { request in
      await sent.keep(request)
      return ClientResponse(status: 200, body: Array(#"{"isValid":false}"#.utf8))
    }
    try await validator.acknowledge(.legacy)
    #expect(
      try await sent.json == [
        "receipt": "AQID", "transactionId": "7", "sandbox": false, "productId": "coins",
        "acknowledged": true,
      ]
    )
    for text in ["", "{}"] {
      let silent = ServerReceiptValidator(endpoint: Self.endpoint) { _ in
        ClientResponse(status: text.isEmpty ? 503 : 200, body: Array(text.utf8))
      }
      await #expect(throws: IAPError.network(underlying: CancellationError())) {
        try await silent.acknowledge(.legacy)
      }
    }
  }

  @Test("is waited for as long as the calls say")
  func timeouts() async throws {
    let sent = SentBody()
    let validator = ServerReceiptValidator(endpoint: Self.endpoint) { request in
      await sent.keep(request)
      return ClientResponse(status: 200, body: Array(#"{"isValid":true}"#.utf8))
    }
    _ = try await validator.validate(.signed)
    #expect(await sent.timeout == ServerReceiptValidator.timeoutSeconds)
    try await validator.acknowledge(.legacy)
    #expect(await sent.timeout == ServerReceiptValidator.acknowledgementTimeoutSeconds)
  }

  @Test("is asked for in the plain form by those who know a receipt only")
  func plainBody() async throws {
    let sent = SentBody()
    let validator = ServerReceiptValidator(endpoint: Self.endpoint) { request in
      await sent.keep(request)
      return ClientResponse(
        status: 200,
        body: Array(#"{"isValid":true,"productId":"coins","expiresDate":1700000000000}"#.utf8)
      )
    }
    let result = try await validator.validate(receiptData: Data([1, 2, 3]), isSandbox: true)
    #expect(try await sent.json == ["receipt": "AQID", "sandbox": true])
    #expect(result.productId == "coins")
    #expect(result.expiresDate == Date(milliseconds: 1_700_000_000_000))
  }

  private func body(of evidence: TransactionEvidence) async throws -> JSONObject {
    let sent = SentBody()
    let validator = ServerReceiptValidator(
      endpoint: Self.endpoint,
      headers: ["Authorization": "Bearer k"]
    ) { request in
      await sent.keep(request)
      return ClientResponse(status: 200, body: Array(#"{"isValid":true}"#.utf8))
    }
    _ = try await validator.validate(evidence)
    #expect(await sent.headers["Content-Type"] == "application/json")
    #expect(await sent.headers["Authorization"] == "Bearer k")
    return try await sent.json
  }
}

extension TransactionEvidence {
  fileprivate static let legacy = TransactionEvidence(
    receipt: Data([1, 2, 3]),
    transactionId: "7",
    originalTransactionId: "7",
    productId: "coins",
    isSandbox: false
  )

  fileprivate static let signed = TransactionEvidence(
    signedTransaction: "a.b.c",
    transactionId: "7",
    originalTransactionId: "7",
    productId: "coins",
    orderNumber: "00000000-0000-0000-0000-000000000001",
    account: "u1",
    installation: "i1",
    isSandbox: true
  )
}

private actor SentBody {
  private var request: ClientRequest?

  func keep(_ request: ClientRequest) { self.request = request }

  var headers: [String: String] { request?.headers ?? [:] }
  var timeout: TimeInterval? { request?.timeout }

  var json: JSONObject {
    get throws { try JSONParser.parseObject(request?.body ?? []) }
  }
}
