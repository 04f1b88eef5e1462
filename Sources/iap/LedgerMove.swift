import Foundation
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage

/// Copies a ledger from a SQLite file into PostgreSQL, while a server goes on writing the file.
///
/// Rows are copied first, then again those that came or changed meanwhile, until few do. As the
/// file is at one instant in between, every row and everything that follows from the facts is
/// compared in both places, while requests are answered. Then the file is locked: what is left is
/// copied, tables are counted, and the file is marked so that nobody writes it any more. Requests
/// that come in between are answered "try again", never with success.
struct LedgerMove {
  /// With at most so many rows since the last round, the file is locked.
  private static let rowsBeforeLockMax = 2_000
  /// After so many rounds it is locked in any case.
  private static let roundsMax = 20

  /// What was done.
  struct Report: Sendable {
    /// How many rows each table has.
    var rows: [(table: String, count: Int64)] = []
    /// How often what had come meanwhile was copied.
    var rounds = 0
    /// How long nobody could write.
    var lockedSeconds: TimeInterval = 0
    /// How many rows were compared one by one.
    var rowsCompared: Int64 = 0
    /// How many lines of state were compared.
    var linesCompared = 0
  }

  /// How far it is, for whoever watches.
  enum Step {
    /// How many rows there are before the first is copied.
    case found(rows: Int64)
    /// So many more were copied.
    case copied(rows: Int)
  }

  private let source: SQLiteArchive
  private let target: PostgresArchive
  private let now: @Sendable () -> Date
  private let progress: (Step) -> Void
  /// The number of the last row that was copied, by table.
  private var ends: [String: Int64] = [:]
  private var copied: [String: CopiedRows] = [:]
  /// How many purchases were erased when that was looked at last.
  private var erased: Int64?
  private var report = Report()

  private init(
    _ source: SQLiteArchive,
    _ target: PostgresArchive,
    now: @escaping @Sendable () -> Date,
    progress: @escaping (Step) -> Void
  ) {
    self.progress = progress
    self.source = source
    self.target = target
    self.now = now
  }

  /// Moves a ledger.
  ///
  /// - Parameters:
  ///   - path: The SQLite file.
  ///   - address: The PostgreSQL database, which holds no ledger.
  ///   - now: The wall clock.
  ///   - progress: Is told how far it is.
  /// - Returns: What was done.
  /// - Throws: ``StorageError``; the file goes on as the ledger then.
  static func move(
    from path: String,
    to address: String,
    now: @escaping @Sendable () -> Date,
    progress: @escaping (Step) -> Void = { _ in }
  ) throws(StorageError) -> Report {
    var move = try LedgerMove(
      SQLiteArchive(path: path),
      PostgresArchive(address),
      now: now,
      progress: progress
    )
    try move.target.beginCopy()
    try move.copyWhileServing()
    // As it is at one instant, while the server goes on.
    try move.atOneInstant { move throws(StorageError) in
      try move.copyEverythingNew()
      try move.compareRows()
      try move.compare()
    }
    try move.copyWhileServing()
    try move.atOneInstant { move throws(StorageError) in try move.copyEverythingNew() }
    try move.locked { move throws(StorageError) in
      try move.copyEverythingNew()
      try move.finish()
      try move.source.markMoved()
    }
    return move.report
  }

  /// Copies a file that nobody writes, and leaves it as it is.
  ///
  /// - Throws: ``StorageError``.
  static func restore(
    from path: String,
    to address: String,
    now: @escaping @Sendable () -> Date,
    progress: @escaping (Step) -> Void = { _ in }
  ) throws(StorageError) -> Report {
    var move = try LedgerMove(
      SQLiteArchive(path: path),
      PostgresArchive(address),
      now: now,
      progress: progress
    )
    try move.target.beginCopy()
    try move.locked { move throws(StorageError) in
      try move.copyEverythingNew()
      try move.finish()
    }
    try move.compareRows()
    try move.compare()
    return move.report
  }

  private mutating func copyWhileServing() throws(StorageError) {
    var copied = 0
    let first = report.rounds
    repeat {
      try atOneInstant { move throws(StorageError) in copied = try move.copyNews() }
      report.rounds += 1
    } while copied > Self.rowsBeforeLockMax && report.rounds - first < Self.roundsMax
  }

  /// Runs `body` so that the file is seen as it is now, whatever the server writes.
  private mutating func atOneInstant(
    _ body: (inout LedgerMove) throws(StorageError) -> Void
  ) throws(StorageError) {
    try source.begin(locking: false)
    do throws(StorageError) { try body(&self) } catch {
      source.undo()
      throw error
    }
    try source.end()
  }

  /// Runs `body` while nobody can write the file; what it does to the file is undone when it fails.
  private mutating func locked(
    _ body: (inout LedgerMove) throws(StorageError) -> Void
  ) throws(StorageError) {
    try source.begin(locking: true)
    let start = now()
    do throws(StorageError) { try body(&self) } catch {
      source.undo()
      throw error
    }
    try source.end()
    report.lockedSeconds = now().timeIntervalSince(start)
  }

  /// Copies the rows that were added since the last time; returns how many.
  private mutating func copyNews() throws(StorageError) -> Int {
    if erased == nil {
      erased = try source.erasedCount()
      var found: Int64 = 0
      for table in LedgerTable.all {
        found += try source.count(table)
        copied[table.name] = CopiedRows(table)
      }
      progress(.found(rows: found))
    }
    var count = 0
    for table in LedgerTable.all where table.growth != .replaced {
      ends[table.name] = try copy(table, after: ends[table.name] ?? 0, &count)
    }
    return count
  }

  /// Copies rows of a table behind a number, as far as they are not copied as they are; returns the
  /// number of the last.
  private mutating func copy(
    _ table: LedgerTable,
    after last: Int64 = 0,
    _ count: inout Int
  ) throws(StorageError) -> Int64 {
    guard var rows = copied.removeValue(forKey: table.name) else { return last }
    defer { copied[table.name] = rows }
    let (target, progress) = (target, progress)
    return try source.visit(table, after: last) { found throws(StorageError) in
      let fresh = rows.take(found, of: table)
      try target.write(fresh, to: table)
      count += fresh.count
      progress(.copied(rows: fresh.count))
    }
  }

  /// Copies what was added, changed or removed since the last time.
  private mutating func copyEverythingNew() throws(StorageError) {
    var count = try copyNews()
    for table in LedgerTable.all {
      switch table.growth {
      case .added: continue
      case .changed, .replaced: break
      }
      copied[table.name]?.beginLook()
      _ = try copy(table, &count)
      if copied[table.name]?.hasGone == true { try removeGone(from: table) }
    }
    try copyErased()
  }

  /// Removes what is in the file no more.
  private mutating func removeGone(from table: LedgerTable) throws(StorageError) {
    guard var rows = copied.removeValue(forKey: table.name) else { return }
    defer { copied[table.name] = rows }
    var gone: LedgerRows = []
    try target.beginReading()
    do throws(StorageError) {
      try target.visitKeys(of: table) { keys throws(StorageError) in gone += rows.takeGone(keys) }
      try target.end()
    } catch {
      target.undo()
      throw error
    }
    try target.remove(gone, from: table)
  }

  /// Copies what is left of purchases whose customer was erased meanwhile.
  private mutating func copyErased() throws(StorageError) {
    let now = try source.erasedCount()
    guard now != erased, let facts = LedgerTable.named("facts"),
      let items = LedgerTable.named("items")
    else { return }
    erased = now
    var (allFacts, allItems) = (CopiedRows(facts), CopiedRows(items))
    let target = target
    _ = try source.visit(facts) { rows throws(StorageError) in
      try target.write(allFacts.take(rows, of: facts), to: facts)
    }
    try target.removeErasedItems()
    try source.visitErasedItems { rows throws(StorageError) in try target.write(rows, to: items) }
    _ = try source.visit(items) { rows throws(StorageError) in
      _ = allItems.take(rows, of: items)
    }
    copied[facts.name] = allFacts
    copied[items.name] = allItems
  }

  /// Makes the copy a ledger, and counts.
  private mutating func finish() throws(StorageError) {
    try target.finishCopy(lastDocumentPlace: source.lastDocumentPlace())
    for table in LedgerTable.all {
      let (wanted, found) = (try source.count(table), try target.count(table))
      guard wanted == found else {
        throw StorageError(.corrupt, "\(table.name): \(wanted) rows here, \(found) there")
      }
      report.rows.append((table.name, wanted))
    }
  }

  /// Compares every row with what was copied.
  private mutating func compareRows() throws(StorageError) {
    try target.beginReading()
    do throws(StorageError) {
      for table in LedgerTable.all {
        var found = CopiedRows(table, isForSum: true)
        try target.visit(table) { rows throws(StorageError) in _ = found.take(rows, of: table) }
        guard copied[table.name]?.isSame(as: found) == true else {
          throw StorageError(.corrupt, "\(table.name): rows are not the same in both places")
        }
        report.rowsCompared += found.count
      }
      try target.end()
    } catch {
      target.undo()
      throw error
    }
  }

  /// Compares everything that follows from the facts.
  private mutating func compare() throws(StorageError) {
    let here = try source.read { reader throws(StorageError) in
      try LedgerDigest(reader, try Self.scopes(source))
    }
    let there = try target.read { reader throws(StorageError) in
      try LedgerDigest(reader, try Self.scopes(source))
    }
    guard here == there else {
      throw StorageError(.corrupt, "the state is not the same in both places")
    }
    report.linesCompared = here.lines
  }

  static func scopes(_ source: SQLiteArchive) throws(StorageError) -> [LedgerScope] {
    guard let table = LedgerTable.named("scopes") else { return [] }
    var scopes: [LedgerScope] = []
    _ = try source.visit(table) { rows throws(StorageError) in
      for row in rows {
        guard case .text(let app?) = row[1], case .text(let environment?) = row[2] else { continue }
        scopes.append(
          LedgerScope(
            app: BundleID(app),
            environment: StoreEnvironment(rawValue: environment)
          )
        )
      }
    }
    return scopes
  }
}

/// How many lines a dump has, and a number that two different dumps hardly share.
struct LedgerDigest: Hashable {
  private(set) var lines = 0
  private var sum: UInt64 = 0xcbf2_9ce4_8422_2325

  init(_ reader: any LedgerReading, _ scopes: [LedgerScope]) throws(StorageError) {
    var lines = 0
    var sum = self.sum
    try LedgerDump.visit(reader, scopes: scopes) { line in
      lines += 1
      for byte in line.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      sum = (sum ^ 0xFF) &* 0x100_0000_01b3
    }
    self.lines = lines
    self.sum = sum
  }
}
