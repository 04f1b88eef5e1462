import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct BalanceTests {
  private func makeServer(_ ledger: any Ledger = InMemoryLedger()) async throws -> TestServer {
    let test = try TestServer(ledger: ledger)
    let put = try await test.send(
      .put,
      "/v1/catalog",
      [
        "products": [
          ["id": "com.example.demo.coins", "type": "Consumable", "credits": ["coins": 100]]
        ]
      ]
    )
    #expect(put.status == 200)
    return test
  }

  private func balance(_ test: TestServer, _ customer: String = "mia") async throws -> Int64? {
    try await test.get("/v1/customers/\(customer)/balances?environment=Sandbox")
      .body["balances"]?.objectValue?["coins"]?.integerValue
  }

  private func debit(
    _ test: TestServer,
    _ amount: Int64,
    _ name: String?,
    balance: String = "coins"
  ) async throws -> TestAnswer {
    try await test.send(
      .post,
      "/v1/customers/mia/debits?environment=Sandbox",
      headers: name.map { ["Idempotency-Key": $0] } ?? [:],
      ["balance": .string(balance), "amount": .integer(amount)]
    )
  }

  @Test(arguments: Backend.allCases)
  func eachGrantCreditsOnce(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try await makeServer(ledger)
      let first = try test.buy(DemoCatalog.coins)
      let second = try test.buy(DemoCatalog.coins, quantity: 3)
      for _ in 0..<3 {
        _ = try await test.verify(first, ["account": "mia"])
        _ = try await test.verify(second, ["account": "mia"])
        await test.store.drainNotifications()
      }
      #expect(try await balance(test) == 400)
      #expect(try await balance(test, "eve") == nil)
    }
  }

  @Test(arguments: Backend.allCases)
  func aRefundTakesTheCreditBackAndItsReversalGivesItAgain(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try await makeServer(ledger)
      let coins = try test.buy(DemoCatalog.coins)
      _ = try await test.verify(coins, ["account": "mia"])
      #expect(try await debit(test, 80, "a").body["remaining"] == 20)
      try test.store.refund(coins.transactionID)
      for _ in 0..<2 {
        _ = try await test.verify(coins, ["account": "mia"])
        await test.store.drainNotifications()
      }
      #expect(try await balance(test) == -80)
      #expect(try await debit(test, 1, "b").errorCode == "balanceTooLow")
      try test.store.reverseRefund(coins.transactionID)
      for _ in 0..<2 {
        _ = try await test.verify(coins, ["account": "mia"])
        await test.store.drainNotifications()
      }
      #expect(try await balance(test) == 20)
    }
  }

  @Test func whatAGrantWasWorthDoesNotChangeWithTheCatalog() async throws {
    let test = try await makeServer()
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins, ["account": "mia"])
    _ = try await test.send(
      .put,
      "/v1/catalog",
      headers: ["If-Match": "*"],
      [
        "products": [
          ["id": "com.example.demo.coins", "type": "Consumable", "credits": ["coins": 7]]
        ]
      ]
    )
    let more = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(more, ["account": "mia"])
    #expect(try await balance(test) == 107)
    _ = try await test.send(
      .put,
      "/v1/catalog",
      headers: ["If-Match": "*"],
      ["products": []]
    )
    let last = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(last, ["account": "mia"])
    #expect(try await balance(test) == 107)
  }

  @Test(arguments: Backend.allCases)
  func aDebitOfOneNameIsMadeOnce(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try await makeServer(ledger)
      let coins = try test.buy(DemoCatalog.coins)
      _ = try await test.verify(coins, ["account": "mia"])
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for _ in 0..<10 { group.addTask { try await debit(test, 30, "sword") } }
        return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
      }
      #expect(Set(answers.map(\.withoutRequestID)).count == 1)
      #expect(answers[0].body["remaining"] == 70)
      #expect(try await balance(test) == 70)
      let other = try await debit(test, 31, "sword")
      #expect(other.status == 409)
      #expect(other.errorCode == "idempotencyKeyReused")
      // The name stays taken when the server has forgotten the request.
      await test.store.advance(by: 30 * 86_400)
      #expect(try await debit(test, 30, "sword").body["remaining"] == 70)
      #expect(try await debit(test, 31, "sword").errorCode == "idempotencyKeyReused")
      #expect(try await balance(test) == 70)
    }
  }

  @Test(arguments: Backend.allCases)
  func manyDebitsAtOnceNeverTakeMoreThanThereIs(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try await makeServer(ledger)
      let coins = try test.buy(DemoCatalog.coins)
      _ = try await test.verify(coins, ["account": "mia"])
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for number in 0..<10 { group.addTask { try await debit(test, 30, "\(number)") } }
        return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
      }
      let codes = answers.map { $0.status == 200 ? "made" : $0.errorCode ?? "" }
      #expect(codes.filter { $0 == "made" }.count == 3)
      #expect(Set(codes).isSubset(of: ["made", "balanceTooLow", "storageUnavailable"]))
      #expect(try await balance(test) == 10)
    }
  }

  @Test func aDebitNeedsANameAndAnAmount() async throws {
    let test = try await makeServer()
    #expect(try await debit(test, 1, nil).errorParameter == "Idempotency-Key")
    #expect(try await debit(test, 0, "a").errorParameter == "amount")
    #expect(try await debit(test, -5, "b").errorParameter == "amount")
    #expect(try await debit(test, 1, "c", balance: "").errorParameter == "balance")
    #expect(try await debit(test, 1, "d").errorCode == "balanceTooLow")
  }

  @Test func aCustomerDebitsItsOwnBalanceWithItsToken() async throws {
    let test = try await makeServer()
    let coins = try test.buy(DemoCatalog.coins)
    let token = try #require(
      try await test.verify(coins, ["account": "mia"]).text("customerToken")
    )
    let answer = try await test.send(
      .post,
      "/v1/customers/me/debits",
      token: token,
      headers: ["Idempotency-Key": "a"],
      ["balance": "coins", "amount": 60]
    )
    #expect(answer.body["remaining"] == 40)
    let shown = try await test.send(.get, "/v1/customers/me/balances", token: token)
    #expect(shown.body["balances"] == ["coins": 40])
    #expect(try await test.send(.get, "/v1/customers/me/balances").status == 401)
  }
}
