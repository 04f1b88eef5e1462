package import Foundation
package import IAPEntitlements
internal import IAPModel
internal import SQLiteAdapter
package import ServerStorage

/// Makes a file that holds a ledger as it was at an instant, out of a file that goes on behind it.
///
/// Facts that came up to the instant are taken as they are; everything that follows from them is
/// computed again from their bytes. Of what is no fact, each table and each kind of document has a
/// rule (``PastRule``).
package final class SQLitePast {
  /// What was done.
  package struct Report: Hashable, Sendable {
    /// How many facts the new ledger holds.
    package fileprivate(set) var facts: Int64 = 0
    /// How many facts came later.
    package fileprivate(set) var factsLeft: Int64 = 0
    /// How many purchases and subscriptions it holds.
    package fileprivate(set) var subjects: Int64 = 0
    /// How many grants, clawbacks and regrants took effect.
    package fileprivate(set) var entries: Int64 = 0
    /// How many of them the ledger had not recorded that it was made from.
    package fileprivate(set) var entriesUnrecorded: Int64 = 0
    /// How many orders came later.
    package fileprivate(set) var ordersLeft: Int64 = 0
    /// How many documents are not taken over.
    package fileprivate(set) var documentsLeft: Int64 = 0
    /// When the newest fact came that it holds.
    package fileprivate(set) var lastFact: Date?
  }

  /// How many facts lie between two looks at how far it is.
  private static let factsPerStep = 500
  private static let subjectsPerPage = 500

  let connection: SQLiteConnection
  var tables: SQLiteTables
  let until: Date
  private let read: (StoredFact) throws(StorageError) -> [StoreFact]
  private var headers: [Int64: [UInt8]] = [:]
  private var report = Report()

  var untilMilliseconds: Int64 { until.milliseconds }

  private init(
    _ source: String,
    _ path: String,
    _ until: Date,
    _ read: @escaping (StoredFact) throws(StorageError) -> [StoreFact]
  ) throws(StorageError) {
    connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeoutMilliseconds: 30_000)
    tables = SQLiteTables(connection)
    self.until = until
    self.read = read
    try connection.run("ATTACH DATABASE ? AS source", .text(source))
  }

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - source: The ledger's file; it is not changed, and may be written meanwhile.
  ///   - path: The new file, which is not there.
  ///   - until: The instant; what came in its millisecond is part of it.
  ///   - now: When this is done, for the note about it.
  ///   - read: Says what a fact says.
  ///   - progress: Is told how many facts were read, and how many there are to read.
  /// - Returns: What was done.
  /// - Throws: ``StorageError``.
  package static func make(
    from source: String,
    at path: String,
    until: Date,
    now: Date,
    reading read: @escaping (StoredFact) throws(StorageError) -> [StoreFact],
    progress: (_ facts: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws(StorageError) -> Report {
    _ = try SQLiteArchive(path: source)
    // Makes the file and its tables; nothing waits in it, so letting go of it needs no waiting.
    _ = try SQLiteLedger(path: path)
    let past = try SQLitePast(source, path, until, read)
    try past.connection.execute("BEGIN IMMEDIATE")
    do throws(StorageError) {
      try past.copyFacts()
      try past.readFacts(progress)
      try past.takeConcealed()
      try past.copyPeople()
      try past.foldPurchases()
      try past.copyDocuments()
      try past.copyLogs(now)
      try past.count()
      try past.connection.execute("COMMIT")
      try past.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      if past.connection.isInTransaction { try? past.connection.execute("ROLLBACK") }
      throw error
    }
    return past.report
  }

  /// When the first and the last fact of a file came; nil when it holds none.
  package static func span(of path: String) throws(StorageError) -> ClosedRange<Date>? {
    try SQLiteArchive(path: path).factSpan()
  }

  private func copyFacts() throws(StorageError) {
    for columns in ["scopes (id, app, environment)", "headers (id, bytes)"] {
      let (table, list) = Self.parts(columns)
      try connection.execute(
        "INSERT INTO main.\(columns) SELECT \(list) FROM source.\(table) ORDER BY id"
      )
    }
    let columns = "scope, key, signed_ms, received_ms, bytes"
    try connection.execute(
      """
      INSERT INTO main.facts (\(columns)) SELECT \(columns) FROM source.facts
      WHERE received_ms <= \(untilMilliseconds) ORDER BY id
      """
    )
    for (number, bytes) in try connection.rows(
      "SELECT id, bytes FROM main.headers",
      map: { ($0.integer(0), $0.blob(1)) }
    ) {
      headers[number] = bytes
    }
  }

  /// `table (columns)` in its two parts.
  private static func parts(_ text: String) -> (table: String, columns: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    return (words[0], String(words[1].dropFirst().dropLast()))
  }

  /// Reads the facts of one of the two files, in the order in which they came, without tombstones.
  func visitFacts(
    _ condition: String,
    _ take: (StoredFact, [StoreFact]) throws(StorageError) -> Void
  ) throws(StorageError) {
    try connection.visit(
      """
      SELECT f.key, f.signed_ms, f.received_ms, f.bytes, c.app, c.environment
      FROM \(condition)
      """
    ) { row throws(StorageError) in
      let bytes = try PackedFact.unpack(row.blob(3)) { number throws(StorageError) in
        guard let header = headers[number] else {
          throw StorageError(.corrupt, "a fact names a header that is missing")
        }
        return header
      }
      let fact = StoredFact(
        key: FactKey(stored: row.text(0)),
        scope: LedgerScope(
          app: BundleID(row.text(4)),
          environment: StoreEnvironment(rawValue: row.text(5))
        ),
        bytes: bytes,
        signedDate: row.optionalDate(1),
        receivedDate: row.date(2)
      )
      try take(fact, fact.isTombstone ? [] : try read(fact))
    }
  }

  private func readFacts(_ progress: (Int64, Int64) -> Void) throws(StorageError) {
    let total = try connection.row("SELECT count(*) FROM main.facts") { $0.integer(0) } ?? 0
    var count: Int64 = 0
    try visitFacts("main.facts f JOIN main.scopes c ON c.id = f.scope ORDER BY f.id") {
      fact,
      parts throws(StorageError) in
      for part in parts {
        guard let original = part.originalTransactionID else { continue }
        try take(StoredItem(part), of: LedgerSubject(scope: fact.scope, original: original))
      }
      count += 1
      report.lastFact = max(report.lastFact ?? fact.receivedDate, fact.receivedDate)
      if count % Int64(Self.factsPerStep) == 0 { progress(count, total) }
    }
  }

  /// Stores an item unless it is stored.
  func take(_ item: StoredItem, of subject: LedgerSubject) throws(StorageError) {
    let known = try connection.row(
      "SELECT 1 FROM main.items WHERE subject = ? AND kind = ? AND body = ?",
      .integer(try tables.number(of: subject)),
      .integer(item.kind.rawValue),
      .blob(item.body)
    ) { _ in true }
    if known == nil { try tables.insertItems([item], of: subject) }
  }

  private func foldPurchases() throws(StorageError) {
    var last: Int64 = 0
    var page: [(number: Int64, subject: LedgerSubject, source: Int64?, isOwned: Bool)]
    repeat {
      page = try connection.rows(
        """
        SELECT n.id, n.original, c.app, c.environment, s.id,
          s.owner IS NOT NULL AND n.owner IS NULL AND n.erased_ms IS NULL
        FROM main.subjects n JOIN main.scopes c ON c.id = n.scope
        LEFT JOIN source.subjects s ON s.scope = n.scope AND s.original = n.original
        WHERE n.id > ? ORDER BY n.id LIMIT \(Self.subjectsPerPage)
        """,
        .integer(last)
      ) { row in
        let scope = LedgerScope(
          app: BundleID(row.text(2)),
          environment: StoreEnvironment(rawValue: row.text(3))
        )
        return (
          row.integer(0), LedgerSubject(scope: scope, original: OriginalTransactionID(row.text(1))),
          row.optionalInteger(4), row.integer(5) == 1
        )
      }
      for found in page {
        try fold(found.subject, recorded: found.source, isOwned: found.isOwned)
        last = found.number
      }
    } while page.count == Self.subjectsPerPage
  }

  private func fold(
    _ subject: LedgerSubject,
    recorded source: Int64?,
    isOwned: Bool
  ) throws(StorageError) {
    var recorded: [GrantRecord] = []
    if let source {
      recorded = try connection.rows(
        """
        SELECT unit, kind, ordinal, product, quantity, date_ms, recorded_ms, credit
        FROM source.entries WHERE subject = ? ORDER BY id
        """,
        .integer(source)
      ) { row throws(StorageError) in try SQLiteTables.entry(row, of: subject) }
    }
    let projection = PurchaseProjection(
      of: subject,
      facts: try tables.facts(of: subject),
      recorded: recorded,
      at: until
    )
    try tables.project(projection.rows, of: subject)
    for entry in projection.entries { try tables.insertEntry(entry) }
    report.entriesUnrecorded += Int64(projection.unrecorded)
    for token in projection.tokens {
      try tables.insertToken(token, of: subject)
      // It had an owner later: the one whom an order or a token of the time names had it already.
      guard isOwned, try tables.owner(of: subject) == nil,
        let customer = try self.customer(named: token, app: subject.scope.app)
      else { continue }
      let owner = OwnerRecord(customer: customer, ground: .accountToken, date: until)
      try tables.setOwner(owner, of: subject)
    }
  }

  private func customer(
    named token: AppAccountToken,
    app: BundleID
  ) throws(StorageError) -> CustomerID? {
    if let customer = try tables.order(OrderNumber(token.rawValue), app: app)?.customer {
      return customer
    }
    return try tables.customer(of: token, app: app)
  }

  private func count() throws(StorageError) {
    func number(_ sql: String) throws(StorageError) -> Int64 {
      try connection.row(sql) { $0.integer(0) } ?? 0
    }
    func left(_ table: String) throws(StorageError) -> Int64 {
      try number(
        "SELECT (SELECT count(*) FROM source.\(table)) - (SELECT count(*) FROM main.\(table))"
      )
    }
    report.facts = try number("SELECT count(*) FROM main.facts")
    report.factsLeft = try left("facts")
    report.subjects = try number("SELECT count(*) FROM main.subjects")
    report.entries = try number("SELECT count(*) FROM main.entries")
    report.ordersLeft = try left("orders")
    report.documentsLeft = try left("documents")
  }
}
