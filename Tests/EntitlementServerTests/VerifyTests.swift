import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import SQLiteStorage
import ServerStorage
import Testing

private let month: TimeInterval = 31 * 24 * 3600

@Suite struct VerifyTests {
  @Test(arguments: Backend.allCases)
  func aPurchaseIsAcceptedAndGrantedOnce(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try test.buy(DemoCatalog.coins, quantity: 3)
      let answer = try await test.verify(coins, ["installation": "one"])
      let id = coins.transactionID.rawValue
      #expect(answer.status == 200)
      #expect(
        answer.body == [
          "verdict": "accepted", "isValid": true, "productId": "com.example.demo.coins",
          "transactionId": .string(id), "originalTransactionId": .string(id),
          "environment": "Sandbox", "productType": "Consumable",
          "purchaseDate": .integer(coins.purchaseDate.milliseconds), "unit": .string("tx:\(id)"),
          "grant": ["unit": .string("tx:\(id)"), "count": 1, "quantity": 3], "claimedBy": "one",
          "entitlements": [], "simulated": true, "request_id": "req_1",
        ]
      )
      #expect(try await ledger.counts().entries == 1)
    }
  }

  @Test(arguments: Backend.allCases)
  func twentyAtOnceAreOneGrantAndTwentyEqualAnswers(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try test.buy(DemoCatalog.coins)
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for _ in 0..<20 {
          group.addTask {
            try await test.verify(coins, ["installation": "one", "account": "mia"])
          }
        }
        return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
      }
      #expect(answers.count == 20)
      #expect(Set(answers.map(\.withoutRequestID)).count == 1)
      #expect(Set(answers.map { $0.text("request_id") }).count == 20)
      let counts = try await ledger.counts()
      #expect(counts.facts == 1)
      #expect(counts.entries == 1)
    }
  }

  @Test func theAnswerIsTheSameAfterARestart() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let first = try SQLiteLedger(path: path)
      let before = try TestServer(ledger: first)
      let monthly = try before.buy(DemoCatalog.monthly)
      let answer = try await before.verify(monthly, ["account": "mia"])
      await first.close()
      let second = try SQLiteLedger(path: path)
      let after = try TestServer(ledger: second)
      _ = try after.buy(DemoCatalog.monthly)
      let again = try await after.verify(monthly, ["account": "mia"])
      #expect(again.withoutRequestID == answer.withoutRequestID)
      #expect(try await second.counts().entries == 1)
      await second.close()
    }
  }

  @Test func theFirstInstallationToAskDeliversAConsumable() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let lifetime = try test.buy(DemoCatalog.lifetime)
    #expect(try await test.verify(coins).text("claimedBy") == nil)
    #expect(try await test.verify(coins, ["installation": "two"]).text("claimedBy") == "two")
    #expect(try await test.verify(coins, ["installation": "one"]).text("claimedBy") == "two")
    #expect(try await test.verify(coins).text("claimedBy") == "two")
    let kept = try await test.verify(lifetime, ["installation": "one"])
    #expect(kept.text("claimedBy") == nil)
    #expect(kept.entitlements == ["com.example.demo.lifetime"])
  }

  @Test(arguments: Backend.allCases)
  func accountAndOrderAreBoundToThePurchase(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let number = try #require(OrderNumber("0b5d6f0e-7c35-4d3c-9d63-2f6b8a1c0001"))
      let lifetime = try test.buy(DemoCatalog.lifetime, token: number.accountToken)
      let more: JSONObject = [
        "account": "mia", "orderNumber": .string(number.description), "installation": "one",
        "productId": "com.example.demo.lifetime",
        "transactionId": .string(lifetime.transactionID.rawValue), "sandbox": true,
      ]
      let answer = try await test.verify(lifetime, more)
      #expect(answer.entitlements == ["com.example.demo.lifetime"])
      let customer = try await test.customer("mia")
      #expect(names(customer["entitlements"]) == ["com.example.demo.lifetime"])
      #expect(
        customer["orders"] == [
          [
            "orderNumber": .string(number.description), "productId": "com.example.demo.lifetime",
            "quantity": 1, "createdDate": .integer(TestServer.start.milliseconds),
            "state": "paid", "transactionIds": [.string(lifetime.transactionID.rawValue)],
          ]
        ]
      )
      // Somebody else presents the same purchase: it stays where it is.
      let other = try await test.verify(lifetime, ["account": "noah"])
      #expect(other.body["belongsToAnother"] == true)
      #expect(other.entitlements == [])
      #expect(names(try await test.customer("noah")["entitlements"]) == [])
    }
  }

  @Test func aSubscriptionGivesAccessToTheEndOfItsPeriod() async throws {
    let test = try TestServer()
    let monthly = try test.buy(DemoCatalog.monthly)
    let expires = try #require(monthly.expiresDate)
    let answer = try await test.verify(monthly)
    #expect(answer.body["expiresDate"]?.integerValue == expires.milliseconds)
    let held = answer.body["entitlements"]?.arrayValue?.first?.objectValue
    #expect(held?["until"]?.integerValue == expires.milliseconds)
    #expect(held?["reason"] == "subscribed")
    // The renewal is announced by the store; asking about the first period shows the access.
    await test.store.advance(to: expires.addingTimeInterval(60))
    let later = try await test.verify(monthly)
    let until = later.body["entitlements"]?.arrayValue?.first?.objectValue?["until"]
    #expect((until?.integerValue ?? 0) > expires.milliseconds)
    #expect(later.body["expiresDate"]?.integerValue == expires.milliseconds)
  }

  @Test func aRefundIsSeenByWhoAsksWithAnOldProof() async throws {
    let test = try TestServer()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let proof: JSONObject = [
      "signedTransaction": .string(try test.store.signedTransaction(lifetime.transactionID)),
      "account": "mia",
    ]
    #expect(try await test.verify(proof).entitlements == ["com.example.demo.lifetime"])
    try test.store.refund(lifetime.transactionID)
    await test.store.drainNotifications()
    let answer = try await test.verify(proof)
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.body["revocationDate"] != nil)
    #expect(answer.entitlements == [])
    let customer = try await test.customer("mia")
    #expect(names(customer["entitlements"]) == [])
    #expect(names(customer["lapsed"]) == ["com.example.demo.lifetime"])
    let entries = customer["purchases"]?.arrayValue?.first?.objectValue?["entries"]?.arrayValue
    #expect(
      entries?.compactMap { $0.objectValue?["kind"]?.stringValue } == ["grant", "clawback"]
    )
  }

  @Test func aKnownTransactionIsAnsweredByItsIdentifierAlone() async throws {
    let test = try TestServer()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let body: JSONObject = ["transactionId": .string(lifetime.transactionID.rawValue)]
    let unknown = try await test.verify(body)
    #expect(unknown.status == 501)
    #expect(unknown.errorCode == "transactionLookupUnsupported")
    _ = try await test.verify(lifetime)
    let known = try await test.verify(body)
    #expect(known.text("verdict") == "accepted")
    #expect(known.text("productId") == "com.example.demo.lifetime")
    // Knowing an identifier is no proof of having bought: nothing is credited for it.
    var claim = body
    claim["account"] = "noah"
    claim["installation"] = "noah's"
    _ = try await test.verify(claim)
    #expect(names(try await test.customer("noah")["entitlements"]) == [])
  }
}

@Suite struct VerifyRefusalTests {
  private func verify(
    _ test: TestServer,
    _ text: String,
    _ more: JSONObject = [:]
  ) async throws
    -> TestAnswer
  {
    var body: JSONObject = ["signedTransaction": .string(text)]
    for member in more.members { body[member.name] = member.value }
    return try await test.verify(body)
  }

  @Test func aForgedSignatureIsRefused() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    var text = try test.store.signedTransaction(coins.transactionID)
    // The last but one digit: the last one of 64 bytes has unused bits.
    let index = text.index(text.endIndex, offsetBy: -2)
    text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
    let answer = try await verify(test, text)
    #expect(answer.status == 200)
    #expect(answer.text("verdict") == "rejected")
    #expect(answer.body["isValid"] == false)
    #expect(answer.rules == ["signature"])
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func anotherAppsTransactionIsRefused() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins, on: "other-app")
    #expect(try await test.verify(coins).rules == ["bundle"])
  }

  @Test func anotherStoresTransactionIsRefused() async throws {
    let stranger = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        seed: 8,
        start: TestServer.start
      ),
      signing: TestServer.sharedCrypto
    )
    let test = try TestServer(trusts: stranger)
    let coins = try test.buy(DemoCatalog.coins)
    let answer = try await test.verify(coins)
    #expect(answer.text("verdict") == "rejected")
    #expect(answer.rules.contains("trustedRoot"))
  }

  @Test func sandboxDataIsRefusedByAProductionServer() async throws {
    let test = try TestServer(serverEnvironments: [.production])
    let lifetime = try test.buy(DemoCatalog.lifetime)
    #expect(try await test.verify(lifetime).rules == ["environment"])
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func sandboxDataGivesNoAccessAmongRealPurchases() async throws {
    let test = try TestServer()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let answer = try await test.verify(lifetime, ["account": "mia", "sandbox": false])
    #expect(answer.text("environment") == "Sandbox")
    let real = try await test.get("/v1/customers/mia").body
    #expect(real["environment"] == "Production")
    #expect(names(real["entitlements"]) == [])
    #expect(real["otherEnvironments"] == ["Sandbox"])
    #expect(names(try await test.customer("mia")["entitlements"]).count == 1)
  }

  @Test func aProofOfSomethingElseIsRefused() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let lifetime: JSONObject = ["productId": "com.example.demo.lifetime"]
    #expect(try await test.verify(coins, lifetime).rules == ["matchingProduct"])
    #expect(try await test.verify(coins, ["transactionId": "1"]).rules == ["matchingTransaction"])
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test(arguments: ["", ".", "a.b.c", "not a jws", "eyJ.eyJ.", "e30.e30.e30"])
  func whatIsNoSignedTextIsRefusedOrNamed(text: String) async throws {
    let test = try TestServer()
    let answer = try await verify(test, text)
    if text.isEmpty {
      #expect(answer.errorCode == "parameterMissing")
    } else {
      #expect(answer.text("verdict") == "rejected")
      #expect(!answer.rules.isEmpty)
    }
  }
}
