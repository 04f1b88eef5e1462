import Foundation
import IAPEntitlements
import IAPModel

extension InMemoryTables: LedgerReading {
  func items(of subject: LedgerSubject) -> [StoredItem] { itemRows[subject] ?? [] }

  func subject(of transaction: TransactionID, in scope: LedgerScope) -> LedgerSubject? {
    subjectsByTransaction[ScopedKey(scope: scope, name: transaction.rawValue)]?
      .min(by: Self.precedes)
  }

  func subjects(carrying token: AppAccountToken, app: BundleID) -> [LedgerSubject] {
    (subjectsByToken[AppToken(app: app, token: token)] ?? []).sorted(by: Self.precedes)
  }

  func subjects(ownedBy customer: CustomerID, app: BundleID) -> [LedgerSubject] {
    owners.filter { $0.key.scope.app == app && $0.value.customer == customer }.keys
      .sorted(by: Self.precedes)
  }

  func lastingSubjects(ownedBy customer: CustomerID, in scope: LedgerScope) -> [LedgerSubject] {
    subjects(ownedBy: customer, app: scope.app).filter { subject in
      subject.scope == scope
        && (projections[subject] ?? [:]).values.contains { $0.type != .consumable }
    }
  }

  func subjects(
    in scope: LedgerScope,
    after original: OriginalTransactionID?,
    limit: Int
  ) -> [LedgerSubject] {
    let behind = subjects.keys.filter { subject in
      subject.scope == scope && original.map { $0 < subject.original } ?? true
    }
    return Array(behind.sorted { $0.original < $1.original }.prefix(limit))
  }

  func owner(of subject: LedgerSubject) -> OwnerRecord? { owners[subject] }

  func conflicts(of subject: LedgerSubject) -> [ConflictRecord] {
    conflictRows.values.filter { $0.subject == subject }.sorted { $0.customer < $1.customer }
  }

  func entries(of subject: LedgerSubject) -> [GrantRecord] {
    (entriesBySubject[subject] ?? []).sorted { $0.entry < $1.entry }
  }

  func credits(ownedBy customer: CustomerID, in scope: LedgerScope) -> [GrantRecord] {
    subjects(ownedBy: customer, app: scope.app).filter { $0.scope == scope }
      .flatMap { entries(of: $0) }.filter { !$0.credit.isEmpty }
  }

  func claim(to unit: UnitID, in scope: LedgerScope) -> ClaimRecord? {
    claims[ScopedKey(scope: scope, name: unit.rawValue)]
  }

  func customer(of token: AppAccountToken, app: BundleID) -> CustomerID? {
    aliases[AppToken(app: app, token: token)]
  }

  func tokens(of customer: CustomerID, app: BundleID) -> [AppAccountToken] {
    aliases.filter { $0.key.app == app && $0.value == customer }.map(\.key.token)
      .sorted { $0.description < $1.description }
  }

  func order(_ number: OrderNumber, app: BundleID) -> OrderRecord? {
    orderRows[AppOrder(app: app, number: number)]
  }

  func orders(of customer: CustomerID, app: BundleID) -> [OrderRecord] {
    orderRows.values.filter { $0.app == app && $0.customer == customer }
      .sorted { ($0.createdDate, $0.number) < ($1.createdDate, $1.number) }
  }

  func orders(app: BundleID, after number: OrderNumber?, limit: Int) -> [OrderRecord] {
    let after = number?.description ?? ""
    let own = orderRows.values.filter { $0.app == app && $0.number.description > after }
    return Array(own.sorted { $0.number.description < $1.number.description }.prefix(limit))
  }

  func variants(of key: FactKey, in scope: LedgerScope) -> [FactKey] {
    let prefix = key.description + "#"
    return factRows.values.filter { row in
      row.scope == scope && (row.key == key || row.key.description.hasPrefix(prefix))
    }
    .map(\.key).sorted { $0.description < $1.description }
  }

  func isErased(_ subject: LedgerSubject) -> Bool { erasedSubjects[subject] != nil }

  func fact(_ key: FactKey, in scope: LedgerScope) -> StoredFact? {
    factRows[ScopedKey(scope: scope, name: key.description)]
  }

  func transactions(of subject: LedgerSubject) -> [TransactionRow] {
    (projections[subject] ?? [:]).values.sorted { $0.transactionID < $1.transactionID }
  }

  func outbox(after sequence: Int64, limit: Int) -> [OutboxRecord] {
    Array(outboxRows.dropFirst(Int(max(sequence, 0))).prefix(max(limit, 0)))
  }

  func audit(after sequence: Int64, limit: Int) -> [AuditRecord] {
    Array(auditRows.dropFirst(Int(max(sequence, 0))).prefix(max(limit, 0)))
  }

  func counts() -> LedgerCounts {
    var counts = LedgerCounts()
    counts.facts = factRows.count
    counts.subjects = subjects.count
    counts.transactions = projections.values.reduce(0) { $0 + $1.count }
    counts.entries = entryRows.count
    counts.orders = orderRows.count
    counts.claims = claims.count
    counts.conflicts = conflictRows.count
    counts.outbox = outboxRows.count
    return counts
  }

  static func precedes(_ left: LedgerSubject, _ right: LedgerSubject) -> Bool {
    (left.original, left.scope.environment.rawValue)
      < (right.original, right.scope.environment.rawValue)
  }
}
