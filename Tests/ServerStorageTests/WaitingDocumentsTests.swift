import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

@testable import SQLiteStorage

/// What a batch writes together is what its writes leave behind one by one.
@Suite struct WaitingDocumentsTests {
  private func subscription(_ number: Int, seconds: TimeInterval = 0) -> LedgerWrite {
    var payload = Make.payload(
      TransactionID("\(number)"),
      type: .autoRenewable,
      original: OriginalTransactionID("\(number % 20)"),
      signed: seconds
    )
    payload.expiresDate = Make.date(seconds + 1_000_000)
    payload.webOrderLineItemID = WebOrderLineItemID("\(number)")
    return Make.write(payload)
  }

  /// The events in their order, without names and places.
  private func events(of ledger: any Ledger) async throws -> [String] {
    try await ledger.read { reader throws(StorageError) in
      try reader.events(of: "com.example.app", after: 0, limit: 1000).map {
        "\($0.ordinal) \($0.type) \($0.lane.rawValue)"
      }
    }
  }

  @Test func `events of a batch stand in the feed without gaps, one for each`() async throws {
    try await withTemporaryFolder { folder in
      let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...100 {
          group.addTask { _ = try await ledger.commit(subscription(number)) }
        }
        try await group.waitForAll()
      }
      let places = try await ledger.read { reader throws(StorageError) in
        try reader.events(of: "com.example.app", after: 0, limit: 1000).map(\.ordinal)
      }
      #expect(places == Array(1...Int64(places.count)))
      #expect(places.count >= 100)
      let count = try await ledger.read { reader throws(StorageError) in
        try reader.eventCount(of: "com.example.app")
      }
      #expect(count == Int64(places.count))
      await ledger.close()
    }
  }

  @Test func `one write with many facts leaves the same as in memory`() async throws {
    try await withTemporaryFolder { folder in
      let file = try SQLiteLedger(path: folder + "/ledger.sqlite")
      let memory = InMemoryLedger()
      for start in [1, 41] {
        var write = LedgerWrite(date: Make.date(0))
        for number in start..<(start + 40) { write.facts += subscription(number).facts }
        let outcome = try await file.commit(write)
        #expect(try await memory.commit(write) == outcome)
      }
      #expect(try await events(of: file) == events(of: memory))
      await file.close()
    }
  }

  @Test func `a stamp changes with a commit of another connection, and with nothing else`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let one = try SQLiteLedger(path: path)
      let other = try SQLiteLedger(path: path)
      let before = try #require(one.stamp())
      _ = try await one.counts()
      #expect(one.stamp() == before)
      _ = try await one.commit(subscription(1))
      let own = try #require(one.stamp())
      #expect(own != before)
      _ = try await other.commit(subscription(2))
      #expect(try #require(one.stamp()) != own)
      await other.close()
      await one.close()
      #expect(one.stamp() == nil)
    }
  }

  @Test func `repetitions of a purchase can be read and added to`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let original = 2_000_000_000_000_000
      func write(_ number: Int) -> LedgerWrite {
        Make.write(Make.payload(TransactionID("\(original + number)"), type: .nonConsumable))
      }
      let last = Make.subject(OriginalTransactionID("\(original + 9)"))
      let first = try SQLiteLedger(path: path)
      _ = try await first.commit(write(0))
      await first.close()
      try SQLiteLedger.repeatFirstPurchase(at: path, original: original, offsets: 1..<10)
      let ledger = try SQLiteLedger(path: path)
      let counts = try await ledger.counts()
      #expect(counts.facts == 10 && counts.subjects == 10 && counts.entries == 10)
      let transactions = try await ledger.read { reader throws(StorageError) in
        try reader.facts(of: last).map { $0.transaction?.transactionID.rawValue }
      }
      #expect(transactions == ["\(original + 9)"])
      #expect(try await ledger.commit(write(10)).newEntries.count == 1)
      // The unit of a repetition was granted with it.
      #expect(try await ledger.commit(write(9)).newEntries.isEmpty)
      await ledger.close()
    }
  }
}
