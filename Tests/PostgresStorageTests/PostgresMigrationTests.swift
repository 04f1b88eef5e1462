import PostgresStorage
import ServerStorage
import Testing

@testable import PostgresAdapter

@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresMigrationTests {
  private let server: PostgresTestServer
  private let schema: String

  init() throws {
    server = try #require(PostgresTestServer.shared)
    schema = server.newSchema()
  }

  @Test func serversThatStartAtOnceMigrateOnce() async throws {
    let (server, schema) = (server, schema)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 1...8 {
        group.addTask {
          let ledger = try server.ledger(schema)
          _ = try await ledger.commit(Make.purchase(id))
          await ledger.close()
        }
      }
      try await group.waitForAll()
    }
    let ledger = try server.ledger(schema)
    #expect(try await ledger.counts().facts == 8)
    await ledger.close()
    let versions = try server.number("SELECT count(*) FROM schema_version", schema: schema)
    #expect(
      try server.number("SELECT max(version) FROM schema_version", schema: schema) == versions
    )
  }

  @Test func aNewerDatabaseIsRefusedUnlessItWorksWithThisVersion() async throws {
    let ledger = try server.ledger(schema)
    _ = try await ledger.commit(Make.purchase(1))
    await ledger.close()
    try server.sql("INSERT INTO schema_version VALUES (99, 1, 'a column more')", schema: schema)
    let beside = try server.ledger(schema)
    _ = try await beside.commit(Make.purchase(2))
    #expect(try await beside.counts().facts == 2)
    await beside.close()
    try server.sql("INSERT INTO schema_version VALUES (100, 100, 'all anew')", schema: schema)
    #expect(throws: StorageError(.newerSchema, "")) { try server.ledger(schema) }
    #expect(try server.number("SELECT count(*) FROM facts", schema: schema) == 2)
  }
}
