import Foundation
import IAPKit
import IAPModel
import Testing

@Suite("A server that signs offers") struct ServerOfferSignerTests {
  private static let nonce = UUID(uuidString: "0E984725-C51C-4BF4-9960-E1C80E27ABA0")!
  private let requests = Guarded<[ClientRequest]>([])

  private func sign(
    _ status: Int,
    _ body: String,
    format: OfferSignatureRequest.Format = .promotional
  ) async throws -> OfferProof {
    let access = ServerAccess(url: URL(string: "https://iap.example.com")!, publicKey: "pk_1")
    let signer = ServerOfferSigner(server: access) { [requests] request in
      requests.withLock { $0.append(request) }
      return ClientResponse(status: status, body: Array(body.utf8))
    }
    var request = OfferSignatureRequest(
      format: format,
      productId: "silver",
      offerId: "half",
      accountToken: Self.nonce
    )
    request.transactionId = "7"
    request.allowsIntroductoryOffer = true
    return try await signer.sign(request)
  }

  @Test func answersBothForms() async throws {
    let signature = """
      {"format":"promotional","keyId":"KEY","nonce":"0e984725-c51c-4bf4-9960-e1c80e27aba0",
      "timestamp":1750000000123,"signature":"AQID"}
      """
    #expect(
      try await sign(200, signature)
        == .signature(
          OfferSignature(
            keyId: "KEY",
            nonce: Self.nonce,
            timestamp: 1_750_000_000_123,
            signature: Data([1, 2, 3])
          )
        )
    )
    let jws = #"{"format":"promotionalJWS","jws":"a.b.c"}"#
    #expect(try await sign(200, jws, format: .promotionalJWS) == .jws("a.b.c"))
  }

  @Test func asksAsTheContractSays() async throws {
    _ = try await sign(200, #"{"jws":"a.b.c"}"#, format: .introductoryEligibilityJWS)
    let request = try #require(requests.withLock { $0.first })
    #expect(request.method == "POST")
    #expect(request.url.absoluteString == "https://iap.example.com/v1/offers/signature")
    #expect(request.headers["Authorization"] == "Bearer pk_1")
    let expected: JSONObject = [
      "format": "introductoryEligibilityJWS", "productId": "silver", "offerId": "half",
      "accountToken": "0e984725-c51c-4bf4-9960-e1c80e27aba0", "transactionId": "7",
      "allowIntroductoryOffer": true,
    ]
    #expect(try JSONParser.parseObject(request.body) == expected)
  }

  @Test(arguments: [400, 401, 404, 422])
  func refusalIsNotSigned(_ status: Int) async {
    await #expect(throws: IAPError.offerRefused(.notSigned)) { _ = try await sign(status, "{}") }
  }

  @Test(arguments: [
    (500, "{}"), (429, "{}"), (200, "<html>"), (200, "{}"), (200, #"{"keyId":"KEY"}"#),
  ])
  func noAnswerMayBeTriedAgain(_ row: (status: Int, body: String)) async {
    await #expect(throws: IAPError.network(underlying: URLError(.unknown))) {
      _ = try await sign(row.status, row.body)
    }
  }
}
