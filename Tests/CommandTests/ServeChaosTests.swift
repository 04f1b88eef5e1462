import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import MicroHTTP
import PostgresStorage
import SQLiteStorage
import ServerStorage
import Testing

/// Three servers on one PostgreSQL, fifty devices, the simulated store and a receiver of webhooks;
/// servers and database are killed at random under load.
///
/// `IAP_CHAOS_SECONDS` says how long: 10 unless it does, 300 for the long run. `IAP_CHAOS_SEED`
/// repeats a run's choices.
@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct ServeChaosTests {
  private static let servers = 3
  private static let stores = 6
  private static let scope = LedgerScope(app: DemoCatalog.bundleID, environment: .production)
  /// Short waits, so that what is held back is seen to arrive.
  private static let webhooks: JSONObject = [
    "webhooks": [
      "retrySeconds": [1, 1, 2], "attemptsMax": 1000, "timeoutSeconds": 2, "allowLoopback": true,
    ]
  ]

  private func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }

  private func words(_ apple: ServedApple, database: String) -> [String] {
    [
      "serve", "--config", apple.configuration, "--listen", "127.0.0.1:0", "--apple",
      apple.http.address.url, "--database", database,
    ]
  }

  @Test func whateverIsKilledWhatWasAnsweredIsThereOnceAndTold() async throws {
    let seconds = number("IAP_CHAOS_SECONDS", 10)
    let seed = UInt64(number("IAP_CHAOS_SEED", 1))
    let start = Date()
    let (dump, rounds) = try await wild(seed: seed, start: start, seconds: seconds)
    let calm = try await calm(seed: seed, start: start, rounds: rounds)
    #expect(calm.lines.count > rounds * ChaosStory.devices)
    let differences = calm.differences(from: dump)
    let count = differences.count
    #expect(count == 0, "\(differences.prefix(5))")
    let isSame = calm.lines == dump.lines
    #expect(isSame)
    print("chaos: \(calm.lines.count) lines of state are those of a calm run")
  }

  // MARK: The wild run

  private func wild(
    seed: UInt64,
    start: Date,
    seconds: Int
  ) async throws -> (LedgerDump, Int) {
    try await PostgresServer.with { database in
      let story = try ChaosStory(seed: seed, start: start)
      defer { story.served.remove() }
      let receiver = try ChaosReceiver()
      let apple = try ServedApple(story.served, more: Self.webhooks)
      let words = words(apple, database: database.address)
      var servers: [ServedProcess] = []
      for _ in 0..<Self.servers { servers.append(try await ServedProcess(words)) }
      let world = ChaosWorld(servers)
      let hook: JSONObject = ["url": .string(receiver.url)]
      await world.tell(Proof(path: "/v1/webhooks", body: hook.serialized))
      let kills = try await load(world, story, database, words, seed: seed, seconds: seconds)
      let settled = Date()
      try await settle(world, database)
      try await stop(world)
      await apple.http.stop()
      await receiver.stop()
      let rounds = await story.rounds
      let dump = try await check(database, world, receiver)
      print(
        """
        chaos: seed \(seed), \(Int(settled.timeIntervalSince(start))) s, \(kills.servers) servers \
        and \(kills.databases) databases killed; \(world.heard) requests acknowledged, \
        \(world.lost) refused or lost; \(receiver.ids.count) events in \(receiver.count) \
        webhooks; \(world.audits.count) audits
        """
      )
      return (dump, rounds)
    }
  }

  private struct Kills {
    var servers = 0
    var databases = 0
  }

  private func load(
    _ world: ChaosWorld,
    _ story: ChaosStory,
    _ database: PostgresServer,
    _ words: [String],
    seed: UInt64,
    seconds: Int
  ) async throws -> Kills {
    try await withThrowingTaskGroup(of: Kills?.self) { group in
      for device in 0..<ChaosStory.devices {
        group.addTask {
          while let proof = try await story.next(of: device) {
            await world.tell(proof)
            await story.wasHeard(device)
          }
          return nil
        }
      }
      group.addTask {
        defer { world.end() }
        let kills = try await kill(world, database, words, seed: seed, seconds: seconds)
        await story.end()
        return kills
      }
      group.addTask {
        await deliver(world, story)
        return nil
      }
      var found = Kills()
      for try await kills in group { found = kills ?? found }
      // What was announced by the last purchases.
      await deliver(world, story)
      return found
    }
  }

  /// The store's notifications, each sent until it is taken, and an audit now and then.
  private func deliver(_ world: ChaosWorld, _ story: ChaosStory) async {
    var isLast = false
    while !isLast {
      isLast = world.isOver
      let found = await story.announcements()
      await withTaskGroup(of: Void.self) { group in
        for part in 0..<Self.stores {
          group.addTask {
            for index in stride(from: part, to: found.count, by: Self.stores) {
              await world.tell(found[index])
            }
          }
        }
      }
      if found.isEmpty { await Task.yield() }
      guard !world.isOver, world.audits.count < 20 else { continue }
      let store = story.served.store
      let report = store.report(.summarySales, from: store.now, to: store.now)
      let content = Base64.encode(Array(report.utf8), .standard)
      await world.beginAudit([
        "files": [["name": "a.txt", "content": .string(content)]], "complete": true,
      ])
    }
  }

  /// Kills a server or the database, and starts it again, when some more was answered.
  private func kill(
    _ world: ChaosWorld,
    _ database: PostgresServer,
    _ words: [String],
    seed: UInt64,
    seconds: Int
  ) async throws -> Kills {
    var choice = seed &* 0x9E37_79B9_7F4A_7C15
    func draw(_ bound: Int) -> Int {
      choice = choice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(choice >> 33) % bound
    }
    var kills = Kills()
    let end = Date().addingTimeInterval(TimeInterval(seconds))
    while Date() < end || kills.servers == 0 || kills.databases == 0 {
      let wanted = world.heard + 5 + draw(60)
      while world.heard < wanted { await Task.yield() }
      let victim = draw(Self.servers + 1)
      guard victim < Self.servers else {
        try database.kill()
        try database.start()
        kills.databases += 1
        continue
      }
      world.servers[victim].process.signal(SIGKILL)
      world.replace(victim, by: try await ServedProcess(words))
      kills.servers += 1
    }
    return kills
  }

  // MARK: What has to be so in the end

  /// Every event arrives, and every job comes to its end.
  private func settle(_ world: ChaosWorld, _ database: PostgresServer) async throws {
    var pending: Int?
    while pending != 0 { pending = await world.any().metric("iap_webhook_pending") }
    for id in world.audits {
      var state: String?
      while state != "done" {
        state = await world.object("/v1/audits/\(id)")?["state"]?.stringValue
      }
    }
    let ledger = try PostgresLedger(database.address)
    while try await ledger.read({ reader throws(StorageError) in
      try reader.documents(
        DocumentKind(rawValue: "consumption"),
        app: DemoCatalog.bundleID,
        shelf: "pending",
        after: 0,
        limit: 1
      )
    }).first != nil { await Task.yield() }
    await ledger.close()
  }

  private func stop(_ world: ChaosWorld) async throws {
    for server in world.servers {
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
    }
  }

  private func check(
    _ database: PostgresServer,
    _ world: ChaosWorld,
    _ receiver: ChaosReceiver
  ) async throws -> LedgerDump {
    let ledger = try PostgresLedger(database.address)
    let app = DemoCatalog.bundleID
    let (told, events, asked) = try await ledger.read { reader throws(StorageError) in
      (
        try reader.outbox(after: 0, limit: 1_000_000),
        try reader.documents(.event, app: app, shelf: nil, after: 0, limit: 1_000_000),
        try reader.documents(
          DocumentKind(rawValue: "consumption"),
          app: app,
          shelf: nil,
          after: 0,
          limit: 1_000_000
        )
      )
    }
    // Every grant, clawback and regrant once.
    #expect(told.map(\.sequence) == Array(1...Int64(max(told.count, 1))))
    #expect(Set(told.compactMap { $0.body["key"]?.stringValue }).count == told.count)
    // Every webhook at least once, and each customer's in order.
    let missing = Set(events.map(\.key.name)).subtracting(receiver.ids)
    #expect(missing.isEmpty, "\(missing.count) events were not told")
    #expect(receiver.orders.count == ChaosStory.devices)
    for (customer, order) in receiver.orders {
      #expect(order == Array(1...Int64(order.count)), "the events of \(customer)")
    }
    // No job is stuck.
    let states = Set(asked.compactMap { $0.shelf })
    #expect(states.isSubset(of: ["sent"]), "questions are \(states)")
    let dump = try await ledger.dump(of: [Self.scope])
    await ledger.close()
    return dump
  }

  // MARK: The calm run

  private func calm(seed: UInt64, start: Date, rounds: Int) async throws -> LedgerDump {
    let story = try ChaosStory(seed: seed, start: start)
    defer { story.served.remove() }
    let apple = try ServedApple(story.served, more: Self.webhooks)
    let server = try await ServedProcess(words(apple, database: story.served.ledgerPath))
    let world = ChaosWorld([server])
    await story.end(after: rounds)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for device in 0..<ChaosStory.devices {
        group.addTask {
          while let proof = try await story.next(of: device) {
            await world.tell(proof)
            await story.wasHeard(device)
          }
        }
      }
      try await group.waitForAll()
    }
    world.end()
    await deliver(world, story)
    #expect(world.lost == 0)
    try await stop(world)
    await apple.http.stop()
    let ledger = try SQLiteLedger(path: story.served.ledgerPath)
    let dump = try await ledger.dump(of: [Self.scope])
    await ledger.close()
    return dump
  }
}
