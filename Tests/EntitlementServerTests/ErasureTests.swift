import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import SQLiteStorage
import ServerStorage
import Testing

/// A copy of everything about a customer, and being forgotten.
@Suite struct ErasureTests {
  private static let number = "0f4d2e3a-9b1c-4d5e-8f60-718293a4b5c6"
  private static let customer = "mia-zqxPERSONzqx"

  /// A customer with purchases, an order, a case, a debit and a token.
  private func live(_ test: TestServer) async throws -> StoreTransactionRecord {
    _ = try await test.send(
      .put,
      "/v1/catalog",
      [
        "products": [
          ["id": "com.example.demo.coins", "type": "Consumable", "credits": ["coins": 100]]
        ]
      ]
    )
    _ = try await test.post(
      "/v1/orders",
      [
        "orderNumber": .string(Self.number), "productId": .string(DemoCatalog.coins.rawValue),
        "account": .string(Self.customer), "context": ["note": .string(Self.customer)],
      ]
    )
    let coins = try test.buy(DemoCatalog.coins, token: AppAccountToken(Self.number))
    await test.store.drainNotifications()
    _ = try await test.verify(
      coins,
      ["account": .string(Self.customer), "installation": .string(Self.customer)]
    )
    _ = try await test.send(
      .post,
      "/v1/customers/\(Self.customer)/debits?environment=Sandbox",
      headers: ["Idempotency-Key": "sword"],
      ["balance": "coins", "amount": 30]
    )
    _ = try await test.post(
      "/v1/reviews",
      [
        "transactionId": "1", "productId": "p", "reason": "rejected", "attempts": 1,
        "account": .string(Self.customer), "signedTransaction": .string(Self.customer),
      ]
    )
    return coins
  }

  private func rows(
    _ ledger: any Ledger,
    _ subject: LedgerSubject
  ) async throws -> [TransactionRow] {
    try await ledger.read { reader throws(StorageError) in try reader.transactions(of: subject) }
  }

  @Test(arguments: Backend.allCases)
  func anExportHoldsEverything(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try await live(test)
      let export = try await test.get("/v1/customers/\(Self.customer)/export")
      #expect(export.status == 200)
      let purchase = try #require(export.body["purchases"]?.arrayValue?.first?.objectValue)
      let facts = try #require(purchase["facts"]?.arrayValue)
      #expect(
        facts.contains {
          $0.objectValue?["transactionId"] == .string(coins.transactionID.rawValue)
        }
      )
      #expect(purchase["entries"]?.arrayValue?.count == 1)
      let order = export.body["orders"]?.arrayValue?.first?.objectValue
      #expect(order?["context"] == ["note": .string(Self.customer)])
      let debit = export.body["debits"]?.arrayValue?.first?.objectValue
      #expect(debit?["amount"] == 30)
      let review = export.body["reviews"]?.arrayValue?.first?.objectValue
      #expect(review?["signedTransaction"] == .string(Self.customer))
      let other = try await test.get("/v1/customers/eve/export")
      for name in ["purchases", "orders", "debits", "reviews", "aliases", "accountTokens"] {
        #expect(other.body[name] == [], "\(name)")
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func anErasedCustomerIsNobodyAndTheStateStays(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try await live(test)
      let before = try await ledger.counts()
      let subject = LedgerSubject(
        scope: LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox),
        original: OriginalTransactionID(coins.transactionID.rawValue)
      )
      let rows = try await rows(ledger, subject)
      let erased = try await test.send(.delete, "/v1/customers/\(Self.customer)")
      #expect(erased.body["purchases"] == 1)
      #expect((erased.body["facts"]?.integerValue ?? 0) >= 2)
      let shown = try await test.customer(Self.customer)
      #expect(shown["purchases"] == [])
      #expect(shown["orders"] == [])
      let order = try await test.get("/v1/orders/\(Self.number)")
      #expect(order.text("account") == nil)
      #expect(order.body["context"] == nil)
      // The state is folded from what is left, and it is the same.
      #expect(try await self.rows(ledger, subject) == rows)
      #expect(try await ledger.counts() == before)
      let again = try await test.send(.delete, "/v1/customers/\(Self.customer)")
      #expect(again.body["purchases"] == 0)
    }
  }

  @Test(arguments: Backend.allCases)
  func whatComesAgainAfterwardsBringsNothingBack(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try await live(test)
      let text = try test.store.signedTransaction(coins.transactionID)
      _ = try await test.send(.delete, "/v1/customers/\(Self.customer)")
      let before = try await ledger.counts()
      // The same proof once more, without an account; then the refund, which is new.
      _ = try await test.verify(["signedTransaction": .string(text)])
      #expect(try await ledger.counts() == before)
      try test.store.refund(coins.transactionID)
      await test.store.drainNotifications()
      #expect(try await ledger.counts().entries == before.entries + 1)
      let subject = LedgerSubject(
        scope: LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox),
        original: OriginalTransactionID(coins.transactionID.rawValue)
      )
      let items = try await ledger.read { reader throws(StorageError) in
        try reader.items(of: subject)
      }
      for item in items {
        #expect(!String(decoding: item.body, as: UTF8.self).contains(Self.number))
      }
    }
  }

  @Test func nothingOfAnErasedCustomerIsInTheFile() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      let test = try TestServer(ledger: ledger)
      let coins = try await live(test)
      let signature = try test.store.signedTransaction(coins.transactionID).split(separator: ".")[2]
      #expect(try await test.send(.delete, "/v1/customers/\(Self.customer)").status == 200)
      await ledger.close()
      // Opened again, so that everything is in the file itself.
      let reopened = try SQLiteLedger(path: path)
      let facts = try await reopened.read { reader throws(StorageError) in
        try reader.fact(
          FactKey.transaction(
            TransactionPayload(
              transactionID: coins.transactionID,
              originalTransactionID: OriginalTransactionID(coins.transactionID.rawValue),
              bundleID: DemoCatalog.bundleID,
              productID: DemoCatalog.coins,
              purchaseDate: TestServer.start
            )
          ),
          in: LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox)
        )
      }
      #expect(
        facts == nil || !String(decoding: facts?.bytes ?? [], as: UTF8.self).contains(signature)
      )
      await reopened.close()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(bytes.range(of: Data("zqxPERSONzqx".utf8)) == nil)
    }
  }

  @Test(arguments: Backend.allCases)
  func oldTokensOpenNothingOfAnErasedCustomer(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      let token = try #require(
        try await test.verify(lifetime, ["account": "mia"]).text("customerToken")
      )
      #expect(try await test.send(.get, "/v1/customers/me", token: token).status == 200)
      _ = try await test.send(.delete, "/v1/customers/mia")
      #expect(try await test.send(.get, "/v1/customers/me", token: token).status == 401)
      await test.store.advance(by: 2 * 86_400)
      #expect(try await test.send(.get, "/v1/customers/me", token: token).status == 401)
      // Somebody of that name may come again.
      let fresh = try #require(
        try await test.verify(lifetime, ["account": "mia"]).text("customerToken")
      )
      #expect(try await test.send(.get, "/v1/customers/me", token: fresh).status == 200)
    }
  }
}

/// Second names of customers.
@Suite struct AliasTests {
  @Test(arguments: Backend.allCases)
  func aSecondNameBringsEverythingWithIt(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      _ = try await test.verify(lifetime, ["account": "anonymous"])
      let made = try await test.post("/v1/customers/mia/aliases", ["alias": "anonymous"])
      #expect(made.text("customer") == "mia")
      for name in ["mia", "anonymous"] {
        let shown = try await test.customer(name)
        #expect(shown["customer"] == "mia")
        #expect(names(shown["entitlements"]) == [DemoCatalog.lifetime.rawValue])
        let verified = try await test.verify(lifetime, ["account": .string(name)])
        #expect(verified.body["belongsToAnother"] == nil)
      }
      let again = try await test.post("/v1/customers/mia/aliases", ["alias": "anonymous"])
      #expect(again.status == 200)
      #expect(try await ledger.counts().entries == 1)
    }
  }

  @Test func aNameStandsForOneCustomer() async throws {
    let test = try TestServer()
    _ = try await test.post("/v1/customers/mia/aliases", ["alias": "anonymous"])
    for (customer, alias) in [("eve", "anonymous"), ("mia", "mia"), ("eve", "mia")] {
      let answer = try await test.post(
        "/v1/customers/\(customer)/aliases",
        ["alias": .string(alias)]
      )
      #expect(answer.status == 409)
      #expect(answer.errorCode == "nameTaken")
    }
    let token = "0f4d2e3a-9b1c-4d5e-8f60-718293a4b5c6"
    let body: JSONObject = ["accountToken": .string(token)]
    #expect(try await test.post("/v1/customers/mia/aliases", body).status == 200)
    #expect(try await test.post("/v1/customers/mia/aliases", body).status == 200)
    let other = try await test.post("/v1/customers/eve/aliases", body)
    #expect(other.errorParameter == "accountToken")
    #expect(try await test.post("/v1/customers/mia/aliases", [:]).errorParameter == "alias")
  }

  @Test(arguments: Backend.allCases)
  func balancesOfTwoNamesAreOneSum(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      _ = try await test.send(
        .put,
        "/v1/catalog",
        [
          "products": [
            ["id": "com.example.demo.coins", "type": "Consumable", "credits": ["coins": 100]]
          ]
        ]
      )
      for (name, amount) in [("mia", 10), ("anonymous", 5)] {
        let coins = try test.buy(DemoCatalog.coins)
        let verified = try await test.verify(coins, ["account": .string(name)])
        // Two customers may give their debits the same name.
        let debit = try await test.send(
          .post,
          "/v1/customers/me/debits",
          token: verified.text("customerToken"),
          headers: ["Idempotency-Key": "sword"],
          ["balance": "coins", "amount": .integer(Int64(amount))]
        )
        #expect(debit.status == 200)
      }
      _ = try await test.post("/v1/customers/mia/aliases", ["alias": "anonymous"])
      let shown = try await test.get("/v1/customers/anonymous/balances?environment=Sandbox")
      #expect(shown.body["balances"] == ["coins": 185])
    }
  }
}
