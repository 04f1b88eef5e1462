package import IAPModel

/// What is still to be done with the goods of one transaction.
///
/// Goods are handed over once for each unit, taken back once for each revocation, and handed over
/// again once for each reversal, however and wherever they arrive (design, invariant 3).
package struct DueEffect: Hashable, Sendable {
  package var kind: Delivery.Kind
  /// The name of the effect: the same on every launch and for every copy of the purchase.
  package var key: String

  package init(kind: Delivery.Kind, key: String) {
    self.kind = kind
    self.key = key
  }

  /// The effect that a record calls for; nil when there is none.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - isKnown: Whether an effect of this name took place, through any record.
  /// - Returns: What is to be done next, and its name.
  package static func of(_ record: TransactionRecord, isKnown: (String) -> Bool) -> DueEffect? {
    guard !record.isServedElsewhere else { return nil }
    let unit = record.deliveryUnit
    let grant = "grant:\(unit)"
    let wasGranted = isKnown(grant) || record.grantAliases.contains(where: isKnown)
    let taken = record.acknowledged.last { $0.hasPrefix("clawback:") || $0.hasPrefix("regrant:") }
    if let revocationDate = record.transaction.revocationDate {
      // What was never handed over cannot be taken back. Whoever was called and has not answered
      // may have handed it over: that is brought to its end first, under the same name.
      guard wasGranted else {
        return record.isGrantBegun ? DueEffect(kind: .grant, key: grant) : nil
      }
      // A second refund tells that the first one was undone, which nobody here has heard of: what
      // is taken back is not taken back twice.
      if let taken, let regrant = regrant(behind: taken), !isKnown(regrant) { return nil }
      let clawback = "clawback:\(unit):\(revocationDate.milliseconds)"
      return isKnown(clawback) ? nil : DueEffect(kind: .clawback, key: clawback)
    }
    guard wasGranted else { return DueEffect(kind: .grant, key: grant) }
    guard let taken, let regrant = regrant(behind: taken), !isKnown(regrant) else { return nil }
    return DueEffect(kind: .regrant, key: regrant)
  }

  /// The name under which what was taken back is given again; nil when it was not taken back.
  private static func regrant(behind taken: String) -> String? {
    guard taken.hasPrefix("clawback:") else { return nil }
    return "regrant:" + taken.dropFirst("clawback:".count)
  }
}

extension TransactionRecord {
  /// The name of what was paid for: the server's, else the adapter's, else by the type, else the
  /// purchase that the transaction stands for.
  package var deliveryUnit: UnitID {
    if let unit = unit ?? transaction.unit { return unit }
    switch transaction.type {
    case .consumable?, .nonRenewable?: return UnitID("tx:\(transaction.transactionID)")
    case .nonConsumable?: return UnitID("orig:\(transaction.originalTransactionID)")
    case .autoRenewable?:
      guard let line = transaction.webOrderLineItemID else {
        return UnitID(
          "period:\(transaction.originalTransactionID):at:\(purchaseDate.milliseconds)"
        )
      }
      return UnitID("period:\(transaction.originalTransactionID):line:\(line)")
    // What is used up is never restored: a copy of unknown type has the name of a lasting purchase,
    // so that a kill before its acknowledgement is followed by the same name.
    default:
      return transaction.storeState == .restored
        ? UnitID("orig:\(transaction.originalTransactionID)")
        : UnitID("tx:\(transaction.transactionID)")
    }
  }

  /// Names under which the goods may have been handed over by a copy that knew more, or less, of
  /// their type.
  fileprivate var grantAliases: [String] {
    let original = transaction.originalTransactionID
    let isFirst = original.rawValue == transaction.transactionID.rawValue
    switch transaction.type {
    case .nonConsumable?: return ["grant:tx:\(original)", "grant:orig:\(original)"]
    case nil where transaction.storeState == .restored:
      return ["grant:tx:\(original)", "grant:orig:\(original)"]
    // One with another original may be a renewal, which is goods of its own.
    case nil where isFirst: return ["grant:orig:\(original)"]
    case .autoRenewable?:
      let line = transaction.webOrderLineItemID.map { ["grant:period:\(original):line:\($0)"] }
      return (line ?? []) + ["grant:period:\(original):at:\(purchaseDate.milliseconds)"]
    default: return []
    }
  }

  /// Whether all copies of it may stand for one purchase that is never used up.
  package var mayBeLasting: Bool {
    let isFirst =
      transaction.originalTransactionID.rawValue == transaction.transactionID.rawValue
    switch transaction.type {
    case .nonConsumable?: return true
    case nil: return isFirst || transaction.storeState == .restored
    default: return false
    }
  }

  /// What copies of the same goods have in common, whatever is known of their type: effects with
  /// the same name here take place one after the other.
  package var goodsName: String {
    transaction.type == .autoRenewable
      ? deliveryUnit.rawValue : transaction.originalTransactionID.rawValue
  }

  /// Whether the server has still to be told that this installation handed the goods over.
  ///
  /// Only goods that are used up: of all others every installation gets its own.
  package var owesAcknowledgement: Bool {
    guard !isServerTold, !isServedElsewhere, needsAppToAcknowledge else { return false }
    switch state {
    case .delivered, .finished: return acknowledged.contains { $0.hasPrefix("grant:") }
    case .held, .received, .accepted, .quarantined, .refused: return false
    }
  }

  /// Whether the goods are used up, or may be: only the app can say that it has them.
  package var needsAppToAcknowledge: Bool {
    switch transaction.type {
    case .nonConsumable?, .autoRenewable?, .nonRenewable?: false
    default: true
    }
  }
}
