import IAPModel
import ServerStorage
import Synchronization
import Testing

@testable import PostgresStorage

/// Databases that are older than the software, and software that is older than the database.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresUpgradeTests {
  private let server: PostgresTestServer
  private let schema: String

  init() throws {
    server = try #require(PostgresTestServer.shared)
    schema = server.newSchema()
  }

  private final class Record: Sendable {
    private let acknowledged = Mutex<Set<Int>>([])
    private let error = Mutex<StorageError?>(nil)
    private let over = Atomic<Bool>(false)

    var count: Int { acknowledged.withLock(\.count) }
    var failure: StorageError? { error.withLock { $0 } }
    var isOver: Bool { over.load(ordering: .relaxed) }
    func note(_ id: Int) { acknowledged.withLock { _ = $0.insert(id) } }
    func fail(_ found: StorageError) { error.withLock { $0 = found } }
    func end() { over.store(true, ordering: .relaxed) }
  }

  /// The first version of the schema, as software of that time knows it.
  private static let first = Array(PostgresSchema.steps.prefix(1))

  /// A step behind all others.
  private static func next(_ statement: String, worksWith: Int? = nil) -> [PostgresSchema.Step] {
    let version = PostgresSchema.steps.count + 1
    let migration = Migration(version: version, name: "a test's", statements: [statement])
    return PostgresSchema.steps + [
      PostgresSchema.Step(migration: migration, worksWith: worksWith ?? version)
    ]
  }

  private func ledger(_ steps: [PostgresSchema.Step]) throws -> PostgresLedger {
    let address = server.address
    var options = PostgresLedger.Options()
    options.schema = schema
    options.readersMax = 2
    return try PostgresLedger({ address }, options: options, steps: steps)
  }

  private func version() throws -> Int {
    try server.number("SELECT max(version) FROM schema_version", schema: schema)
  }

  @Test(arguments: 1..<PostgresSchema.steps.count)
  func anOlderDatabaseIsRenewedWhileOlderServersGoOn(known: Int) async throws {
    let first = Array(PostgresSchema.steps.prefix(known))
    let older = try ledger(first)
    _ = try await older.commit(Make.purchase(1))
    #expect(try version() == known)
    let newer = try ledger(PostgresSchema.steps)
    #expect(try version() == PostgresSchema.steps.count)
    // Side by side: each sees what the other writes, and orders meet their purchases.
    _ = try await older.commit(Make.order(2, customer: "ann"))
    _ = try await newer.commit(Make.purchase(2))
    _ = try await older.commit(Make.purchase(3))
    // An older one that is started again finds a newer database that works with it.
    let restarted = try ledger(first)
    _ = try await restarted.commit(Make.purchase(1, signed: 20, revoked: 10))
    for ledger in [older, newer, restarted] {
      #expect(try await ledger.counts().facts == 4)
      let owned = try await ledger.read { reader throws(StorageError) in
        try reader.subjects(ownedBy: "ann", app: Make.app)
      }
      #expect(owned == [Make.subject(2)])
      await ledger.close()
    }
  }

  @Test func serversThatRenewAtOnceUnderLoadDoItOnce() async throws {
    let (first, schema) = (Self.first, schema)
    let older = try ledger(first)
    let record = Record()
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var written = 0
        while !record.isOver {
          written += 1
          _ = try await older.commit(Make.purchase(1_000 + written))
        }
        return written
      }
      for id in 1...6 {
        group.addTask {
          let newer = try self.ledger(PostgresSchema.steps)
          _ = try await newer.commit(Make.purchase(id))
          await newer.close()
          return 1
        }
      }
      var (ended, sum) = (0, 0)
      for try await written in group {
        (ended, sum) = (ended + 1, sum + written)
        if ended == 6 { record.end() }
      }
      return sum
    }
    #expect(try await older.counts().facts == count)
    let rows = try server.number("SELECT count(*) FROM schema_version", schema: schema)
    #expect(rows == PostgresSchema.steps.count)
    await older.close()
  }

  @Test func aServerThatTheDatabaseOutgrowsWritesNothingMore() async throws {
    let older = try ledger(PostgresSchema.steps)
    let record = Record()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var id = 1
        while record.failure == nil {
          do throws(StorageError) {
            _ = try await older.commit(Make.purchase(id))
            record.note(id)
          } catch {
            record.fail(error)
          }
          id += 1
        }
      }
      group.addTask {
        while record.count < 5 { await Task.yield() }
        let newer = try self.ledger(Self.next("ALTER TABLE orders ADD COLUMN note text"))
        await newer.close()
      }
      try await group.waitForAll()
    }
    #expect(record.failure == StorageError(.newerSchema, ""))
    // Reads of a picture that it may not understand are refused as well.
    await #expect(throws: StorageError(.newerSchema, "")) { try await older.counts() }
    #expect(throws: StorageError(.newerSchema, "")) { try ledger(PostgresSchema.steps) }
    let newer = try ledger(Self.next("ALTER TABLE orders ADD COLUMN note text"))
    #expect(try await newer.counts().facts == record.count)
    for ledger in [older, newer] { await ledger.close() }
  }

  @Test func aStepThatFailsLeavesEverythingAsItWas() async throws {
    let older = try ledger(PostgresSchema.steps)
    _ = try await older.commit(Make.purchase(1))
    #expect(throws: StorageError(.corrupt, "")) {
      try ledger(Self.next("CREATE TABLE half (n bigint); ALTER TABLE nothing ADD COLUMN n text"))
    }
    #expect(try version() == PostgresSchema.steps.count)
    #expect(
      try server.number(
        "SELECT count(*) FROM pg_tables WHERE schemaname = '\(schema)' AND tablename = 'half'",
        schema: schema
      ) == 0
    )
    _ = try await older.commit(Make.purchase(2))
    #expect(try await older.counts().facts == 2)
    await older.close()
  }

  @Test func aServerThatRenewsWaitsForWritesThatAreUnderWay() async throws {
    let older = try ledger(Self.first)
    async let renewed: Void = {
      let newer = try self.ledger(PostgresSchema.steps)
      await newer.close()
    }()
    _ = try await older.commit(Make.purchase(1))
    try await renewed
    #expect(try version() == PostgresSchema.steps.count)
    #expect(try await older.counts().facts == 1)
    await older.close()
  }
}
