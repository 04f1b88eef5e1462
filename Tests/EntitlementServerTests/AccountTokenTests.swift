import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

/// Purchases that were made without a token and claimed later.
@Suite struct AccountTokenTests {
  private static let token = AppAccountToken("6F9619FF-8B86-D011-B42D-00CF4FC964FF")

  /// A customer whose token the server knows.
  private func server(
    _ apple: StandInApple,
    _ ledger: any Ledger = InMemoryLedger()
  ) async throws -> TestServer {
    let test = try TestServer(ledger: ledger, apple: apple)
    let alias: JSONObject = ["accountToken": .string(try #require(Self.token).description)]
    #expect(try await test.post("/v1/customers/mia/aliases", alias).status == 200)
    return test
  }

  private func tasks(_ test: TestServer) async throws -> [LedgerDocument] {
    try await test.ledger.read { reader throws(StorageError) in
      try reader.documents(
        .tokenTask,
        app: DemoCatalog.bundleID,
        shelf: nil,
        after: 0,
        limit: 10
      )
    }
  }

  private func told(_ apple: StandInApple) -> Int {
    apple.sent.count { $0.hasSuffix("/appAccountToken") }
  }

  @Test(arguments: Backend.allCases)
  func theAppStoreIsToldOnce(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let apple = StandInApple()
      let test = try await server(apple, ledger)
      let monthly = try test.buy(DemoCatalog.monthly)
      await test.store.drainNotifications()
      #expect(try await tasks(test) == [])
      _ = try await test.verify(monthly, ["account": "mia"])
      _ = try await test.verify(monthly, ["account": "mia"])
      #expect(await test.server.work() == 1)
      #expect(await test.server.work() == 0)
      #expect(test.store.transaction(monthly.transactionID)?.appAccountToken == Self.token)
      #expect(told(apple) == 1)
      #expect(try await tasks(test).map(\.shelf) == ["done"])
      // Renewals carry the token from then on.
      await test.store.advance(by: 40 * 86_400)
      let renewal = try #require(test.store.transactions(of: "mia").last)
      #expect(renewal.transactionID != monthly.transactionID)
      #expect(renewal.appAccountToken == Self.token)
    }
  }

  @Test func theOrdersNumberIsTheTokenOfItsPurchase() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    let number = "00000000-0000-4000-8000-000000000001"
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(
      coins,
      ["orderNumber": .string(number), "account": "mia"]
    )
    #expect(await test.server.work() == 1)
    let token = test.store.transaction(coins.transactionID)?.appAccountToken
    #expect(token == AppAccountToken(number))
  }

  @Test func whatCarriesATokenOrHasNoneToCarryIsLeftAlone() async throws {
    let apple = StandInApple()
    let test = try await server(apple)
    _ = try await test.verify(
      try test.buy(DemoCatalog.coins, token: Self.token),
      ["account": "mia"]
    )
    // Nobody knows a token of this customer.
    _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "zoe"])
    // Nobody is named.
    _ = try await test.verify(try test.buy(DemoCatalog.coins))
    #expect(try await tasks(test) == [])
    #expect(await test.server.work() == 0)
    #expect(told(apple) == 0)
  }

  @Test func aPurchaseOfSomebodyElseIsNotGivenAToken() async throws {
    let apple = StandInApple()
    let test = try await server(apple)
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins, ["account": "zoe"])
    _ = try await test.verify(coins, ["account": "mia"])
    _ = await test.server.work()
    #expect(try await tasks(test).map(\.shelf) == ["notNeeded"])
    #expect(told(apple) == 0)
    #expect(test.store.transaction(coins.transactionID)?.appAccountToken == nil)
  }

  @Test func anAwayAppleIsAskedAgain() async throws {
    let apple = StandInApple()
    let test = try await server(apple)
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins, ["account": "mia"])
    apple.goDown()
    _ = await test.server.work()
    #expect(await test.server.work() == 0)
    let waiting = try #require(try await tasks(test).first)
    #expect(waiting.shelf == "pending")
    #expect(waiting.body["attempts"] == 1)
    #expect(waiting.body["problem"]?.stringValue?.hasPrefix("unreachable") == true)
    apple.goDown(false)
    await test.store.advance(by: 120)
    #expect(await test.server.work() == 1)
    #expect(test.store.transaction(coins.transactionID)?.appAccountToken == Self.token)
  }

  @Test(arguments: [
    (400, #"{"errorCode":4000187,"errorMessage":""}"#, "failed"),
    (400, #"{"errorCode":4000185,"errorMessage":""}"#, "failed"), (403, "<html>", "pending"),
    (404, #"{"errorCode":4040005,"errorMessage":""}"#, "failed"), (401, "", "pending"),
    (429, "", "pending"), (500, "", "pending"), (503, "<html>", "pending"),
    (404, #"{"errorCode":4040006,"errorMessage":""}"#, "pending"),
  ])
  func whatIsRefusedFailsVisiblyAndWhatMaySucceedIsTriedAgain(
    status: Int,
    body: String,
    state: String
  ) async throws {
    let apple = StandInApple()
    let test = try await server(apple)
    _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "mia"])
    let step = StandInApple.Step.answer(status, body)
    apple.plan(step, step)
    _ = await test.server.work()
    let task = try #require(try await tasks(test).first)
    #expect(task.shelf == state)
    #expect(task.body["problem"] != nil)
    #expect(
      test.logged.contains { $0.level == .error && $0.name == "accountToken" }
        == (state == "failed")
    )
    let listed = try await test.get("/v1/export?kind=tokens")
    let rows = (listed.body["rows"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(rows.map { $0["state"]?.stringValue } == [state])
  }

  @Test func afterManyAttemptsPeopleHaveToLook() async throws {
    let apple = StandInApple()
    let test = try await server(apple)
    _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "mia"])
    apple.goDown()
    for attempt in 1...20 {
      _ = await test.server.work()
      let task = try #require(try await tasks(test).first)
      #expect(task.body["attempts"] == .integer(Int64(attempt)))
      #expect(task.shelf == (attempt < 20 ? "pending" : "failed"))
      await test.store.advance(by: 5 * 3600)
    }
    #expect(await test.server.work() == 0)
  }

  @Test func manyWorkersTellOnce() async throws {
    let apple = StandInApple()
    let test = try await server(apple)
    _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "mia"])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = await test.server.work() } }
    }
    #expect(told(apple) == 1)
  }

  @Test func anErasedCustomersTaskIsGone() async throws {
    let apple = StandInApple()
    let test = try await server(apple)
    _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "mia"])
    #expect(try await test.send(.delete, "/v1/customers/mia").status == 200)
    #expect(try await tasks(test) == [])
  }
}
