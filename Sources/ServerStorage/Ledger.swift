public import Foundation
public import IAPEntitlements
public import IAPModel

/// The server's memory: facts that are never edited, and what follows from them.
///
/// A commit returns after the write is durable, and never before. Writes of several requests are
/// committed together when that is faster; each of them succeeds or fails by itself, unless the
/// disk fails, which fails all of them.
///
/// - **Concurrency:** safe from any task; blocking work happens on threads of the backend's own.
public protocol Ledger: Sendable {
  /// Records a write, all of it or nothing.
  ///
  /// - Parameter write: What to record.
  /// - Returns: What became of each part.
  /// - Throws: ``StorageError``; nothing was recorded then.
  func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome

  /// Looks things up; everything that `body` sees belongs to one instant.
  ///
  /// - Parameter body: Asks questions; it must not keep the reader.
  /// - Returns: What `body` returns.
  /// - Throws: ``StorageError``.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value

  /// Finishes what is waiting, then refuses everything; safe to call twice.
  func close() async

  /// Looks after the logs: makes room for the time to come, and forgets what is old enough.
  ///
  /// - Parameters:
  ///   - retention: How long they are kept.
  ///   - now: The present instant.
  /// - Returns: What was done.
  /// - Throws: ``StorageError``; it may be tried again.
  func keepLogs(
    _ retention: LogRetention,
    at now: Date
  ) async throws(StorageError) -> LogUpkeep

  /// How busy its connections are.
  var load: LedgerLoad { get }

  /// What the ledger holds at present, as one value: as long as it is the same, nothing was
  /// written, whoever may write; nil when that cannot be said at little cost.
  ///
  /// What is read after it was taken is at least as new as it.
  func stamp() -> LedgerStamp?
}

/// The state of a ledger between two commits; only good to be compared.
public struct LedgerStamp: Hashable, Sendable {
  private let number: UInt64
  /// Makes a stamp; for backends.
  ///
  /// - Parameter number: Another one after each commit.
  public init(_ number: UInt64) { self.number = number }
}

/// The questions that a ledger answers, within one ``Ledger/read(_:)``.
public protocol LedgerReading {
  /// What facts say about a purchase or subscription; empty when it is unknown.
  func items(of subject: LedgerSubject) throws(StorageError) -> [StoredItem]
  /// The purchase or subscription that a transaction belongs to.
  func subject(
    of transaction: TransactionID,
    in scope: LedgerScope
  ) throws(StorageError) -> LedgerSubject?
  /// The purchases and subscriptions that carry a token, in order of original identifier.
  func subjects(
    carrying token: AppAccountToken,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject]
  /// The purchases and subscriptions that a customer owns, in order of original identifier.
  func subjects(
    ownedBy customer: CustomerID,
    app: BundleID
  ) throws(StorageError) -> [LedgerSubject]
  /// The purchases of a customer in which there is something that is not used up, in order of
  /// original identifier.
  func lastingSubjects(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [LedgerSubject]
  /// The purchases and subscriptions behind one, in order of original identifier; from the first
  /// when none is given.
  func subjects(
    in scope: LedgerScope,
    after original: OriginalTransactionID?,
    limit: Int
  ) throws(StorageError) -> [LedgerSubject]
  /// Who owns a purchase or subscription.
  func owner(of subject: LedgerSubject) throws(StorageError) -> OwnerRecord?
  /// Who presented it without owning it, in order of customer.
  func conflicts(of subject: LedgerSubject) throws(StorageError) -> [ConflictRecord]
  /// The entries that took effect, in order of unit and effect.
  func entries(of subject: LedgerSubject) throws(StorageError) -> [GrantRecord]
  /// The entries of a customer's own purchases that are worth something in a balance.
  func credits(
    ownedBy customer: CustomerID,
    in scope: LedgerScope
  ) throws(StorageError) -> [GrantRecord]
  /// Which installation delivers a unit, and whether it has; nil when nobody claimed it.
  func claim(to unit: UnitID, in scope: LedgerScope) throws(StorageError) -> ClaimRecord?
  /// The customer that a token stands for.
  func customer(of token: AppAccountToken, app: BundleID) throws(StorageError) -> CustomerID?
  /// The tokens that stand for a customer, in order.
  func tokens(of customer: CustomerID, app: BundleID) throws(StorageError) -> [AppAccountToken]
  /// An order.
  func order(_ number: OrderNumber, app: BundleID) throws(StorageError) -> OrderRecord?
  /// A customer's orders, oldest first.
  func orders(of customer: CustomerID, app: BundleID) throws(StorageError) -> [OrderRecord]
  /// The orders of an app behind one, in order of number; from the first when none is given.
  func orders(
    app: BundleID,
    after number: OrderNumber?,
    limit: Int
  ) throws(StorageError) -> [OrderRecord]
  /// The keys under which facts of one name are stored: the key itself and its variants.
  func variants(of key: FactKey, in scope: LedgerScope) throws(StorageError) -> [FactKey]
  /// Whether a purchase was a customer's who was erased.
  func isErased(_ subject: LedgerSubject) throws(StorageError) -> Bool
  /// A fact with its bytes as they came.
  func fact(_ key: FactKey, in scope: LedgerScope) throws(StorageError) -> StoredFact?
  /// What is known about the transactions of a purchase or subscription, in order of identifier.
  func transactions(of subject: LedgerSubject) throws(StorageError) -> [TransactionRow]
  /// What the backend is to be told, in the order of recording.
  func outbox(after sequence: Int64, limit: Int) throws(StorageError) -> [OutboxRecord]
  /// A document.
  func document(_ key: DocumentKey) throws(StorageError) -> LedgerDocument?
  /// Documents behind a place in the order in which they were made, of one shelf when it is given.
  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    after sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument]
  /// Documents before a place, the newest first, of one shelf when it is given.
  func documents(
    _ kind: DocumentKind,
    app: BundleID?,
    shelf: String?,
    before sequence: Int64,
    limit: Int
  ) throws(StorageError) -> [LedgerDocument]
  /// Notes for people, in the order of recording.
  func audit(after sequence: Int64, limit: Int) throws(StorageError) -> [AuditRecord]
  /// Notes for people before a place, the newest first.
  func audit(before sequence: Int64, limit: Int) throws(StorageError) -> [AuditRecord]
  /// How much there is.
  func counts() throws(StorageError) -> LedgerCounts
}

extension LedgerReading {
  /// The facts about a purchase or subscription.
  ///
  /// - Parameter subject: The purchase or subscription.
  /// - Returns: The facts in no particular order; empty when it is unknown.
  /// - Throws: ``StorageError``.
  public func facts(of subject: LedgerSubject) throws(StorageError) -> [StoreFact] {
    var facts: [StoreFact] = []
    for item in try items(of: subject) { facts.append(try item.fact()) }
    return facts
  }
}

extension Ledger {
  /// Nil: this ledger cannot say whether something was written.
  public func stamp() -> LedgerStamp? { nil }

  /// The folded facts about a purchase or subscription.
  ///
  /// - Parameter subject: The purchase or subscription.
  /// - Returns: Its history; empty when it is unknown.
  /// - Throws: ``StorageError``.
  public func history(of subject: LedgerSubject) async throws(StorageError) -> StoreHistory {
    let facts = try await read { reader throws(StorageError) in try reader.facts(of: subject) }
    return StoreHistory(facts, environment: .only(subject.scope.environment))
  }

  /// The folded facts about everything that a customer owns.
  ///
  /// - Parameters:
  ///   - customer: The customer.
  ///   - app: The app.
  ///   - environment: Which environment counts.
  /// - Returns: The customer's history.
  /// - Throws: ``StorageError``.
  public func history(
    of customer: CustomerID,
    app: BundleID,
    environment: StoreEnvironment
  ) async throws(StorageError) -> StoreHistory {
    let facts = try await read { reader throws(StorageError) in
      var facts: [StoreFact] = []
      for subject in try reader.subjects(ownedBy: customer, app: app)
      where subject.scope.environment == environment {
        facts += try reader.facts(of: subject)
      }
      return facts
    }
    return StoreHistory(facts, environment: .only(environment))
  }

  /// The purchase or subscription that a transaction belongs to.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - scope: The app and the environment.
  /// - Returns: The purchase; nil when the transaction is unknown.
  /// - Throws: ``StorageError``.
  public func subject(
    of transaction: TransactionID,
    in scope: LedgerScope
  ) async throws(StorageError) -> LedgerSubject? {
    try await read { reader throws(StorageError) in try reader.subject(of: transaction, in: scope) }
  }

  /// How much there is; also a sign of life.
  ///
  /// - Returns: The counts.
  /// - Throws: ``StorageError``.
  public func counts() async throws(StorageError) -> LedgerCounts {
    try await read { reader throws(StorageError) in try reader.counts() }
  }
}
