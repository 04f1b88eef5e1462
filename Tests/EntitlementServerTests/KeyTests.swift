import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct KeyTests {
  @Test(arguments: Backend.allCases)
  func aPublicKeyAloneReadsNobody(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger, requiresKeys: true)
      let key = try await test.key(.public)
      for target in ["/v1/customers/mia", "/v1/reviews", "/metrics"] {
        let answer = try await test.send(.get, target, key: key)
        #expect(answer.status == 403)
        #expect(answer.errorCode == "secretKeyNeeded")
      }
      let me = try await test.send(.get, "/v1/customers/me", key: key)
      #expect(me.status == 401)
      #expect(me.errorCode == "customerTokenRefused")
    }
  }

  @Test func withoutAKeyOnlyWhatIsOpenAnswers() async throws {
    let test = try TestServer(requiresKeys: true)
    for target in ["/healthz", "/readyz", "/openapi.json"] {
      #expect(try await test.send(.get, target).status == 200)
    }
    let refused = try await test.send(.get, "/v1/catalog")
    #expect(refused.status == 401)
    #expect(refused.errorCode == "keyMissing")
    #expect(refused.headers["WWW-Authenticate"] == "Bearer")
    let verify = try await test.verify(["receipt": "YQ=="])
    #expect(verify.errorCode == "keyMissing")
    // What the App Store sends is signed and needs no key.
    let notification = try await test.post("/v1/notifications/apple", ["signedPayload": "a"])
    #expect(notification.errorCode == "notificationRefused")
  }

  @Test func aKeyThatIsNotExactlyRightIsRefused() async throws {
    let test = try TestServer(requiresKeys: true)
    let key = try await test.key(.secret)
    let other = String(key.dropLast()) + (key.last == "A" ? "B" : "A")
    let foreign = "iap_sk_000000000000_" + String(repeating: "A", count: 43)
    for wrong in [
      other, String(key.dropLast()), key + "A", key.uppercased(), foreign, "", "x",
      key.replacing("iap_sk", with: "iap_pk"), String(repeating: "a", count: 10_000),
      "' OR 1=1 --",
    ] {
      let answer = try await test.send(.get, "/v1/customers/mia", key: wrong)
      #expect(answer.status == 401)
      #expect(answer.errorCode == "keyRefused", "\(wrong.prefix(20))")
    }
    #expect(try await test.send(.get, "/v1/customers/mia", key: key).status == 200)
    #expect(
      try await test.send(
        .get,
        "/v1/customers/mia",
        headers: ["authorization": "bearer  \(key)"]
      ).status == 200
    )
  }

  @Test func aWithdrawnKeyIsGoodNoMoreAfterFiveSeconds() async throws {
    let test = try TestServer(requiresKeys: true)
    let key = try await test.key(.secret)
    #expect(try await test.send(.get, "/v1/customers/mia", key: key).status == 200)
    let id = APIKeyID(String(key.split(separator: "_")[2]))
    let document = try #require(
      try await test.ledger.read { reader throws(StorageError) in
        try reader.document(APIKeyRecord.key(id))
      }
    )
    var record = try APIKeyRecord(document)
    record.revokedDate = test.store.clock.now
    var write = LedgerWrite(date: test.store.clock.now)
    write.documents = [record.document(.mustHaveVersion(document.version))]
    _ = try await test.ledger.commit(write)
    test.uptime.advance(.seconds(5))
    #expect(try await test.send(.get, "/v1/customers/mia", key: key).status == 200)
    test.uptime.advance(.milliseconds(1))
    let answer = try await test.send(.get, "/v1/customers/mia", key: key)
    #expect(answer.errorCode == "keyRefused")
  }

  @Test func onlyAHashOfAKeyIsKept() async throws {
    try await withTemporaryFolder { folder in
      try await withLedger(.sqlite) { ledger in
        let test = try TestServer(ledger: ledger, requiresKeys: true)
        let key = try await test.key(.secret)
        let documents = try await ledger.read { reader throws(StorageError) in
          try reader.documents(.apiKey, app: nil, shelf: nil, after: 0, limit: 10)
        }
        let secret = try #require(key.split(separator: "_", maxSplits: 3).last)
        #expect(documents.count == 1)
        #expect(!JSONValue.object(documents[0].body).serializedText.contains(secret))
        #expect(documents[0].body["hash"]?.stringValue?.count == 64)
      }
    }
  }

  @Test func aKeyOpensItsOwnAppOnly() async throws {
    let test = try TestServer(requiresKeys: true, otherApp: true)
    let foreign = try await test.key(.secret, app: TestServer.appB)
    let named = try await test.send(
      .get,
      "/v1/customers/mia?app=\(DemoCatalog.bundleID)",
      key: foreign
    )
    #expect(named.status == 403)
    #expect(named.errorCode == "anotherApp")
    let plain = try await test.send(.get, "/v1/customers/mia", key: foreign)
    #expect(plain.text("app") == TestServer.appB.rawValue)
    let coins = try test.buy(DemoCatalog.coins)
    let proof: JSONObject = [
      "signedTransaction": .string(try test.store.signedTransaction(coins.transactionID))
    ]
    let verify = try await test.send(.post, "/v1/verify", key: foreign, proof)
    #expect(verify.status == 403)
    #expect(verify.errorCode == "anotherApp")
    #expect(try await test.ledger.counts().entries == 0)
  }

  @Test func aKeyMaySendSoManyRequestsInAMinute() async throws {
    let test = try TestServer(limits: ServerLimits(requestsPerMinuteMax: 6), requiresKeys: true)
    let key = try await test.key(.secret)
    let other = try await test.key(.secret)
    for _ in 0..<6 {
      #expect(try await test.send(.get, "/v1/customers/mia", key: key).status == 200)
    }
    let refused = try await test.send(.get, "/v1/customers/mia", key: key)
    #expect(refused.status == 429)
    #expect(refused.errorCode == "tooManyRequests")
    #expect(refused.headers["Retry-After"] == "10")
    #expect(try await test.send(.get, "/v1/customers/mia", key: other).status == 200)
    test.uptime.advance(.seconds(9))
    #expect(try await test.send(.get, "/v1/customers/mia", key: key).status == 429)
    test.uptime.advance(.seconds(1))
    #expect(try await test.send(.get, "/v1/customers/mia", key: key).status == 200)
    #expect(try await test.send(.get, "/v1/customers/mia", key: key).status == 429)
  }
}
