import Foundation
import IAPModel
import Testing

@testable import IAPKit

@Suite("A report to the server") struct ServerReportTests {
  private let requests = Guarded<[ClientRequest]>([])

  private func report(lastError: String?, context: [String: String] = [:]) -> QuarantineReport {
    var record = TransactionRecord(
      transaction: .coins("1"),
      state: .quarantined,
      savedAt: Date(milliseconds: 0),
      launch: 1
    )
    record.lastError = lastError
    var report = QuarantineReport(
      record,
      reason: .refused,
      order: nil,
      installation: "i1",
      receipt: nil
    )
    report.context = context
    return report
  }

  private func send(
    _ report: QuarantineReport,
    to endpoint: String = "https://shop.example/v1/verify",
    status: Int = 200
  ) async throws -> JSONObject? {
    let validator = ServerReceiptValidator(endpoint: URL(string: endpoint)!) { [requests] request in
      requests.withLock { $0.append(request) }
      return ClientResponse(status: status, body: Array("{}".utf8))
    }
    try await validator.report(report)
    return try requests.withLock(\.last).map { try JSONParser.parseObject($0.body) }
  }

  @Test func saysEverythingThatIsNeededToDeliverByHand() async throws {
    let body = try await send(report(lastError: nil, context: ["b": "2", "a": "1"]))
    #expect(
      body == [
        "transactionId": "1", "productId": "coins", "reason": "refused", "attempts": 0,
        "quantity": 1, "purchaseDate": 1_700_000_000_000,
        "contactReference": .string(ContactReference.make("1")), "context": ["a": "1", "b": "2"],
        "signedTransaction": "header.1.signature", "installation": "i1",
      ]
    )
    #expect(
      requests.withLock(\.last)?.url.absoluteString == "https://shop.example/v1/reviews"
    )
  }

  /// A handler may refuse with a whole novel; the server takes so many bytes.
  @Test(arguments: [2000, 2001])
  func wordsHaveALimit(_ length: Int) async throws {
    let words = String(repeating: "w", count: length)
    let body = try await send(report(lastError: words))
    #expect(body?["lastError"]?.stringValue?.utf8.count == 2000)
    #expect(ServerReceiptValidator.reasonBytesMax == 2000)
  }

  @Test func goesNowhereWhenTheEndpointIsOfAnotherShape() async throws {
    #expect(try await send(report(lastError: nil), to: "https://shop.example/check") == nil)
  }

  @Test(arguments: [201, 302, 400, 404, 429, 500])
  func isRepeatedUnlessTheServerTookIt(_ status: Int) async {
    await #expect(throws: IAPError.network(underlying: CancellationError())) {
      _ = try await send(report(lastError: nil), status: status)
    }
  }
}
