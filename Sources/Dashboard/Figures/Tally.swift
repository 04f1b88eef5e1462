import Foundation
import IAPModel
import ServerStorage

/// A day of counting, which is one of UTC: days since 1970.
struct CountingDay: Hashable, Sendable, Comparable {
  let number: Int64

  init(number: Int64) { self.number = number }

  init(_ date: Date) { number = Int64((date.timeIntervalSince1970 / 86_400).rounded(.down)) }

  var start: Date { Date(timeIntervalSince1970: TimeInterval(number) * 86_400) }

  static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A month of counting: months since the year 0.
struct CountingMonth: Hashable, Sendable, Comparable {
  let number: Int64

  init(number: Int64) { self.number = number }

  init(_ date: Date) {
    let parts = Self.calendar.dateComponents([.year, .month], from: date)
    number = Int64((parts.year ?? 0) * 12 + (parts.month ?? 1) - 1)
  }

  private static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = Viewer.utc
    return calendar
  }

  var start: Date {
    let parts = DateComponents(year: Int(number / 12), month: Int(number % 12) + 1, day: 1)
    return Self.calendar.date(from: parts) ?? .distantPast
  }

  /// So many months after an instant.
  static func adding(_ months: Int, to date: Date) -> Date {
    calendar.date(byAdding: .month, value: months, to: date) ?? date
  }

  static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// What is counted together.
enum Bucket: Hashable, Sendable {
  case day(CountingDay)
  case month(CountingMonth)
  /// Subscriptions that began in a month.
  case cohort(CountingMonth)

  private var word: String {
    switch self {
    case .day(let day): "D:\(day.number)"
    case .month(let month): "M:\(month.number)"
    case .cohort(let month): "C:\(month.number)"
    }
  }

  private var letter: String {
    switch self {
    case .day: "D"
    case .month: "M"
    case .cohort: "C"
    }
  }

  func key(_ scope: LedgerScope) -> DocumentKey {
    DocumentKey(.dashboardFigures, app: scope.app, name: "\(scope.environment):\(word)")
  }

  func shelf(_ scope: LedgerScope) -> String { "\(scope.environment):\(letter)" }

  static func monthShelf(_ scope: LedgerScope) -> String { "\(scope.environment):M" }
  static func cohortShelf(_ scope: LedgerScope) -> String { "\(scope.environment):C" }

  /// The month in a document's name.
  static func month(of name: String) -> CountingMonth? {
    name.split(separator: ":").last.flatMap { Int64($0) }.map { CountingMonth(number: $0) }
  }
}

/// What a number counts.
enum Counter: Hashable, Sendable {
  /// Pieces that were sold, by product and currency; the currency is empty when it is unknown.
  case sold(ProductID, String)
  /// What was paid for them, in thousandths.
  case paid(ProductID, String)
  /// Pieces that were paid back.
  case refunded(ProductID, String)
  /// What was paid back, in thousandths.
  case returned(ProductID, String)
  /// How many more subscriptions run.
  case active
  /// Subscriptions that began, or began again.
  case started
  /// Subscriptions that ended without going on.
  case lost
  /// Trials that began.
  case trials
  /// Trials whose time was over.
  case trialsOver
  /// Trials whose time was over and that were paid for afterwards.
  case converted
  /// Subscriptions of a cohort.
  case size
  /// Subscriptions of a cohort that ran so many months after they began.
  case running(Int)

  var word: String {
    switch self {
    case .sold(let product, let currency): "s|\(currency)|\(product)"
    case .paid(let product, let currency): "p|\(currency)|\(product)"
    case .refunded(let product, let currency): "r|\(currency)|\(product)"
    case .returned(let product, let currency): "b|\(currency)|\(product)"
    case .active: "active"
    case .started: "started"
    case .lost: "lost"
    case .trials: "trials"
    case .trialsOver: "trialsOver"
    case .converted: "converted"
    case .size: "size"
    case .running(let month): "m\(month)"
    }
  }

  /// The product and the currency of a word about money.
  static func money(_ word: String, _ letter: String) -> (product: String, currency: String)? {
    let parts = word.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == letter else { return nil }
    return (String(parts[2]), String(parts[1]))
  }
}

/// Numbers by what they count.
struct Tally: Hashable, Sendable {
  private(set) var numbers: [String: Int64] = [:]

  init() {}

  init(_ body: JSONObject) {
    for member in body.members { numbers[member.name] = member.value.integerValue }
  }

  subscript(counter: Counter) -> Int64 { numbers[counter.word] ?? 0 }

  mutating func add(_ amount: Int64, to word: String) {
    let (sum, isOver) = (numbers[word] ?? 0).addingReportingOverflow(amount)
    numbers[word] = isOver ? (amount > 0 ? .max : .min) : sum
    if numbers[word] == 0 { numbers[word] = nil }
  }

  mutating func add(_ other: Tally) {
    for (word, amount) in other.numbers { add(amount, to: word) }
  }

  var body: JSONObject {
    JSONObject(numbers.keys.sorted().map { JSONMember($0, .integer(numbers[$0] ?? 0)) })
  }
}

/// Changes of numbers, by bucket.
struct TallyChanges: Hashable, Sendable {
  private(set) var changes: [Bucket: Tally] = [:]

  mutating func add(_ amount: Int64, to counter: Counter, in bucket: Bucket) {
    changes[bucket, default: Tally()].add(amount, to: counter.word)
  }

  /// Adds to the day and the month of an instant.
  mutating func add(_ amount: Int64, to counter: Counter, on date: Date) {
    add(amount, to: counter, in: .day(CountingDay(date)))
    add(amount, to: counter, in: .month(CountingMonth(date)))
  }

  mutating func add(_ other: TallyChanges) {
    for (bucket, tally) in other.changes { changes[bucket, default: Tally()].add(tally) }
  }
}

extension DocumentKind {
  /// Numbers of a day, a month or a cohort.
  static let dashboardFigures = Self(rawValue: "dashboardFigures")
  /// Up to which entry everything was counted.
  static let dashboardPlace = Self(rawValue: "dashboardPlace")
  /// An entry whose price was not known when it was counted, to be looked at again.
  static let dashboardUnpriced = Self(rawValue: "dashboardUnpriced")
}
