import Foundation
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage

/// Copies a ledger from a SQLite file into PostgreSQL, while a server goes on writing the file.
///
/// Rows are copied first, table after table, into tables without indices; then those that came or
/// changed meanwhile, until few do. As the file is at one instant in between, every row and
/// everything that follows from the facts is compared in both places, while requests are answered.
/// Then the file is locked: what is left is copied, tables are counted, and the file is marked so
/// that nobody writes it any more. Requests that come in between are answered "try again", never
/// with success.
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
    /// How many rows were compared.
    var rowsCompared: Int64 = 0
    /// How many purchases were looked up in both places.
    var purchasesCompared = 0
    /// How many lines of state were compared.
    var linesCompared = 0
    /// How long each part took, in the order in which they began.
    var seconds: [(part: String, seconds: TimeInterval)] = []
  }

  /// How far it is, for whoever watches.
  enum Step {
    /// How many rows there are before the first is copied.
    case found(rows: Int64)
    /// So many more were copied.
    case copied(rows: Int)
  }

  let source: SQLiteArchive
  let target: PostgresArchive
  private let now: @Sendable () -> Date
  let progress: (Step) -> Void
  /// The number of the last row that was copied, by table.
  var ends: [String: Int64] = [:]
  /// What was seen of the rows that were copied, by table.
  var blocks: [String: RowBlocks] = [:]
  /// How many purchases were erased when that was looked at last.
  var erased: Int64 = 0
  var report = Report()

  private init(
    from path: String,
    to address: String,
    now: @escaping @Sendable () -> Date,
    progress: @escaping (Step) -> Void
  ) throws(StorageError) {
    self.progress = progress
    source = try SQLiteArchive(path: path)
    target = try PostgresArchive(address)
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
    var move = try LedgerMove(from: path, to: address, now: now, progress: progress)
    try move.timed("copy") { move throws(StorageError) in
      try move.begin()
      // Each table at an instant of its own: what the server writes meanwhile soon finds a
      // place in the file again. The rounds copy it.
      for table in LedgerTable.all {
        try move.atOneInstant { move throws(StorageError) in try move.fill(table) }
      }
    }
    try move.timed("index") { move throws(StorageError) in try move.makeIndices() }
    try move.timed("rounds") { move throws(StorageError) in try move.copyWhileServing() }
    // As it is at one instant, while the server goes on.
    try move.atOneInstant { move throws(StorageError) in
      try move.timed("changes") { move throws(StorageError) in try move.copyEverythingNew() }
      try move.timed("compare") { move throws(StorageError) in try move.compareRows() }
      try move.timed("state") { move throws(StorageError) in try move.compareState() }
    }
    try move.timed("rounds") { move throws(StorageError) in
      try move.copyWhileServing()
      try move.atOneInstant { move throws(StorageError) in try move.copyEverythingNew() }
    }
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
    var move = try LedgerMove(from: path, to: address, now: now, progress: progress)
    try move.locked { move throws(StorageError) in
      try move.begin()
      for table in LedgerTable.all { try move.fill(table) }
      try move.makeIndices()
      try move.compareRows()
      try move.compareState()
      try move.finish()
    }
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

  /// Runs `body` and notes how long it took.
  private mutating func timed(
    _ part: String,
    _ body: (inout LedgerMove) throws(StorageError) -> Void
  ) throws(StorageError) {
    let start = now()
    try body(&self)
    let seconds = now().timeIntervalSince(start)
    if let place = report.seconds.firstIndex(where: { $0.part == part }) {
      report.seconds[place].seconds += seconds
    } else {
      report.seconds.append((part, seconds))
    }
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

  /// Makes the copy a ledger, and counts.
  private mutating func finish() throws(StorageError) {
    let counts = try target.finishCopy(lastDocumentPlace: source.lastDocumentPlace()) {
      counts throws(StorageError) in
      for (table, found) in zip(LedgerTable.all, counts.map(\.count)) {
        let wanted = try source.count(table)
        guard wanted == found else {
          throw StorageError(.corrupt, "\(table.name): \(wanted) rows here, \(found) there")
        }
      }
    }
    report.rows = counts
  }
}
