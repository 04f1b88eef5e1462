import Foundation
import IAPModel
import PostgresStorage
import ServerStorage
import Synchronization
import Testing

/// A password that is changed while the database is used.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresCredentialTests {
  private final class World: Sendable {
    let address: Mutex<String?>
    let acknowledged = Mutex<Set<Int>>([])
    let refused = Mutex<[StorageError]>([])

    init(_ address: String) { self.address = Mutex(address) }
  }

  private func prepare(_ server: PostgresTestServer) throws {
    let file = try #require(server.folder) + "/data/pg_hba.conf"
    let rules = try String(contentsOfFile: file, encoding: .utf8)
    let handle = try #require(FileHandle(forWritingAtPath: file))
    handle.write(Data(("local all rotating scram-sha-256\n" + rules).utf8))
    try handle.close()
    try server.sql("SELECT pg_reload_conf()::text")
    try server.sql("CREATE ROLE rotating LOGIN PASSWORD 'first-secret'")
    try server.sql("GRANT CREATE ON DATABASE postgres TO rotating")
  }

  private func address(_ server: PostgresTestServer, _ password: String) throws -> String {
    "postgres://rotating:\(password)@/postgres?host=\(try #require(server.folder))"
  }

  @Test func credentialsThatAreRotatedUnderLoadLoseNothing() async throws {
    try await PostgresTestServer.withPrivate { server in
      try prepare(server)
      let second = try address(server, "second-secret")
      let world = World(try address(server, "first-secret"))
      let ledger = try PostgresLedger(addressBy: { world.address.withLock { $0 } })
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in 1...200 {
          group.addTask {
            while !world.acknowledged.withLock({ $0.contains(id) }) {
              do throws(StorageError) {
                _ = try await ledger.commit(Make.purchase(id))
                world.acknowledged.withLock { _ = $0.insert(id) }
              } catch {
                world.refused.withLock { $0.append(error) }
                await Task.yield()
              }
            }
          }
        }
        group.addTask {
          while world.acknowledged.withLock({ $0.count < 20 }) { await Task.yield() }
          try server.sql("ALTER ROLE rotating PASSWORD 'second-secret'")
          try server.sql(
            """
            SELECT count(pg_terminate_backend(pid, 5000))::text FROM pg_stat_activity
            WHERE usename = 'rotating'
            """
          )
          await #expect(throws: StorageError(.unavailable, "")) { try await ledger.counts() }
          world.address.withLock { $0 = second }
        }
        try await group.waitForAll()
      }
      #expect(try await ledger.counts().facts == 200)
      #expect(try await ledger.counts().entries == 200)
      for error in world.refused.withLock({ $0 }) {
        #expect(error == StorageError(.unavailable, ""))
        #expect(!"\(error)".contains("secret"))
        #expect(!"\(error)".contains("rotating"))
      }
      await ledger.close()
    }
  }

  @Test func anAddressThatCannotBeReadIsWaitedFor() async throws {
    let server = try #require(PostgresTestServer.shared)
    let world = World(server.address)
    var options = PostgresLedger.Options()
    options.schema = server.newSchema()
    let ledger = try PostgresLedger(
      addressBy: { world.address.withLock { $0 } },
      options: options
    )
    world.address.withLock { $0 = nil }
    // Its connections for reading are not made yet.
    await #expect(throws: StorageError(.unavailable, "")) { try await ledger.counts() }
    world.address.withLock { $0 = server.address }
    #expect(try await ledger.counts().facts == 0)
    await ledger.close()
  }
}
