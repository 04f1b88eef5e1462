import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct CustomerTokenTests {
  private func bought(
    _ test: TestServer,
    _ key: String,
    account: String,
    product: ProductID = DemoCatalog.lifetime
  ) async throws -> TestAnswer {
    let record = try test.buy(product)
    return try await test.send(
      .post,
      "/v1/verify",
      key: key,
      [
        "signedTransaction": .string(try test.store.signedTransaction(record.transactionID)),
        "account": .string(account),
      ]
    )
  }

  @Test(arguments: Backend.allCases)
  func aTokenOpensTheCustomersOwnDataAndNobodyElses(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger, requiresKeys: true)
      let key = try await test.key(.public)
      let answer = try await bought(test, key, account: "mia")
      let token = try #require(answer.text("customerToken"))
      let me = try await test.send(.get, "/v1/customers/me", key: key, token: token)
      #expect(me.status == 200)
      #expect(me.text("customer") == "mia")
      #expect(me.text("environment") == "Sandbox")
      #expect(me.entitlements == [DemoCatalog.lifetime.rawValue])
      let secret = try await test.key(.secret)
      let other = try await test.send(.get, "/v1/customers/mia", key: key, token: token)
      #expect(other.status == 403)
      let backend = try await test.send(
        .get,
        "/v1/customers/mia?environment=Sandbox",
        key: secret
      )
      #expect(backend.withoutRequestID == me.withoutRequestID)
    }
  }

  @Test func aTokenStandsForTheAccountAtTheNextVerification() async throws {
    let test = try TestServer(requiresKeys: true)
    let key = try await test.key(.public)
    let token = try #require(
      try await bought(test, key, account: "mia").text("customerToken")
    )
    let coins = try test.buy(DemoCatalog.coins)
    let answer = try await test.send(
      .post,
      "/v1/verify",
      key: key,
      token: token,
      ["signedTransaction": .string(try test.store.signedTransaction(coins.transactionID))]
    )
    #expect(answer.text("customerToken") == token)
    #expect(answer.entitlements == [DemoCatalog.lifetime.rawValue])
    let me = try await test.send(.get, "/v1/customers/me", key: key, token: token)
    #expect(me.body["purchases"]?.arrayValue?.count == 2)
  }

  @Test func withoutAccountAndTokenThereIsNone() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    #expect(try await test.verify(coins).text("customerToken") == nil)
    let refused = try await test.verify(["signedTransaction": "a.b.c", "account": "mia"])
    #expect(refused.text("verdict") == "rejected")
    #expect(refused.text("customerToken") == nil)
  }

  @Test func aTokenThatWasTamperedWithOpensNothing() async throws {
    let test = try TestServer(requiresKeys: true)
    let key = try await test.key(.public)
    let token = try #require(
      try await bought(test, key, account: "mia").text("customerToken")
    )
    let stolen = try #require(
      try await bought(test, key, account: "eve", product: DemoCatalog.coins)
        .text("customerToken")
    )
    let parts = token.split(separator: ".")
    let others = stolen.split(separator: ".")
    for wrong in [
      "", "x", String(token.dropLast()), token + "A", "\(parts[0]).\(others[1])",
      "\(others[0]).\(parts[1])", "\(parts[0]).", "iap_ct_.", token.uppercased(),
      String(repeating: "a", count: 5000),
    ] {
      let answer = try await test.send(.get, "/v1/customers/me", key: key, token: wrong)
      #expect(answer.status == 401, "\(wrong.prefix(20))")
      #expect(answer.errorCode == "customerTokenRefused")
    }
  }

  @Test func aTokenEndsAfterAMonth() async throws {
    let test = try TestServer(requiresKeys: true)
    let key = try await test.key(.public)
    let token = try #require(
      try await bought(test, key, account: "mia").text("customerToken")
    )
    // It was made at noon, and ends with its day.
    await test.store.advance(by: 30.5 * 86_400 - 1)
    #expect(try await test.send(.get, "/v1/customers/me", key: key, token: token).status == 200)
    await test.store.advance(by: 1)
    #expect(try await test.send(.get, "/v1/customers/me", key: key, token: token).status == 401)
    // An app with a stale token gets a new one in the usual way.
    let coins = try test.buy(DemoCatalog.coins)
    let again = try await test.send(
      .post,
      "/v1/verify",
      key: key,
      token: token,
      [
        "signedTransaction": .string(try test.store.signedTransaction(coins.transactionID)),
        "account": "mia",
      ]
    )
    #expect(again.text("customerToken") != nil)
    #expect(again.text("customerToken") != token)
  }

  @Test(arguments: Backend.allCases)
  func withdrawnTokensAreGoodNoMore(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger, requiresKeys: true)
      let key = try await test.key(.public)
      let secret = try await test.key(.secret)
      let token = try #require(
        try await bought(test, key, account: "mia").text("customerToken")
      )
      let gone = try await test.send(.delete, "/v1/customers/mia/tokens", key: secret)
      #expect(gone.body["withdrawn"] == true)
      #expect(try await test.send(.get, "/v1/customers/me", key: key, token: token).status == 401)
      let made = try await test.send(
        .post,
        "/v1/customers/mia/tokens?environment=Sandbox",
        key: secret
      )
      let fresh = try #require(made.text("customerToken"))
      #expect(try await test.send(.get, "/v1/customers/me", key: key, token: fresh).status == 200)
      let audit = try await ledger.read { reader throws(StorageError) in
        try reader.audit(after: 0, limit: 100)
      }
      let record = try #require(audit.first { $0.action == "customer.tokensWithdrawn" })
      #expect(!JSONValue.object(record.details).serializedText.contains("mia"))
    }
  }

  @Test func aTokenOfTheSandboxOpensNoRealPurchases() async throws {
    let test = try TestServer(requiresKeys: true)
    let key = try await test.key(.public)
    let token = try #require(
      try await bought(test, key, account: "mia").text("customerToken")
    )
    let asked = try await test.send(
      .get,
      "/v1/customers/me?environment=Production",
      key: key,
      token: token
    )
    #expect(asked.text("environment") == "Sandbox")
  }

  @Test func whereAccountsAreProvenAClaimIsNotEnough() async throws {
    let test = try TestServer(requiresKeys: true, accounts: .proven)
    let key = try await test.key(.public)
    let secret = try await test.key(.secret)
    let claimed = try await bought(test, key, account: "mia")
    // The purchase is genuine and is accepted; it says nothing about the account.
    #expect(claimed.text("verdict") == "accepted")
    #expect(claimed.body["accountProven"] == false)
    #expect(claimed.text("customerToken") == nil)
    #expect(try await test.ledger.counts().entries == 1)
    let seen = try await test.send(.get, "/v1/customers/mia?environment=Sandbox", key: secret)
    #expect(seen.entitlements == [])
    #expect(seen.body["purchases"]?.arrayValue ?? [] == [])
    let order = try await test.send(
      .post,
      "/v1/orders",
      key: key,
      ["productId": "com.example.demo.coins", "account": "mia"]
    )
    #expect(order.status == 200)
    #expect(order.text("account") == nil)
    let made = try await test.send(
      .post,
      "/v1/customers/mia/tokens?environment=Sandbox",
      key: secret
    )
    let token = try #require(made.text("customerToken"))
    let coins = try test.buy(DemoCatalog.coins)
    let proof: JSONObject = [
      "signedTransaction": .string(try test.store.signedTransaction(coins.transactionID)),
      "account": "mia",
    ]
    #expect(try await test.send(.post, "/v1/verify", key: key, token: token, proof).status == 200)
    #expect(try await test.send(.post, "/v1/verify", key: secret, proof).status == 200)
    var other = proof
    other["account"] = "eve"
    #expect(try await test.send(.post, "/v1/verify", key: key, token: token, other).status == 401)
  }

  @Test func anIdentifierAloneOpensNoAccount() async throws {
    let test = try TestServer(requiresKeys: true)
    let key = try await test.key(.public)
    _ = try await bought(test, key, account: "mia")
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.send(
      .post,
      "/v1/verify",
      key: key,
      ["signedTransaction": .string(try test.store.signedTransaction(coins.transactionID))]
    )
    let answer = try await test.send(
      .post,
      "/v1/verify",
      key: key,
      ["transactionId": .string(coins.transactionID.rawValue), "account": "mia"]
    )
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.entitlements == [])
    #expect(answer.text("customerToken") == nil)
  }
}
