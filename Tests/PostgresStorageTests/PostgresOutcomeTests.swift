import IAPEntitlements
import IAPModel
import PostgresStorage
import ServerStorage
import Synchronization
import Testing

/// Commits that take effect and whose answer is lost.
@Suite(.enabled(if: PostgresTestServer.shared != nil, PostgresTestServer.absence))
struct PostgresOutcomeTests {
  private final class Notices: Sendable {
    private let all = Mutex<[LedgerNotice]>([])
    var kinds: [LedgerNotice.Kind] { all.withLock { $0.map(\.kind) } }
    func take(_ notice: LedgerNotice) { all.withLock { $0.append(notice) } }
  }

  private func withProxy(
    _ body: (PostgresProxy, PostgresLedger, Notices) async throws -> Void
  ) async throws {
    try await PostgresTestServer.withPrivate { server in
      let proxy = try PostgresProxy(beside: #require(server.folder))
      let notices = Notices()
      let ledger = try PostgresLedger(proxy.address) { notices.take($0) }
      try await body(proxy, ledger, notices)
      await ledger.close()
      proxy.close()
    }
  }

  @Test func aCommitWhoseAnswerIsLostTakesEffectOnceAndIsAcknowledged() async throws {
    try await withProxy { proxy, ledger, notices in
      proxy.loseNextCommit()
      let outcome = try await ledger.commit(Make.purchase(1))
      #expect(proxy.lostCount == 1)
      #expect(outcome.newEntries.map(\.entry.key) == ["grant:tx:1"])
      #expect(notices.kinds == [.reconnected, .outcomeAsked])
      #expect(try await ledger.counts().entries == 1)
      let again = try await ledger.commit(Make.purchase(1))
      #expect(again.facts == [.known])
      #expect(again.newEntries.isEmpty)
    }
  }

  @Test func manyWritesWhoseAnswersAreLostAreEachThereOnce() async throws {
    try await withProxy { proxy, ledger, _ in
      let count = 60
      let granted = try await withThrowingTaskGroup(of: [String].self) { group in
        for id in 1...count {
          if id.isMultiple(of: 20) { proxy.loseNextCommit() }
          group.addTask {
            try await ledger.commit(Make.purchase(id)).newEntries.map(\.entry.key)
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(proxy.lostCount >= 1)
      #expect(granted.sorted() == (1...count).map { "grant:tx:\($0)" }.sorted())
      #expect(try await ledger.counts().facts == count)
    }
  }

  @Test func whenNobodyKnowsTheSameWriteAgainFindsOut() async throws {
    try await withProxy { proxy, ledger, _ in
      proxy.loseNextCommit(refusingAfterwards: true)
      var failure: StorageError?
      do throws(StorageError) { _ = try await ledger.commit(Make.purchase(1)) } catch {
        failure = error
      }
      #expect(failure == StorageError(.unavailable, ""))
      #expect(failure?.reason.contains("may or may not have been recorded") == true)
      proxy.takeAgain()
      let outcome = try await ledger.commit(Make.purchase(1))
      #expect(outcome.facts == [.known])
      #expect(outcome.newEntries.isEmpty)
      #expect(try await ledger.counts().entries == 1)
      let told = try await ledger.read { reader throws(StorageError) in
        try reader.outbox(after: 0, limit: 10)
      }
      #expect(told.map(\.sequence) == [1])
    }
  }
}
