import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

@Suite struct LedgerContractTests {
  @Test(arguments: Backend.allCases)
  func newFactIsInsertedGrantedAndTold(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let outcome = try await ledger.commit(Make.write(Make.payload("1")))
      let grant = GrantRecord(
        entry: UnitEntry(.grant, "tx:1", ordinal: 0, date: Make.date(0)),
        subject: Make.subject("1"),
        productID: "coins",
        quantity: 1,
        recordedDate: Make.date(100)
      )
      var expected = WriteOutcome()
      expected.facts = [.inserted]
      expected.newEntries = [grant]
      expected.eventsFiled = 1
      #expect(outcome == expected)
      let told = try await ledger.read { reader throws(StorageError) in
        try reader.outbox(after: 0, limit: 10)
      }
      #expect(told.map(\.kind) == ["unit.grant"])
      #expect(told.map(\.body["key"]) == ["grant:tx:1"])
      #expect(told.map(\.sequence) == [1])
    }
  }

  @Test(arguments: Backend.allCases)
  func knownFactChangesNothing(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let write = Make.write(Make.payload("1"))
      _ = try await ledger.commit(write)
      let before = try await ledger.counts()
      let outcome = try await ledger.commit(write)
      var expected = WriteOutcome()
      expected.facts = [.known]
      #expect(outcome == expected)
      #expect(try await ledger.counts() == before)
    }
  }

  @Test(arguments: Backend.allCases)
  func otherContentUnderKnownKeyIsKeptToo(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      var other = Make.payload("1")
      other.storefront = "USA"
      let writes = [Make.write(Make.payload("1")), Make.write(other)]
      for write in writes { #expect(try await ledger.commit(write).facts == [.inserted]) }
      for write in writes { #expect(try await ledger.commit(write).facts == [.known]) }
      let facts = try await ledger.read { reader throws(StorageError) in
        try reader.facts(of: Make.subject("1"))
      }
      #expect(Set(facts) == [.transaction(Make.payload("1")), .transaction(other)])
      #expect(try await ledger.counts().facts == 2)
    }
  }

  @Test(arguments: Backend.allCases)
  func twentyEqualWritesAtOnceGrantOnce(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let outcomes = try await withThrowingTaskGroup(of: WriteOutcome.self) { group in
        for _ in 0..<20 {
          group.addTask { try await ledger.commit(Make.write(Make.payload("1"))) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.flatMap(\.facts).filter { $0 == .inserted }.count == 1)
      #expect(outcomes.flatMap(\.newEntries).map(\.entry.key) == ["grant:tx:1"])
      let counts = try await ledger.counts()
      #expect(counts.facts == 1)
      #expect(counts.entries == 1)
      #expect(counts.outbox == 1)
    }
  }

  @Test(arguments: Backend.allCases)
  func refundAndReversalEachTakeEffectOnceInAnyOrder(_ backend: Backend) async throws {
    let story = [
      Make.payload("1", signed: 0), Make.payload("1", signed: 20, revoked: 10),
      Make.payload("1", signed: 40), Make.payload("1", signed: 60, revoked: 50),
    ]
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 1, 3, 0, 2, 2]] {
      try await backend.withLedger { ledger in
        var keys: [String] = []
        for index in order {
          keys += try await ledger.commit(Make.write(story[index])).newEntries.map(\.entry.key)
        }
        #expect(
          keys.sorted() == [
            "clawback:tx:1:1", "clawback:tx:1:2", "grant:tx:1", "regrant:tx:1:1",
          ],
          "order \(order)"
        )
        let history = try await ledger.history(of: Make.subject("1"))
        #expect(history == StoreHistory(story.map { .transaction($0) }))
        #expect(history.units.map(\.isActive) == [false])
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func writeThatFailsLeavesNothingAndHarmsNoOther(_ backend: Backend) async throws {
    var limits = LedgerLimits()
    limits.factSizeBytesMax = 1_000
    try await backend.withLedger(limits: limits) { ledger in
      var bad = Make.write(Make.payload("bad"))
      bad.facts.append(
        Make.record(Make.payload("worse"), bytes: [UInt8](repeating: 0, count: 1_001))
      )
      var good = Make.write(Make.payload("good"))
      good.facts.append(
        Make.record(Make.payload("better"), bytes: [UInt8](repeating: 0, count: 1_000))
      )
      let (badWrite, goodWrite) = (bad, good)
      let first = Task { try await ledger.commit(badWrite) }
      let second = Task { try await ledger.commit(goodWrite) }
      #expect(try await second.value.facts == [.inserted, .inserted])
      await #expect(throws: StorageError(.tooLarge, "")) { try await first.value }
      #expect(try await ledger.counts().facts == 2)
      let known = try await ledger.subject(of: "bad", in: Make.scope)
      #expect(known == nil)
    }
  }

  @Test(arguments: Backend.allCases)
  func limitsHoldAtTheLimitAndRefuseOneMore(_ backend: Backend) async throws {
    var limits = LedgerLimits()
    limits.factsPerWriteMax = 2
    limits.itemsPerFactMax = 3
    limits.orderContextSizeBytesMax = 10
    try await backend.withLedger(limits: limits) { ledger in
      let payloads = (1...4).map { Make.payload(TransactionID("\($0)")) }
      func facts(_ count: Int) -> LedgerWrite {
        LedgerWrite(date: Make.date(0), facts: payloads.prefix(count).map { Make.record($0) })
      }
      func items(_ count: Int) -> LedgerWrite {
        var record = Make.record(payloads[0])
        record.facts = payloads.prefix(count).map { .receiptLine($0) }
        return LedgerWrite(date: Make.date(0), facts: [record])
      }
      func order(_ text: String) -> LedgerWrite {
        var write = LedgerWrite(date: Make.date(0))
        write.orders = [Make.order(1, context: ["a": .string(text)])]
        return write
      }
      _ = try await ledger.commit(facts(2))
      _ = try await ledger.commit(items(3))
      _ = try await ledger.commit(order("12"))
      for write in [facts(3), items(4), order("123")] {
        await #expect(throws: StorageError(.tooLarge, "")) { try await ledger.commit(write) }
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func bytesComeBackAsTheyCame(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let inner = Make.signedText(Array("inner".utf8))
      let outer = Make.signedText(
        Array(#"{"data":{"signedTransactionInfo":""#.utf8) + inner + Array(#""},"n":1}"#.utf8)
      )
      let texts: [[UInt8]] = [outer, inner, [], [0, 1, 2, 255], Array("a.b.c".utf8)]
      for (index, text) in texts.enumerated() {
        let payload = Make.payload(TransactionID("\(index)"), signed: 5)
        _ = try await ledger.commit(
          LedgerWrite(date: Make.date(9), facts: [Make.record(payload, bytes: text)])
        )
        let stored = try await ledger.read { reader throws(StorageError) in
          try reader.fact(.transaction(payload), in: Make.scope)
        }
        let expected = StoredFact(
          key: .transaction(payload),
          scope: Make.scope,
          bytes: text,
          signedDate: Make.date(5),
          receivedDate: Make.date(100)
        )
        #expect(stored == expected)
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func scopesNeverMeet(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      let production = LedgerScope(app: "com.example.app", environment: .production)
      var record = Make.record(Make.payload("1"))
      _ = try await ledger.commit(LedgerWrite(date: Make.date(0), facts: [record]))
      // A sandbox transaction that was filed under production gives nothing there.
      record.scope = production
      let outcome = try await ledger.commit(LedgerWrite(date: Make.date(0), facts: [record]))
      #expect(outcome.facts == [.inserted])
      #expect(outcome.newEntries == [])
      let history = try await ledger.history(
        of: LedgerSubject(scope: production, original: "1")
      )
      #expect(history.units == [])
    }
  }

  @Test(arguments: Backend.allCases)
  func closedLedgerRefusesEverything(_ backend: Backend) async throws {
    try await backend.withLedger { ledger in
      await ledger.close()
      await ledger.close()
      await #expect(throws: StorageError(.closed, "")) {
        try await ledger.commit(Make.write(Make.payload("1")))
      }
      await #expect(throws: StorageError(.closed, "")) { try await ledger.counts() }
    }
  }
}
