import IAPEntitlements
import IAPModel

/// A write that was checked against the limits and brought into the form that is stored.
///
/// Everything that needs no look at the ledger is done here, in the caller's task, so that the one
/// writer only does what has to be done one after another. It is handed on by reference: a copy
/// would take every one of its lists in hand.
public final class PreparedWrite: Sendable {
  /// One thing that a fact says: as it is stored, and as it will be read.
  struct Part: Sendable {
    let item: StoredItem
    let fact: StoreFact
  }

  /// A fact and what it says, by the purchase or subscription that each part is about.
  struct Fact: Sendable {
    let record: FactRecord
    let parts: [(subject: LedgerSubject, parts: [Part])]
    let packed: PackedFact?
  }

  /// What to record, as it was given.
  public let write: LedgerWrite
  let facts: [Fact]

  /// Checks and prepares a write.
  ///
  /// - Parameters:
  ///   - write: What to record.
  ///   - limits: How much is taken.
  ///   - isPacking: Whether the backend keeps facts packed.
  /// - Throws: ``StorageError`` with `tooLarge`.
  public init(_ write: LedgerWrite, limits: LedgerLimits, isPacking: Bool) throws(StorageError) {
    try limits.check(write)
    self.write = write
    var facts: [Fact] = []
    for record in write.facts {
      var parts: [(subject: LedgerSubject, parts: [Part])] = []
      for (subject, said) in record.factsBySubject {
        var group: [Part] = []
        for fact in said {
          // Read back, so that the fold sees what it will see after a restart.
          let stored = try StoredItem.stored(fact)
          group.append(Part(item: stored.item, fact: stored.fact))
        }
        parts.append((subject, group))
      }
      facts.append(
        Fact(record: record, parts: parts, packed: isPacking ? PackedFact(record.bytes) : nil)
      )
    }
    self.facts = facts
  }
}
