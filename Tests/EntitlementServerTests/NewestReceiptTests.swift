import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

/// Apps that get no notifications and have no key: only receipts say what goes on.
@Suite struct NewestReceiptTests {
  private func server(
    _ ledger: any Ledger = InMemoryLedger(),
    _ apple: StandInApple = StandInApple(receipts: true, client: false)
  ) throws -> TestServer {
    let test = try TestServer(ledger: ledger, receipts: true, apple: apple)
    test.store.setNotificationTransport { _, _ in 503 }
    return test
  }

  private func send(_ test: TestServer, _ more: JSONObject = [:]) async throws {
    let bytes = try #require(try test.store.receipt(on: test.phone))
    var body: JSONObject = ["receipt": .string(Base64.encode(bytes, .standard))]
    for member in more.members { body[member.name] = member.value }
    #expect(try await test.verify(body).text("verdict") == "accepted")
  }

  private func compare(_ test: TestServer, _ body: JSONObject = [:]) async throws -> TestAnswer {
    let begun = try await test.post("/v1/reconciliations?environment=Sandbox", body)
    #expect(begun.status == 200)
    while await test.server.work() > 0 {}
    return try await test.get("/v1/reconciliations/\(try #require(begun.text("id")))")
  }

  private func found(_ answer: TestAnswer) -> [String] {
    (answer.body["findings"]?.arrayValue ?? []).compactMap(\.objectValue).map { finding in
      ["kind", "what", "product"].compactMap { finding[$0]?.stringValue }.joined(separator: " ")
    }
  }

  private func kept(_ test: TestServer) async throws -> [LedgerDocument] {
    try await test.ledger.read { reader throws(StorageError) in
      try reader.documents(
        .newestReceipt,
        app: DemoCatalog.bundleID,
        shelf: nil,
        after: 0,
        limit: 10
      )
    }
  }

  @Test(arguments: Backend.allCases)
  func aRenewalIsFoundAndGrantedOnce(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try server(ledger)
      _ = try test.buy(DemoCatalog.monthly)
      try await send(test)
      let before = try await ledger.counts().entries
      await test.store.advance(by: 40 * 86_400)
      let answer = try await compare(test)
      #expect(answer.text("state") == "done")
      #expect(found(answer).contains("missing receipt com.example.demo.plus.monthly"))
      let after = try await ledger.counts().entries
      #expect(after > before)
      let again = try await compare(test)
      #expect(found(again) == [])
      #expect(try await ledger.counts().entries == after)
    }
  }

  @Test func aRefundIsFoundAndTakenBackOnce() async throws {
    let test = try server()
    let monthly = try test.buy(DemoCatalog.monthly)
    try await send(test)
    try test.store.refund(monthly.transactionID)
    let answer = try await compare(test)
    #expect(found(answer) == ["changed receipt com.example.demo.plus.monthly"])
    let entries = try await test.ledger.counts().entries
    #expect(entries == 2)
    #expect(found(try await compare(test)) == [])
    #expect(try await test.ledger.counts().entries == entries)
  }

  @Test func theScheduleAsksToo() async throws {
    let apple = StandInApple(receipts: true, client: false)
    let test = try server(InMemoryLedger(), apple)
    _ = try test.buy(DemoCatalog.monthly)
    try await send(test)
    await test.store.advance(by: 40 * 86_400)
    #expect(await test.server.work(reconcilingEvery: 86_400) > 0)
    #expect(try await test.ledger.counts().entries > 1)
  }

  @Test func onlyTheNewestOfACustomerIsKeptAndAskedAbout() async throws {
    let apple = StandInApple(receipts: true, client: false)
    let test = try server(InMemoryLedger(), apple)
    _ = try test.buy(DemoCatalog.monthly)
    try await send(test)
    let first = try #require(try await kept(test).first)
    await test.store.advance(by: 86_400)
    _ = try test.buy(DemoCatalog.lifetime)
    try await send(test)
    let documents = try await kept(test)
    #expect(documents.map(\.key) == [first.key])
    #expect(documents.first?.shelf != first.shelf)
    // The receipt's bytes are the fact's.
    #expect(documents.first?.body["receipt"] == nil)
    let before = apple.sent.count
    _ = try await compare(test)
    // Production, and then the sandbox.
    #expect(apple.sent.count == before + 2)
  }

  @Test func onePurchaseIsAskedAboutWithItsReceiptOnly() async throws {
    let test = try server()
    let monthly = try test.buy(DemoCatalog.monthly)
    try await send(test)
    let own: JSONObject = ["originalTransactionId": .string(monthly.transactionID.rawValue)]
    let answer = try await compare(test, own)
    #expect(answer.body["counts"]?.objectValue?["receipts"] == 1)
    let other = try await compare(test, ["originalTransactionId": "1"])
    #expect(other.body["counts"]?.objectValue?["receipts"] == 0)
  }

  @Test func itIsErasedWithItsCustomer() async throws {
    let test = try server()
    _ = try test.buy(DemoCatalog.monthly)
    try await send(test, ["account": "mia"])
    #expect(try await kept(test).count == 1)
    let erased = try await test.send(.delete, "/v1/customers/mia")
    #expect(erased.status == 200)
    #expect(try await kept(test) == [])
    #expect(try await compare(test).body["counts"]?.objectValue?["receipts"] == 0)
  }

  @Test func withoutAnybodyToAskNothingIsKept() async throws {
    let test = try TestServer(receipts: true)
    _ = try test.buy(DemoCatalog.monthly)
    try await send(test)
    #expect(try await kept(test) == [])
  }

  @Test(arguments: [
    (401, ""), (403, "<html>"), (404, ""), (429, ""), (500, ""), (503, "<html>"), (200, "<html>"),
    (200, ""), (200, #"{"status":"#), (200, #"{"status":21005}"#), (200, #"{"status":21009}"#),
  ])
  func aStrangeAnswerIsWaitedForOrEndsItAndTakesNothingBack(
    status: Int,
    body: String
  ) async throws {
    let apple = StandInApple(receipts: true, client: false)
    let test = try server(InMemoryLedger(), apple)
    _ = try test.buy(DemoCatalog.monthly)
    try await send(test)
    let before = try await test.ledger.counts()
    let step = StandInApple.Step.answer(status, body)
    apple.plan(step, step, step, step)
    let answer = try await compare(test)
    #expect(answer.body["problem"] != nil)
    #expect(try await test.ledger.counts() == before)
    apple.plan()
    await test.store.advance(by: 3600)
    while await test.server.work() > 0 {}
    #expect(try await compare(test).text("state") == "done")
  }

  @Test func aRefusalTakesNothingBack() async throws {
    let apple = StandInApple(receipts: true, client: false)
    let test = try server(InMemoryLedger(), apple)
    _ = try test.buy(DemoCatalog.monthly)
    try await send(test)
    let before = try await test.ledger.counts().entries
    apple.plan(.answer(200, #"{"status":21010}"#))
    let answer = try await compare(test)
    #expect(answer.text("state") == "done")
    #expect(answer.body["counts"]?.objectValue?["refused"] == 1)
    #expect(try await test.ledger.counts().entries == before)
  }
}
