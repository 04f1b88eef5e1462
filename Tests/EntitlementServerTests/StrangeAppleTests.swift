import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

/// What Apple's addresses answer on bad days, at everything that asks them.
@Suite struct StrangeAppleTests {
  /// An answer, and whether waiting may help.
  struct Answer: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let isFinal: Bool

    init(_ status: Int, _ body: String, isFinal: Bool = false) {
      self.status = status
      self.body = body
      self.isFinal = isFinal
    }

    var testDescription: String { "\(status) \(body.prefix(24))" }
    var step: StandInApple.Step { .answer(status, body) }
  }

  static let answers = [
    Answer(401, "", isFinal: true), Answer(403, "<html>forbidden</html>"),
    Answer(404, "<html>not found</html>"), Answer(429, ""),
    Answer(429, #"{"errorCode":4290000,"errorMessage":""}"#), Answer(500, ""),
    Answer(500, #"{"errorCode":5000000,"errorMessage":""}"#),
    Answer(503, "<html>busy</html>"), Answer(200, "<html>welcome</html>"), Answer(200, ""),
    Answer(200, #"{"signedTransactions":["#), Answer(200, "[]"), Answer(302, ""),
    Answer(200, String(repeating: "{\"a\":", count: 100)),
  ]

  private func report(_ test: TestServer, _ path: String, _ id: String) async throws -> TestAnswer {
    try await test.get("\(path)/\(id)")
  }

  /// Begins something that asks Apple in the background and gives it bad answers, then good ones.
  private func survives(
    _ path: String,
    _ answer: Answer,
    _ planned: (StandInApple, Answer) -> Void
  ) async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    _ = try await test.verify(try test.buy(DemoCatalog.lifetime))
    test.store.setNotificationTransport { _, _ in 503 }
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let before = try await test.ledger.counts()
    let begun = try await test.post(path + "?environment=Sandbox", [:])
    let id = try #require(begun.text("id"))
    planned(apple, answer)
    while await test.server.work() > 0 {}
    let waiting = try await report(test, path, id)
    #expect(waiting.text("state") == (answer.isFinal ? "failed" : "running"))
    #expect(waiting.text("problem") != nil)
    #expect(try await test.ledger.counts() == before)
    apple.plan()
    await test.store.advance(by: 7200)
    while await test.server.work() > 0 {}
    guard !answer.isFinal else { return }
    #expect(try await report(test, path, id).text("state") == "done")
    #expect(try await test.ledger.counts().entries == before.entries + 1)
  }

  @Test(arguments: answers, ["/v1/reconciliations", "/v1/notifications/replays"])
  func aBadAnswerIsWaitedForAndLosesNothing(answer: Answer, path: String) async throws {
    try await survives(path, answer) { apple, answer in apple.plan(answer.step, answer.step) }
  }

  @Test(arguments: ["/v1/reconciliations", "/v1/notifications/replays"])
  func noAnswerIsWaitedForAndLosesNothing(path: String) async throws {
    try await survives(path, Answer(0, "")) { apple, _ in apple.plan(.breakOff, .breakOff) }
  }

  @Test(arguments: answers)
  func aBadAnswerIsNoMissingOrder(answer: Answer) async throws {
    let apple = StandInApple()
    let test = try TestServer(storeEnvironment: .production, apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    let id = try test.store.orderID(of: coins.transactionID).rawValue
    apple.plan(answer.step, answer.step)
    let found = try await test.get("/v1/orders/lookup?appStoreOrderId=\(id)")
    #expect(found.status == 503)
    #expect(found.headers["Retry-After"] != nil)
    apple.plan()
    let good = try await test.get("/v1/orders/lookup?appStoreOrderId=\(id)")
    // An address that said when to come again is not asked before.
    #expect(good.status == 200 || answer.status == 429)
  }

  @Test(arguments: answers)
  func aBadAnswerAboutConsumptionIsTriedAgain(answer: Answer) async throws {
    let apple = StandInApple(consent: true)
    let test = try TestServer(apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    try test.store.requestRefund(coins.transactionID, reason: .other)
    await test.store.drainNotifications()
    // What says yes with a page of something else has said yes.
    let isAccepted = (200..<300).contains(answer.status)
    apple.plan(answer.step, answer.step)
    _ = await test.server.work()
    #expect(test.store.consumptionRecords.isEmpty)
    apple.plan()
    await test.store.advance(by: 7200)
    _ = await test.server.work()
    #expect(test.store.consumptionRecords.count == 1 || isAccepted)
  }

  /// The refunds that nobody told of, for every kind of product.
  @Test(arguments: [
    DemoCatalog.coins, DemoCatalog.lifetime, DemoCatalog.season, DemoCatalog.monthly,
  ])
  func theRefundHistoryIsImportedOnce(product: ProductID) async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    var bought: [StoreTransactionRecord] = []
    for _ in 0..<(product == DemoCatalog.coins ? 25 : 1) { bought.append(try test.buy(product)) }
    for record in bought { _ = try await test.verify(record) }
    await test.store.drainNotifications()
    test.store.setNotificationTransport { _, _ in 503 }
    for record in bought { try test.store.refund(record.transactionID) }
    // The histories say nothing new, so that only the refunds tell.
    let body: JSONObject = [
      "originalTransactionId": .string(bought[0].originalTransactionID.rawValue)
    ]
    let before = try await test.ledger.counts().entries
    for _ in 0..<2 {
      let begun = try await test.post("/v1/reconciliations?environment=Sandbox", body)
      while await test.server.work() > 0 {}
      let done = try await report(test, "/v1/reconciliations", try #require(begun.text("id")))
      #expect(done.text("state") == "done")
      #expect(try await test.ledger.counts().entries == before + bought.count)
    }
    // Twenty-five refunds are two pages.
    #expect(apple.sent.contains { $0.contains("/refund/lookup/") })
  }
}
