internal import Dispatch
internal import Foundation
internal import SQLiteAdapter
public import ServerStorage
internal import Synchronization

/// A ledger in one SQLite file.
///
/// One connection writes, in transactions that gather what waits; several read, each from a
/// snapshot. The file is in write-ahead mode and every commit is flushed to the disk before it is
/// answered. A file of a newer version is refused and left as it is.
public final class SQLiteLedger: Ledger {
  /// How many headers the writer remembers the number of.
  static let cachedHeadersMax = 64

  /// How a ledger is opened.
  public struct Options: Hashable, Sendable {
    /// How much is taken.
    public var limits = LedgerLimits()
    /// How many reads run at once.
    public var readersMax = 2
    /// From which duration on a statement is told about as slow, in milliseconds.
    public var slowMillisecondsMin = Int.max
    /// How long a connection waits for another process's lock.
    public var busyTimeoutMilliseconds: Int32 = 5_000
    /// The most pages that the file may have, for tests of a full disk; nil for no limit.
    package var pageCountMax: Int?

    /// Makes the options that the server uses.
    public init() {}
  }

  private let limits: LedgerLimits
  let path: String
  let busyTimeoutMilliseconds: Int32
  /// Where the logs are looked after, for statements block.
  let upkeep = DispatchQueue(label: "iap.ledger.upkeep")
  private let writing: SQLiteWriting
  private let writer: LedgerWriter
  private let readers: LedgerReaders<SQLiteReader>
  private let changes: SQLiteChanges

  /// Opens a ledger, making the file when it does not exist; blocks while it does so.
  ///
  /// - Parameters:
  ///   - path: The file. Its directory must exist; two files with the same name and `-wal` and
  ///     `-shm` behind it lie beside it.
  ///   - options: How to open it.
  ///   - notice: Takes what happens to the database beside answers; on any thread.
  /// - Throws: ``StorageError``: `newerSchema`, `corrupt`, `readOnly`, `full`, `unavailable`.
  public init(
    path: String,
    options: Options = Options(),
    notice: @escaping @Sendable (LedgerNotice) -> Void = { _ in }
  ) throws(StorageError) {
    try Self.checkExisting(path, options: options)
    let slow: SQLiteConnection.Slow? =
      options.slowMillisecondsMin == .max ? nil : (options.slowMillisecondsMin, notice)
    limits = options.limits
    self.path = path
    busyTimeoutMilliseconds = options.busyTimeoutMilliseconds
    writing = SQLiteWriting(try Self.openWriter(path, options: options, slow))
    readers = LedgerReaders(
      try Self.openReaders(path, options: options, slow),
      waitingMax: options.limits.waitingReadsMax
    )
    changes = SQLiteChanges(
      try SQLiteConnection(path: path, mode: .readOnly, busyTimeoutMilliseconds: 0)
    )
    let writing = self.writing
    writer = LedgerWriter(label: "iap.ledger.writer", limits: options.limits) { writes in
      writing.commit(writes)
    }
  }

  /// Looks at an existing file without being able to change it.
  private static func checkExisting(_ path: String, options: Options) throws(StorageError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    let connection = try SQLiteConnection(
      path: path,
      mode: .readOnly,
      busyTimeoutMilliseconds: options.busyTimeoutMilliseconds
    )
    let version: Int
    do throws(StorageError) { version = try SQLiteSchema.version(of: connection) } catch {
      // The files beside it cannot be made: the disk is what must not be written.
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      guard error.code == .unavailable, !FileManager.default.isWritableFile(atPath: folder) else {
        throw error
      }
      throw StorageError(.readOnly, "the folder of the file may not be written")
    }
    _ = try Migration.missing(from: SQLiteSchema.migrations, current: version)
  }

  private static func openWriter(
    _ path: String,
    options: Options,
    _ slow: SQLiteConnection.Slow?
  ) throws(StorageError) -> SQLiteConnection {
    if !FileManager.default.fileExists(atPath: path) {
      // Readable by the server alone; the files beside it inherit that.
      _ = FileManager.default.createFile(
        atPath: path,
        contents: nil,
        attributes: [.posixPermissions: 0o600]
      )
    }
    let connection = try SQLiteConnection(
      path: path,
      mode: .readWrite,
      busyTimeoutMilliseconds: options.busyTimeoutMilliseconds,
      slow: slow
    )
    let mode = try connection.row("PRAGMA journal_mode = WAL") { $0.text(0) }
    guard mode == "wal" else {
      throw StorageError(.unavailable, "the disk does not allow a write-ahead log")
    }
    try connection.execute("PRAGMA synchronous = FULL")
    try connection.execute("PRAGMA foreign_keys = ON")
    try connection.execute("PRAGMA cache_size = -16000")
    try connection.execute("PRAGMA temp_store = MEMORY")
    // What was erased must not be readable in the file's free pages.
    try connection.execute("PRAGMA secure_delete = ON")
    if let pages = options.pageCountMax {
      try connection.execute("PRAGMA max_page_count = \(pages)")
    }
    try SQLiteSchema.migrate(connection)
    return connection
  }

  private static func openReaders(
    _ path: String,
    options: Options,
    _ slow: SQLiteConnection.Slow?
  ) throws(StorageError) -> [SQLiteReader] {
    precondition(options.readersMax >= 1, "a ledger is read by at least one connection")
    var readers: [SQLiteReader] = []
    for index in 1...options.readersMax {
      let connection = try SQLiteConnection(
        path: path,
        mode: .readOnly,
        busyTimeoutMilliseconds: options.busyTimeoutMilliseconds,
        slow: slow
      )
      readers.append(SQLiteReader(connection, label: "iap.ledger.reader.\(index)"))
    }
    return readers
  }

  /// Records a write, all of it or nothing, and returns after it was flushed.
  public func commit(_ write: LedgerWrite) async throws(StorageError) -> WriteOutcome {
    try await writer.submit(PreparedWrite(write, limits: limits, isPacking: true))
  }

  /// Looks things up in one snapshot.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    try await readers.read(body)
  }

  /// How busy its connections are.
  public var load: LedgerLoad {
    let reading = readers.load
    return LedgerLoad(
      readers: reading.readers,
      busyReaders: reading.busy,
      waitingReads: reading.waiting,
      waitingWrites: writer.waitingCount
    )
  }

  /// The file's own count of commits, whichever process made them.
  public func stamp() -> LedgerStamp? { changes.stamp() }

  /// Commits what waits and lets go of the file.
  public func close() async {
    await writer.close()
    await readers.close()
    changes.close()
    writing.close()
  }

  /// Changes the most pages that the file may have: space returns to a full disk.
  package func setPageCountMax(_ pages: Int) throws(StorageError) {
    try writing.setPageCountMax(pages)
  }

  /// What the writing connection says about one of its settings.
  package func pragma(_ name: StaticString) throws(StorageError) -> String? {
    try writing.pragma(name)
  }
}

/// The writing connection, used by the writer's thread alone.
final class SQLiteWriting: Sendable {
  private let tables: Mutex<SQLiteTables?>

  init(_ connection: sending SQLiteConnection) {
    tables = Mutex(SQLiteTables(connection))
  }

  func close() { tables.withLock { $0 = nil } }

  func setPageCountMax(_ pages: Int) throws(StorageError) {
    try tables.withLock { tables throws(StorageError) in
      try tables?.connection.execute("PRAGMA max_page_count = \(pages)")
    }
  }

  func pragma(_ name: StaticString) throws(StorageError) -> String? {
    try tables.withLock { tables throws(StorageError) in
      try tables?.connection.row("PRAGMA \(name)") { $0.text(0) }
    }
  }

  /// Commits a batch in one transaction.
  func commit(_ writes: [PreparedWrite]) -> [Result<WriteOutcome, StorageError>] {
    tables.withLock { state in
      guard var tables = state else {
        return writes.map { _ in .failure(StorageError(.closed, "the ledger is closed")) }
      }
      defer { state = tables }
      return tables.commit(writes)
    }
  }
}

extension SQLiteTables {
  /// Commits a batch in one flush.
  ///
  /// Hardly ever does a write fail, and a savepoint for each copies every page that it touches. So
  /// they are first worked in without; when one fails, everything is undone and begun again with
  /// savepoints, in which the others stand.
  fileprivate mutating func commit(
    _ writes: [PreparedWrite]
  ) -> [Result<WriteOutcome, StorageError>] {
    let together = commit { tables throws(StorageError) in
      var results: [Result<WriteOutcome, StorageError>] = []
      for write in writes { results.append(.success(try LedgerEngine.apply(write, to: &tables))) }
      return results
    }
    switch together {
    case .success(let results): return results
    case .failure(let error):
      // One alone would fail again; a lock was waited for long enough.
      guard writes.count > 1, error.code != .busy else {
        return writes.map { _ in .failure(error) }
      }
    }
    let apart = commit { tables throws(StorageError) in
      var results: [Result<WriteOutcome, StorageError>] = []
      for write in writes { results.append(try tables.apply(write)) }
      return results
    }
    switch apart {
    case .success(let results): return results
    case .failure(let error): return writes.map { _ in .failure(error) }
    }
  }

  /// Does something in one transaction, or nothing.
  private mutating func commit<Value>(
    _ body: (inout SQLiteTables) throws(StorageError) -> Value
  ) -> Result<Value, StorageError> {
    do throws(StorageError) {
      try connection.run("BEGIN IMMEDIATE")
      beginWriting()
      defer { endWriting() }
      let value = try body(&self)
      try writeWaitingDocuments()
      try connection.run("COMMIT")
      return .success(value)
    } catch {
      forgetNumbers()
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      return .failure(error)
    }
  }

  /// Works one write in, or undoes it alone.
  ///
  /// - Throws: ``StorageError`` when the whole transaction is lost.
  private mutating func apply(
    _ write: PreparedWrite
  ) throws(StorageError) -> Result<WriteOutcome, StorageError> {
    try connection.run("SAVEPOINT item")
    do throws(StorageError) {
      let outcome = try LedgerEngine.apply(write, to: &self)
      try writeWaitingDocuments()
      try connection.run("RELEASE item")
      return .success(outcome)
    } catch {
      forgetNumbers()
      // SQLite itself undoes everything after some errors: then no write of the batch stands.
      guard connection.isInTransaction else { throw error }
      try connection.run("ROLLBACK TO item")
      try connection.run("RELEASE item")
      return .failure(error)
    }
  }
}
