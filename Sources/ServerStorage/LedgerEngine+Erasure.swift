import Foundation
import IAPEntitlements
public import IAPModel

// Forgetting customers, and putting two names together.
extension LedgerEngine {
  private static let pageMax = 500
  /// Who handed over what was erased.
  private static let nobody: InstallationID = "erased"

  mutating func erase(
    _ erasure: Erasure,
    in tables: inout some LedgerTables
  ) throws(StorageError) -> ErasureOutcome {
    var outcome = ErasureOutcome()
    for subject in try tables.subjects(ownedBy: erasure.customer, app: erasure.app) {
      outcome.subjects += 1
      outcome.facts += try erase(subject, in: &tables)
    }
    try tables.forget(erasure.customer, app: erasure.app)
    try forgetDocuments(erasure, in: &tables)
    return outcome
  }

  /// Replaces the facts of a purchase by tombstones and what they say by what names nobody.
  private func erase(
    _ subject: LedgerSubject,
    in tables: inout some LedgerTables
  ) throws(StorageError) -> Int {
    let items = try tables.items(of: subject)
    var keys: Set<FactKey> = []
    var kept: [StoredItem] = []
    var seen: Set<StoredItem> = []
    for item in items {
      if let key = try item.key() { keys.insert(key) }
      let stripped = try item.stripped()
      if seen.insert(stripped).inserted { kept.append(stripped) }
    }
    for document in try documents(.receiptPlace, subject, in: tables) {
      guard let key = document.body["key"]?.stringValue else { continue }
      keys.insert(FactKey(key))
    }
    var count = 0
    for key in keys.sorted(by: { $0.description < $1.description }) {
      for variant in try tables.variants(of: key, in: subject.scope) {
        guard let fact = try tables.fact(variant, in: subject.scope), !Tombstone.isOne(fact.bytes)
        else { continue }
        let bytes = Tombstone.bytes(
          variant,
          replacing: fact.bytes,
          signed: fact.signedDate,
          received: fact.receivedDate,
          digest: write.digest
        )
        try tables.replaceFact(variant, in: subject.scope, bytes: bytes)
        count += 1
      }
    }
    // What was kept of a receipt to ask about it again goes with the receipt.
    for key in keys.sorted(by: { $0.description < $1.description }) where key.isReceipt {
      let receipts = try all(
        .newestReceipt,
        subject.scope.app,
        shelf: key.description,
        in: tables
      )
      for document in receipts { try tables.removeDocument(document.key) }
    }
    let place = ReceiptPlace.shelf(subject)
    try tables.removeDocument(DocumentKey(.tokenTask, app: subject.scope.app, name: place))
    try tables.replaceItems(kept, of: subject)
    for entry in try tables.entries(of: subject) {
      let unit = entry.entry.unit
      guard let claim = try tables.claim(to: unit, in: subject.scope) else { continue }
      let nobodys = ClaimRecord(
        installation: Self.nobody,
        date: claim.date,
        acknowledgedDate: claim.acknowledgedDate
      )
      try tables.setClaim(nobodys, to: unit, in: subject.scope)
    }
    try tables.setErased(subject, date: write.date)
    return count
  }

  private func documents(
    _ kind: DocumentKind,
    _ subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> [LedgerDocument] {
    try tables.documents(
      kind,
      app: subject.scope.app,
      shelf: ReceiptPlace.shelf(subject),
      after: 0,
      limit: ReceiptPlace.pageMax
    )
  }

  private mutating func forgetDocuments(
    _ erasure: Erasure,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    let name = erasure.customer.rawValue
    let second = try all(.customer, erasure.app, shelf: name, in: tables)
      .map { CustomerID($0.key.name) }
    try forgetEvents(of: [erasure.customer] + second, app: erasure.app, in: &tables)
    for document in try all(.share, erasure.app, shelf: name, in: tables) {
      try forgetShare(document, in: &tables)
    }
    try tables.removeDocument(CustomerRecord.key(erasure.customer, app: erasure.app))
    for kind in [DocumentKind.customer, .share] {
      for document in try all(kind, erasure.app, shelf: name, in: tables) {
        try tables.removeDocument(document.key)
      }
    }
    for shelf in DebitShelf.all(erasure.customer) {
      for document in try all(.debit, erasure.app, shelf: shelf, in: tables) {
        try tables.removeDocument(document.key)
      }
      try tables.removeDocument(DocumentKey(.spent, app: erasure.app, name: shelf))
    }
    for document in try all(.review, erasure.app, shelf: nil, in: tables) {
      var review = try ReviewRecord(document)
      guard review.details["account"] == .string(name) || review.details["owner"] == .string(name)
      else { continue }
      for member in ["account", "owner", "signedTransaction", "receipt", "installation", "note"] {
        review.details[member] = nil
      }
      _ = try tables.setDocument(review.document(.always), date: write.date)
    }
  }

  private func all(
    _ kind: DocumentKind,
    _ app: BundleID,
    shelf: String?,
    in tables: some LedgerTables
  ) throws(StorageError) -> [LedgerDocument] {
    var result: [LedgerDocument] = []
    var page: [LedgerDocument]
    repeat {
      page = try tables.documents(
        kind,
        app: app,
        shelf: shelf,
        after: result.last?.sequence ?? 0,
        limit: Self.pageMax
      )
      result += page
    } while page.count == Self.pageMax
    return result
  }

  /// Gives everything of one name to another.
  mutating func merge(
    _ merge: CustomerMerge,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    try mergeEvents(merge, in: &tables)
    for subject in try tables.subjects(ownedBy: merge.from, app: merge.app) {
      guard let owner = try tables.owner(of: subject) else { continue }
      let moved = OwnerRecord(customer: merge.into, ground: owner.ground, date: owner.date)
      try tables.setOwner(moved, of: subject)
    }
    try tables.reassign(merge.from, to: merge.into, app: merge.app)
    for document in try all(.share, merge.app, shelf: merge.from.rawValue, in: tables) {
      try tables.removeDocument(document.key)
      let name = document.key.name.dropLast(merge.from.rawValue.count) + merge.into.rawValue
      _ = try tables.setDocument(
        DocumentWrite(
          DocumentKey(.share, app: merge.app, name: String(name)),
          shelf: merge.into.rawValue,
          body: document.body,
          condition: .always
        ),
        date: write.date
      )
    }
    let shelves = zip(DebitShelf.all(merge.from), DebitShelf.all(merge.into))
    for (old, new) in shelves { try moveDebits(merge.app, from: old, to: new, in: &tables) }
  }

  private func moveDebits(
    _ app: BundleID,
    from old: String,
    to new: String,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    for document in try all(.debit, app, shelf: old, in: tables) {
      try tables.removeDocument(document.key)
      // Names of two customers may be equal; the sum beside them holds both.
      let name = new + ":" + document.key.name.dropFirst(old.count + 1)
      let key = DocumentKey(.debit, app: app, name: name)
      guard try tables.document(key) == nil else { continue }
      _ = try tables.setDocument(
        DocumentWrite(key, shelf: new, body: document.body, condition: .always),
        date: write.date
      )
    }
    let oldKey = DocumentKey(.spent, app: app, name: old)
    guard let spent = try tables.document(oldKey) else { return }
    let newKey = DocumentKey(.spent, app: app, name: new)
    var sums = try tables.document(newKey)?.body ?? [:]
    for member in spent.body.members {
      let sum = (sums[member.name]?.integerValue ?? 0) + (member.value.integerValue ?? 0)
      sums[member.name] = .integer(sum)
    }
    try tables.removeDocument(oldKey)
    _ = try tables.setDocument(
      DocumentWrite(newKey, body: sums, condition: .always),
      date: write.date
    )
  }
}

/// Under what a customer's debits are filed, one shelf an environment.
public enum DebitShelf {
  /// The shelf of a customer in an environment.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - environment: The environment.
  /// - Returns: The shelf's name; no two customers have the same.
  public static func name(_ customer: CustomerID, _ environment: StoreEnvironment) -> String {
    "\(environment):\(customer.rawValue.utf8.count):\(customer)"
  }

  static func all(_ customer: CustomerID) -> [String] {
    [StoreEnvironment.production, .sandbox].map { name(customer, $0) }
  }
}
