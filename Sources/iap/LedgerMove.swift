import Foundation
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage

/// Copies a ledger from a SQLite file into PostgreSQL, while a server goes on writing the file.
///
/// Rows that are only added are copied first, then again those that came meanwhile, until few do.
/// Then the file is locked: what is left and every row that may have changed is copied, tables are
/// counted, and the file is marked so that nobody writes it any more. Requests that come in between
/// are answered "try again", never with success.
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
  private var ends: [String: Int64] = [:]
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
    try move.copyWhileServing()
    try move.switchOver()
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
    try move.locked { move throws(StorageError) in try move.copyRest(wasErasing: false) }
    try move.compare()
    return move.report
  }

  private mutating func copyWhileServing() throws(StorageError) {
    try target.beginCopy()
    var copied = 0
    repeat {
      try source.begin(locking: false)
      do throws(StorageError) { copied = try copyNews() } catch {
        source.undo()
        throw error
      }
      try source.end()
      report.rounds += 1
    } while copied > Self.rowsBeforeLockMax && report.rounds < Self.roundsMax
  }

  private mutating func switchOver() throws(StorageError) {
    let erased = erasedAtStart
    try locked { move throws(StorageError) in
      let isErasing = try move.source.erasedCount() != erased
      try move.copyRest(wasErasing: isErasing)
      try move.source.markMoved()
    }
    do throws(StorageError) { try compare() } catch {
      try source.unmarkMoved()
      throw error
    }
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

  private var erasedAtStart: Int64 { ends["erased"] ?? 0 }

  /// Copies the rows that were added since the last time; returns how many.
  private mutating func copyNews() throws(StorageError) -> Int {
    if ends["erased"] == nil {
      ends["erased"] = try source.erasedCount()
      var found: Int64 = 0
      for table in LedgerTable.all { found += try source.count(table) }
      progress(.found(rows: found))
    }
    var count = 0
    for table in LedgerTable.all where table.growth != .replaced {
      let (target, progress) = (target, progress)
      ends[table.name] = try source.visit(table, after: ends[table.name] ?? 0) {
        rows throws(StorageError) in
        try target.write(rows, to: table)
        count += rows.count
        progress(.copied(rows: rows.count))
      }
    }
    return count
  }

  /// Copies what is left, and every row that may have changed.
  private mutating func copyRest(wasErasing: Bool) throws(StorageError) {
    _ = try copyNews()
    let target = target
    for table in LedgerTable.all {
      switch table.growth {
      case .added where !(wasErasing && table.name == "facts"): continue
      case .replaced: try target.empty(table)
      case .added, .changed: break
      }
      _ = try source.visit(table) { rows throws(StorageError) in
        try target.write(rows, to: table)
      }
    }
    if wasErasing, let items = LedgerTable.named("items") {
      try target.removeErasedItems()
      try source.visitErasedItems { rows throws(StorageError) in try target.write(rows, to: items) }
    }
    try target.finishCopy(lastDocumentPlace: source.lastDocumentPlace())
    for table in LedgerTable.all {
      let (wanted, found) = (try source.count(table), try target.count(table))
      guard wanted == found else {
        throw StorageError(.corrupt, "\(table.name): \(wanted) rows here, \(found) there")
      }
      report.rows.append((table.name, wanted))
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
