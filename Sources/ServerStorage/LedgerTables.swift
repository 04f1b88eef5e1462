public import Foundation
public import IAPEntitlements
public import IAPModel

/// What a backend can do inside one transaction: questions and single rows, no decisions.
///
/// ``LedgerEngine`` decides, the same way for every backend.
public protocol LedgerTables: LedgerReading {
  /// Stores a fact, packed when it was prepared so; false when its key is known.
  mutating func insertFact(
    _ record: FactRecord,
    key: FactKey,
    packed: PackedFact?
  ) throws(StorageError) -> Bool
  /// Stores what a fact says about a purchase; none of it is stored yet.
  mutating func insertItems(
    _ items: [StoredItem],
    of subject: LedgerSubject
  ) throws(StorageError)
  /// Whether an entry was recorded.
  func hasEntry(
    _ kind: UnitEntry.Kind,
    _ unit: UnitID,
    ordinal: Int,
    in scope: LedgerScope
  ) throws(StorageError) -> Bool
  /// Records an entry that was not recorded.
  mutating func insertEntry(_ record: GrantRecord) throws(StorageError)
  /// Adds or replaces rows of a purchase's projection.
  mutating func project(_ rows: [TransactionRow], of subject: LedgerSubject) throws(StorageError)
  /// Remembers that a purchase carries a token.
  mutating func insertToken(
    _ token: AppAccountToken,
    of subject: LedgerSubject
  ) throws(StorageError)
  /// Opens an order; false when its number is known.
  mutating func insertOrder(_ order: OrderRecord) throws(StorageError) -> Bool
  /// Stores an alias unless its token is known.
  mutating func insertAlias(_ alias: CustomerAlias) throws(StorageError)
  /// Sets the owner of a purchase.
  mutating func setOwner(_ owner: OwnerRecord, of subject: LedgerSubject) throws(StorageError)
  /// Stores a conflict unless the pair is known.
  mutating func insertConflict(_ conflict: ConflictRecord) throws(StorageError)
  /// Sets the claim to a unit.
  mutating func setClaim(
    _ claim: ClaimRecord,
    to unit: UnitID,
    in scope: LedgerScope
  ) throws(StorageError)
  /// Appends to the outbox; the sequence is given here.
  mutating func appendOutbox(_ record: OutboxRecord) throws(StorageError)
  /// Files a document under its key; a new one gets its place here.
  mutating func setDocument(
    _ write: DocumentWrite,
    date: Date
  ) throws(StorageError) -> LedgerDocument
  /// Files a document that is not there yet and whose place nobody asks for.
  mutating func addDocument(_ write: DocumentWrite, date: Date) throws(StorageError)
  /// Forgets some documents that were written last before an instant, oldest first.
  mutating func removeDocuments(_ pruning: DocumentPruning, limit: Int) throws(StorageError)
  /// Forgets a document.
  mutating func removeDocument(_ key: DocumentKey) throws(StorageError)
  /// Puts a tombstone in the place of a fact's bytes.
  mutating func replaceFact(
    _ key: FactKey,
    in scope: LedgerScope,
    bytes: [UInt8]
  ) throws(StorageError)
  /// Puts other items in the place of a purchase's.
  mutating func replaceItems(
    _ items: [StoredItem],
    of subject: LedgerSubject
  ) throws(StorageError)
  /// Takes owner, tokens and conflicts from a purchase and remembers that it was erased.
  mutating func setErased(_ subject: LedgerSubject, date: Date) throws(StorageError)
  /// Takes a customer's name and context out of orders, aliases and conflicts.
  mutating func forget(_ customer: CustomerID, app: BundleID) throws(StorageError)
  /// Gives a customer's orders and aliases to another.
  mutating func reassign(
    _ customer: CustomerID,
    to other: CustomerID,
    app: BundleID
  ) throws(StorageError)
  /// Whether any purchase was erased: mostly none was, and then nobody need ask for each.
  mutating func hasErasures() throws(StorageError) -> Bool
  /// Appends to the audit log; the sequence is given here.
  mutating func appendAudit(_ record: AuditRecord) throws(StorageError)
}

extension LedgerTables {
  /// Files a document that is not there yet and whose place nobody asks for.
  ///
  /// - Parameters:
  ///   - write: The wish.
  ///   - date: When it is written.
  /// - Throws: ``StorageError``.
  public mutating func addDocument(_ write: DocumentWrite, date: Date) throws(StorageError) {
    _ = try setDocument(write, date: date)
  }
}
