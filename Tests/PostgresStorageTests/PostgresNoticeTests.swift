import IAPModel
import PostgresStorage
import ServerStorage
import Synchronization
import Testing

@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresNoticeTests {
  @Test func slowStatementsAreToldWithoutWhatTheyCarry() async throws {
    let server = try #require(PostgresTestServer.shared)
    let notices = Mutex<[LedgerNotice]>([])
    var options = PostgresLedger.Options()
    options.schema = server.newSchema()
    options.slowMillisecondsMin = 0
    let ledger = try PostgresLedger(server.address, options: options) { notice in
      notices.withLock { $0.append(notice) }
    }
    _ = try await ledger.commit(Make.purchase(770_077))
    _ = try await ledger.commit(Make.order(770_078, customer: "ann-the-customer"))
    let told = notices.withLock { $0 }
    #expect(Set(told.map(\.kind)) == [.slowStatement])
    #expect(told.contains { $0.details.hasPrefix("INSERT INTO facts (scope, key") })
    for notice in told {
      #expect(!notice.details.contains("77007"))
      #expect(!notice.details.contains("ann-the-customer"))
      #expect(notice.details.count <= 300)
    }
    await ledger.close()
  }

  @Test func whatIsFastIsNotToldAndWhatWaitedIs() async throws {
    let server = try #require(PostgresTestServer.shared)
    let notices = Mutex<[LedgerNotice]>([])
    var options = PostgresLedger.Options()
    options.schema = server.newSchema()
    options.lockMillisecondsMax = 300
    options.slowMillisecondsMin = 250
    let ledger = try PostgresLedger(server.address, options: options) { notice in
      notices.withLock { $0.append(notice) }
    }
    let schema = options.schema
    try await server.withLock(on: Make.app, schema: schema) {
      await #expect(throws: StorageError(.busy, "")) { try await ledger.commit(Make.purchase(1)) }
    }
    let told = notices.withLock { $0 }.filter { $0.details.contains("pg_advisory_xact_lock(name)") }
    #expect(told.map(\.kind) == [.slowStatement])
    #expect(told.allSatisfy { (250...5_000).contains($0.milliseconds) })
    await ledger.close()
  }
}
