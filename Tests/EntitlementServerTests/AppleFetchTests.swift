import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct AppleFetchTests {
  private func bare(_ record: StoreTransactionRecord) -> JSONObject {
    ["transactionId": .string(record.transactionID.rawValue)]
  }

  @Test(arguments: [StoreEnvironment.production, .sandbox])
  func aBareIdentifierIsFetchedOnce(environment: StoreEnvironment) async throws {
    let apple = StandInApple()
    let test = try TestServer(storeEnvironment: environment, apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    let first = try await test.verify(bare(coins))
    #expect(first.text("verdict") == "accepted")
    #expect(first.text("environment") == environment.rawValue)
    #expect(first.body["grant"]?.objectValue?["count"] == 1)
    let sent = apple.sent
    let expected = environment == .production ? ["production"] : ["production", "sandbox"]
    #expect(sent.map { String($0.prefix { $0 != "." }) } == expected)
    let second = try await test.verify(bare(coins))
    #expect(second.withoutRequestID == first.withoutRequestID)
    #expect(apple.sent == sent)
    #expect(try await test.ledger.counts().facts == 1)
  }

  @Test func knowingAnIdentifierIsNoProofOfHavingBought() async throws {
    let test = try TestServer(apple: StandInApple())
    let coins = try test.buy(DemoCatalog.coins)
    var body = bare(coins)
    body["account"] = "mallory"
    body["installation"] = "one"
    let answer = try await test.verify(body)
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.text("claimedBy") == nil)
    let owner = try await test.ledger.read { reader throws(StorageError) in
      try reader.owner(
        of: LedgerSubject(
          scope: LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox),
          original: OriginalTransactionID(coins.transactionID.rawValue)
        )
      )
    }
    #expect(owner == nil)
  }

  @Test func aRestoredCopyIsAnsweredWithItsOriginal() async throws {
    let test = try TestServer(apple: StandInApple())
    let lifetime = try test.buy(DemoCatalog.lifetime)
    try test.store.finish(lifetime.transactionID, on: test.phone)
    let copy = try #require(try test.store.restore(on: test.pad).first)
    let answer = try await test.verify(bare(copy))
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.text("transactionId") == lifetime.transactionID.rawValue)
  }

  @Test(arguments: ["123456789012345678", "0", "two", "１２３", "1'; DROP TABLE facts", "1/../2"])
  func whatNobodyKnowsIsRejectedWithAReason(id: String) async throws {
    let test = try TestServer(apple: StandInApple())
    let answer = try await test.verify(["transactionId": .string(id)])
    #expect(answer.status == 200)
    #expect(answer.text("verdict") == "rejected")
    #expect(answer.rules == ["knownToStore"])
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func anotherProductIsRejected() async throws {
    let test = try TestServer(apple: StandInApple())
    var body = bare(try test.buy(DemoCatalog.coins))
    body["productId"] = "com.example.demo.lifetime"
    #expect(try await test.verify(body).rules == ["matchingProduct"])
  }

  @Test(arguments: [
    (401, ""), (403, "<html>"), (404, "<html>not found</html>"), (429, ""),
    (500, #"{"errorCode":5000000}"#), (503, "<html>"), (200, "<html>"), (200, ""), (302, ""),
    (200, #"{"signedTransactionInfo":"#), (200, #"{"signedTransactionInfo":7}"#),
  ])
  func aStrangeAnswerIsNoVerdict(status: Int, body: String) async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    let step = StandInApple.Step.answer(status, body)
    apple.plan(step, step, step, step)
    let answer = try await test.verify(bare(coins))
    #expect(answer.status == 503)
    #expect(answer.errorCode == "storeUnavailable")
    #expect(answer.headers["Retry-After"] != nil)
    #expect(try await test.ledger.counts().facts == 0)
    apple.plan()
    #expect(try await test.verify(bare(coins)).text("verdict") == "accepted")
  }

  @Test func anAppleThatCannotBeReachedIsNoVerdict() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    apple.goDown()
    #expect(try await test.verify(bare(coins)).status == 503)
    apple.goDown(false)
    // Production says that it does not know it, and then the sandbox is away.
    apple.plan(.pass, .breakOff, .breakOff)
    #expect(try await test.verify(bare(coins)).status == 503)
    #expect(try await test.verify(bare(coins)).text("verdict") == "accepted")
  }

  @Test func anAppThatWasNeverReleasedIsFoundInTheSandbox() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    apple.plan(.answer(401, ""))
    #expect(try await test.verify(bare(coins)).text("verdict") == "accepted")
  }

  @Test func aForgedAnswerIsRejected() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    let stranger = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let text = try stranger.store.signedTransaction(
      try stranger.buy(DemoCatalog.coins).transactionID
    )
    apple.plan(.answer(200, #"{"signedTransactionInfo":"\#(text.dropLast(4))AAAA"}"#))
    #expect(try await test.verify(bare(coins)).rules == ["knownToStore"])
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func manyAtOnceGrantOnce() async throws {
    let test = try TestServer(apple: StandInApple())
    let coins = try test.buy(DemoCatalog.coins)
    let body = bare(coins)
    let answers = try await withThrowingTaskGroup(of: JSONObject.self) { group in
      for _ in 0..<16 { group.addTask { try await test.verify(body).withoutRequestID } }
      return try await group.reduce(into: Set<JSONObject>()) { $0.insert($1) }
    }
    #expect(answers.count == 1)
    #expect(try await test.ledger.counts().entries == 1)
  }

  @Test func theOrderOnACustomersInvoiceIsFound() async throws {
    let test = try TestServer(storeEnvironment: .production, apple: StandInApple())
    let number = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    let opened = try await test.post(
      "/v1/orders",
      ["orderNumber": .string(number), "productId": "com.example.demo.coins", "account": "mia"]
    )
    #expect(opened.status == 200)
    let coins = try test.buy(DemoCatalog.coins, token: AppAccountToken(number))
    let id = try test.store.orderID(of: coins.transactionID).rawValue
    let answer = try await test.get("/v1/orders/lookup?appStoreOrderId=\(id)")
    #expect(answer.status == 200)
    let orders = answer.body["orders"]?.arrayValue ?? []
    #expect(orders.map { $0.objectValue?["state"]?.stringValue } == ["paid"])
    #expect(try await test.ledger.counts().entries == 1)
    #expect(try await test.get("/v1/orders/lookup?appStoreOrderId=MK5TTTVWJH").status == 404)
  }

  @Test func anOrderCannotBeLookedUpWithoutProduction() async throws {
    let apple = StandInApple()
    let test = try TestServer(serverEnvironments: [.sandbox], apple: apple)
    #expect(try await test.get("/v1/orders/lookup?appStoreOrderId=MK5TTTVWJH").status == 501)
    #expect(apple.sent.isEmpty)
  }

  @Test func anAwayAppleIsNoMissingOrder() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    apple.goDown()
    #expect(try await test.get("/v1/orders/lookup?appStoreOrderId=MK5TTTVWJH").status == 503)
  }

  @Test func keysAreTestedAtEachAddress() async throws {
    let apple = StandInApple()
    let test = try TestServer(apple: apple)
    apple.plan(.answer(401, ""), .breakOff, .breakOff)
    let tests = await test.server.testKeys()
    #expect(tests.map(\.environment) == [.production, .sandbox])
    #expect(tests.map(\.result) == ["refused", "unknown (unreachable)"])
    #expect(test.logged.map(\.level) == [.error, .notice])
    #expect(
      test.logged.map(\.description).first
        == "appleKey app=com.example.demo environment=Production result=refused"
    )
    #expect(await test.server.testKeys().map(\.result) == ["accepted", "accepted"])
  }
}
