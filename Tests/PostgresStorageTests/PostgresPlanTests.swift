import IAPModel
import ServerStorage
import Testing

@testable import PostgresStorage

/// Whether a ledger looks into indices only, also while its tables are small and grow.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresPlanTests {
  @Test func aLedgerThatGrowsNeverReadsAWholeTable() async throws {
    try await PostgresTestServer.withPrivate { server in
      let ledger = try server.ledger("iap") { $0.readersMax = 1 }
      for start in stride(from: 0, to: 400, by: 40) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for id in start..<(start + 40) {
            group.addTask {
              _ = try await ledger.commit(Make.order(id, customer: "ann"))
              _ = try await ledger.commit(Make.purchase(id))
              _ = try await ledger.commit(Make.purchase(id, signed: 20, revoked: 10))
            }
          }
          try await group.waitForAll()
        }
        _ = try await ledger.read { reader throws(StorageError) in
          _ = try reader.items(of: Make.subject(start))
          _ = try reader.entries(of: Make.subject(start))
          _ = try reader.subjects(ownedBy: "ann", app: Make.app)
          _ = try reader.outbox(after: Int64(start), limit: 10)
          return try reader.transactions(of: Make.subject(start)).count
        }
      }
      await ledger.close()
      func sum(_ column: String) throws -> Int {
        try server.number(
          """
          SELECT coalesce(sum(\(column)), 0) FROM pg_stat_user_tables
          WHERE schemaname = 'iap' AND (relname LIKE 'facts%' OR relname LIKE 'items%'
            OR relname IN ('subjects', 'transactions', 'entries', 'tokens', 'orders', 'documents'))
          """,
          schema: "iap"
        )
      }
      // What a connection did is counted when it is gone, a moment later.
      while try sum("n_tup_ins") < 3_900 { await Task.yield() }
      #expect(try sum("idx_scan") > 400)
      #expect(try sum("seq_tup_read") == 0)
    }
  }
}
