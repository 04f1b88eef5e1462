/// Compares what Apple reports with what the ledger holds, sum by sum.
///
/// Currencies are never converted, and what has no price is unknown, not nothing. The comparison is
/// a function of the sums alone.
///
/// - **Source:** decision 0340.
struct MoneyComparison {
  let reported: MoneySums
  let held: MoneySums
  /// Products that the ledger or the catalog knows.
  let knownProducts: Set<String>
  /// Whether the ledger that was compared is the sandbox's, which Apple does not report.
  let isSandbox: Bool

  /// The differences, in order.
  func differences() -> [MoneyDifference] {
    var found: [MoneyDifference] = []
    for (place, currencies) in places() {
      let pair = Pairing(
        reported: currencies.mapValues(\.reported),
        held: currencies.mapValues(\.held)
      )
      for currency in pair.currencies { found += compare(place, currency, pair) }
    }
    return found
  }

  /// A product in a span of days.
  struct Place: Hashable, Comparable {
    let span: ReportSpan
    let product: String

    static func < (left: Self, right: Self) -> Bool {
      left.span == right.span ? left.product < right.product : left.span < right.span
    }
  }

  private typealias Both = (reported: MoneySum, held: MoneySum)

  private func places() -> [(Place, [String: Both])] {
    var result: [Place: [String: Both]] = [:]
    for (key, sum) in reported.sums {
      let place = Place(span: key.span, product: key.product)
      result[place, default: [:]][key.currency, default: (MoneySum(), MoneySum())].reported += sum
    }
    for (key, sum) in held.sums {
      let place = Place(span: key.span, product: key.product)
      result[place, default: [:]][key.currency, default: (MoneySum(), MoneySum())].held += sum
    }
    return result.sorted { $0.key < $1.key }
  }

  /// The sums of one place, after pieces whose currency one side does not know were counted to the
  /// currencies in which the other side has more.
  struct Pairing {
    var reported: [String: MoneySum]
    var held: [String: MoneySum]

    init(reported: [String: MoneySum], held: [String: MoneySum]) {
      self.reported = reported
      self.held = held
      Self.settle(&self.held, against: reported)
      Self.settle(&self.reported, against: self.held)
    }

    private static func settle(_ sums: inout [String: MoneySum], against other: [String: MoneySum])
    {
      guard var nameless = sums[""] else { return }
      for currency in other.keys.sorted() where !currency.isEmpty {
        var sum = sums[currency] ?? MoneySum()
        let told = other[currency] ?? MoneySum()
        let sold = max(0, min(nameless.sold, told.sold - sum.sold))
        let refunded = max(0, min(nameless.refunded, told.refunded - sum.refunded))
        guard sold + refunded > 0 else { continue }
        sum.sold += sold
        sum.soldUnpriced += sold
        sum.refunded += refunded
        sum.refundedUnpriced += refunded
        for example in nameless.examples where sum.examples.count < MoneySum.examplesMax {
          sum.examples.append(example)
        }
        nameless.sold -= sold
        nameless.soldUnpriced = min(nameless.soldUnpriced, nameless.sold)
        nameless.refunded -= refunded
        nameless.refundedUnpriced = min(nameless.refundedUnpriced, nameless.refunded)
        sums[currency] = sum
      }
      sums[""] = nameless
    }

    /// In order, with what has no currency at the end.
    var currencies: [String] {
      Set(reported.keys).union(held.keys).sorted { left, right in
        left.isEmpty == right.isEmpty ? left < right : right.isEmpty
      }
    }

    func missing(_ currency: String) -> Int64 {
      (reported[currency]?.sold ?? 0) - (held[currency]?.sold ?? 0)
    }
  }

  private func compare(
    _ place: Place,
    _ currency: String,
    _ pair: Pairing
  ) -> [MoneyDifference] {
    let told = pair.reported[currency] ?? MoneySum()
    let own = pair.held[currency] ?? MoneySum()
    var found: [MoneyDifference] = []
    func add(_ kind: MoneyDifference.Kind, _ reasons: [MoneyDifference.Reason]) {
      found.append(
        MoneyDifference(
          kind: kind,
          place: place,
          currency: currency,
          reported: told,
          held: own,
          reasons: reasons
        )
      )
    }
    if told.sold != own.sold { add(.units, soldReasons(place, currency, pair, told, own)) }
    if told.refunded != own.refunded { add(.refunds, refundReasons(place, currency, told, own)) }
    guard found.isEmpty else { return found }
    let isUnknown =
      told.soldUnpriced + own.soldUnpriced + told.refundedUnpriced + own.refundedUnpriced > 0
    if isUnknown {
      add(.amount, [.pricingUnknown])
    } else if told.soldAmount != own.soldAmount || !Self.agree(told, own) {
      add(.amount, [.priceDiffers])
    }
    return found
  }

  /// How far a refund of a part may be off for rounding, in thousandths.
  private static let roundingMax: Int64 = 10

  private static func agree(_ told: MoneySum, _ own: MoneySum) -> Bool {
    let difference = told.refundedAmount.addingClamped(-own.refundedAmount)
    return difference.magnitude <= (own.prorated * roundingMax).magnitude
  }

  // MARK: Likely reasons, the likeliest first

  private func soldReasons(
    _ place: Place,
    _ currency: String,
    _ pair: Pairing,
    _ told: MoneySum,
    _ own: MoneySum
  ) -> [MoneyDifference.Reason] {
    let missing = told.sold - own.sold
    var reasons: [MoneyDifference.Reason] = []
    if isSandbox { reasons.append(.sandbox) }
    if neighbours(place, currency, missing, \.sold) { reasons.append(.dayBoundary) }
    let isElsewhere = pair.currencies.contains {
      $0 != currency && pair.missing($0).signum() == -missing.signum()
    }
    if isElsewhere { reasons.append(.currencyDiffers) }
    if missing > 0 {
      if !knownProducts.contains(place.product) { reasons.append(.unknownProduct) }
      if own.familyShared > 0 { reasons.append(.familySharing) }
      if own.reversed > 0 { reasons.append(.refundReversed) }
      reasons.append(.missingNotification)
    } else {
      if own.offerCode > 0 { reasons.append(.offerCode) }
      if place.span.kind == .financial, own.free > 0 { reasons.append(.freeOfCharge) }
      if own.reversed > 0 { reasons.append(.refundReversed) }
      if place.span.kind == .financial { reasons.append(.notSettled) }
      reasons.append(.reportIncomplete)
    }
    return reasons
  }

  private func refundReasons(
    _ place: Place,
    _ currency: String,
    _ told: MoneySum,
    _ own: MoneySum
  ) -> [MoneyDifference.Reason] {
    let missing = told.refunded - own.refunded
    var reasons: [MoneyDifference.Reason] = []
    if isSandbox { reasons.append(.sandbox) }
    if neighbours(place, currency, missing, \.refunded) { reasons.append(.dayBoundary) }
    if own.reversed > 0 { reasons.append(.refundReversed) }
    if missing > 0 {
      if own.upgraded > 0 { reasons.append(.upgradeCredit) }
      if !knownProducts.contains(place.product) { reasons.append(.unknownProduct) }
      reasons.append(.missingNotification)
    } else {
      if place.span.kind == .financial { reasons.append(.notSettled) }
      reasons.append(.reportIncomplete)
    }
    return reasons
  }

  /// Whether the day before or after is off the other way.
  private func neighbours(
    _ place: Place,
    _ currency: String,
    _ missing: Int64,
    _ count: KeyPath<MoneySum, Int64>
  ) -> Bool {
    let keys = Set(reported.sums.keys).union(held.sums.keys).filter { key in
      key.product == place.product && key.currency == currency
        && key.span.kind == place.span.kind
        && (key.span.end.next == place.span.start || place.span.end.next == key.span.start)
    }
    let spans = Set(keys.map(\.span))
    return spans.contains { span in
      let difference = keys.filter { $0.span == span }.reduce(Int64(0)) { result, key in
        result + (reported.sums[key]?[keyPath: count] ?? 0)
          - (held.sums[key]?[keyPath: count] ?? 0)
      }
      return difference != 0 && difference.signum() == -missing.signum()
    }
  }
}
