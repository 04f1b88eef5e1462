import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct EventTests {
  private func types(_ events: [JSONObject]) -> [String] {
    events.compactMap { $0["type"]?.stringValue }
  }

  private func day(_ count: Double) -> TimeInterval { count * 86_400 }

  @Test(arguments: Backend.allCases)
  func aPurchaseIsToldOnceHoweverOftenItIsHeardOf(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let record = try await test.buy(DemoCatalog.coins, as: "mia")
      for _ in 0..<3 {
        _ = try await test.verify(record, ["account": "mia", "installation": "one"])
      }
      await test.store.drainNotifications()
      let events = try await test.events("customer=mia")
      #expect(types(events) == ["purchase.granted"])
      let event = try #require(events.first)
      #expect(event["sequence"] == 1)
      #expect(event["customer"] == "mia")
      #expect(event["created"] == .integer(TestServer.start.milliseconds))
      #expect(event["timestamp"] == "2026-01-01T12:00:00.000Z")
      #expect(event["data"]?.objectValue?["productId"] == .string(DemoCatalog.coins.rawValue))
      #expect(event["data"]?.objectValue?["key"] == .string("grant:tx:\(record.transactionID)"))
    }
  }

  @Test(arguments: Backend.allCases)
  func aSubscriptionsLifeIsToldInOrder(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let monthly = try await test.buy(DemoCatalog.monthly, as: "mia")
      await test.store.advance(by: day(32))
      await test.store.drainNotifications()
      try test.store.setAutoRenew(false, of: monthly.originalTransactionID)
      await test.store.drainNotifications()
      let told = types(try await test.events("customer=mia"))
      #expect(
        told == [
          "purchase.granted", "subscription.changed", "entitlements.changed",
          // The notification says that it will renew, the transaction alone did not.
          "subscription.changed", "purchase.renewed", "subscription.changed",
        ]
      )
      let numbers = try await test.events("customer=mia").compactMap {
        $0["sequence"]?.integerValue
      }
      #expect(numbers == Array(1...6))
    }
  }

  @Test(arguments: Backend.allCases)
  func theEndOfAPeriodIsToldByTheClockAlone(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let monthly = try await test.buy(DemoCatalog.monthly, as: "mia")
      try test.store.setAutoRenew(false, of: monthly.originalTransactionID)
      await test.store.drainNotifications()
      // From now on nothing is heard of the store.
      test.store.setNotificationTransport { _, _ in 500 }
      #expect(await test.server.keepEvents() == 0)
      let before = try await test.events()
      await test.store.advance(by: day(31))
      #expect(await test.server.keepEvents() == 1)
      #expect(await test.server.keepEvents() == 0)
      let last = try #require(before.last?["cursor"]?.integerValue)
      let events = try await test.events("after=\(last)")
      #expect(types(events) == ["subscription.changed", "entitlements.changed"])
      let data = events.map { $0["data"]?.objectValue ?? [:] }
      #expect(data.first?["state"] == "expired")
      #expect(data.first?["previousState"] == "subscribed")
      #expect(data.last?["entitlements"] == [])
      #expect(data.last?["lost"]?.arrayValue?.count == 1)
    }
  }

  @Test func aRefundAndItsReversalAreTold() async throws {
    let test = try TestServer()
    let lifetime = try await test.buy(DemoCatalog.lifetime, as: "mia")
    try test.store.refund(lifetime.transactionID)
    await test.store.drainNotifications()
    try test.store.reverseRefund(lifetime.transactionID)
    await test.store.drainNotifications()
    #expect(
      types(try await test.events("customer=mia")) == [
        "purchase.granted", "entitlements.changed", "refund.completed", "purchase.clawedBack",
        "entitlements.changed", "refund.reversed", "purchase.regranted", "entitlements.changed",
      ]
    )
  }

  @Test func aPurchaseThatNobodyOwnsIsToldAndThenClaimed() async throws {
    let test = try TestServer()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    await test.store.drainNotifications()
    let first = try await test.events()
    #expect(types(first) == ["purchase.granted"])
    #expect(first.first?["customer"] == nil)
    _ = try await test.verify(lifetime, ["account": "mia"])
    #expect(
      types(try await test.events("customer=mia")) == ["purchase.claimed", "entitlements.changed"]
    )
  }

  @Test func whoPresentsAnothersPurchaseIsToldAsConflict() async throws {
    let test = try TestServer()
    let lifetime = try await test.buy(DemoCatalog.lifetime, as: "mia")
    for _ in 0..<2 { _ = try await test.verify(lifetime, ["account": "max"]) }
    #expect(types(try await test.events("customer=max")) == ["purchase.conflict"])
    #expect(types(try await test.events()).filter { $0 == "review.opened" }.count == 1)
  }

  @Test func aTransferIsToldToBoth() async throws {
    let test = try TestServer(transfers: .transfer)
    let lifetime = try await test.buy(DemoCatalog.lifetime, as: "mia")
    _ = try await test.verify(lifetime, ["account": "max"])
    #expect(
      types(try await test.events("customer=mia")) == [
        "purchase.granted", "entitlements.changed", "purchase.transferredOut",
        "entitlements.changed",
      ]
    )
    #expect(
      types(try await test.events("customer=max")) == [
        "purchase.transferredIn", "entitlements.changed",
      ]
    )
  }

  @Test func whoSharesAPurchaseHearsOfItsEnd() async throws {
    let test = try TestServer(transfers: .share)
    let lifetime = try await test.buy(DemoCatalog.lifetime, as: "mia")
    _ = try await test.verify(lifetime, ["account": "max"])
    try test.store.refund(lifetime.transactionID)
    await test.store.drainNotifications()
    let told = try await test.events("customer=max")
    #expect(types(told) == ["entitlements.changed", "entitlements.changed"])
    #expect(told.last?["data"]?.objectValue?["entitlements"] == [])
  }

  @Test func casesForPeopleAreToldWithoutWhatClientsSay() async throws {
    let test = try TestServer()
    let id = try #require(
      try await test.post(
        "/v1/reviews",
        [
          "transactionId": "77", "productId": "coins", "reason": "rejected", "attempts": 5,
          "account": "secret-mia", "signedTransaction": "a.b.c",
        ]
      ).text("id")
    )
    _ = try await test.post("/v1/reviews/\(id)/resolve", ["action": "refuse"])
    let events = try await test.events()
    #expect(types(events) == ["order.quarantined", "review.opened", "review.resolved"])
    let text = events.map { JSONValue.object($0).serializedText }.joined()
    #expect(!text.contains("secret-mia"))
    #expect(!text.contains("a.b.c"))
  }

  @Test func aDeliveryIsToldWhenItIsAcknowledged() async throws {
    let test = try TestServer()
    let coins = try await test.buy(DemoCatalog.coins, as: "mia")
    for _ in 0..<2 {
      _ = try await test.verify(
        coins,
        ["installation": "one", "account": "mia", "acknowledged": true]
      )
    }
    #expect(
      types(try await test.events("customer=mia")) == ["purchase.granted", "order.delivered"]
    )
  }

  @Test(arguments: Backend.allCases)
  func anErasedCustomersEventsStayAndNameNobody(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let token = try #require(AppAccountToken("0f0f0f0f-1111-4222-8333-444444444444"))
      let record = try test.buy(DemoCatalog.monthly, token: token)
      _ = try await test.verify(record, ["account": "mia-secret"])
      _ = try await test.post("/v1/customers/mia-secret/aliases", ["alias": "mia-other"])
      let before = try await test.events()
      #expect(before.count >= 3)
      let copy = try await test.get("/v1/customers/mia-secret/export").body["events"]
      #expect(copy?.arrayValue?.count == before.count { $0["customer"] == "mia-secret" })
      #expect(try await test.send(.delete, "/v1/customers/mia-secret").status == 200)
      let after = try await test.events()
      #expect(types(after) == types(before))
      #expect(after.map { $0["cursor"] } == before.map { $0["cursor"] })
      let text = after.map { JSONValue.object($0).serializedText }.joined()
      #expect(!text.contains("mia-"))
      #expect(!text.contains("0f0f0f0f"))
      #expect(try await test.events("customer=mia-secret").isEmpty)
    }
  }

  @Test func eventsAreForgottenAfterTheirTimeAndEntriesAreNot() async throws {
    var limits = ServerLimits.standard
    limits.webhooks.memorySeconds = day(30)
    let test = try TestServer(limits: limits)
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.store.advance(by: day(30))
    _ = await test.server.keepEvents()
    #expect(try await test.events().count == 1)
    await test.store.advance(by: 1)
    _ = await test.server.keepEvents()
    #expect(try await test.events().isEmpty)
    let rows = try await test.get("/v1/export?kind=entries").body["rows"]?.arrayValue
    #expect(rows?.count == 1)
    try await test.buy(DemoCatalog.coins, as: "mia")
    #expect(try await test.events().first?["sequence"] == 2)
  }
}
