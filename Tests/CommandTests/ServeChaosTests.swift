import Foundation
import HTTPValues
import IAPModel
import PostgresStorage
import ServerStorage
import Synchronization
import Testing

/// Three servers on one PostgreSQL; servers and database are killed at random under load.
///
/// `IAP_CHAOS_KILLS` says how often something is killed: 6 times unless it does, 350 for about five
/// minutes. `IAP_CHAOS_SEED` repeats a run's choices.
@Suite(.serialized, .enabled(if: PostgresServer.isWanted, PostgresServer.absence))
struct ServeChaosTests {
  private static let servers = 3
  private static let senders = 12

  /// The servers that run, and what they answered.
  private final class World: Sendable {
    private struct State {
      var servers: [ServedProcess]
      var waiting: [Proof]
      var answered: Set<Proof> = []
      var isOver = false
      var sendsToday = 0
    }

    private let state: Mutex<State>

    init(_ servers: [ServedProcess], _ proofs: [Proof]) {
      state = Mutex(State(servers: servers, waiting: proofs))
    }

    var answered: Set<Proof> { state.withLock { $0.answered } }
    var servers: [ServedProcess] { state.withLock { $0.servers } }
    var answeredCount: Int { state.withLock { $0.answered.count } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func end() { state.withLock { $0.isOver = true } }

    func replace(_ index: Int, by server: ServedProcess) {
      state.withLock { $0.servers[index] = server }
    }

    /// The next proof and who gets it; proofs that were not answered come again, and so do some
    /// that were.
    func next() -> (Proof, ServedProcess)? {
      state.withLock { state in
        guard !state.isOver, !state.waiting.isEmpty else { return nil }
        let proof = state.waiting.removeFirst()
        state.waiting.append(proof)
        state.sendsToday += 1
        return (proof, state.servers[state.sendsToday % state.servers.count])
      }
    }

    func note(_ proof: Proof) { state.withLock { _ = $0.answered.insert(proof) } }
  }

  private func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }

  @Test func whateverIsKilledWhatWasAnsweredIsThereOnce() async throws {
    let kills = number("IAP_CHAOS_KILLS", 6)
    let seed = number("IAP_CHAOS_SEED", 1)
    print("chaos: seed \(seed), \(kills) kills")
    try await PostgresServer.with { database in
      let served = try ServedStore()
      defer { served.remove() }
      // So many that there is news to the end.
      let purchases = try served.purchases(max(120, kills * 12))
      let notifications = try await served.notifications()
      let words = served.words(database: database.address)
      var servers: [ServedProcess] = []
      for _ in 0..<Self.servers { servers.append(try await ServedProcess(words)) }
      let world = World(servers, purchases + notifications)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<Self.senders {
          group.addTask {
            while let (proof, server) = world.next() {
              if await server.post(proof)?.isSuccess == true { world.note(proof) }
            }
          }
        }
        group.addTask {
          defer { world.end() }
          try await kill(world, database, words, times: kills, seed: UInt64(seed))
        }
        try await group.waitForAll()
      }
      try await check(world, database, purchases, notifications)
    }
  }

  /// Kills a server or the database, and starts it again, when some more was answered.
  private func kill(
    _ world: World,
    _ database: PostgresServer,
    _ words: [String],
    times: Int,
    seed: UInt64
  ) async throws {
    var choice = seed &* 0x9E37_79B9_7F4A_7C15
    for round in 0..<times {
      let wanted = 20 + round * 12
      while world.answeredCount < wanted { await Task.yield() }
      choice = choice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let victim = Int(choice >> 33) % (Self.servers + 1)
      guard victim < Self.servers else {
        try database.kill()
        try database.start()
        continue
      }
      world.servers[victim].process.signal(SIGKILL)
      world.replace(victim, by: try await ServedProcess(words))
    }
  }

  private func check(
    _ world: World,
    _ database: PostgresServer,
    _ purchases: [Proof],
    _ notifications: [Proof]
  ) async throws {
    let server = world.servers[0]
    let before = await server.metric("iap_ledger_entries")
    #expect(world.answeredCount >= 20)
    for proof in world.answered {
      let response = try #require(await server.post(proof))
      #expect(response.status == 200)
    }
    #expect(await server.metric("iap_ledger_entries") == before)
    for (index, proof) in (purchases + notifications).enumerated() {
      let response = try #require(await world.servers[index % Self.servers].post(proof))
      #expect(response.status == 200)
    }
    for server in world.servers {
      #expect(await server.metric("iap_ledger_entries") == purchases.count)
      server.process.signal(SIGTERM)
      #expect(await server.process.exit() == 0)
    }
    let ledger = try PostgresLedger(database.address)
    let told = try await ledger.read { reader throws(StorageError) in
      try reader.outbox(after: 0, limit: 100_000)
    }
    #expect(told.map(\.sequence) == Array(1...Int64(purchases.count)))
    #expect(Set(told.compactMap { $0.body["key"]?.stringValue }).count == purchases.count)
    await ledger.close()
  }
}
