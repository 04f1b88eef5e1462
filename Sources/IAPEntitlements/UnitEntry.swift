public import Foundation
public import IAPModel

/// One effect on goods that takes place once, however and wherever it is learnt.
///
/// - **Shape:** for each unit `grant`, then for the n-th revocation `clawback` n and, when it was
///   undone, `regrant` n, n from 1. More facts only ever add entries.
public struct UnitEntry: Hashable, Sendable, Comparable {
  /// What happens to the goods.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The goods are handed over.
    case grant
    /// The goods are taken back.
    case clawback
    /// The goods are handed over again after a refund was reversed or the product bought again.
    case regrant
  }

  /// What happens.
  public let kind: Kind
  /// What was paid for.
  public let unit: UnitID
  /// Which revocation of the unit, from 1; 0 for a grant.
  public let ordinal: Int
  /// When it happened at the App Store: purchase, revocation, or the signing that undid it.
  public let date: Date

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - kind: What happens.
  ///   - unit: What was paid for.
  ///   - ordinal: Which revocation, from 1; 0 for a grant.
  ///   - date: When it happened.
  public init(_ kind: Kind, _ unit: UnitID, ordinal: Int, date: Date) {
    precondition((kind == .grant) == (ordinal == 0), "only a grant has ordinal 0")
    precondition(ordinal >= 0, "revocations are counted from 1")
    self.kind = kind
    self.unit = unit
    self.ordinal = ordinal
    self.date = date
  }

  /// The entry's name, for example `clawback:tx:2000000012345678:1`; the date is no part of it.
  public var key: String {
    kind == .grant ? "grant:\(unit)" : "\(kind.rawValue):\(unit):\(ordinal)"
  }

  /// Orders by unit, then in the order in which entries of a unit take effect.
  public static func < (left: Self, right: Self) -> Bool {
    if left.unit != right.unit { return left.unit < right.unit }
    if left.ordinal != right.ordinal { return left.ordinal < right.ordinal }
    return left.rank < right.rank
  }

  private var rank: Int {
    switch kind {
    case .grant: 0
    case .clawback: 1
    case .regrant: 2
    }
  }
}

/// What is known about one unit after all facts.
public struct UnitState: Hashable, Sendable {
  /// The unit's name.
  public let unit: UnitID
  /// Every name that a part of the facts alone would have given to the unit, in order.
  ///
  /// ``unit`` is one of them. A ledger that has recorded an entry under one of them has recorded
  /// it.
  public let names: [UnitID]
  /// The product.
  public let productID: ProductID
  /// The product's type.
  public let type: ProductType
  /// The purchase and its restored copies, by identifier.
  public let transactionIDs: [TransactionID]
  /// The purchase or subscription that the unit belongs to.
  public let originalTransactionID: OriginalTransactionID
  /// When the unit was bought: the earliest date of its transactions.
  public let purchaseDate: Date
  /// How many were bought; one when the facts do not say.
  public let quantity: Int
  /// Whether the customer has the goods: granted and not taken back.
  public let isActive: Bool
  /// The last revocation's date, whether undone or not.
  public let revocationDate: Date?
  /// The entries, in the order in which they take effect.
  public let entries: [UnitEntry]
}
