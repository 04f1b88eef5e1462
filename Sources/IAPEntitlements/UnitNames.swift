import Foundation
import IAPModel

/// Tells which transactions are the same purchase, and names it.
///
/// A consumable or non-renewing purchase is its transaction and a non-consumable its original, as
/// ``TransactionPayload/unit`` says. Periods need a look at their neighbours: a StoreKit 1 restored
/// copy has a new identifier and the time of the restore as its purchase date, and receipts made by
/// Xcode have no web order line item, so a period without one joins the period of the same
/// subscription that has the same line item, or ends at the same instant.
struct UnitNames {
  /// One purchase: its name and the transactions that are it.
  struct Purchase {
    var names: Set<UnitID>
    var unit: UnitID
    var members: [TransactionPayload]
  }

  private(set) var purchases: [Purchase] = []

  /// Groups folded transactions.
  ///
  /// - Parameters:
  ///   - transactions: One folded content for each identifier, in order of purchase date and id.
  ///   - aliases: The unit names that the facts of a transaction give by themselves.
  init(_ transactions: [TransactionPayload], aliases: [TransactionID: Set<UnitID>]) {
    var indexByName: [UnitID: Int] = [:]
    // Periods with a line item first: those without one look for them.
    let lined = transactions.filter { $0.type != .autoRenewable || $0.webOrderLineItemID != nil }
    let bare = transactions.filter { $0.type == .autoRenewable && $0.webOrderLineItemID == nil }
    for payload in lined {
      guard let unit = payload.unit else { continue }
      if let index = indexByName[unit] {
        purchases[index].members.append(payload)
      } else {
        indexByName[unit] = purchases.count
        purchases.append(Purchase(names: [unit], unit: unit, members: [payload]))
      }
    }
    for payload in bare {
      guard let unit = payload.unit else { continue }
      if let index = purchases.firstIndex(where: { $0.isSamePeriod(as: payload) }) {
        purchases[index].members.append(payload)
        purchases[index].names.insert(unit)
      } else {
        purchases.append(Purchase(names: [unit], unit: unit, members: [payload]))
      }
    }
    for index in purchases.indices {
      for member in purchases[index].members {
        purchases[index].names.formUnion(aliases[member.transactionID] ?? [])
      }
    }
  }
}

extension UnitNames.Purchase {
  /// Whether a period without a line item is this period.
  fileprivate func isSamePeriod(as payload: TransactionPayload) -> Bool {
    members.contains { member in
      guard member.type == .autoRenewable,
        member.originalTransactionID == payload.originalTransactionID,
        member.productID == payload.productID
      else { return false }
      if let mine = member.expiresDate, let theirs = payload.expiresDate { return mine == theirs }
      return member.purchaseDate == payload.purchaseDate
    }
  }
}
