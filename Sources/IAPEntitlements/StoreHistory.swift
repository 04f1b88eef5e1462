import Foundation
public import IAPModel

/// A set of facts and everything that follows from them, whatever their order and multiplicity.
///
/// - **Concurrency:** a value; computing is pure.
public struct StoreHistory: Hashable, Sendable {
  /// The facts that count: those that the filter admits.
  public let facts: Set<StoreFact>
  /// One state for each transaction, in order of purchase date and identifier.
  public let transactions: [TransactionState]
  /// One state for each unit, in order of purchase date and name.
  public let units: [UnitState]

  /// Folds facts.
  ///
  /// - Parameters:
  ///   - facts: Verified facts in any order, any number of times.
  ///   - filter: Which environments count.
  public init(_ facts: some Sequence<StoreFact>, environment filter: EnvironmentFilter = .any) {
    self.init(admitted: Set(facts.filter { filter.admits($0) }))
  }

  /// Folds facts all of which count.
  ///
  /// - Parameter admitted: The facts; their set is kept as it is.
  package init(admitted: Set<StoreFact>) {
    self.facts = admitted
    let ranked = Self.ranked(admitted)
    let folded = Self.folded(ranked)
    let aliases = Dictionary(
      uniqueKeysWithValues: ranked.map { id, facts in
        (id, Set(facts.compactMap { $0.payload.named(like: folded, id: id)?.unit }))
      }
    )
    let purchases = UnitNames(folded, aliases: aliases).purchases
    var unitStates: [UnitState] = []
    var unitByTransaction: [TransactionID: (unit: UnitID, isActive: Bool)] = [:]
    for purchase in purchases {
      let state = UnitState(purchase, facts: ranked)
      unitStates.append(state)
      for id in state.transactionIDs { unitByTransaction[id] = (state.unit, state.isActive) }
    }
    units = unitStates.sorted { ($0.purchaseDate, $0.unit) < ($1.purchaseDate, $1.unit) }
    transactions = folded.map { payload in
      let unit = unitByTransaction[payload.transactionID]
      return TransactionState(
        payload: payload,
        unit: unit?.unit,
        isRevoked: unit.map { !$0.isActive } ?? (payload.revocationDate != nil)
      )
    }
  }

  /// The history with more facts.
  public func adding(_ more: some Sequence<StoreFact>) -> StoreHistory {
    StoreHistory(Array(facts) + Array(more))
  }

  /// What is known about one transaction.
  public func transaction(_ id: TransactionID) -> TransactionState? {
    transactions.first { $0.id == id }
  }

  /// What is known about the unit with this name, or with it as one of its other names.
  public func unit(_ name: UnitID) -> UnitState? {
    units.first { $0.unit == name } ?? units.first { $0.names.contains(name) }
  }

  /// Every entry of every unit: grants, clawbacks and regrants, each of which takes effect once.
  public var unitEntries: [UnitEntry] { units.flatMap(\.entries) }

  /// The facts about each transaction in signing order.
  private static func ranked(_ facts: Set<StoreFact>) -> [TransactionID: [RankedTransaction]] {
    var result: [TransactionID: [RankedTransaction]] = [:]
    for fact in facts {
      switch fact {
      case .transaction(let payload):
        result[payload.transactionID, default: []]
          .append(RankedTransaction(payload: payload, isReceiptLine: false))
      case .receiptLine(let payload):
        result[payload.transactionID, default: []]
          .append(RankedTransaction(payload: payload, isReceiptLine: true))
      case .renewal, .notification: break
      }
    }
    return result.mapValues { $0.sorted { $0.precedes($1) } }
  }

  private static func folded(
    _ ranked: [TransactionID: [RankedTransaction]]
  ) -> [TransactionPayload] {
    ranked.values.map { TransactionPayload.folded(ascending: $0) }
      .sorted { ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID) }
  }
}

extension TransactionPayload {
  /// This fact with the type that the whole history knows, so that it can name its unit.
  fileprivate func named(like folded: [TransactionPayload], id: TransactionID) -> Self? {
    guard type == nil else { return self }
    var copy = self
    copy.type = folded.first { $0.transactionID == id }?.type
    return copy
  }
}

extension UnitState {
  fileprivate init(_ purchase: UnitNames.Purchase, facts: [TransactionID: [RankedTransaction]]) {
    let members = purchase.members
    precondition(!members.isEmpty, "a unit is known from at least one transaction")
    let telling = members.flatMap { facts[$0.transactionID] ?? [] }.sorted { $0.precedes($1) }
    let story = RevocationStory(ascending: telling)
    let first = members.map(\.purchaseDate).min() ?? members[0].purchaseDate
    let original = members.first {
      $0.transactionID.rawValue == $0.originalTransactionID.rawValue
    }
    let face = original ?? members[0]
    unit = purchase.unit
    names = purchase.names.sorted()
    productID = face.productID
    type = face.type ?? .consumable
    transactionIDs = members.map(\.transactionID).sorted()
    originalTransactionID = face.originalTransactionID
    purchaseDate = first
    quantity = face.quantity ?? 1
    isActive = story.isActive
    revocationDate = story.revocations.last?.date
    entries = story.entries(unit: purchase.unit, purchaseDate: first)
  }
}
