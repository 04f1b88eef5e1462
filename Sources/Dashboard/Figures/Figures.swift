import Foundation
import IAPModel
import ServerStorage

/// The numbers of a span of days, as the charts show them.
struct Figures: Sendable {
  let days: [CountingDay]
  let tallies: [Tally]
  /// Subscriptions that ran at the end of each day.
  let active: [Int64]
  /// Subscriptions that ran at the end of the day before the first.
  let activeBefore: Int64
  /// Subscriptions by the month in which they began, the newest first.
  let cohorts: [(month: CountingMonth, tally: Tally)]
  /// What the App Store takes, in percent.
  let commission: Int64
  /// How many entries are not counted yet.
  let waiting: Int64
  /// When something was counted last.
  let countedDate: Date?

  /// The most months that are read for what ran before the span.
  static let monthsMax = 1200
  /// The most cohorts that are shown.
  static let cohortsMax = 12

  init(
    _ scope: LedgerScope,
    days: [CountingDay],
    _ reader: any LedgerReading
  ) throws(StorageError) {
    let first = days.first ?? CountingDay(number: 0)
    let firstMonth = CountingMonth(first.start)
    var running: Int64 = 0
    for document in try reader.documents(
      .dashboardFigures,
      app: scope.app,
      shelf: Bucket.monthShelf(scope),
      after: 0,
      limit: Self.monthsMax
    ) {
      guard let month = Bucket.month(of: document.key.name), month < firstMonth else { continue }
      running += Tally(document.body)[.active]
    }
    var before = CountingDay(firstMonth.start)
    while before < first {
      running += try Self.tally(.day(before), scope, reader)[.active]
      before = CountingDay(number: before.number + 1)
    }
    activeBefore = running
    var tallies: [Tally] = []
    var active: [Int64] = []
    for day in days {
      let tally = try Self.tally(.day(day), scope, reader)
      running += tally[.active]
      tallies.append(tally)
      active.append(max(running, 0))
    }
    self.days = days
    self.tallies = tallies
    self.active = active
    cohorts = try reader.documents(
      .dashboardFigures,
      app: scope.app,
      shelf: Bucket.cohortShelf(scope),
      before: .max,
      limit: 200
    ).compactMap { document in
      Bucket.month(of: document.key.name).map { (month: $0, tally: Tally(document.body)) }
    }.sorted { $0.month > $1.month }
    commission = try SettingsPage.commission(scope.app, reader)
    let place = try reader.document(FigureJob.placeKey)
    let counts = try reader.counts()
    waiting = max(0, Int64(counts.outbox) - (place?.body["place"]?.integerValue ?? 0))
    countedDate = place?.changedDate
  }

  private static func tally(
    _ bucket: Bucket,
    _ scope: LedgerScope,
    _ reader: any LedgerReading
  ) throws(StorageError) -> Tally {
    try reader.document(bucket.key(scope)).map { Tally($0.body) } ?? Tally()
  }

  /// The sum of a number over the span.
  func sum(_ counter: Counter) -> Int64 { tallies.reduce(0) { $0 + $1[counter] } }

  /// How many days a bar of a chart stands for: long spans are shown by weeks.
  var daysPerBar: Int { days.count > Self.barsMax ? 7 : 1 }

  /// The most days that have a bar each.
  static let barsMax = 120

  /// The days of each bar, the last one whole: the end of the span is today.
  private var bars: [Range<Int>] {
    let step = daysPerBar
    let first = days.count % step
    return (first > 0 ? [0..<first] : [])
      + stride(from: first, to: days.count, by: step).map { $0..<$0 + step }
  }

  /// The first day of each bar.
  var barDays: [CountingDay] { bars.map { days[$0.lowerBound] } }

  /// What came together in each bar.
  func barSums(_ values: [Int64]) -> [Int64] {
    daysPerBar == 1 ? values : bars.map { values[$0].reduce(0, +) }
  }

  /// How it was at the end of each bar.
  func barEnds(_ values: [Int64]) -> [Int64] {
    daysPerBar == 1 ? values : bars.map { values[$0.upperBound - 1] }
  }

  /// The money of one currency.
  struct CurrencyMoney: Sendable {
    let currency: String
    var sold: Int64 = 0
    var paid: Int64 = 0
    var refunded: Int64 = 0
    var returned: Int64 = 0
    /// What was paid for each product, day by day.
    var products: [String: [Int64]] = [:]
  }

  /// The money of the span, by currency; what has no price stands under an empty one.
  var money: [CurrencyMoney] {
    var result: [String: CurrencyMoney] = [:]
    for (index, tally) in tallies.enumerated() {
      for (word, number) in tally.numbers {
        if let (product, currency) = Counter.money(word, "p") {
          var money = result[currency] ?? CurrencyMoney(currency: currency)
          money.paid += number
          money.products[product, default: Array(repeating: 0, count: days.count)][index] += number
          result[currency] = money
        } else if let (_, currency) = Counter.money(word, "s") {
          result[currency, default: CurrencyMoney(currency: currency)].sold += number
        } else if let (_, currency) = Counter.money(word, "r") {
          result[currency, default: CurrencyMoney(currency: currency)].refunded += number
        } else if let (_, currency) = Counter.money(word, "b") {
          result[currency, default: CurrencyMoney(currency: currency)].returned += number
        }
      }
    }
    // Amounts of different currencies are not compared: who sells more pieces stands first.
    return result.values.sorted { left, right in
      if left.currency.isEmpty != right.currency.isEmpty { return right.currency.isEmpty }
      return (right.sold, left.currency) < (left.sold, right.currency)
    }
  }
}

extension Figures.CurrencyMoney {
  /// What is left after refunds.
  var net: Int64 { paid - returned }

  /// What the developer is likely to get of it.
  func proceeds(commission: Int64) -> Int64 {
    let share = 100 - commission
    return net / 100 * share + net % 100 * share / 100
  }
}
