import Foundation
import IAPEntitlements
import IAPModel
import PostgresStorage
import ServerStorage
import Testing

/// Several servers on one database, each with a ledger of its own.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct SharedDatabaseTests {
  private let server: PostgresTestServer
  private let schema: String

  init() throws {
    server = try #require(PostgresTestServer.shared)
    schema = server.newSchema()
  }

  private func withLedgers<Value>(
    _ count: Int,
    _ body: ([PostgresLedger]) async throws -> Value
  ) async throws -> Value {
    let ledgers = try (0..<count).map { _ in try server.ledger(schema) }
    let result: Result<Value, any Error>
    do { result = .success(try await body(ledgers)) } catch { result = .failure(error) }
    for ledger in ledgers { await ledger.close() }
    return try result.get()
  }

  /// What the purchases are in the end, whatever came first.
  private struct State: Equatable {
    var histories: [StoreHistory] = []
    var entries: [[String]] = []
    var owners: [CustomerID?] = []

    init(_ ledger: any Ledger, _ ids: ClosedRange<Int>) async throws {
      for id in ids {
        let subject = Make.subject(id)
        histories.append(try await ledger.history(of: subject))
        let (entries, owner) = try await ledger.read { reader throws(StorageError) in
          (try reader.entries(of: subject), try reader.owner(of: subject))
        }
        self.entries.append(entries.map(\.entry.key))
        owners.append(owner?.customer)
      }
    }
  }

  /// Orders, purchases, refunds and reversals of some purchases, each several times.
  private func story(_ ids: ClosedRange<Int>, seed: UInt64) -> [LedgerWrite] {
    var random = SeededGenerator(seed: seed)
    let writes = ids.flatMap { id in
      [
        Make.order(id, customer: CustomerID("customer-\(id)")), Make.purchase(id),
        Make.purchase(id, signed: 20, revoked: 10), Make.purchase(id, signed: 40),
      ]
    }
    return (writes + writes).shuffled(using: &random)
  }

  @Test func threeServersGrantOnceAndNumberWithoutGaps() async throws {
    let ids = 1...25
    try await withLedgers(3) { ledgers in
      let outcomes = try await withThrowingTaskGroup(of: WriteOutcome.self) { group in
        for (index, ledger) in ledgers.enumerated() {
          for write in story(ids, seed: UInt64(index)) {
            group.addTask { try await ledger.commit(write) }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let keys = outcomes.flatMap(\.newEntries).map(\.entry.key)
      let expected = ids.flatMap {
        ["grant:tx:\($0)", "clawback:tx:\($0):1", "regrant:tx:\($0):1"]
      }
      #expect(keys.sorted() == expected.sorted())
      #expect(outcomes.flatMap(\.facts).filter { $0 == .inserted }.count == ids.count * 3)
      #expect(outcomes.flatMap(\.ordersOpened).filter { $0 }.count == ids.count)
      let told = try await ledgers[0].read { reader throws(StorageError) in
        try reader.outbox(after: 0, limit: 1_000)
      }
      #expect(told.map(\.sequence) == Array(1...Int64(keys.count)))
      #expect(told.compactMap { $0.body["key"]?.stringValue }.sorted() == expected.sorted())
      // A calm run of one ledger in memory ends in the same state.
      let calm = InMemoryLedger()
      for write in story(ids, seed: 0) { _ = try await calm.commit(write) }
      #expect(try await State(ledgers[1], ids) == State(calm, ids))
      let counts = try await ledgers[2].counts()
      #expect(try await calm.counts() == counts)
      for table in ["facts", "subjects", "transactions", "entries", "orders", "outbox"] {
        let rows = try server.number("SELECT count(*) FROM \(table)", schema: schema)
        #expect(try server.number("SELECT \(table) FROM counters", schema: schema) == rows)
      }
    }
  }

  @Test func anOrderAndItsPurchaseFindEachOtherWhicheverServerIsFirst() async throws {
    let ids = 1...60
    try await withLedgers(2) { ledgers in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in ids {
          group.addTask {
            _ = try await ledgers[id % 2].commit(Make.order(id, customer: "ann"))
          }
          group.addTask { _ = try await ledgers[(id + 1) % 2].commit(Make.purchase(id)) }
        }
        try await group.waitForAll()
      }
      let owned = try await ledgers[0].read { reader throws(StorageError) in
        try reader.subjects(ownedBy: "ann", app: Make.app)
      }
      #expect(Set(owned) == Set(ids.map { Make.subject($0) }))
    }
  }

  @Test func ofManyWhoPresentAPurchaseAtOnceOneOwnsIt() async throws {
    try await withLedgers(3) { ledgers in
      _ = try await ledgers[0].commit(Make.purchase(1))
      let owners = try await withThrowingTaskGroup(of: [OwnerRecord].self) { group in
        for index in 0..<30 {
          let write = Make.presented(1, by: CustomerID("customer-\(index)"))
          group.addTask { try await ledgers[index % 3].commit(write).owners }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(owners.count == 30)
      #expect(Set(owners).count == 1)
      #expect(try await ledgers[1].counts().conflicts == 29)
    }
  }

  @Test func noIncrementOfADocumentIsLost() async throws {
    let key = DocumentKey(.secret, app: nil, name: "count")
    try await withLedgers(3) { ledgers in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for ledger in ledgers {
          group.addTask { for _ in 0..<20 { try await Self.increment(key, in: ledger) } }
        }
        try await group.waitForAll()
      }
      let document = try await ledgers[0].read { reader throws(StorageError) in
        try reader.document(key)
      }
      #expect(document?.body == ["n": .integer(60)])
      #expect(document?.version == 60)
    }
  }

  /// Adds one, as often as others were faster.
  private static func increment(_ key: DocumentKey, in ledger: PostgresLedger) async throws {
    var isDone = false
    while !isDone {
      let before = try await ledger.read { reader throws(StorageError) in
        try reader.document(key)
      }
      var write = LedgerWrite(date: Make.date(0))
      write.documents = [
        DocumentWrite(
          key,
          body: ["n": .integer((before?.body["n"]?.integerValue ?? 0) + 1)],
          condition: before.map { .mustHaveVersion($0.version) } ?? .mustBeAbsent
        )
      ]
      isDone = try await !ledger.commit(write).isRefused
    }
  }

  @Test func whoFollowsALogMissesNothing() async throws {
    let total = 120
    try await withLedgers(3) { ledgers in
      async let seen = Self.follow(ledgers[2], until: total)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in 1...total {
          group.addTask { _ = try await ledgers[id % 2].commit(Make.purchase(id)) }
        }
        try await group.waitForAll()
      }
      #expect(try await seen == Array(1...Int64(total)))
    }
  }

  private static func follow(_ ledger: PostgresLedger, until total: Int) async throws -> [Int64] {
    var seen: [Int64] = []
    while seen.count < total {
      let last = seen.last ?? 0
      seen += try await ledger.read { reader throws(StorageError) in
        try reader.outbox(after: last, limit: 7)
      }.map(\.sequence)
    }
    return seen
  }
}

/// A generator of pseudo-random numbers that repeats itself for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
