import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Synchronization
import Testing

@Suite struct WebhookLimitTests {
  private func limits(_ change: (inout WebhookLimits) -> Void) -> ServerLimits {
    var limits = ServerLimits.standard
    change(&limits.webhooks)
    return limits
  }

  @Test func anEndpointAtWhichNothingArrivesIsLeftAloneForAWhile() async throws {
    for (customers, isPaused) in [(9, false), (10, true)] {
      let isDown = Mutex(true)
      let receiver = WebhookReceiver { _, _ in isDown.withLock { $0 } ? .broken : .ok }
      let test = try TestServer(receiver)
      let id = try await test.addEndpoint(receiver)
      for number in 0..<customers { try await test.buy(DemoCatalog.coins, as: "c\(number)") }
      await test.sendAll()
      #expect(receiver.received.count == customers)
      let shown = try await test.get("/v1/webhooks/\(id)")
      #expect((shown.body["pausedUntil"] != nil) == isPaused)
      #expect(shown.body["held"] == .integer(Int64(customers)))
      try await test.buy(DemoCatalog.coins, as: "new")
      await test.sendAll()
      #expect(receiver.received.count == customers + (isPaused ? 0 : 1))
      isDown.withLock { $0 = false }
      receiver.advance(60)
      await test.sendAll()
      #expect(Set(receiver.received.map(\.id)).count == customers + 1)
      #expect(try await test.get("/v1/webhooks/\(id)").body["pending"] == 0)
      #expect(try await test.get("/v1/webhooks/\(id)").body["pausedUntil"] == nil)
    }
  }

  @Test func anEndpointThatHoldsTooManyBackGetsNothingNew() async throws {
    for (held, more) in [(2, 1), (3, 0)] {
      let receiver = WebhookReceiver { received, _ in
        received.customer?.hasPrefix("bad") == true ? .broken : .ok
      }
      let test = try TestServer(receiver, limits: limits { $0.heldLanesMax = 3 })
      try await test.addEndpoint(receiver)
      for number in 0..<held { try await test.buy(DemoCatalog.coins, as: "bad\(number)") }
      await test.sendAll()
      try await test.buy(DemoCatalog.coins, as: "good")
      await test.sendAll()
      #expect(receiver.received.filter { $0.customer == "good" }.count == more)
    }
  }

  @Test func theLastAttemptsAreKept() async throws {
    let receiver = WebhookReceiver { _, _ in .broken }
    let test = try TestServer(
      receiver,
      limits: limits {
        $0.keptAttemptsMax = 2
        $0.retrySeconds = [1]
      }
    )
    let id = try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    for (attempts, kept) in [(1, 1), (2, 2), (3, 2)] {
      await test.sendAll()
      let failing = try await test.get("/v1/webhooks/\(id)/deliveries?state=failing")
      let delivery = failing.body["deliveries"]?.arrayValue?.first?.objectValue
      #expect(delivery?["attemptCount"] == .integer(Int64(attempts)))
      #expect(delivery?["attempts"]?.arrayValue?.count == kept)
      receiver.advance(1)
    }
  }

  @Test func aRoundBeginsNothingAfterItsTime() async throws {
    let clock = Mutex<(@Sendable (TimeInterval) -> Void)?>(nil)
    let receiver = WebhookReceiver { _, _ in
      // Each answer takes six seconds.
      clock.withLock { $0 }?(6)
      return .ok
    }
    clock.withLock { $0 = { receiver.advance($0) } }
    let test = try TestServer(receiver, limits: limits { $0.roundSeconds = 10 })
    try await test.addEndpoint(receiver)
    for _ in 0..<5 { try await test.buy(DemoCatalog.coins, as: "mia") }
    #expect(await test.server.sendWebhooks() == 2)
    await test.sendAll()
    #expect(receiver.received.map(\.sequence) == [1, 2, 3, 4, 5])
    clock.withLock { $0 = nil }
  }

  @Test func moreThanAPageIsSentInOneGo() async throws {
    let receiver = WebhookReceiver()
    let test = try TestServer(receiver, limits: limits { $0.pageMax = 3 })
    try await test.addEndpoint(receiver)
    for number in 0..<10 { try await test.buy(DemoCatalog.coins, as: "c\(number % 2)") }
    #expect(await test.server.sendWebhooks() == 10)
    #expect(receiver.order(of: "c0") == [1, 2, 3, 4, 5])
    #expect(receiver.order(of: "c1") == [1, 2, 3, 4, 5])
  }
}
