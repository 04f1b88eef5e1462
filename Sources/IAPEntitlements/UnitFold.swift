import Foundation
import IAPModel

/// Counts the revocations of one unit and what undid them.
///
/// The facts about the purchase and its restored copies form one story. For each revocation date d
/// (to the second: receipts know no finer) the facts that bear on it are put in signing order:
/// those that say "revoked at d" and those that say "not revoked" about something acquired before
/// d. Each run of the former is one revocation. It is undone by a fact signed later that says "not
/// revoked", by something of the unit acquired after d (bought again), or by a later revocation,
/// which shows that there was something to take.
///
/// Inserting a fact never removes a run, so more facts only ever add entries.
struct RevocationStory {
  /// A revocation and the date of what undid it.
  struct Revocation: Hashable {
    let date: Date
    var undone: Date?
  }

  private(set) var revocations: [Revocation] = []

  /// Whether the customer has the goods.
  var isActive: Bool { revocations.last.map { $0.undone != nil } ?? true }

  /// Folds the facts of one unit; `ascending` is in signing order.
  init(ascending facts: [RankedTransaction]) {
    // An upgrade may put a revocation date on the transaction that it replaces: nothing was taken
    // back then, and nothing given back either.
    let telling = facts.filter { !($0.payload.isUpgraded && $0.payload.revocationDate != nil) }
    let dates = Set(telling.compactMap { $0.payload.revocationDate.map(Self.seconds) }).sorted()
    for date in dates {
      let carriers = Set(
        telling.filter { $0.payload.revocationDate.map(Self.seconds) == date }
          .map(\.payload.transactionID)
      )
      appendRuns(of: date, carriers: carriers, in: telling)
    }
    for index in revocations.indices.dropLast() where revocations[index].undone == nil {
      revocations[index].undone = revocations[index + 1].date
    }
  }

  private mutating func appendRuns(
    of date: Int64,
    carriers: Set<TransactionID>,
    in facts: [RankedTransaction]
  ) {
    var isRevoked = false
    for fact in facts {
      if let revoked = fact.payload.revocationDate {
        guard Self.seconds(revoked) == date, !isRevoked else { continue }
        isRevoked = true
        revocations.append(Revocation(date: revoked, undone: nil))
      } else if isRevoked {
        let isAcquiredBefore = Self.seconds(fact.payload.purchaseDate) < date
        guard isAcquiredBefore || carriers.contains(fact.payload.transactionID) else { continue }
        isRevoked = false
        revocations[revocations.count - 1].undone = fact.signedDate
      }
    }
    guard isRevoked else { return }
    let boughtAgain = facts.lazy
      .filter { !carriers.contains($0.payload.transactionID) }
      .map(\.payload.purchaseDate)
      .filter { Self.seconds($0) >= date }
      .min()
    revocations[revocations.count - 1].undone = boughtAgain
  }

  private static func seconds(_ date: Date) -> Int64 {
    Int64(date.timeIntervalSince1970.rounded(.down))
  }

  /// The entries of the unit, in the order in which they take effect.
  func entries(unit: UnitID, purchaseDate: Date) -> [UnitEntry] {
    var entries = [UnitEntry(.grant, unit, ordinal: 0, date: purchaseDate)]
    for (index, revocation) in revocations.enumerated() {
      entries.append(UnitEntry(.clawback, unit, ordinal: index + 1, date: revocation.date))
      if let undone = revocation.undone {
        entries.append(UnitEntry(.regrant, unit, ordinal: index + 1, date: undone))
      }
    }
    return entries
  }
}
