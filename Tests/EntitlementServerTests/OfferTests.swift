import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage
import Testing

@Suite struct OfferTests {
  /// A server that signs with a key that the store has given away, as App Store Connect does.
  private func makeServer() throws -> TestServer {
    let issuing = try TestServer()
    let issued = try issuing.store.issuedDeveloperKey()
    let key = try AppStoreServerKey(
      id: AppStoreKeyID(issued.id.rawValue),
      issuer: AppStoreIssuerID(issued.issuer.rawValue),
      key: try TestServer.sharedCrypto.readSigningKey(pem: Array(issued.p8.utf8))
    )
    // A store of the same seed knows the same key.
    let test = try TestServer(offerKeys: [DemoCatalog.bundleID: key])
    _ = try test.store.issuedDeveloperKey()
    return test
  }

  private func parts(
    _ answer: TestAnswer,
    offer: String,
    username: String
  ) throws -> OfferSignatureParts {
    let nonce = try #require(answer.text("nonce"))
    return OfferSignatureParts(
      bundleID: DemoCatalog.bundleID,
      productID: DemoCatalog.monthly,
      offerID: OfferID(offer),
      applicationUsername: username,
      signature: OfferSignature(
        keyID: DeveloperKeyID(try #require(answer.text("keyId"))),
        nonce: try #require(UUID(uuidString: nonce)),
        timestampMilliseconds: try #require(answer.body["timestamp"]?.integerValue),
        signature: Array(try #require(Data(base64Encoded: answer.text("signature") ?? "")))
      )
    )
  }

  @Test func aSignatureInTheOldFormPassesTheStoresChecker() async throws {
    let test = try makeServer()
    let token = "0F4D2E3A-9B1C-4D5E-8F60-718293A4B5C6"
    let users: [(more: JSONObject, username: String)] = [
      (["accountToken": .string(token)], token.lowercased()),
      (["applicationUsername": "mia"], "mia"), ([:], ""),
    ]
    for (more, username) in users {
      var body: JSONObject = [
        "format": "promotional", "productId": .string(DemoCatalog.monthly.rawValue),
        "offerId": "spring",
      ]
      for member in more.members { body[member.name] = member.value }
      let answer = try await test.post("/v1/offers/signature", body)
      #expect(answer.status == 200)
      let good = try parts(answer, offer: "spring", username: username)
      let verdict = test.store.check(good, at: test.store.clock.now)
      guard case .genuine(let offer) = verdict else {
        Issue.record("\(verdict)")
        continue
      }
      #expect(offer.productID == DemoCatalog.monthly)
      let other = try parts(answer, offer: "summer", username: username)
      #expect(test.store.check(other, at: test.store.clock.now) == .refused("wrongSignature"))
    }
  }

  @Test func aPromotionalJWSPassesTheStoresChecker() async throws {
    let test = try makeServer()
    let answer = try await test.post(
      "/v1/offers/signature",
      [
        "format": "promotionalJWS", "productId": .string(DemoCatalog.monthly.rawValue),
        "offerId": "spring", "transactionId": "7",
      ]
    )
    let jws = try #require(answer.text("jws"))
    guard case .genuine(let offer) = test.store.checkOffer(jws: jws, at: test.store.clock.now)
    else {
      Issue.record("the store refuses the signature")
      return
    }
    #expect(offer.offerID == "spring")
    #expect(offer.transactionID == "7")
    #expect(offer.allowsIntroductoryOffer == nil)
  }

  @Test(arguments: [true, false])
  func anEligibilityJWSPassesTheStoresChecker(allows: Bool) async throws {
    let test = try makeServer()
    let answer = try await test.post(
      "/v1/offers/signature",
      [
        "format": "introductoryEligibilityJWS",
        "productId": .string(DemoCatalog.monthly.rawValue), "transactionId": "7",
        "allowIntroductoryOffer": .bool(allows),
      ]
    )
    let jws = try #require(answer.text("jws"))
    guard case .genuine(let offer) = test.store.checkOffer(jws: jws, at: test.store.clock.now)
    else {
      Issue.record("the store refuses the signature")
      return
    }
    #expect(offer.offerID == nil)
    #expect(offer.allowsIntroductoryOffer == allows)
  }

  @Test func aNonceIsGivenOnce() async throws {
    let test = try makeServer()
    let body: JSONObject = [
      "format": "promotional", "productId": .string(DemoCatalog.monthly.rawValue),
      "offerId": "spring",
    ]
    var nonces: Set<String> = []
    for _ in 0..<20 {
      let answer = try await test.post("/v1/offers/signature", body)
      #expect(nonces.insert(try #require(answer.text("nonce"))).inserted)
    }
    // The same request under one name is signed once.
    let named = ["Idempotency-Key": "one"]
    let first = try await test.send(.post, "/v1/offers/signature", headers: named, body)
    let second = try await test.send(.post, "/v1/offers/signature", headers: named, body)
    #expect(second.withoutRequestID == first.withoutRequestID)
    #expect(second.headers["Idempotent-Replayed"] == "true")
  }

  @Test(arguments: [
    (#"{"format": "promotional", "productId": "p"}"#, "offerId"),
    (#"{"format": "promotional", "offerId": "o"}"#, "productId"),
    (#"{"format": "other", "productId": "p"}"#, "format"),
    (
      #"{"format": "promotional", "productId": "p", "offerId": "o", "accountToken": "mia"}"#,
      "accountToken"
    ),
    (
      #"{"format": "introductoryEligibilityJWS", "productId": "p", "transactionId": "1"}"#,
      "allowIntroductoryOffer"
    ),
    (
      #"{"format": "introductoryEligibilityJWS", "productId": "p", "allowIntroductoryOffer": true}"#,
      "transactionId"
    ),
  ])
  func whatAnOfferLacksIsNamed(text: String, place: String) async throws {
    let answer = try await makeServer().send(
      HTTPRequest(method: .post, target: "/v1/offers/signature", body: Array(text.utf8))
    )
    #expect(answer.status == 400)
    #expect(answer.errorParameter == place)
  }

  @Test func withoutAKeyNothingIsSigned() async throws {
    let answer = try await TestServer().post(
      "/v1/offers/signature",
      ["format": "promotional", "productId": "p", "offerId": "o"]
    )
    #expect(answer.status == 501)
    #expect(answer.errorCode == "offerKeyMissing")
  }
}
