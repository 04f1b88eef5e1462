import Foundation
import IAPModel
import PostgresStorage
import ServerStorage
import Synchronization
import Testing

/// A database that is killed under load, with a server of its own for each test.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresKillTests {
  private final class Record: Sendable {
    let acknowledged = Mutex<Set<Int>>([])
    let refused = Mutex<[StorageError]>([])
  }

  @Test func whatWasAcknowledgedSurvivesAKilledDatabase() async throws {
    try await PostgresTestServer.withPrivate { server in
      let ledgers = try [server.ledger("iap"), server.ledger("iap")]
      let record = Record()
      for round in 0..<3 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for id in (round * 200)..<(round * 200 + 200) {
            group.addTask {
              do throws(StorageError) {
                _ = try await ledgers[id % 2].commit(Make.purchase(id))
                record.acknowledged.withLock { _ = $0.insert(id) }
              } catch {
                record.refused.withLock { $0.append(error) }
              }
            }
          }
          group.addTask {
            let wanted = round * 200 + 20
            while record.acknowledged.withLock({ $0.count < wanted }) { await Task.yield() }
            try server.kill()
          }
          try await group.waitForAll()
        }
        await #expect(throws: StorageError(.unavailable, "")) { try await ledgers[0].counts() }
        try server.start()
      }
      #expect(record.refused.withLock { Set($0.map(\.code)) }.isSubset(of: [.unavailable]))
      try await check(ledgers, record.acknowledged.withLock { $0 }, all: 0..<600)
      for ledger in ledgers { await ledger.close() }
    }
  }

  /// Everything acknowledged is there, and sending all of it again grants each once.
  private func check(
    _ ledgers: [PostgresLedger],
    _ acknowledged: Set<Int>,
    all: Range<Int>
  ) async throws {
    let before = try await ledgers[0].read { reader throws(StorageError) in
      try reader.outbox(after: 0, limit: 10_000)
    }
    let granted = before.compactMap { $0.body["key"]?.stringValue }
    #expect(Set(granted).isSuperset(of: acknowledged.map { "grant:tx:\($0)" }))
    for id in all { _ = try await ledgers[id % 2].commit(Make.purchase(id)) }
    let after = try await ledgers[1].read { reader throws(StorageError) in
      try reader.outbox(after: 0, limit: 10_000)
    }
    #expect(after.map(\.sequence) == Array(1...Int64(all.count)))
    let keys = after.compactMap { $0.body["key"]?.stringValue }
    #expect(Set(keys) == Set(all.map { "grant:tx:\($0)" }))
    #expect(try await ledgers[0].counts().facts == all.count)
  }

  @Test func aDatabaseThatIsDownAtTheStartIsNotWaitedForForEver() async throws {
    try await PostgresTestServer.withPrivate { server in
      let ledger = try server.ledger("iap")
      await ledger.close()
      try server.kill()
      #expect(throws: StorageError(.unavailable, "")) { try server.ledger("iap") }
      try server.start()
      let again = try server.ledger("iap")
      _ = try await again.commit(Make.purchase(1))
      await again.close()
    }
  }
}
