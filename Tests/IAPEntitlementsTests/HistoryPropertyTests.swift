import Foundation
import IAPEntitlements
import IAPModel
import Testing

/// Histories made from a seed: several purchases with renewals, refunds, reversals, copies,
/// receipts.
private struct HistoryGenerator {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func facts() -> [StoreFact] {
    var facts: [StoreFact] = []
    for purchase in 1...number(1...4) {
      let original = OriginalTransactionID("\(purchase)00")
      switch number(0...3) {
      case 0: facts += story("\(purchase)00", .consumable, original, line: nil, start: 0)
      case 1:
        for copy in 0...number(0...2) {
          facts += story(
            "\(purchase)0\(copy)",
            .nonConsumable,
            original,
            line: nil,
            start: copy * 7
          )
        }
      case 2: facts += story("\(purchase)00", .nonRenewable, original, line: nil, start: 0)
      default: facts += subscription(purchase, original)
      }
    }
    return facts
  }

  private mutating func subscription(
    _ purchase: Int,
    _ original: OriginalTransactionID
  ) -> [StoreFact] {
    var facts: [StoreFact] = []
    for period in 0...number(0...4) {
      let line = number(0...4) == 0 ? nil : WebOrderLineItemID("\(purchase)9\(period)")
      let id = "\(purchase)0\(period)"
      facts += story(id, .autoRenewable, original, line: line, start: period * 30)
      if number(0...2) == 0 {
        facts += story(
          "\(purchase)5\(period)",
          .autoRenewable,
          original,
          line: line,
          start: period * 30
        )
      }
      var renewal = RenewalInfoPayload(originalTransactionID: original, productID: "p")
      renewal.signedDate = Make.date(Double(period * 30 + number(0...3)))
      renewal.isInBillingRetryPeriod = number(0...1) == 1
      renewal.gracePeriodExpiresDate =
        number(0...1) == 1 ? Make.date(Double(period * 30 + 46)) : nil
      renewal.willAutoRenew = number(0...1) == 1
      facts.append(.renewal(renewal))
    }
    return facts
  }

  /// One to five facts about a transaction, each with or without a revocation.
  private mutating func story(
    _ id: String,
    _ type: ProductType,
    _ original: OriginalTransactionID,
    line: WebOrderLineItemID?,
    start: Int
  ) -> [StoreFact] {
    let end = type == .autoRenewable ? Double(start + 30) : nil
    return (0...number(0...4)).map { _ in
      let payload = Make.transaction(
        TransactionID(id),
        number(0...9) == 0 ? nil : type,
        product: "p",
        original: original,
        line: number(0...4) == 0 ? nil : line,
        bought: Double(start),
        expires: end,
        signed: Double(start + number(0...6)),
        revoked: number(0...2) == 0 ? Double(start + number(1...3)) : nil
      ) { $0.isUpgraded = self.number(0...9) == 0 }
      return number(0...3) == 0 ? .receiptLine(payload) : .transaction(payload)
    }
  }
}

/// Everything that is computed from facts.
private struct Everything: Equatable {
  let transactions: [TransactionState]
  let units: [UnitState]
  let subscriptions: [[SubscriptionState]]
  let access: [AccessReport]

  init(_ facts: [StoreFact]) {
    let history = StoreHistory(facts)
    let instants = stride(from: 0.0, through: 220, by: 22).map { Make.date($0) }
    transactions = history.transactions
    units = history.units
    subscriptions = instants.map { history.subscriptions(at: $0) }
    access = instants.map { history.access(at: $0) }
  }
}

@Suite struct HistoryPropertyTests {
  static let seeds = Array(1...60 as ClosedRange<UInt64>)

  @Test func orderAndDuplicatesDoNotMatter() {
    for seed in Self.seeds {
      var generator = HistoryGenerator(seed: seed)
      let facts = generator.facts()
      let wanted = Everything(facts)
      for _ in 0..<4 {
        var other = facts + facts.filter { _ in generator.number(0...1) == 1 }
        other.shuffle(using: &generator.random)
        #expect(Everything(other) == wanted, "seed \(seed)")
      }
    }
  }

  /// A ledger records an entry once it follows; it must never have to take it back.
  @Test func moreFactsNeverTakeAnEntryAway() {
    for seed in Self.seeds {
      var generator = HistoryGenerator(seed: seed)
      var recorded: Set<String> = []
      var heard: [StoreFact] = []
      for fact in generator.facts().shuffled(using: &generator.random) {
        heard.append(fact)
        let units = StoreHistory(heard).units
        for unit in units {
          for entry in unit.entries
          where !unit.names.contains(where: { recorded.contains(key(entry, $0)) }) {
            recorded.insert(key(entry, unit.unit))
          }
        }
        let derived = Set(
          units.flatMap { unit in
            unit.entries.flatMap { entry in unit.names.map { key(entry, $0) } }
          }
        )
        #expect(recorded.isSubset(of: derived), "seed \(seed): \(recorded.subtracting(derived))")
      }
    }
  }

  @Test func entriesOfAUnitAddUpToWhatTheCustomerHas() {
    for seed in Self.seeds {
      var generator = HistoryGenerator(seed: seed)
      for unit in StoreHistory(generator.facts()).units {
        let sum = unit.entries.reduce(0) { $0 + ($1.kind == .clawback ? -1 : 1) }
        #expect(sum == (unit.isActive ? 1 : 0), "seed \(seed), \(unit.unit)")
        #expect(unit.entries == unit.entries.sorted(), "seed \(seed)")
      }
    }
  }

  private func key(_ entry: UnitEntry, _ name: UnitID) -> String {
    UnitEntry(entry.kind, name, ordinal: entry.ordinal, date: entry.date).key
  }
}
