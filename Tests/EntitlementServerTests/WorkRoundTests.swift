import AppStoreSimulator
import Foundation
import IAPModel
import ServerStorage
import Testing

@testable import EntitlementServer

/// Work beside answering, when there is much of it.
@Suite struct WorkRoundTests {
  private static let token = AppAccountToken("6F9619FF-8B86-D011-B42D-00CF4FC964FF")

  /// A purchase about which the App Store asks.
  private func ask(_ test: TestServer) async throws {
    let coins = try test.buy(DemoCatalog.coins, token: Self.token)
    _ = try await test.verify(coins)
    try test.store.requestRefund(coins.transactionID, reason: .unintendedPurchase)
    await test.store.drainNotifications()
  }

  /// A purchase whose token the App Store is to be told.
  private func claim(_ test: TestServer) async throws {
    _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "mia"])
  }

  @Test func aLongQueueOfOneKindKeepsNoOtherKindWaiting() async throws {
    let apple = StandInApple(consent: true)
    let test = try TestServer(apple: apple)
    let alias: JSONObject = ["accountToken": .string(try #require(Self.token).description)]
    #expect(try await test.post("/v1/customers/mia/aliases", alias).status == 200)
    for _ in 0..<3 { try await ask(test) }
    for _ in 0..<2 { try await claim(test) }
    #expect(await test.server.work() == 5)
    let kinds = apple.sent.compactMap { address in
      address.contains("/consumption/")
        ? "answer" : address.hasSuffix("/appAccountToken") ? "token" : nil
    }
    #expect(kinds == ["answer", "token", "answer", "token", "answer"])
  }

  @Test func aFailureOfOneKindKeepsNoOtherKindWaiting() async throws {
    let apple = StandInApple(consent: true)
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger, apple: apple)
    let alias: JSONObject = ["accountToken": .string(try #require(Self.token).description)]
    #expect(try await test.post("/v1/customers/mia/aliases", alias).status == 200)
    // An audit that nobody can read.
    var write = LedgerWrite(date: test.store.clock.now)
    write.documents = [
      DocumentWrite(
        DocumentKey(.reconciliation, app: DemoCatalog.bundleID, name: "broken"),
        shelf: "running",
        body: [:],
        condition: .ifAbsent
      ),
      DocumentWrite(
        DocumentKey(.moneyAudit, app: DemoCatalog.bundleID, name: "broken"),
        shelf: "running",
        body: [:],
        condition: .ifAbsent
      ),
    ]
    _ = try await ledger.commit(write)
    try await ask(test)
    try await claim(test)
    _ = await test.server.work()
    #expect(test.store.consumptionRecords.count == 1)
    #expect(apple.sent.contains { $0.hasSuffix("/appAccountToken") })
    #expect(test.logged.contains { $0.level == .error && $0.name == "work" })
  }

  /// Each page holds `pageMax` documents: one less, as many, and one more are left alone.
  @Test(arguments: [-1, 0, 1])
  func whatIsDueIsFoundBehindHoweverManyThatAreNot(more: Int) async throws {
    let apple = StandInApple(consent: true)
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger, apple: apple)
    let now = test.store.clock.now
    for number in 0..<(LeasedDocuments.pageMax + more) {
      var write = LedgerWrite(date: now)
      write.documents = [
        DocumentWrite(
          DocumentKey(.consumption, app: DemoCatalog.bundleID, name: "waits-\(number)"),
          shelf: "pending",
          body: [
            "environment": "Sandbox", "transaction": .string("\(number)"),
            "asked": .integer(now.milliseconds),
            "until": .integer(now.addingTimeInterval(3_600).milliseconds),
          ],
          condition: .ifAbsent
        )
      ]
      _ = try await ledger.commit(write)
    }
    try await ask(test)
    #expect(await test.server.work() == 1)
    #expect(test.store.consumptionRecords.count == 1)
    #expect(await test.server.work() == 0)
  }
}
