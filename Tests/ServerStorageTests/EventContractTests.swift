import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

@Suite struct EventContractTests {
  private static let app = Make.scope.app

  private func events(
    _ ledger: any Ledger,
    in lane: EventLane? = nil,
    after: Int64 = 0,
    limit: Int = 10_000
  ) async throws -> [EventRecord] {
    try await ledger.read { reader throws(StorageError) in
      try reader.events(of: Self.app, in: lane, after: after, limit: limit)
    }
  }

  /// A purchase that belongs to a customer.
  private func purchase(
    _ id: Int,
    of customer: CustomerID?,
    at seconds: TimeInterval = 0
  )
    -> LedgerWrite
  {
    var write = Make.write(Make.payload(TransactionID("\(id)")), at: seconds)
    if let customer {
      write.ownership = [
        OwnershipRequest(
          subject: Make.subject(OriginalTransactionID("\(id)")),
          customer: customer,
          date: Make.date(seconds)
        )
      ]
    }
    return write
  }

  @Test(arguments: Backend.allCases)
  func eachGrantIsFiledOnceWithItsFact(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      for _ in 0..<3 { _ = try await ledger.commit(purchase(1, of: "mia")) }
      let found = try await events(ledger)
      #expect(found.map(\.type) == [.granted])
      #expect(found.map(\.customer) == ["mia"])
      #expect(found.map(\.number) == [1])
      #expect(found.map(\.ordinal) == [1])
      #expect(found.first?.data["key"] == "grant:tx:1")
    }
  }

  @Test(arguments: Backend.allCases)
  func aRefusedWriteFilesNothing(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      var write = purchase(1, of: "mia")
      write.documents = [
        DocumentWrite(
          DocumentKey(.nonce, app: Self.app, name: "one"),
          body: [:],
          condition: .mustHaveVersion(7)
        )
      ]
      #expect(try await ledger.commit(write).isRefused)
      #expect(try await events(ledger).isEmpty)
      _ = try await ledger.commit(purchase(1, of: "mia"))
      #expect(try await events(ledger).map(\.ordinal) == [1])
    }
  }

  @Test(arguments: Backend.allCases)
  func writersAtOnceLeaveNoGapAndNothingBehindACursor(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let count = 200
      let seen = try await withThrowingTaskGroup(of: [EventRecord].self) { group in
        for number in 1...count {
          group.addTask {
            _ = try await ledger.commit(purchase(number, of: CustomerID("c\(number % 7)")))
            return []
          }
        }
        group.addTask {
          // Reads on behind what it has read, as a backend does, while others write.
          var seen: [EventRecord] = []
          while seen.count < count {
            seen += try await events(ledger, after: seen.last?.sequence ?? 0, limit: 9)
            await Task.yield()
          }
          return seen
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(seen.map(\.ordinal) == Array(1...Int64(count)))
      #expect(Set(seen.map(\.id)).count == count)
      for number in 0..<7 {
        let lane = seen.filter { $0.customer == CustomerID("c\(number)") }
        #expect(lane.map(\.number) == Array(1...Int64(lane.count)))
        #expect(try await events(ledger, in: .customer(CustomerID("c\(number)"))) == lane)
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func documentsAreForgottenByTheirKeys(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let keys = ["a", "b", "c"].map { DocumentKey(.nonce, app: Self.app, name: $0) }
      var write = LedgerWrite(date: Make.date(0))
      write.documents = keys.map {
        DocumentWrite($0, shelf: "s", body: [:], condition: .mustBeAbsent)
      }
      _ = try await ledger.commit(write)
      var removal = LedgerWrite(date: Make.date(1))
      removal.removals = [keys[1], DocumentKey(.nonce, app: Self.app, name: "none")]
      _ = try await ledger.commit(removal)
      for shelf in ["s", nil] {
        let left = try await ledger.read { reader throws(StorageError) in
          try reader.documents(.nonce, app: Self.app, shelf: shelf, after: 0, limit: 10)
        }
        #expect(left.map(\.key.name) == ["a", "c"])
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func theClockChangesAStateOnce(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      var payload = Make.payload("1", type: .autoRenewable, product: "monthly")
      payload.expiresDate = Make.date(1000)
      var write = Make.write(payload, at: 10)
      write.ownership = [
        OwnershipRequest(subject: Make.subject("1"), customer: "mia", date: Make.date(10))
      ]
      _ = try await ledger.commit(write)
      let before = try await events(ledger)
      #expect(before.map(\.type) == [.granted, .subscriptionChanged, .entitlementsChanged])
      let hour = EventWatch.hour(of: Make.date(1000))
      let due = try await ledger.read { reader throws(StorageError) in
        try reader.watches(of: Self.app, dueIn: hour, after: 0, limit: 10).map(\.watch.due)
      }
      #expect(due == [Make.date(1000)])
      for (seconds, count) in [(999.0, 3), (1000, 5), (1000, 5), (5000, 5)] {
        var recheck = LedgerWrite(date: Make.date(seconds))
        recheck.rechecks = [Make.subject("1")]
        _ = try await ledger.commit(recheck)
        #expect(try await events(ledger).count == count, "\(seconds)")
      }
      let left = try await ledger.read { reader throws(StorageError) in
        try reader.watches(of: Self.app, dueIn: hour, after: 0, limit: 10).count
      }
      #expect(left == 0)
    }
  }

  @Test(arguments: Backend.allCases)
  func whatNobodyOwnsHasNoNumber(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      _ = try await ledger.commit(purchase(1, of: nil))
      let found = try await events(ledger)
      #expect(found.map(\.customer) == [nil])
      #expect(found.map(\.number) == [0])
      _ = try await ledger.commit(purchase(1, of: "mia"))
      #expect(try await events(ledger, in: .customer("mia")).map(\.type) == [.claimed])
    }
  }

  @Test(arguments: Backend.allCases)
  func rechecksAreBoundedAtTheLimit(_ backend: Backend) async throws {
    try await backend.withLedger(limits: LedgerLimits(documentsPerWriteMax: 2)) { ledger in
      var write = LedgerWrite(date: Make.date(0))
      write.rechecks = [Make.subject("1"), Make.subject("2")]
      _ = try await ledger.commit(write)
      write.rechecks.append(Make.subject("3"))
      await #expect(throws: StorageError(.tooLarge, "")) { _ = try await ledger.commit(write) }
    }
  }
}
