import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

/// A generator of pseudo-random numbers that repeats itself for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// What can be asked about some purchases.
private struct Contents: Equatable {
  var histories: [StoreHistory] = []
  var rows: [[TransactionRow]] = []
  var entries: [[GrantRecord]] = []
  var owners: [OwnerRecord?] = []
  var conflicts: [[ConflictRecord]] = []
  var subjects: [LedgerSubject?] = []
  var counts = LedgerCounts()

  init(_ ledger: any Ledger, _ originals: [OriginalTransactionID]) async throws {
    for original in originals {
      let subject = Make.subject(original)
      histories.append(try await ledger.history(of: subject))
      let row = try await ledger.read { reader throws(StorageError) in
        (
          try reader.transactions(of: subject), try reader.entries(of: subject),
          try reader.owner(of: subject), try reader.conflicts(of: subject),
          try reader.subject(of: TransactionID(original.rawValue), in: Make.scope)
        )
      }
      rows.append(row.0)
      entries.append(row.1)
      owners.append(row.2)
      conflicts.append(row.3)
      subjects.append(row.4)
    }
    counts = try await ledger.counts()
  }
}

@Suite struct BackendEqualityTests {
  private let originals: [OriginalTransactionID] = ["1", "2", "3"]

  /// One to thirty writes about a few purchases, some of them equal.
  private func writes(seed: UInt64) -> [LedgerWrite] {
    var random = SeededGenerator(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    return (1...number(1...30)).map { _ in
      let original = originals[number(0...2)]
      let payload = Make.payload(
        TransactionID(original.rawValue),
        type: original == "1" ? .consumable : .nonConsumable,
        signed: TimeInterval(number(0...5)),
        revoked: number(0...2) == 0 ? TimeInterval(number(1...3)) : nil,
        token: number(0...1) == 0 ? Make.number(UInt8(number(1...2))).accountToken : nil
      )
      var write = Make.write(payload, at: 100)
      write.claims =
        Make.claim(
          number(0...1) == 0 ? "phone" : "pad",
          at: TimeInterval(number(0...9) * 1000),
          acknowledges: number(0...9) == 0
        ).claims
      switch number(0...4) {
      case 0: write.orders = [Make.order(UInt8(number(1...2)), customer: "ann")]
      case 1: write.ownership = Make.presented(original, by: "bob").ownership
      case 2: write.ownership = Make.presented(original, by: "eve").ownership
      default: break
      }
      return write
    }
  }

  @Test func allLedgersAnswerTheSame() async throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      let writes = writes(seed: seed)
      let contents = try await Backend.allCases.asyncMap { backend in
        try await backend.withLedger { ledger in
          var outcomes: [WriteOutcome] = []
          for write in writes { outcomes.append(try await ledger.commit(write)) }
          return (outcomes, try await Contents(ledger, originals))
        }
      }
      for (backend, other) in zip(Backend.allCases, contents).dropFirst() {
        #expect(other.0 == contents[0].0, "seed \(seed), \(backend)")
        #expect(other.1 == contents[0].1, "seed \(seed), \(backend)")
      }
    }
  }

  @Test func orderOfArrivalDoesNotChangeTheState() async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let writes = writes(seed: seed).map { LedgerWrite(date: $0.date, facts: $0.facts) }
      for backend in Backend.allCases {
        let orders = [writes, writes.shuffled(using: &random), writes.reversed() + writes]
        let states = try await orders.asyncMap { writes in
          try await backend.withLedger { ledger in
            for write in writes { _ = try await ledger.commit(write) }
            return try await Contents(ledger, originals)
          }
        }
        #expect(states.dropFirst().allSatisfy { $0.histories == states[0].histories })
        #expect(states.dropFirst().allSatisfy { $0.rows == states[0].rows })
        #expect(
          states.dropFirst().allSatisfy { state in
            state.entries.map { $0.map(\.entry.key) }
              == states[0].entries.map { $0.map(\.entry.key) }
          },
          "seed \(seed), \(backend)"
        )
      }
    }
  }
}

extension Array {
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async throws
    -> [Value]
  {
    var result: [Value] = []
    for element in self { result.append(try await transform(element)) }
    return result
  }
}
