import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import ServerStorage
import Testing

@Suite struct ReconciliationTests {
  private func begin(_ test: TestServer, _ body: JSONObject = [:]) async throws -> String {
    let answer = try await test.post("/v1/reconciliations?environment=Sandbox", body)
    #expect(answer.status == 200)
    #expect(answer.text("state") == "running")
    return try #require(answer.text("id"))
  }

  private func show(_ test: TestServer, _ id: String) async throws -> TestAnswer {
    try await test.get("/v1/reconciliations/\(id)")
  }

  private func finish(_ test: TestServer, _ id: String) async throws -> TestAnswer {
    while await test.server.work() > 0 {}
    return try await show(test, id)
  }

  private func count(_ answer: TestAnswer, _ name: String) -> Int64? {
    answer.body["counts"]?.objectValue?[name]?.integerValue
  }

  /// Loses everything that the store sends until it is told otherwise.
  private func lose(_ test: TestServer) { test.store.setNotificationTransport { _, _ in 503 } }

  @Test(arguments: Backend.allCases)
  func whatWasLostIsFoundAndDeliveredOnce(_ backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger, apple: StandInApple())
      _ = try await test.verify(try test.buy(DemoCatalog.lifetime))
      lose(test)
      let monthly = try test.buy(DemoCatalog.monthly)
      let coins = try test.buy(DemoCatalog.coins)
      await test.store.drainNotifications()
      #expect(try await ledger.counts().entries == 1)
      let report = try await finish(test, try await begin(test))
      #expect(report.text("state") == "done")
      #expect(try await ledger.counts().entries == 3)
      let found = (report.body["findings"]?.arrayValue ?? []).compactMap {
        $0.objectValue?["id"]?.stringValue
      }
      #expect(count(report, "missing") ?? 0 > 0)
      #expect(Set(found).count == found.count)
      for record in [monthly, coins] {
        let answer = try await test.verify([
          "transactionId": .string(record.transactionID.rawValue)
        ])
        #expect(answer.body["grant"]?.objectValue?["count"] == 1)
      }
      let again = try await finish(test, try await begin(test))
      #expect(again.text("state") == "done")
      #expect(count(again, "missing") == 0)
      #expect(count(again, "changed") == 0)
      #expect(try await ledger.counts().entries == 3)
    }
  }

  @Test func aRefundThatNobodyToldOfIsFound() async throws {
    let test = try TestServer(apple: StandInApple())
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins)
    await test.store.drainNotifications()
    lose(test)
    try test.store.refund(coins.transactionID)
    let only: JSONObject = ["originalTransactionId": .string(coins.transactionID.rawValue)]
    let report = try await finish(test, try await begin(test, only))
    #expect(report.text("state") == "done")
    let answer = try await test.verify(["transactionId": .string(coins.transactionID.rawValue)])
    #expect(answer.body["revocationDate"] != nil)
  }

  @Test func anAwayAppleIsWaitedFor() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    _ = try await test.verify(try test.buy(DemoCatalog.lifetime))
    let id = try await begin(test)
    apple.goDown()
    let waiting = try await finish(test, id)
    #expect(waiting.text("state") == "running")
    #expect(waiting.text("problem")?.contains("unreachable") == true)
    #expect(waiting.body["retryAt"] != nil)
    apple.goDown(false)
    #expect(await test.server.work() == 0)
    await test.store.advance(by: 120)
    #expect(try await finish(test, id).text("state") == "done")
  }

  @Test func aRefusedKeyEndsIt() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    apple.plan(.answer(401, ""))
    let report = try await finish(test, try await begin(test))
    #expect(report.text("state") == "failed")
    #expect(report.text("problem")?.contains("unauthorized") == true)
    #expect(test.logged.contains { $0.level == .error && $0.name == "reconciliation" })
  }

  @Test func everyPageIsAPlaceToGoOnFrom() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    lose(test)
    for _ in 0..<3 { _ = try test.buy(DemoCatalog.coins) }
    let first = try test.buy(DemoCatalog.lifetime)
    _ = try await test.verify(first)
    let id = try await begin(test)
    // Another server on the same ledger takes over after each answer that is lost.
    var isDone = false
    for _ in 0..<50 where !isDone {
      apple.plan(.pass, .breakOff, .breakOff)
      _ = await test.server.work()
      await test.store.advance(by: 120)
      isDone = try await show(test, id).text("state") == "done"
    }
    #expect(isDone)
    #expect(try await test.ledger.counts().entries == 4)
  }

  @Test func twoWorkersDoItOnce() async throws {
    let test = try TestServer(apple: StandInApple())
    lose(test)
    _ = try await test.verify(try test.buy(DemoCatalog.lifetime))
    for _ in 0..<3 { _ = try test.buy(DemoCatalog.coins) }
    let id = try await begin(test)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { while await test.server.work() > 0 {} } }
    }
    let report = try await finish(test, id)
    #expect(report.text("state") == "done")
    #expect(try await test.ledger.counts().entries == 4)
  }

  @Test func theScheduleBeginsEachOnce() async throws {
    let test = try TestServer(apple: StandInApple())
    _ = await test.server.work(reconcilingEvery: 86_400)
    _ = await test.server.work(reconcilingEvery: 86_400)
    let documents = try await test.ledger.read { reader throws(StorageError) in
      try reader.documents(
        DocumentKind(rawValue: "reconciliation"),
        app: DemoCatalog.bundleID,
        shelf: nil,
        after: 0,
        limit: 10
      )
    }
    #expect(documents.count == 2)
    #expect(documents.allSatisfy { $0.shelf == "done" })
  }

  @Test func withoutAKeyThereIsNone() async throws {
    let test = try TestServer()
    #expect(try await test.post("/v1/reconciliations", [:]).status == 501)
    #expect(try await show(test, "rec_1").status == 404)
    #expect(await test.server.work(reconcilingEvery: 60) == 0)
  }
}
