import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

/// What one entry of a unit changes in the numbers: a function of the facts about its purchase.
///
/// A subscription is followed period by period. A period that begins before the one before it has
/// ended goes on where that ends, so the sum over all periods counts every subscription once.
struct EntryFigures {
  let history: StoreHistory
  let kind: UnitEntry.Kind
  let unit: UnitState
  let date: Date

  /// For how many months a cohort is followed.
  static let cohortMonths = 12

  /// - Returns: Nil when the facts do not know the unit any more.
  init?(_ record: OutboxRecord, _ history: StoreHistory) {
    guard let word = record.kind.split(separator: ".").last,
      let kind = UnitEntry.Kind(rawValue: String(word)),
      let name = record.body["unit"]?.stringValue, let unit = history.unit(UnitID(name)),
      let date = record.body["date"]?.integerValue
    else { return nil }
    self.history = history
    self.kind = kind
    self.unit = unit
    self.date = Date(milliseconds: date)
  }

  private var money: EntryMoney? { EntryMoney.of(kind, unit, in: history) }

  /// Whether something was paid and nobody knows how much.
  var isUnpriced: Bool { money.map { $0.amount == nil } ?? false }

  var changes: TallyChanges {
    var changes = TallyChanges()
    if let money { add(money, to: &changes, sign: 1) }
    if unit.type == .autoRenewable { addPeriod(to: &changes) }
    return changes
  }

  /// What changes when the price that was not known became known.
  var repricing: TallyChanges {
    var changes = TallyChanges()
    guard let money, money.amount != nil else { return changes }
    let nameless = EntryMoney.unpriced(money)
    add(nameless, to: &changes, sign: -1)
    add(money, to: &changes, sign: 1)
    return changes
  }

  private func add(_ money: EntryMoney, to changes: inout TallyChanges, sign: Int64) {
    let product = unit.productID
    let currency = money.amount?.currency ?? ""
    let amount = money.amount?.milliunits ?? 0
    if money.sold != 0 {
      changes.add(sign * money.sold, to: .sold(product, currency), on: date)
      if amount != 0 { changes.add(sign * amount, to: .paid(product, currency), on: date) }
    }
    if money.refunded != 0 {
      changes.add(sign * money.refunded, to: .refunded(product, currency), on: date)
      if amount != 0 { changes.add(sign * amount, to: .returned(product, currency), on: date) }
    }
  }

  // MARK: Subscriptions

  private struct Period {
    let unit: UnitState
    let payload: TransactionPayload
    let start: Date
    let end: Date

    var isTrial: Bool {
      payload.offerDiscountType == .freeTrial
        || payload.offerType == .introductory && payload.priceMilliunits == 0
    }

    /// When access of it ended, as far as is known.
    var lastInstant: Date {
      guard !unit.isActive, let date = unit.revocationDate else { return end }
      return min(date, end)
    }
  }

  /// The periods of the subscription that were bought, in their order.
  private var periods: [Period] {
    history.units.filter {
      $0.type == .autoRenewable && $0.originalTransactionID == unit.originalTransactionID
    }.compactMap { unit in
      guard let payload = EntryMoney.of(.grant, unit, in: history)?.payload,
        let end = payload.expiresDate, end > unit.purchaseDate
      else { return nil }
      return Period(unit: unit, payload: payload, start: unit.purchaseDate, end: end)
    }
  }

  private func addPeriod(to changes: inout TallyChanges) {
    let periods = periods
    guard let index = periods.firstIndex(where: { $0.unit.unit == unit.unit }) else { return }
    let period = periods[index]
    let before = index > 0 ? periods[index - 1] : nil
    let first = periods[0].start
    guard kind == .grant else {
      // Taken back or given again in the middle of its time.
      guard date < period.end else { return }
      let sign: Int64 = kind == .clawback ? 1 : -1
      changes.add(-sign, to: .active, on: date)
      changes.add(sign, to: .active, on: period.end)
      changes.add(sign, to: .lost, on: date)
      changes.add(-sign, to: .lost, on: period.end)
      addCohort(first, from: max(date, period.start), to: period.end, -sign, &changes)
      return
    }
    let goesOn = before.map { period.start <= $0.lastInstant && $0.lastInstant == $0.end } ?? false
    let from = goesOn ? before?.end ?? period.start : period.start
    changes.add(1, to: .active, on: from)
    changes.add(-1, to: .active, on: period.end)
    changes.add(1, to: .lost, on: period.end)
    if goesOn, let before {
      changes.add(-1, to: .lost, on: before.end)
    } else {
      changes.add(1, to: .started, on: period.start)
    }
    if period.isTrial {
      changes.add(1, to: .trials, on: period.start)
      changes.add(1, to: .trialsOver, on: period.end)
    } else if let before, before.isTrial {
      changes.add(1, to: .converted, on: before.end)
    }
    if before == nil {
      changes.add(1, to: .size, in: .cohort(CountingMonth(first)))
    }
    addCohort(first, from: from, to: period.end, 1, &changes)
  }

  /// Counts for each month after the beginning whether the subscription ran at that instant.
  private func addCohort(
    _ first: Date,
    from start: Date,
    to end: Date,
    _ amount: Int64,
    _ changes: inout TallyChanges
  ) {
    let cohort = Bucket.cohort(CountingMonth(first))
    for month in 0..<Self.cohortMonths {
      let instant = CountingMonth.adding(month, to: first)
      if instant >= end { return }
      if instant >= start { changes.add(amount, to: .running(month), in: cohort) }
    }
  }
}

extension EntryMoney {
  /// The same as long as its price was not known.
  static func unpriced(_ money: EntryMoney) -> EntryMoney {
    EntryMoney(payload: money.payload, sold: money.sold, refunded: money.refunded, amount: nil)
  }
}
