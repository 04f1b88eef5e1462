import Foundation
import IAPEntitlements
import IAPModel

/// Works one write into the tables: facts first, then everything that follows from them.
///
/// The caller runs it inside a transaction and undoes everything when it throws.
public struct LedgerEngine: Sendable {
  private let prepared: PreparedWrite
  private var outcome = WriteOutcome()
  /// What is known about the purchases that this write has looked at.
  private var known: [LedgerSubject: [StoreFact]] = [:]
  /// What this write adds to them, in the order in which they were met.
  private var touched: [LedgerSubject] = []
  private var news: [LedgerSubject: [StoreFact]] = [:]

  private var write: LedgerWrite { prepared.write }

  private init(_ prepared: PreparedWrite) { self.prepared = prepared }

  /// Works a write in.
  ///
  /// - Parameters:
  ///   - write: What to record.
  ///   - tables: The backend, inside a transaction.
  /// - Returns: What became of each part.
  /// - Throws: ``StorageError``; the caller undoes what was done.
  public static func apply(
    _ write: PreparedWrite,
    to tables: inout some LedgerTables
  ) throws(StorageError) -> WriteOutcome {
    var engine = LedgerEngine(write)
    try engine.run(on: &tables)
    return engine.outcome
  }

  private mutating func run(on tables: inout some LedgerTables) throws(StorageError) {
    for fact in prepared.facts { outcome.facts.append(try insert(fact, into: &tables)) }
    for subject in touched { try refold(subject, in: &tables) }
    for alias in write.aliases {
      try tables.insertAlias(alias)
      try settleOwners(carrying: alias.token, app: alias.app, in: &tables)
    }
    for order in write.orders {
      let isNew = try tables.insertOrder(order)
      outcome.ordersOpened.append(isNew)
      // A purchase may be heard of before its order is.
      if isNew {
        try settleOwners(carrying: order.number.accountToken, app: order.app, in: &tables)
      }
    }
    for subject in touched { try settleOwner(of: subject, presenter: nil, in: &tables) }
    for request in write.ownership {
      let owner = try settleOwner(of: request.subject, presenter: request, in: &tables)
      precondition(owner != nil, "a presented purchase has an owner")
      if let owner { outcome.owners.append(owner) }
    }
    for request in write.claims {
      let before = try tables.claim(to: request.unit, in: request.scope)
      let claim = ClaimRecord.following(before, request)
      if claim != before { try tables.setClaim(claim, to: request.unit, in: request.scope) }
      outcome.claims.append(claim)
    }
    for record in write.audit { try tables.appendAudit(record) }
  }

  /// Stores a fact and what it says.
  private mutating func insert(
    _ fact: PreparedWrite.Fact,
    into tables: inout some LedgerTables
  ) throws(StorageError) -> FactOutcome {
    let record = fact.record
    let isNew = try tables.insertFact(record, key: record.key, packed: fact.packed)
    var saysNews = false
    for (subject, parts) in fact.parts {
      let stored = Set(try tables.items(of: subject))
      var seen = stored
      let added = parts.filter { seen.insert($0.item).inserted }
      guard !added.isEmpty else { continue }
      saysNews = true
      try tables.insertItems(added.map(\.item), of: subject)
      if known[subject] == nil {
        var facts: [StoreFact] = []
        for item in stored { facts.append(try item.fact()) }
        known[subject] = facts
      }
      known[subject, default: []] += added.map(\.fact)
      if news[subject] == nil { touched.append(subject) }
      news[subject, default: []] += added.map(\.fact)
    }
    guard !isNew else { return .inserted }
    guard saysNews else { return .known }
    _ = try tables.insertFact(record, key: record.key.variant(record.bytes), packed: fact.packed)
    return .inserted
  }

  /// Folds a purchase's facts again and records what is new in the result.
  private mutating func refold(
    _ subject: LedgerSubject,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    let history = StoreHistory(
      known[subject] ?? [],
      environment: .only(subject.scope.environment)
    )
    let changed = Set((news[subject] ?? []).compactMap { $0.transaction?.transactionID })
    guard !changed.isEmpty else { return }
    let units = history.units.filter { !changed.isDisjoint(with: $0.transactionIDs) }
    let concerned = changed.union(units.flatMap(\.transactionIDs))
    let states = history.transactions.filter { concerned.contains($0.id) }
    try tables.project(states.map { TransactionRow($0) }, of: subject)
    for token in Set(states.compactMap(\.payload.appAccountToken)) {
      try tables.insertToken(token, of: subject)
    }
    for unit in units {
      for entry in unit.entries {
        guard try !isRecorded(entry, of: unit, in: tables, scope: subject.scope) else { continue }
        let record = GrantRecord(
          entry: entry,
          subject: subject,
          productID: unit.productID,
          quantity: unit.quantity,
          recordedDate: write.date
        )
        try tables.insertEntry(record)
        try tables.appendOutbox(OutboxRecord(record))
        outcome.newEntries.append(record)
      }
    }
  }

  /// Whether an entry took effect under any name that the unit has had.
  private func isRecorded(
    _ entry: UnitEntry,
    of unit: UnitState,
    in tables: some LedgerTables,
    scope: LedgerScope
  ) throws(StorageError) -> Bool {
    for name in unit.names
    where try tables.hasEntry(entry.kind, name, ordinal: entry.ordinal, in: scope) {
      return true
    }
    return false
  }

  private mutating func settleOwners(
    carrying token: AppAccountToken,
    app: BundleID,
    in tables: inout some LedgerTables
  ) throws(StorageError) {
    for subject in try tables.subjects(carrying: token, app: app) {
      try settleOwner(of: subject, presenter: nil, in: &tables)
    }
  }

  /// Finds the owner of a purchase: who its token names, else who presented it first.
  @discardableResult
  private mutating func settleOwner(
    of subject: LedgerSubject,
    presenter: OwnershipRequest?,
    in tables: inout some LedgerTables
  ) throws(StorageError) -> OwnerRecord? {
    let date = presenter?.date ?? write.date
    let before = try tables.owner(of: subject)
    var owner = before
    if before?.ground != .accountToken {
      if let named = try namedOwner(of: subject, in: tables) {
        owner = OwnerRecord(customer: named, ground: .accountToken, date: date)
      } else if before == nil, let presenter {
        owner = OwnerRecord(customer: presenter.customer, ground: .firstPresented, date: date)
      }
    }
    guard let owner else { return nil }
    if owner != before { try tables.setOwner(owner, of: subject) }
    for other in [before?.customer, presenter?.customer].compactMap({ $0 })
    where other != owner.customer {
      try tables.insertConflict(ConflictRecord(subject: subject, customer: other, date: date))
    }
    return owner
  }

  /// The customer that the purchase's tokens name: through an order, else through an alias.
  private mutating func namedOwner(
    of subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> CustomerID? {
    let app = subject.scope.app
    if known[subject] == nil { known[subject] = try tables.facts(of: subject) }
    let tokens = Set((known[subject] ?? []).compactMap { $0.transaction?.appAccountToken })
    for token in tokens.sorted(by: { $0.description < $1.description }) {
      if let customer = try tables.order(OrderNumber(token.rawValue), app: app)?.customer {
        return customer
      }
      if let customer = try tables.customer(of: token, app: app) { return customer }
    }
    return nil
  }
}

extension OutboxRecord {
  /// What the backend is told about an entry.
  init(_ record: GrantRecord) {
    self.init(
      kind: "unit.\(record.entry.kind.rawValue)",
      subject: record.subject,
      body: [
        "key": .string(record.entry.key),
        "unit": .string(record.entry.unit.rawValue),
        "productId": .string(record.productID.rawValue),
        "quantity": .integer(Int64(record.quantity)),
        "originalTransactionId": .string(record.subject.original.rawValue),
        "date": .integer(record.entry.date.milliseconds),
      ],
      date: record.recordedDate
    )
  }
}
