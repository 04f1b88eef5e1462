package import IAPEntitlements
package import IAPModel

/// The money of one entry of a unit, as the money audit counts it.
package struct EntryMoney: Hashable, Sendable {
  /// The transaction that was paid for.
  package let payload: TransactionPayload
  /// Pieces that were sold.
  package let sold: Int64
  /// Pieces that were paid back.
  package let refunded: Int64
  /// What was paid, in thousandths of its currency; nil when the price is not known.
  package let amount: Money?

  /// Says the money of an entry.
  package init(payload: TransactionPayload, sold: Int64, refunded: Int64, amount: Money?) {
    self.payload = payload
    self.sold = sold
    self.refunded = refunded
    self.amount = amount
  }

  /// Reads the money of an entry.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - unit: The unit.
  ///   - history: Everything that is known about its purchase.
  /// - Returns: The money; nil when nothing was paid for it, as for what a family shares.
  package static func of(
    _ kind: UnitEntry.Kind,
    _ unit: UnitState,
    in history: StoreHistory
  ) -> EntryMoney? {
    let money = LedgerMoney(history)
    guard let payload = money.face(unit), payload.ownershipType != .familyShared else {
      return nil
    }
    let units = Int64(unit.quantity)
    let sum = kind == .clawback ? money.refund(payload, units) : money.sale(payload, units)
    let milliunits = kind == .clawback ? sum.refundedAmount : sum.soldAmount
    return EntryMoney(
      payload: payload,
      sold: sum.sold,
      refunded: sum.refunded,
      amount: payload.price.map { Money(milliunits: milliunits, currency: $0.currency) }
    )
  }
}
