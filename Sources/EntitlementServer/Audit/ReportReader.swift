import IAPModel

/// Reads one of Apple's report files and adds up the money in it, line by line.
///
/// A row that cannot be read is named by its line and counted nowhere else; columns that are not
/// known are kept with what stands in them.
struct ReportReader {
  /// The most bytes of one file when it is unpacked.
  static let bytesMax = 64 * 1024 * 1024
  /// The most lines in front of the names of the columns.
  static let preambleMax = 5
  /// The most bad rows that are named; further ones are counted.
  static let badRowsMax = 100
  /// The most unknown columns that are kept, and the most different values of each.
  static let otherColumnsMax = 20
  static let otherValuesMax = 20

  private(set) var result: ReportContent
  private var lines = ReportLines()
  private var line: Int
  private var columns: [ReportColumn: Int] = [:]
  private var others: [(name: String, index: Int)] = []
  private var width = 0
  private var isOver = false
  private var rowsSeen = 0

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - firstLine: The number of the line behind the columns' names, for a part of a longer file.
  ///   - appAppleID: Apple's number of the app; rows of other apps are left out where they say so.
  private init(name: String, firstLine: Int?, appAppleID: AppAppleID?) {
    result = ReportContent(name: name)
    line = 0
    self.firstLine = firstLine
    self.appAppleID = appAppleID
  }

  private let firstLine: Int?
  private let appAppleID: AppAppleID?

  /// Reads a file: a text with tabs, or such a text packed with gzip.
  static func read(
    _ bytes: [UInt8],
    name: String,
    firstLine: Int? = nil,
    appAppleID: AppAppleID? = nil
  ) -> ReportContent {
    var reader = ReportReader(name: name, firstLine: firstLine, appAppleID: appAppleID)
    if Gzip.isOne(bytes) {
      let fault = Gzip.unpack(bytes, bytesMax: bytesMax) { reader.take($0) }
      if let fault {
        reader.result.problem = .unreadable(fault)
        return reader.result
      }
    } else if bytes.count > bytesMax {
      reader.result.problem = .unreadable(.tooLong)
      return reader.result
    } else {
      reader.take(bytes[...])
    }
    reader.finish()
    return reader.result
  }

  private mutating func take(_ piece: ArraySlice<UInt8>) {
    var lines = self.lines
    self.lines = ReportLines()
    var found: [[UInt8]?] = []
    lines.add(piece) { found.append($0) }
    self.lines = lines
    for text in found { read(text) }
  }

  private mutating func finish() {
    var found: [[UInt8]?] = []
    lines.finish { found.append($0) }
    for text in found { read(text) }
    guard let kind = result.kind else {
      if result.problem == nil { result.problem = .noReport }
      return
    }
    if kind.isCompared, let day = Self.day(of: result.name) {
      result.covered = ReportSpan(kind: kind, start: day, end: day)
    }
  }

  /// The day of a daily report, from a name such as `S_D_80012345_20260131.txt.gz`.
  ///
  /// - **Source:** App Store Connect Help, "Report file names".
  private static func day(of name: String) -> ReportDay? {
    let file = name.split(separator: "/").last ?? ""
    let parts = file.prefix { $0 != "." && $0 != " " }.split(separator: "_")
    guard parts.count >= 4, parts[1] == "D" else { return nil }
    return parts.reversed().lazy.compactMap { $0.count == 8 ? ReportDay($0) : nil }.first
  }

  private mutating func read(_ bytes: [UInt8]?) {
    line += 1
    guard !isOver else { return }
    guard let bytes else { return bad("it is longer than \(ReportLines.lineBytesMax) bytes") }
    guard let text = String(validating: bytes, as: UTF8.self) else { return bad("it is no UTF-8") }
    let cells = text.split(separator: "\t", omittingEmptySubsequences: false)
      .map { Self.trimmed($0) }
    guard let kind = result.kind else { return readNames(cells) }
    guard cells.contains(where: { !$0.isEmpty }) else { return }
    if cells[0].hasPrefix("Total_") { return readTotal(cells) }
    guard kind.isCompared else {
      result.rows += 1
      return
    }
    rowsSeen += 1
    guard cells.count == width else {
      return bad("it has \(cells.count) columns, the report \(width)")
    }
    var row = ReportRow(cells: cells, columns: columns, appAppleID: appAppleID)
    switch row.read(kind) {
    case .money(let key, let sum):
      result.rows += 1
      result.sums.add(sum, under: key)
      keepOthers(cells)
    case .other: result.otherRows += 1
    case .bad(let reason): return bad(reason)
    }
    if let (number, product) = row.product { result.products[number] = product }
    if let (number, sku) = row.app { result.appSKUs[number] = sku }
    if let (currency, amount) = row.proceeds {
      result.proceeds[currency] = (result.proceeds[currency] ?? 0).addingClamped(amount)
    }
  }

  /// The names of the columns say which report it is.
  private mutating func readNames(_ cells: [String]) {
    let names = cells.map { $0.lowercased().replacing(" / ", with: "/") }
    guard let kind = ReportKind.of(Set(names)) else {
      if line > Self.preambleMax {
        isOver = true
        result.problem = .noReport
      }
      return
    }
    result.kind = kind
    width = cells.count
    let known = Dictionary(uniqueKeysWithValues: Set(kind.known).map { ($0.rawValue, $0) })
    for (index, name) in names.enumerated() {
      if let column = known[name] {
        if columns[column] == nil { columns[column] = index }
      } else if kind.isCompared, !name.isEmpty, others.count < Self.otherColumnsMax {
        others.append((cells[index], index))
        result.otherColumns[cells[index]] = [:]
      }
    }
    if let firstLine { line = firstLine - 1 }
  }

  private mutating func keepOthers(_ cells: [String]) {
    for (name, index) in others {
      let value = String(cells[index].prefix(64))
      guard !value.isEmpty else { continue }
      let isKnown = result.otherColumns[name]?[value] != nil
      guard isKnown || result.otherColumns[name]?.count ?? 0 < Self.otherValuesMax else { continue }
      result.otherColumns[name, default: [:]][value, default: 0] += 1
    }
  }

  /// A financial report ends with the number of its rows.
  private mutating func readTotal(_ cells: [String]) {
    isOver = cells[0] != "Total_Rows"
    guard cells[0] == "Total_Rows", cells.count > 1, let total = Int(cells[1]) else { return }
    if total != rowsSeen, firstLine == nil {
      bad("the report says that it has \(total) rows, and \(rowsSeen) were read")
    }
  }

  private mutating func bad(_ reason: String) {
    result.badRowCount += 1
    guard result.badRows.count < Self.badRowsMax else { return }
    result.badRows.append(ReportContent.BadRow(line: line, reason: reason))
  }

  /// A cell without spaces and quotation marks around it, and without a mark of byte order.
  private static func trimmed(_ text: Substring) -> String {
    var bytes = text.utf8
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    bytes = bytes.drop { $0 == 0x20 || $0 == 0x22 }
    while let last = bytes.last, last == 0x20 || last == 0x22 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// What a report file holds.
struct ReportContent: Hashable, Sendable {
  struct BadRow: Hashable, Sendable {
    let line: Int
    let reason: String
  }

  enum Problem: Hashable, Sendable {
    /// It could not be unpacked.
    case unreadable(Gzip.Fault)
    /// Its columns are of no report that is known.
    case noReport
  }

  let name: String
  var kind: ReportKind?
  var problem: Problem?
  var sums = MoneySums()
  /// Rows that were read.
  var rows = 0
  /// Rows about other things than in-app purchases of this app.
  var otherRows = 0
  var badRowCount = 0
  var badRows: [BadRow] = []
  /// Columns that are not known: how often each value stands in them.
  var otherColumns: [String: [String: Int64]] = [:]
  /// Product identifiers by Apple's number.
  var products: [String: String] = [:]
  /// SKUs of apps by Apple's number.
  var appSKUs: [String: String] = [:]
  /// The day that the file's name says.
  var covered: ReportSpan?
  /// What the developer gets, by currency, in thousandths.
  var proceeds: [String: Int64] = [:]

  init(name: String) { self.name = name }
}
