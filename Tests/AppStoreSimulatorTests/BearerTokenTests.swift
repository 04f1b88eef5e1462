import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

struct BearerTokenTests {
  let test: TestStore
  let face: StoreHTTPFace
  let tokens: DeveloperTokens

  init() throws {
    test = try TestStore()
    face = StoreHTTPFace(store: test.store)
    tokens = try DeveloperTokens(test.store)
  }

  private func status(_ token: String, _ path: String = "/inApps/v1/transactions/42") async -> Int {
    await FaceClient(face: face, token: token).send(.get, path).status
  }

  private func reasons() async throws -> [String] {
    let answer = try await FaceClient(face: face).json(.get, "/control/refused-tokens")
    return (answer.arrayValue ?? []).compactMap { $0["reason"]?.stringValue }
  }

  @Test func whatIsWrongWithATokenCanBeAskedFor() async throws {
    let seconds = tokens.seconds
    let primitives = try OpenSSLPrimitives()
    let stranger = try primitives.makeSigningKey(.p256, seed: Array("stranger".utf8))
    let cases: [(String, String)] = [
      ("", "malformed"), ("a.b", "malformed"), ("a.b.c.d", "malformed"),
      (String(repeating: "a", count: 16 * 1024 + 1), "malformed"),
      (try tokens.token(header: { $0["alg"] = "none" }), "wrongAlgorithm"),
      (try tokens.token(header: { $0["alg"] = "HS256" }), "wrongAlgorithm"),
      (try tokens.token(header: { $0["typ"] = "JWS" }), "wrongAlgorithm"),
      (try tokens.token(header: { $0["kid"] = "ABCDEFGHIJ" }), "unknownKey"),
      (try tokens.token(header: { $0["kid"] = nil }), "unknownKey"),
      (try tokens.token(key: stranger), "wrongSignature"),
      (try tokens.token { $0["iss"] = "someone" }, "wrongIssuer"),
      (try tokens.token { $0["iss"] = nil }, "wrongIssuer"),
      (try tokens.token { $0["aud"] = nil }, "wrongAudience"),
      (try tokens.token { $0["bid"] = nil }, "unknownBundle"),
      (try tokens.token { $0["exp"] = nil }, "malformed"),
      (try tokens.token { $0["exp"] = .integer(seconds) }, "expired"),
      (try tokens.token { $0["exp"] = .integer(seconds + 3601) }, "livesTooLong"),
      (try tokens.token { $0["iat"] = .integer(seconds + 61) }, "notYetValid"),
      (try tokens.token { $0["iat"] = "now" }, "malformed"),
    ]
    for (token, _) in cases { #expect(await status(token) == 401) }
    #expect(try await reasons() == cases.map(\.1))
  }

  @Test func aTokenAtTheLimitIsGood() async throws {
    let seconds = tokens.seconds
    for token in [
      try tokens.token(),
      try tokens.token { $0["iat"] = nil },
      try tokens.token { $0["exp"] = .integer(seconds + 3600) },
      try tokens.token { $0["exp"] = .integer(seconds + 1) },
      try tokens.token { claims in
        claims["iat"] = .integer(seconds + 60)
        claims["exp"] = .integer(seconds + 3660)
      },
      try tokens.token(header: { $0["typ"] = nil }),
    ] {
      #expect(await status(token) == 404)
    }
  }

  @Test func theRealClockJudgesTokensAndTheStoresDoesNot() async throws {
    let start = test.store.now
    let paced = StoreHTTPFace(store: test.store, wallClock: { start })
    test.store.clock.advance(by: 365 * day)
    let client = FaceClient(face: paced, token: try tokens.token())
    #expect(await client.send(.get, "/inApps/v1/transactions/42").status == 404)
    #expect(await status(try tokens.token()) == 401)
  }

  @Test func theKeyThatIsGivenOutComesFromTheSeed() throws {
    let same = try TestStore().store.issuedDeveloperKey()
    let own = try test.store.issuedDeveloperKey()
    #expect(own.p8 == same.p8 && own.id == same.id && own.issuer == same.issuer)
    let other = try TestStore(seed: 8).store.issuedDeveloperKey()
    #expect(own.p8 != other.p8 && own.id != other.id && own.issuer != other.issuer)
    #expect(own.id.rawValue.count == 10)
    #expect(own.p8.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
  }

  @Test func furtherKeysAreMadeKnownAndForgotten() async throws {
    let other = try TestStore(seed: 8).store
    let foreign = try DeveloperTokens(other)
    let client = FaceClient(face: face, token: try foreign.token())
    #expect(await client.send(.get, "/inApps/v1/transactions/42").status == 401)
    let body: JSONValue = [
      "keyId": .string(foreign.keyID), "issuerId": .string(foreign.issuer),
      "key": .string(try other.issuedDeveloperKey().p8),
    ]
    #expect(await client.send(.post, "/control/keys", body).status == 200)
    #expect(await client.send(.get, "/inApps/v1/transactions/42").status == 404)
    #expect(await client.send(.post, "/control/keys", body).status == 409)
    #expect(try await client.json(.get, "/control/keys").arrayValue?.count == 2)
    let path = "/control/keys/\(foreign.keyID)"
    #expect(await client.send(.delete, path).status == 200)
    #expect(await client.send(.delete, path).status == 404)
    #expect(await client.send(.get, "/inApps/v1/transactions/42").status == 401)
  }

  @Test func aPublicKeyIsEnoughAndOthersAreRefused() throws {
    let primitives = try OpenSSLPrimitives()
    func pem(_ der: [UInt8]) -> [UInt8] {
      Array(
        "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der, .standard))\n-----END PUBLIC KEY-----\n"
          .utf8
      )
    }
    let good = try primitives.makeSigningKey(.p256, seed: [1]).subjectPublicKeyInfo
    try test.store.addDeveloperKey("AAAAAAAAAA", issuer: "team", pem: pem(good))
    let wrongCurve = try primitives.makeSigningKey(.p384, seed: [1]).subjectPublicKeyInfo
    var offCurve = good
    offCurve[offCurve.count - 1] ^= 1
    for bytes in [pem(wrongCurve), pem(offCurve), pem(Array(good.dropLast())), [], [0x41]] {
      #expect(throws: SimulatorError(.badRequest, "")) {
        try test.store.addDeveloperKey("BBBBBBBBBB", issuer: "team", pem: bytes)
      }
    }
    for number in 1..<64 {
      try test.store.addDeveloperKey(
        DeveloperKeyID("K\(number)"),
        issuer: "team",
        pem: pem(good)
      )
    }
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.addDeveloperKey("CCCCCCCCCC", issuer: "team", pem: pem(good))
    }
  }
}

struct OfferSignatureTests {
  let test: TestStore
  let tokens: DeveloperTokens
  let nonce = UUID()

  init() throws {
    test = try TestStore()
    tokens = try DeveloperTokens(test.store)
  }

  private func offer(
    _ change: (inout OfferSignatureParts) -> Void = { _ in }
  ) throws -> OfferSignatureParts {
    let now = test.store.now.milliseconds
    let text = [
      DemoCatalog.bundleID.rawValue, tokens.keyID, "com.example.demo.monthly", "loyal", "",
      nonce.uuidString.lowercased(), String(now),
    ].joined(separator: "\u{2063}")
    var offer = OfferSignatureParts(
      bundleID: DemoCatalog.bundleID,
      productID: "com.example.demo.monthly",
      offerID: "loyal",
      applicationUsername: "",
      signature: OfferSignature(
        keyID: DeveloperKeyID(tokens.keyID),
        nonce: nonce,
        timestampMilliseconds: now,
        signature: try tokens.key.sign(Array(text.utf8), digest: .sha256, form: .der)
      )
    )
    change(&offer)
    return offer
  }

  private func refusal(
    after interval: TimeInterval = 0,
    _ change: (inout OfferSignatureParts) -> Void
  ) throws -> String? {
    let now = test.store.now.addingTimeInterval(interval)
    if case .refused(let reason) = test.store.check(try offer(change), at: now) { return reason }
    return nil
  }

  @Test func version1IsCheckedPartByPart() throws {
    #expect(try refusal { _ in } == nil)
    #expect(try refusal(after: 24 * 3600) { _ in } == nil)
    #expect(try refusal(after: 24 * 3600 + 1) { _ in } == "expired")
    #expect(try refusal(after: -60) { _ in } == nil)
    #expect(try refusal(after: -61) { _ in } == "notYetValid")
    #expect(try refusal { $0.productID = "other" } == "wrongSignature")
    #expect(try refusal { $0.offerID = "other" } == "wrongSignature")
    #expect(try refusal { $0.applicationUsername = "mia" } == "wrongSignature")
    #expect(try refusal { $0.signature.nonce = UUID() } == "wrongSignature")
    #expect(try refusal { $0.signature.timestampMilliseconds += 1 } == "wrongSignature")
    #expect(try refusal { $0.signature.signature[9] ^= 1 } == "wrongSignature")
    #expect(try refusal { $0.signature.signature = [] } == "wrongSignature")
    #expect(try refusal { $0.signature.keyID = "other" } == "unknownKey")
    #expect(try refusal { $0.bundleID = "other" } == "unknownBundle")
  }

  private func jws(_ audience: String, _ change: (inout JSONObject) -> Void) throws -> String {
    try tokens.token { claims in
      claims["aud"] = .string(audience)
      claims["exp"] = nil
      claims["productId"] = "com.example.demo.monthly"
      claims["nonce"] = .string(nonce.uuidString.lowercased())
      change(&claims)
    }
  }

  @Test func aJWSAllowsWhatItSays() throws {
    let now = test.store.now
    let promotional = try jws("promotional-offer") { $0["offerIdentifier"] = "loyal" }
    #expect(
      test.store.checkOffer(jws: promotional, at: now)
        == .genuine(
          SignedOffer(
            bundleID: DemoCatalog.bundleID,
            productID: "com.example.demo.monthly",
            offerID: "loyal",
            allowsIntroductoryOffer: nil,
            transactionID: nil,
            nonce: nonce
          )
        )
    )
    let introductory = try jws("introductory-offer-eligibility") { claims in
      claims["allowIntroductoryOffer"] = false
      claims["transactionId"] = "7"
    }
    #expect(
      test.store.checkOffer(jws: introductory, at: now)
        == .genuine(
          SignedOffer(
            bundleID: DemoCatalog.bundleID,
            productID: "com.example.demo.monthly",
            offerID: nil,
            allowsIntroductoryOffer: false,
            transactionID: "7",
            nonce: nonce
          )
        )
    )
    let lacking = try jws("promotional-offer") { _ in }
    #expect(test.store.checkOffer(jws: lacking, at: now) == .refused("malformed"))
    let token = try tokens.token()
    #expect(test.store.checkOffer(jws: token, at: now) == .refused("wrongAudience"))
    let late = now.addingTimeInterval(24 * 3600 + 1)
    #expect(test.store.checkOffer(jws: promotional, at: late) == .refused("expired"))
  }
}
