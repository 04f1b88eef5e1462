import IAPModel
import PostgresStorage
import ServerStorage
import Synchronization
import Testing

/// A database that fails over to a standby, which has confirmed every commit.
@Suite(.serialized, .enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresFailoverTests {
  private final class Record: Sendable {
    let acknowledged = Mutex<Set<Int>>([])
    let refused = Mutex<Set<StorageError.Code>>([])
  }

  /// Commits purchases, each until it is acknowledged, while `change` happens after some of them.
  private func commit(
    _ ids: ClosedRange<Int>,
    to ledger: PostgresLedger,
    _ record: Record,
    while change: @escaping @Sendable () throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in ids {
        group.addTask {
          while !record.acknowledged.withLock({ $0.contains(id) }) {
            do throws(StorageError) {
              _ = try await ledger.commit(Make.purchase(id))
              record.acknowledged.withLock { _ = $0.insert(id) }
            } catch {
              record.refused.withLock { _ = $0.insert(error.code) }
              await Task.yield()
            }
          }
        }
      }
      group.addTask {
        let wanted = ids.lowerBound + 10
        while record.acknowledged.withLock({ $0.count < wanted }) { await Task.yield() }
        try change()
      }
      try await group.waitForAll()
    }
  }

  /// Everything is there, and each was granted once.
  private func check(_ ledger: PostgresLedger, _ ids: ClosedRange<Int>) async throws {
    let told = try await ledger.read { reader throws(StorageError) in
      try reader.outbox(after: 0, limit: 10_000)
    }
    #expect(told.map(\.sequence) == Array(1...Int64(ids.count)))
    let keys = told.compactMap { $0.body["key"]?.stringValue }
    #expect(Set(keys) == Set(ids.map { "grant:tx:\($0)" }))
    #expect(try await ledger.counts().facts == ids.count)
  }

  @Test func whenAStandbyIsPromotedNothingAcknowledgedIsLost() async throws {
    try await PostgresTestServer.withPrivate { primary in
      let schema = "iap"
      try await primary.withStandby { standby in
        let folders = try "\(#require(primary.folder)),\(#require(standby.folder))"
        let ledger = try primary.ledger(schema, at: "postgres://iap@/postgres?host=\(folders)")
        let record = Record()
        try await commit(1...150, to: ledger, record) {
          try primary.kill()
          try standby.promote()
        }
        #expect(record.refused.withLock { $0 }.isSubset(of: [.unavailable, .readOnly]))
        try await check(ledger, 1...150)
        await ledger.close()
      }
    }
  }

  @Test func aSecondServerThatTakesTheAddressOverIsFound() async throws {
    try await PostgresTestServer.withPrivate { primary in
      try await primary.withStandby { standby in
        let ledger = try primary.ledger("iap")
        let record = Record()
        try await commit(1...100, to: ledger, record) {
          try primary.kill()
          try standby.promote(at: primary)
        }
        try await check(ledger, 1...100)
        await ledger.close()
      }
    }
  }

  @Test func aStandbyAloneIsReadAndRefusesWrites() async throws {
    try await PostgresTestServer.withPrivate { primary in
      let ledger = try primary.ledger("iap")
      _ = try await ledger.commit(Make.purchase(1))
      try await primary.withStandby { standby in
        _ = try await ledger.commit(Make.purchase(2))
        let beside = try standby.ledger("iap")
        // What was confirmed is on its disk; a moment later it is seen.
        while try await beside.counts().facts < 2 { await Task.yield() }
        await #expect(throws: StorageError(.readOnly, "")) {
          try await beside.commit(Make.purchase(3))
        }
        await beside.close()
        // The primary must not wait for who goes away.
        try primary.sql("ALTER SYSTEM RESET synchronous_standby_names")
        try primary.sql("SELECT pg_reload_conf()::text")
      }
      await ledger.close()
    }
  }

  @Test func aDatabaseThatIsMadeReadOnlyWhileItIsUsedIsReadOnAndTakesWritesAgain() async throws {
    try await PostgresTestServer.withPrivate { server in
      let ledger = try server.ledger("iap")
      _ = try await ledger.commit(Make.purchase(1))
      try server.sql("ALTER SYSTEM SET default_transaction_read_only = on")
      try server.sql("SELECT pg_reload_conf()::text")
      var failure: StorageError?
      var number = 0
      // Each another order: one that is known is not written again.
      while failure == nil {
        number += 1
        do throws(StorageError) {
          _ = try await ledger.commit(Make.order(number, customer: "ann"))
        } catch { failure = error }
      }
      #expect(failure == StorageError(.readOnly, ""))
      #expect(try await ledger.counts().facts == 1)
      try server.sql("SET default_transaction_read_only = off")
      let writable = PostgresTestServer(
        address: server.address + "&options=-cdefault_transaction_read_only%3Doff",
        folder: server.folder
      )
      try writable.sql("ALTER SYSTEM RESET default_transaction_read_only")
      try writable.sql("SELECT pg_reload_conf()::text")
      var isWritten = false
      while !isWritten { isWritten = (try? await ledger.commit(Make.purchase(2))) != nil }
      #expect(try await ledger.counts().facts == 2)
      await ledger.close()
    }
  }
}
