package import Foundation
package import IAPEntitlements
package import IAPModel

/// What is kept beside the facts about one purchase or subscription, computed from all of them.
package struct PurchaseProjection: Sendable {
  /// The latest about each transaction.
  package let rows: [TransactionRow]
  /// The tokens that its transactions carry.
  package let tokens: [AppAccountToken]
  /// The entries that took effect.
  package private(set) var entries: [GrantRecord] = []
  /// How many of ``entries`` nobody had recorded.
  package private(set) var unrecorded = 0

  /// Folds facts.
  ///
  /// - Parameters:
  ///   - subject: The purchase or subscription.
  ///   - facts: Everything that is known about it.
  ///   - recorded: Entries as they were recorded, once for ever, by a ledger that knew these facts
  ///     and perhaps more.
  ///   - date: When an entry counts as recorded that is not among them.
  package init(
    of subject: LedgerSubject,
    facts: [StoreFact],
    recorded: [GrantRecord],
    at date: Date
  ) {
    let history = StoreHistory(facts, environment: .only(subject.scope.environment))
    rows = history.transactions.map { TransactionRow($0) }
    tokens = Set(history.transactions.compactMap(\.payload.appAccountToken))
      .sorted { $0.description < $1.description }
    var taken: Set<Int> = []
    for unit in history.units {
      for entry in unit.entries {
        // A unit may have had another name when the entry was recorded.
        let place = recorded.indices.first { place in
          let known = recorded[place].entry
          return known.kind == entry.kind && known.ordinal == entry.ordinal
            && unit.names.contains(known.unit) && !taken.contains(place)
        }
        if let place {
          taken.insert(place)
          entries.append(recorded[place])
        } else {
          unrecorded += 1
          entries.append(
            GrantRecord(
              entry: entry,
              subject: subject,
              productID: unit.productID,
              quantity: unit.quantity,
              recordedDate: date
            )
          )
        }
      }
    }
  }
}
