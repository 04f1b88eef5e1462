import Foundation
import IAPEntitlements
import IAPModel

/// Works one write into the tables: facts first, then everything that follows from them.
///
/// The caller runs it inside a transaction and undoes everything when it throws.
public enum LedgerEngine {
  /// Works a write in.
  ///
  /// - Parameters:
  ///   - write: What to record.
  ///   - tables: The backend, inside a transaction.
  ///   - limits: How much is taken.
  /// - Returns: What became of each part.
  /// - Throws: ``StorageError``; the caller undoes what was done.
  public static func apply(
    _ write: LedgerWrite,
    to tables: inout some LedgerTables,
    limits: LedgerLimits
  ) throws(StorageError) -> WriteOutcome {
    try limits.check(write)
    var outcome = WriteOutcome()
    var touched: [LedgerSubject] = []
    for record in write.facts {
      outcome.facts.append(try insert(record, into: &tables, touched: &touched))
    }
    for subject in touched {
      outcome.newEntries += try refold(subject, in: &tables, date: write.date)
    }
    for alias in write.aliases {
      try tables.insertAlias(alias)
      for subject in try tables.subjects(carrying: alias.token, app: alias.app) {
        try settleOwner(of: subject, presenter: nil, in: &tables, date: write.date)
      }
    }
    for order in write.orders {
      let isNew = try tables.insertOrder(order)
      outcome.ordersOpened.append(isNew)
      guard isNew else { continue }
      // A purchase may be heard of before its order is.
      for subject in try tables.subjects(carrying: order.number.accountToken, app: order.app) {
        try settleOwner(of: subject, presenter: nil, in: &tables, date: write.date)
      }
    }
    for subject in touched {
      try settleOwner(of: subject, presenter: nil, in: &tables, date: write.date)
    }
    for request in write.ownership {
      let owner = try settleOwner(
        of: request.subject,
        presenter: request.customer,
        in: &tables,
        date: request.date
      )
      outcome.owners.append(
        owner
          ?? OwnerRecord(customer: request.customer, ground: .firstPresented, date: request.date)
      )
    }
    for claim in write.claims {
      try tables.insertClaim(claim)
      let claimer = try tables.claimer(of: claim.unit, in: claim.scope)
      outcome.claimers.append(claimer ?? claim.installation)
    }
    for record in write.audit { try tables.appendAudit(record) }
    return outcome
  }

  /// Stores a fact and what it says.
  private static func insert(
    _ record: FactRecord,
    into tables: inout some LedgerTables,
    touched: inout [LedgerSubject]
  ) throws(StorageError) -> FactOutcome {
    let isNew = try tables.insertFact(record, key: record.key)
    var saysNews = false
    for (subject, facts) in record.factsBySubject {
      let known = Set(try tables.facts(of: subject))
      let news = Set(facts).subtracting(known)
      guard !news.isEmpty else { continue }
      try tables.insertItems(facts.filter { news.contains($0) }.deduplicated, of: subject)
      saysNews = true
      if !touched.contains(subject) { touched.append(subject) }
    }
    guard !isNew else { return .inserted }
    guard saysNews else { return .known }
    _ = try tables.insertFact(record, key: record.key.variant(record.bytes))
    return .inserted
  }

  /// Folds a purchase's facts again and records what is new in the result.
  private static func refold(
    _ subject: LedgerSubject,
    in tables: inout some LedgerTables,
    date: Date
  ) throws(StorageError) -> [GrantRecord] {
    let history = StoreHistory(
      try tables.facts(of: subject),
      environment: .only(subject.scope.environment)
    )
    try tables.project(
      history.transactions.map { TransactionRow($0) }
        .sorted { $0.transactionID < $1.transactionID },
      of: subject
    )
    for token in Set(history.transactions.compactMap(\.payload.appAccountToken)) {
      try tables.insertToken(token, of: subject)
    }
    var recorded: [GrantRecord] = []
    for unit in history.units {
      for entry in unit.entries {
        guard try !isRecorded(entry, of: unit, in: tables, scope: subject.scope) else { continue }
        let record = GrantRecord(
          entry: entry,
          subject: subject,
          productID: unit.productID,
          quantity: unit.quantity,
          recordedDate: date
        )
        try tables.insertEntry(record)
        try tables.appendOutbox(OutboxRecord(record))
        recorded.append(record)
      }
    }
    return recorded
  }

  /// Whether an entry took effect under any name that the unit has had.
  private static func isRecorded(
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

  /// Finds the owner of a purchase: who its token names, else who presented it first.
  @discardableResult
  private static func settleOwner(
    of subject: LedgerSubject,
    presenter: CustomerID?,
    in tables: inout some LedgerTables,
    date: Date
  ) throws(StorageError) -> OwnerRecord? {
    let known = try tables.owner(of: subject)
    var owner = known
    if known?.ground != .accountToken {
      if let named = try namedOwner(of: subject, in: tables) {
        owner = OwnerRecord(customer: named, ground: .accountToken, date: date)
      } else if known == nil, let presenter {
        owner = OwnerRecord(customer: presenter, ground: .firstPresented, date: date)
      }
    }
    guard let owner else { return nil }
    if owner != known {
      try tables.setOwner(owner, of: subject)
      if let known, known.customer != owner.customer {
        try tables.insertConflict(
          ConflictRecord(subject: subject, customer: known.customer, date: date)
        )
      }
    }
    if let presenter, presenter != owner.customer {
      try tables.insertConflict(ConflictRecord(subject: subject, customer: presenter, date: date))
    }
    return owner
  }

  /// The customer that the purchase's tokens name: through an order, else through an alias.
  private static func namedOwner(
    of subject: LedgerSubject,
    in tables: some LedgerTables
  ) throws(StorageError) -> CustomerID? {
    let app = subject.scope.app
    let tokens = Set(
      try tables.facts(of: subject).compactMap { $0.transaction?.appAccountToken }
    )
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

extension Array where Element: Hashable {
  /// The elements in their order, each once.
  fileprivate var deduplicated: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
