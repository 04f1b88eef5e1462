import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Synchronization
import Testing

/// Several servers on one ledger, each with an uptime of its own, and with clocks apart.
@Suite struct SeveralServersTests {
  private static let kind = DocumentKind(rawValue: "lease")

  private func server(
    _ ledger: any Ledger,
    _ name: String,
    clockAhead: TimeInterval = 0
  ) throws -> TestServer {
    try TestServer(ledger: ledger, worker: name, clockAhead: clockAhead)
  }

  private func holder(_ ledger: any Ledger) async throws -> String? {
    try await ledger.read { reader throws(StorageError) in
      try reader.document(DocumentKey(Self.kind, app: DemoCatalog.bundleID, name: "work"))
    }?.body["worker"]?.stringValue
  }

  private func gauge(_ server: TestServer, _ name: String) async throws -> Int? {
    let request = HTTPRequest(method: .get, target: "/metrics")
    let text = String(decoding: await server.server.answer(request).body, as: UTF8.self)
    return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  @Test(arguments: Backend.allCases)
  func whoFallsSilentLosesAnAppsWorkToAnother(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let one = try server(ledger, "one")
      let two = try server(ledger, "two")
      _ = await one.server.work()
      _ = await two.server.work()
      #expect(try await holder(ledger) == "one")
      // Who goes on writing it keeps it, however long that takes.
      for _ in 0..<5 {
        one.uptime.advance(.seconds(14))
        two.uptime.advance(.seconds(14))
        _ = await one.server.work()
        _ = await two.server.work()
        #expect(try await holder(ledger) == "one")
      }
      two.uptime.advance(.seconds(14))
      _ = await two.server.work()
      #expect(try await holder(ledger) == "one")
      two.uptime.advance(.seconds(1))
      _ = await two.server.work()
      #expect(try await holder(ledger) == "two")
      // The one that was cut off comes back and finds that it is another's.
      one.uptime.advance(.seconds(60))
      _ = await one.server.work()
      #expect(try await holder(ledger) == "two")
    }
  }

  @Test func whoStopsLeavesTheWorkToOthersAtOnce() async throws {
    let ledger = InMemoryLedger()
    let one = try server(ledger, "one")
    let two = try server(ledger, "two")
    _ = await one.server.work()
    _ = await two.server.work()
    await one.server.endWork()
    #expect(try await holder(ledger) == nil)
    _ = await two.server.work()
    #expect(try await holder(ledger) == "two")
  }

  @Test func aServerThatIsAloneNeedsNoLease() async throws {
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger)
    _ = await test.server.work()
    #expect(try await holder(ledger) == nil)
    #expect(try await gauge(test, "iap_servers") == 1)
  }

  @Test func serversCountEachOtherWhateverTheirClocksSay() async throws {
    let ledger = InMemoryLedger()
    let servers = [
      try server(ledger, "one"), try server(ledger, "ahead", clockAhead: 3600),
      try server(ledger, "behind", clockAhead: -3600),
    ]
    func pass(_ servers: [TestServer]) async {
      for server in servers {
        server.uptime.advance(.seconds(6))
        _ = await server.server.work()
      }
    }
    for _ in 0..<3 { await pass(servers) }
    for server in servers { #expect(try await gauge(server, "iap_servers") == 3) }
    #expect(try await gauge(servers[0], "iap_server_clock_apart_seconds") == 3600)
    #expect(try await gauge(servers[1], "iap_server_clock_apart_seconds") == 7200)
    #expect(servers[0].logged.count { $0.name == "clocksApart" } == 1)
    // One stops in good order, one is killed.
    await servers[1].server.endWork()
    await pass([servers[0], servers[2]])
    #expect(try await gauge(servers[0], "iap_servers") == 2)
    for _ in 0..<5 { await pass([servers[0]]) }
    #expect(try await gauge(servers[0], "iap_servers") == 1)
    // What stood still for two minutes is forgotten.
    for _ in 0..<20 { await pass([servers[0]]) }
    let left = try await ledger.read { reader throws(StorageError) in
      try reader.documents(
        DocumentKind(rawValue: "presence"),
        app: nil,
        shelf: nil,
        after: 0,
        limit: 10
      ).map(\.key.name)
    }
    #expect(left == ["one"])
    #expect(servers[0].logged.count { $0.name == "clocksTogether" } == 1)
  }

  @Test func clocksThatAgreeAreNotComplainedAbout() async throws {
    let ledger = InMemoryLedger()
    let servers = [try server(ledger, "one"), try server(ledger, "two", clockAhead: 2)]
    for _ in 0..<4 {
      for server in servers {
        server.uptime.advance(.seconds(6))
        _ = await server.server.work()
      }
    }
    #expect(servers[0].logged.contains { $0.name == "clocksApart" } == false)
    #expect(try await gauge(servers[0], "iap_server_clock_apart_seconds") == 2)
  }

  @Test func aLeaseThatAClockAheadHasWrittenEndsAllTheSame() async throws {
    let ledger = InMemoryLedger()
    let isDown = Mutex(true)
    let receiver = WebhookReceiver { _, _ in isDown.withLock { $0 } ? .broken : .ok }
    // One hour ahead: its leases end in an hour by anybody else's clock.
    var ahead = receiver.world(worker: "ahead")
    ahead.now = { receiver.now.addingTimeInterval(3600) }
    let one = try TestServer(ledger: ledger, webhooks: ahead)
    let two = try TestServer(ledger: ledger, receiver, worker: "two")
    try await one.addEndpoint(receiver)
    try await one.buy(DemoCatalog.coins, as: "mia")
    _ = await one.server.sendWebhooks()
    // It is killed; its lease holds for half a minute, not for an hour.
    isDown.withLock { $0 = false }
    try await one.buy(DemoCatalog.coins, as: "max")
    #expect(await two.server.sendWebhooks() == 0)
    two.uptime.advance(.seconds(29))
    #expect(await two.server.sendWebhooks() == 0)
    two.uptime.advance(.seconds(1))
    #expect(await two.server.sendWebhooks() == 1)
    #expect(receiver.order(of: "max") == [1])
  }
}
