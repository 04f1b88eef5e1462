import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Synchronization
import Testing

@Suite struct WebhookTests {
  @Test(arguments: Backend.allCases)
  func everyEventArrivesSignedAndInOrder(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let receiver = WebhookReceiver()
      let test = try TestServer(ledger: ledger, receiver)
      try await test.addEndpoint(receiver)
      for customer in ["mia", "max", "mia", "max", "mia"] {
        try await test.buy(DemoCatalog.coins, as: customer)
      }
      await test.sendAll()
      #expect(receiver.received.count == 5)
      #expect(receiver.state.withLock(\.badSignatures) == 0)
      #expect(receiver.order(of: "mia") == [1, 2, 3])
      #expect(receiver.order(of: "max") == [1, 2])
      let request = try #require(receiver.state.withLock(\.requests).first)
      let pin = HTTPAddressPin(host: "hooks.shop.com", port: 443, address: "93.184.216.34")
      #expect(request.pin == pin)
      #expect(request.url == "https://hooks.shop.com:443/in")
      #expect(await test.server.sendWebhooks() == 0)
    }
  }

  @Test func anEndpointHearsNothingOfWhatWasBeforeIt() async throws {
    let receiver = WebhookReceiver()
    let test = try TestServer(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    #expect(receiver.order(of: "mia") == [2])
  }

  @Test(arguments: Backend.allCases)
  func aFailedEventHoldsBackItsOwnCustomerOnly(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let isDown = Mutex(true)
      let receiver = WebhookReceiver { received, _ in
        received.customer == "mia" && isDown.withLock { $0 } ? .broken : .ok
      }
      let test = try TestServer(ledger: ledger, receiver)
      let id = try await test.addEndpoint(receiver)
      for customer in ["mia", "max", "mia", "max"] {
        try await test.buy(DemoCatalog.coins, as: customer)
      }
      await test.sendAll()
      #expect(receiver.order(of: "max") == [1, 2])
      #expect(receiver.received.filter { $0.customer == "mia" }.map(\.sequence) == [1])
      // Nothing is due before the wait is over, to the second.
      receiver.advance(4)
      #expect(await test.server.sendWebhooks() == 0)
      let failing = try await test.get("/v1/webhooks/\(id)/deliveries?state=failing")
      #expect(failing.body["deliveries"]?.arrayValue?.count == 1)
      isDown.withLock { $0 = false }
      receiver.advance(1)
      try await test.buy(DemoCatalog.coins, as: "mia")
      await test.sendAll()
      #expect(receiver.received.filter { $0.customer == "mia" }.map(\.sequence) == [1, 1, 2, 3])
      let delivered = try await test.get("/v1/webhooks/\(id)/deliveries?state=delivered")
      #expect(delivered.body["deliveries"]?.arrayValue?.count == 5)
    }
  }

  @Test func whatFailsTooOftenIsADeadLetterAndCanBeSentAgain() async throws {
    let isDown = Mutex(true)
    let receiver = WebhookReceiver { received, _ in
      received.sequence == 1 && isDown.withLock { $0 } ? .failure("timedOut") : .ok
    }
    var limits = ServerLimits.standard
    limits.webhooks.attemptsMax = 3
    limits.webhooks.retrySeconds = [10, 100]
    let test = try TestServer(receiver, limits: limits)
    let id = try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    receiver.advance(10)
    await test.sendAll()
    receiver.advance(99)
    await test.sendAll()
    #expect(receiver.received.map(\.sequence) == [1, 1])
    receiver.advance(1)
    await test.sendAll()
    #expect(receiver.received.map(\.sequence) == [1, 1, 1, 2])
    let dead = try await test.get("/v1/webhooks/\(id)/deliveries").body["deliveries"]?.arrayValue
    #expect(dead?.count == 1)
    #expect(dead?.first?.objectValue?["attemptCount"] == 3)
    #expect(
      dead?.first?.objectValue?["attempts"]?.arrayValue?.first?.objectValue?["failure"]
        == "timedOut"
    )
    #expect(try await test.get("/v1/webhooks/\(id)").body["deadLetters"] == 1)
    isDown.withLock { $0 = false }
    let replay = try await test.post("/v1/webhooks/\(id)/replay", ["deadLetters": true])
    #expect(replay.body["queued"] == 1)
    await test.sendAll()
    #expect(receiver.received.map(\.sequence) == [1, 1, 1, 2, 1])
    #expect(
      try await test.get("/v1/webhooks/\(id)/deliveries").body["deliveries"]?.arrayValue == []
    )
  }

  @Test func retryAfterIsObeyedAndBounded() async throws {
    let asked = Mutex("3600")
    let receiver = WebhookReceiver { _, count in
      count == 0 ? .response(status: 429, retryAfter: asked.withLock { $0 }) : .ok
    }
    let test = try TestServer(receiver)
    try await test.addEndpoint(receiver)
    for (text, seconds) in [
      ("3600", 3600.0), ("99999999", 86_400), ("-5", 5), ("soon", 5),
      ("Thu, 01 Jan 2026 13:00:00 GMT", 3600),
    ] {
      receiver.state.withLock { state in
        state.now = TestServer.start
        state.received = []
      }
      asked.withLock { $0 = text }
      try await test.buy(DemoCatalog.coins, as: "mia")
      await test.sendAll()
      receiver.advance(seconds - 1)
      await test.sendAll()
      #expect(receiver.received.count == 1, "\(text)")
      receiver.advance(1)
      await test.sendAll()
      #expect(receiver.received.count == 2, "\(text)")
    }
  }

  @Test func anEndpointThatIsGoneIsSwitchedOff() async throws {
    let receiver = WebhookReceiver { _, _ in .response(status: 410, retryAfter: nil) }
    let test = try TestServer(receiver)
    let id = try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    let shown = try await test.get("/v1/webhooks/\(id)")
    #expect(shown.body["enabled"] == false)
    #expect(shown.body["reason"] == "gone")
    receiver.advance(1_000_000)
    await test.sendAll()
    #expect(receiver.received.count == 1)
    let audit = try await test.get("/v1/export?kind=audit").body["rows"]?.arrayValue ?? []
    #expect(audit.contains { $0.objectValue?["action"] == "webhook.disabled" })
    // Switched on again it goes on where it was.
    let on = try await test.send(.patch, "/v1/webhooks/\(id)", ["enabled": true])
    #expect(on.body["enabled"] == true)
    await test.sendAll()
    #expect(receiver.received.count == 2)
  }

  @Test func redirectsAreNoSuccess() async throws {
    let receiver = WebhookReceiver { _, count in
      count == 0 ? .response(status: 302, retryAfter: nil) : .ok
    }
    let test = try TestServer(receiver)
    try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    receiver.advance(5)
    await test.sendAll()
    #expect(receiver.received.count == 2)
  }

  @Test func aNameThatLeadsInsideIsNotSentTo() async throws {
    let inside = Mutex(["93.184.216.34", "10.0.0.1"])
    let receiver = WebhookReceiver(addresses: { _ in inside.withLock { $0 } })
    let test = try TestServer(receiver)
    let id = try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    #expect(receiver.received.isEmpty)
    let failing = try await test.get("/v1/webhooks/\(id)/deliveries?state=failing")
    let delivery = failing.body["deliveries"]?.arrayValue?.first?.objectValue
    #expect(
      delivery?["attempts"]?.arrayValue?.first?.objectValue?["failure"] == "addressRefused"
    )
    inside.withLock { $0 = [] }
    receiver.advance(5)
    await test.sendAll()
    inside.withLock { $0 = ["93.184.216.34"] }
    receiver.advance(30)
    await test.sendAll()
    #expect(receiver.received.count == 1)
  }

  @Test func oldAndNewSecretSignBesideEachOtherForAWhile() async throws {
    let receiver = WebhookReceiver()
    let test = try TestServer(receiver)
    let id = try await test.addEndpoint(receiver)
    let answer = try await test.post("/v1/webhooks/\(id)/secret", ["overlapSeconds": 60])
    let new = try #require(answer.text("secret"))
    #expect(new.hasPrefix("whsec_"))
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    let both = receiver.state.withLock(\.requests).last?.headers["webhook-signature"]
    #expect(both?.split(separator: " ").count == 2)
    #expect(receiver.state.withLock(\.badSignatures) == 0)
    receiver.state.withLock { $0.secrets["hooks.shop.com"] = [new] }
    receiver.advance(60)
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    let one = receiver.state.withLock(\.requests).last?.headers["webhook-signature"]
    #expect(one?.split(separator: " ").count == 1)
    #expect(receiver.state.withLock(\.badSignatures) == 0)
    #expect(try await test.get("/v1/webhooks/\(id)").text("secret") == nil)
  }

  @Test(arguments: Backend.allCases)
  func replayFromAPlaceSendsEverythingAgainInOrder(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let receiver = WebhookReceiver()
      let test = try TestServer(ledger: ledger, receiver)
      let id = try await test.addEndpoint(receiver)
      for _ in 0..<4 {
        try await test.buy(DemoCatalog.coins, as: "mia")
        await test.store.advance(by: 60)
      }
      await test.sendAll()
      let cursors = try await test.events().compactMap { $0["cursor"]?.integerValue }
      let path = "/v1/webhooks/\(id)/replay"
      #expect(try await test.post(path, ["after": .integer(cursors[1])]).body["queued"] == 2)
      await test.sendAll()
      #expect(receiver.received.map(\.sequence) == [1, 2, 3, 4, 3, 4])
      let since = TestServer.start.addingTimeInterval(180).milliseconds
      #expect(try await test.post(path, ["since": .integer(since)]).body["queued"] == 1)
      await test.sendAll()
      #expect(receiver.received.map(\.sequence) == [1, 2, 3, 4, 3, 4, 4])
      let event = try #require(receiver.received.first?.id)
      #expect(try await test.post(path, ["event": .string(event)]).body["queued"] == 1)
      await test.sendAll()
      #expect(receiver.received.map(\.sequence) == [1, 2, 3, 4, 3, 4, 4, 1])
      let headers = ["Idempotency-Key": "once"]
      for _ in 0..<2 {
        let sent = try await test.send(.post, path, headers: headers, ["event": .string(event)])
        #expect(sent.body["queued"] == 1)
      }
      await test.sendAll()
      #expect(receiver.received.map(\.sequence) == [1, 2, 3, 4, 3, 4, 4, 1, 1])
      #expect(try await test.post(path, ["event": "evt_none"]).status == 404)
      #expect(try await test.post(path, [:]).status == 400)
      #expect(try await test.post(path, ["after": 1, "deadLetters": true]).status == 400)
    }
  }

  @Test func onlyWantedTypesAreSent() async throws {
    let receiver = WebhookReceiver()
    let test = try TestServer(receiver)
    try await test.addEndpoint(receiver, ["types": ["entitlements.changed"]])
    try await test.addEndpoint(receiver, host: "all.shop.com")
    try await test.buy(DemoCatalog.lifetime, as: "mia")
    await test.sendAll()
    #expect(
      receiver.received.filter { $0.host == "hooks.shop.com" }.map(\.type)
        == ["entitlements.changed"]
    )
    #expect(
      receiver.received.filter { $0.host == "all.shop.com" }.map(\.type)
        == ["purchase.granted", "entitlements.changed"]
    )
  }

  @Test func anotherWorkerWaitsForTheLeaseToEnd() async throws {
    let ledger = InMemoryLedger()
    let receiver = WebhookReceiver()
    let one = try TestServer(ledger: ledger, receiver, worker: "one")
    let two = try TestServer(ledger: ledger, receiver, worker: "two")
    try await one.addEndpoint(receiver)
    try await one.buy(DemoCatalog.coins, as: "mia")
    await one.sendAll()
    try await one.buy(DemoCatalog.coins, as: "mia")
    #expect(await two.server.sendWebhooks() == 0)
    receiver.advance(29)
    #expect(await two.server.sendWebhooks() == 0)
    receiver.advance(1)
    await two.sendAll()
    #expect(receiver.order(of: "mia") == [1, 2])
  }

  @Test func customersOnTheirWayAtOnceAreBounded() async throws {
    var limits = ServerLimits.standard
    limits.webhooks.concurrencyMax = 4
    let receiver = WebhookReceiver()
    let test = try TestServer(receiver, limits: limits)
    try await test.addEndpoint(receiver)
    for number in 0..<40 { try await test.buy(DemoCatalog.coins, as: "c\(number)") }
    await test.sendAll()
    #expect(receiver.received.count == 40)
    #expect(receiver.state.withLock(\.inFlightMax) <= 4)
  }

  @Test(arguments: Backend.allCases)
  func manyEventsToAReceiverThatFailsAllArriveInOrder(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let receiver = WebhookReceiver { received, count in
        // Every third event fails twice, some as if they hung, and some arrive although they fail.
        guard received.id.utf8.reduce(0, { $0 &+ Int($1) }) % 3 == 0, count < 2 else { return .ok }
        return count == 0 ? .failure("timedOut") : .broken
      }
      let test = try TestServer(ledger: ledger, receiver)
      try await test.addEndpoint(receiver)
      for number in 0..<300 {
        try await test.buy(DemoCatalog.coins, as: "c\(number % 20)")
      }
      for _ in 0..<60 {
        await test.sendAll()
        receiver.advance(60)
      }
      for number in 0..<20 {
        #expect(receiver.order(of: "c\(number)") == Array(1...15))
      }
      #expect(Set(receiver.received.map(\.id)).count == 300)
      #expect(receiver.state.withLock(\.badSignatures) == 0)
    }
  }

  @Test func whatIsSentAndNotRecordedIsSentAgain() async throws {
    let ledger = InMemoryLedger()
    let receiver = WebhookReceiver { _, count in
      // The disk is full when the round is to be recorded.
      if count == 0 { ledger.refuseCommits(with: StorageError(.full, "no room")) }
      return .ok
    }
    let test = try TestServer(ledger: ledger, receiver)
    try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    _ = await test.server.sendWebhooks()
    ledger.refuseCommits(with: nil)
    await test.sendAll()
    #expect(receiver.received.map(\.sequence) == [1, 1])
    #expect(test.logged.contains { $0.name == "webhooks" })
  }

  @Test func logsAndMetricsNameNoAddressAndNoCustomer() async throws {
    let receiver = WebhookReceiver { _, _ in .broken }
    let test = try TestServer(receiver)
    try await test.addEndpoint(receiver, host: "tagged-host.shop.com")
    try await test.buy(DemoCatalog.coins, as: "tagged-customer")
    await test.sendAll()
    let metrics = await test.server.answer(HTTPRequest(method: .get, target: "/metrics"))
    let text = String(decoding: metrics.body, as: UTF8.self)
    #expect(text.contains(#"iap_webhook_attempts_total{outcome="failed"} 1"#))
    #expect(text.contains("iap_webhook_pending 1"))
    for line in test.logged.map(\.description) + [text] {
      #expect(!line.contains("tagged"))
    }
  }
}
