import Foundation
import IAPModel
import ServerStorage

/// A comparison of Apple's reports with the ledger, and how far it has come.
///
/// Reports are added up when they arrive; the ledger is added up page by page. Everything is in one
/// document, which is written on the condition that nobody else has gone on meanwhile.
struct MoneyAudit: Hashable, Sendable {
  enum State: String, Hashable, Sendable, CaseIterable {
    /// More files may come.
    case collecting
    /// The ledger is being added up.
    case running
    case done
  }

  /// The most files of one audit, with every part of a divided one.
  static let filesMax = 2000
  /// The most spans of days.
  static let spansMax = 1000
  /// The most sums of the reports.
  static let sumsMax = 20_000
  /// The most differences that are listed; further ones are counted.
  static let differencesMax = 5000
  /// The most bad rows that are listed.
  static let badRowsMax = 500

  let id: String
  let scope: LedgerScope
  var state = State.collecting
  /// The SKU of the app, when somebody said it.
  var sku: String?
  /// Days that are compared although no row may be about them.
  var start: ReportDay?
  var end: ReportDay?
  /// Days that files say they are about, whether or not a row is.
  var covered: Set<ReportSpan> = []
  var files: [JSONObject] = []
  var badRows: [JSONObject] = []
  var reported = MoneySums()
  var held = MoneySums()
  var products: [String: String] = [:]
  var appSKUs: [String: String] = [:]
  var proceeds: [String: Int64] = [:]
  var otherColumns: [String: [String: Int64]] = [:]
  /// Products that the ledger knows.
  var knownProducts: Set<String> = []
  /// The last purchase that was added up.
  var after: OriginalTransactionID?
  /// How many purchases were looked at.
  var purchases: Int64 = 0
  var differenceCount: Int64 = 0
  var differences: [JSONObject] = []
  var totals: [JSONObject] = []

  init(id: String, scope: LedgerScope) {
    self.id = id
    self.scope = scope
  }

  static func key(_ id: String, app: BundleID) -> DocumentKey {
    DocumentKey(.moneyAudit, app: app, name: id)
  }

  /// The spans of days that are compared.
  var spans: [ReportSpan] {
    var spans = reported.spans.union(covered)
    let kinds = Set(spans.map(\.kind)).subtracting([.financial])
    if let start, let end {
      // Bound: the end of the asked span.
      var day = start
      while day <= end {
        for kind in kinds where !spans.contains(where: { $0.kind == kind && $0.contains(day) }) {
          spans.insert(ReportSpan(kind: kind, start: day, end: day))
        }
        day = day.next
      }
    }
    return spans.sorted()
  }

  // MARK: Storing

  /// The wish to have it written.
  func document(_ condition: DocumentWrite.Condition) -> DocumentWrite {
    DocumentWrite(
      Self.key(id, app: scope.app),
      shelf: state.rawValue,
      body: body,
      condition: condition
    )
  }

  private var body: JSONObject {
    var answer = AnswerMembers()
    answer.add("environment", scope.environment.rawValue)
    answer.add("state", state.rawValue)
    answer.add("sku", sku)
    if let start { answer.add("start", .integer(Int64(start.number))) }
    if let end { answer.add("end", .integer(Int64(end.number))) }
    answer.add("covered", .array(covered.sorted().map(\.stored)))
    answer.add("files", .array(files.map { .object($0) }))
    answer.add("badRows", .array(badRows.map { .object($0) }))
    answer.add("reported", reported.stored)
    answer.add("held", held.stored)
    answer.add("products", Self.texts(products))
    answer.add("appSKUs", Self.texts(appSKUs))
    answer.add("proceeds", Self.numbers(proceeds))
    answer.add("otherColumns", Self.columns(otherColumns))
    answer.add("knownProducts", .array(knownProducts.sorted().map { .string($0) }))
    answer.add("after", after?.rawValue)
    answer.add("purchases", .integer(purchases))
    answer.add("differenceCount", .integer(differenceCount))
    answer.add("differences", .array(differences.map { .object($0) }))
    answer.add("totals", .array(totals.map { .object($0) }))
    return answer.object
  }

  static func texts(_ values: [String: String]) -> JSONValue {
    .object(JSONObject(values.sorted { $0.key < $1.key }.map { JSONMember($0, .string($1)) }))
  }

  static func numbers(_ values: [String: Int64]) -> JSONValue {
    .object(JSONObject(values.sorted { $0.key < $1.key }.map { JSONMember($0, .integer($1)) }))
  }

  static func columns(_ values: [String: [String: Int64]]) -> JSONValue {
    .object(
      JSONObject(values.sorted { $0.key < $1.key }.map { JSONMember($0, numbers($1)) })
    )
  }

  init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let app = document.key.app, let environment = body["environment"]?.stringValue,
      let state = body["state"]?.stringValue.flatMap({ State(rawValue: $0) }),
      let reported = MoneySums(stored: body["reported"]), let held = MoneySums(stored: body["held"])
    else { throw StorageError(.corrupt, "an audit cannot be read") }
    id = document.key.name
    scope = LedgerScope(app: app, environment: StoreEnvironment(rawValue: environment))
    self.state = state
    self.reported = reported
    self.held = held
    sku = body["sku"]?.stringValue
    start = body["start"]?.integerValue.flatMap { ReportDay(number: Int($0)) }
    end = body["end"]?.integerValue.flatMap { ReportDay(number: Int($0)) }
    covered = Set((body["covered"]?.arrayValue ?? []).compactMap { ReportSpan(stored: $0) })
    files = (body["files"]?.arrayValue ?? []).compactMap(\.objectValue)
    badRows = (body["badRows"]?.arrayValue ?? []).compactMap(\.objectValue)
    for member in body["products"]?.objectValue?.members ?? [] {
      products[member.name] = member.value.stringValue
    }
    for member in body["appSKUs"]?.objectValue?.members ?? [] {
      appSKUs[member.name] = member.value.stringValue
    }
    for member in body["proceeds"]?.objectValue?.members ?? [] {
      proceeds[member.name] = member.value.integerValue
    }
    for member in body["otherColumns"]?.objectValue?.members ?? [] {
      otherColumns[member.name] = [:]
      for value in member.value.objectValue?.members ?? [] {
        otherColumns[member.name]?[value.name] = value.value.integerValue
      }
    }
    knownProducts = Set((body["knownProducts"]?.arrayValue ?? []).compactMap(\.stringValue))
    after = body["after"]?.stringValue.map { OriginalTransactionID($0) }
    purchases = body["purchases"]?.integerValue ?? 0
    differenceCount = body["differenceCount"]?.integerValue ?? 0
    differences = (body["differences"]?.arrayValue ?? []).compactMap(\.objectValue)
    totals = (body["totals"]?.arrayValue ?? []).compactMap(\.objectValue)
  }
}

extension DocumentKind {
  /// A comparison of Apple's reports with the ledger.
  static let moneyAudit = Self(rawValue: "moneyAudit")
}
