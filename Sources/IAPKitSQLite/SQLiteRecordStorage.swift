public import Foundation
public import IAPKit
internal import SQLiteAdapter

/// Records in a SQLite database: another place for the client's orders and transactions than the
/// journal.
///
/// Every write is one transaction that was flushed when the call returns. While it is open no other
/// connection, in this process or another, can open the file. A file of a newer version is left
/// untouched.
///
/// ```swift
/// configuration.storage = SQLiteRecordStorage(file: folder.appendingPathComponent("iap.sqlite"))
/// ```
public final class SQLiteRecordStorage: RecordStorage {
  /// The version of the tables.
  static let version: Int64 = 1
  /// How long another connection is waited for, in milliseconds: one that closes is soon gone.
  private static let busyMilliseconds: Int32 = 100

  private struct State {
    var database: SQLiteDatabase?
    var isClosed = false
  }

  private let file: URL
  private let state: Locked<State>

  /// Makes a storage; nothing is touched before the first use.
  ///
  /// - Parameter file: The database's file; its folder is made when there is none.
  public init(file: URL) {
    self.file = file
    state = Locked(State())
  }

  /// Opens the database and reads everything.
  ///
  /// - Returns: The records.
  /// - Throws: `IAPError.storage`.
  public func load() throws(IAPError) -> StorageContents {
    try use { (database) throws(SQLiteError) in
      var entries: [StorageEntry] = []
      try database.forEachRow("SELECT kind, id, body FROM records ORDER BY place", []) { row in
        let key = StorageKey(kind: row.text(0), id: row.text(1))
        entries.append(StorageEntry(key, row.blob(2)))
        return true
      }
      return StorageContents(entries: entries)
    }
  }

  /// Writes records, all or none.
  ///
  /// - Parameter entries: What to keep and what to remove.
  /// - Throws: `IAPError.storage`.
  public func write(_ entries: [StorageEntry]) throws(IAPError) {
    for entry in entries { try entry.check() }
    guard !entries.isEmpty else { return }
    try use { (database) throws(SQLiteError) in
      try database.execute("BEGIN")
      do throws(SQLiteError) {
        for entry in entries { try Self.put(entry, database) }
        try database.execute("COMMIT")
      } catch {
        // What failed may have rolled back by itself.
        if database.isInTransaction { try? database.execute("ROLLBACK") }
        throw error
      }
    }
  }

  /// Closes the database.
  public func close() {
    state.withLock { state in
      state.isClosed = true
      state.database = nil
    }
  }

  private static func put(
    _ entry: StorageEntry,
    _ database: SQLiteDatabase
  ) throws(SQLiteError) {
    let (kind, id) = (SQLiteValue.text(entry.key.kind), SQLiteValue.text(entry.key.id))
    guard let body = entry.body else {
      try database.run("DELETE FROM records WHERE kind = ? AND id = ?", [kind, id])
      return
    }
    try database.run(
      """
      INSERT INTO records (kind, id, body) VALUES (?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body
      """,
      [kind, id, .blob(body)]
    )
  }

  private func use<Value>(
    _ body: (SQLiteDatabase) throws(SQLiteError) -> Value
  ) throws(IAPError) -> Value {
    try state.withLock { (state) throws(IAPError) in
      guard !state.isClosed else { throw .storage(.inputOutput) }
      if state.database == nil { state.database = try open() }
      guard let database = state.database else { throw .storage(.inputOutput) }
      return try Self.wording { () throws(SQLiteError) in try body(database) }
    }
  }

  private func open() throws(IAPError) -> SQLiteDatabase {
    try LiveFiles(directory: file.deletingLastPathComponent()).prepare()
    let (database, version) = try Self.wording { () throws(SQLiteError) in
      let database = try SQLiteDatabase(
        path: file.path,
        mode: .readWrite,
        busyTimeoutMilliseconds: Self.busyMilliseconds
      )
      return (database, try Self.version(of: database))
    }
    guard version <= Self.version else { throw .storage(.futureVersion) }
    try Self.wording { () throws(SQLiteError) in try Self.prepare(database) }
    return database
  }

  private static func version(of database: SQLiteDatabase) throws(SQLiteError) -> Int64 {
    var version: Int64 = 0
    try database.forEachRow("PRAGMA user_version", []) { row in
      version = row.integer(0)
      return false
    }
    return version
  }

  private static func prepare(_ database: SQLiteDatabase) throws(SQLiteError) {
    // The lock is taken by the transaction below and held until the file is closed.
    try database.execute("PRAGMA locking_mode = EXCLUSIVE")
    try database.execute("PRAGMA journal_mode = WAL")
    try database.execute("PRAGMA synchronous = FULL")
    // `fsync` leaves the bytes in the drive's cache on Apple's systems; nothing elsewhere.
    try database.execute("PRAGMA fullfsync = 1")
    try database.execute("PRAGMA checkpoint_fullfsync = 1")
    try database.execute(
      """
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS records (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (kind, id)
      );
      PRAGMA user_version = \(version);
      COMMIT;
      """
    )
  }

  /// SQLite's problems in the client's words.
  private static func wording<Value>(
    _ body: () throws(SQLiteError) -> Value
  ) throws(IAPError) -> Value {
    do throws(SQLiteError) {
      return try body()
    } catch {
      switch error.code {
      case .busy: throw .storage(.inUse)
      case .full: throw .storage(.full)
      case .readOnly: throw .storage(.readOnly)
      case .tooLarge: throw .storage(.tooLarge)
      case .corrupt, .unavailable: throw .storage(.inputOutput)
      }
    }
  }
}
