public import Foundation
public import IAPEntitlements
public import IAPModel

/// Everything that one request wants to have recorded: all of it or nothing.
public struct LedgerWrite: Sendable {
  /// Verified facts.
  public var facts: [FactRecord] = []
  /// Orders to open; a known number is left as it is.
  public var orders: [OrderRecord] = []
  /// Tokens of customers; a known token is left as it is.
  public var aliases: [CustomerAlias] = []
  /// Purchases presented by a customer.
  public var ownership: [OwnershipRequest] = []
  /// Units that an installation wants to deliver, or has delivered.
  public var claims: [ClaimRequest] = []
  /// Documents to write; their conditions may forbid the whole write.
  public var documents: [DocumentWrite] = []
  /// Documents to forget, by their keys.
  public var removals: [DocumentKey] = []
  /// Documents to forget.
  public var pruning: [DocumentPruning] = []
  /// Names that become second names of other customers.
  public var merges: [CustomerMerge] = []
  /// Customers to forget.
  public var erasures: [Erasure] = []
  /// Purchases to look at again, because the clock may have changed what they open.
  public var rechecks: [LedgerSubject] = []
  /// What an app's products open, for events; without it a product opens what has its name.
  public var catalog:
    (@Sendable (BundleID, any LedgerReading) throws(StorageError) -> EntitlementCatalog)?
  /// SHA-256, for the hash in a tombstone; without it tombstones have none.
  public var digest: (@Sendable ([UInt8]) -> [UInt8])?
  /// Notes for people.
  public var audit: [AuditRecord] = []
  /// The chain of work that the caller began, kept with the events that follow from it; nil when
  /// the caller named none.
  public var trace: String?
  /// When the request is worked on; stamped on everything that follows from it.
  public var date: Date

  /// Makes an empty write.
  ///
  /// - Parameters:
  ///   - date: When the request is worked on.
  ///   - facts: Verified facts.
  public init(date: Date, facts: [FactRecord] = []) {
    self.date = date
    self.facts = facts
  }
}

/// What became of a fact.
public enum FactOutcome: Hashable, Sendable {
  /// It is new, and recorded now.
  case inserted
  /// It had been recorded before.
  case known
}

/// What became of a write.
public struct WriteOutcome: Hashable, Sendable {
  /// One outcome for each fact, in their order.
  public var facts: [FactOutcome] = []
  /// The entries that took effect with this write; every entry does so once.
  public var newEntries: [GrantRecord] = []
  /// Whether each order is new.
  public var ordersOpened: [Bool] = []
  /// The owner of each purchase presented, in their order.
  public var owners: [OwnerRecord] = []
  /// The claim to each claimed unit, in their order.
  public var claims: [ClaimRecord] = []
  /// What became of each document, in their order; only of the refused one when the write was.
  public var documents: [DocumentOutcome] = []
  /// What was forgotten of each customer, in their order.
  public var erasures: [ErasureOutcome] = []
  /// How many events were filed.
  public var eventsFiled = 0
  /// Whether a document's condition forbade the write: nothing of it was recorded.
  public var isRefused = false

  /// Makes an empty outcome.
  public init() {}
}

/// How much the ledger holds.
public struct LedgerCounts: Hashable, Sendable {
  /// Facts.
  public var facts: Int = 0
  /// Purchases and subscriptions.
  public var subjects: Int = 0
  /// Transactions.
  public var transactions: Int = 0
  /// Grants, clawbacks and regrants.
  public var entries: Int = 0
  /// Orders.
  public var orders: Int = 0
  /// Claimed units.
  public var claims: Int = 0
  /// Purchases presented by somebody who does not own them.
  public var conflicts: Int = 0
  /// Things to tell the backend.
  public var outbox: Int = 0

  /// Makes counts of nothing.
  public init() {}
}
