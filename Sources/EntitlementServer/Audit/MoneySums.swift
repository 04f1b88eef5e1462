import IAPModel

/// A number of days that a report's row is about.
struct ReportSpan: Hashable, Sendable, Comparable {
  let kind: ReportKind
  let start: ReportDay
  let end: ReportDay

  func contains(_ day: ReportDay) -> Bool { start <= day && day <= end }

  /// As it is stored.
  var stored: JSONValue {
    .array([
      .string(kind.rawValue), .integer(Int64(start.number)), .integer(Int64(end.number)),
    ])
  }

  init(kind: ReportKind, start: ReportDay, end: ReportDay) {
    self.kind = kind
    self.start = start
    self.end = end
  }

  init?(stored value: JSONValue) {
    guard let parts = value.arrayValue, parts.count >= 3,
      let kind = parts[0].stringValue.flatMap({ ReportKind(rawValue: $0) }),
      let start = parts[1].integerValue.flatMap({ ReportDay(number: Int($0)) }),
      let end = parts[2].integerValue.flatMap({ ReportDay(number: Int($0)) })
    else { return nil }
    self.init(kind: kind, start: start, end: end)
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.kind.rawValue, left.start, left.end) < (right.kind.rawValue, right.start, right.end)
  }
}

/// What money is added up under.
struct MoneyKey: Hashable, Sendable, Comparable {
  let span: ReportSpan
  /// The product's identifier, or `#` and Apple's number of it where a report has no other name.
  var product: String
  /// The currency that the customer paid in; empty when it is not known.
  let currency: String
  /// The SKU of the app that the product belongs to; empty when the report does not say.
  let parent: String

  static func < (left: Self, right: Self) -> Bool {
    if left.span != right.span { return left.span < right.span }
    if left.product != right.product { return left.product < right.product }
    return (left.currency, left.parent) < (right.currency, right.parent)
  }
}

/// What was sold and paid back, in one currency.
struct MoneySum: Hashable, Sendable {
  /// Pieces that were sold.
  var sold: Int64 = 0
  /// Pieces that were paid back.
  var refunded: Int64 = 0
  /// What was paid for those pieces whose price is known, in thousandths.
  var soldAmount: Int64 = 0
  /// What was paid back for those pieces whose price is known, in thousandths.
  var refundedAmount: Int64 = 0
  /// Sold pieces without a price.
  var soldUnpriced: Int64 = 0
  /// Pieces that were paid back, without a price.
  var refundedUnpriced: Int64 = 0
  /// Sold pieces that cost nothing.
  var free: Int64 = 0
  /// Pieces that were bought with an offer code.
  var offerCode: Int64 = 0
  /// Pieces that a member of a family has without having bought them; they are not among the sold.
  var familyShared: Int64 = 0
  /// Refunds that were taken back.
  var reversed: Int64 = 0
  /// Pieces that gave way to a higher level before their end.
  var upgraded: Int64 = 0
  /// Refunds of a part, whose amount is rounded where it is paid.
  var prorated: Int64 = 0
  /// Some of the transactions, for people who look for one.
  var examples: [String] = []

  /// The most transactions that are named.
  static let examplesMax = 5

  static func += (left: inout MoneySum, right: MoneySum) {
    left.sold += right.sold
    left.refunded += right.refunded
    left.soldAmount = left.soldAmount.addingClamped(right.soldAmount)
    left.refundedAmount = left.refundedAmount.addingClamped(right.refundedAmount)
    left.soldUnpriced += right.soldUnpriced
    left.refundedUnpriced += right.refundedUnpriced
    left.free += right.free
    left.offerCode += right.offerCode
    left.familyShared += right.familyShared
    left.reversed += right.reversed
    left.upgraded += right.upgraded
    left.prorated += right.prorated
    for example in right.examples
    where left.examples.count < examplesMax && !left.examples.contains(example) {
      left.examples.append(example)
    }
  }

  private var numbers: [Int64] {
    [
      sold, refunded, soldAmount, refundedAmount, soldUnpriced, refundedUnpriced, free, offerCode,
      familyShared, reversed, upgraded, prorated,
    ]
  }

  /// As it is stored: the numbers, then the examples.
  var stored: JSONValue {
    .array(numbers.map { .integer($0) } + examples.map { .string($0) })
  }

  init() {}

  init?(stored value: JSONValue?) {
    guard let list = value?.arrayValue else { return nil }
    let numbers = list.compactMap(\.integerValue)
    guard numbers.count == self.numbers.count else { return nil }
    (sold, refunded, soldAmount, refundedAmount) = (numbers[0], numbers[1], numbers[2], numbers[3])
    (soldUnpriced, refundedUnpriced, free) = (numbers[4], numbers[5], numbers[6])
    (offerCode, familyShared, reversed) = (numbers[7], numbers[8], numbers[9])
    (upgraded, prorated) = (numbers[10], numbers[11])
    examples = list.compactMap(\.stringValue)
  }
}

extension Int64 {
  /// The sum, or the greatest number that there is.
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other > 0 ? .max : .min) : sum
  }
}

/// Sums by day, product and currency.
struct MoneySums: Hashable, Sendable {
  var sums: [MoneyKey: MoneySum] = [:]

  mutating func add(_ sum: MoneySum, under key: MoneyKey) { sums[key, default: MoneySum()] += sum }

  mutating func add(_ other: MoneySums) {
    for (key, sum) in other.sums { add(sum, under: key) }
  }

  var spans: Set<ReportSpan> { Set(sums.keys.map(\.span)) }

  /// As it is stored, in order.
  var stored: JSONValue {
    .array(
      sums.keys.sorted().map { key in
        .array(
          (key.span.stored.arrayValue ?? []) + [
            .string(key.product), .string(key.currency), .string(key.parent),
            (sums[key] ?? MoneySum()).stored,
          ]
        )
      }
    )
  }

  init() {}

  init?(stored value: JSONValue?) {
    for row in value?.arrayValue ?? [] {
      guard let parts = row.arrayValue, parts.count == 7, let span = ReportSpan(stored: row),
        let product = parts[3].stringValue, let currency = parts[4].stringValue,
        let parent = parts[5].stringValue, let sum = MoneySum(stored: parts[6])
      else { return nil }
      let key = MoneyKey(span: span, product: product, currency: currency, parent: parent)
      sums[key] = sum
    }
  }
}
