internal import CSQLite
internal import Foundation
internal import IAPModel
internal import ServerStorage

/// A value that is bound to a statement.
enum SQLiteValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  /// An integer, or null.
  static func integer(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
  /// A text, or null.
  static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
  /// A date in milliseconds, or null.
  static func date(_ value: Date?) -> SQLiteValue { .integer(value?.milliseconds) }
}

/// One connection to one database file; used by one thread at a time.
///
/// It is the only place that calls SQLite, and every result code passes through ``check(_:_:)``.
@safe final class SQLiteConnection {
  /// How a file is opened.
  enum Mode {
    /// For reading; the file must exist and is not changed.
    case readOnly
    /// For reading and writing; the file is made when it does not exist.
    case readWrite
  }

  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens a file.
  init(path: String, mode: Mode, busyTimeoutMilliseconds: Int32) throws(StorageError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened = unsafe opened else {
      throw StorageError(.unavailable, "no memory to open a database")
    }
    guard code == SQLITE_OK else {
      let error = unsafe Self.error(code, "open", handle: opened)
      _ = unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
    _ = unsafe sqlite3_busy_timeout(opened, busyTimeoutMilliseconds)
  }

  deinit {
    statements = [:]
    _ = unsafe sqlite3_close_v2(handle)
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// The row that was inserted last.
  var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Runs statements without values, once.
  func execute(_ sql: String) throws(StorageError) {
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil), "execute")
  }

  /// Runs a statement that changes rows.
  ///
  /// - Returns: How many rows were changed.
  @discardableResult
  func run(_ sql: String, _ values: SQLiteValue...) throws(StorageError) -> Int {
    let statement = try prepared(sql)
    defer { statement.reset() }
    try bind(values, to: statement)
    while try step(statement) {}
    return Int(unsafe sqlite3_changes64(handle))
  }

  /// Runs a statement that returns rows.
  func rows<Value>(
    _ sql: String,
    _ values: SQLiteValue...,
    map: (SQLiteStatement) throws(StorageError) -> Value
  ) throws(StorageError) -> [Value] {
    let statement = try prepared(sql)
    defer { statement.reset() }
    try bind(values, to: statement)
    var result: [Value] = []
    while try step(statement) { result.append(try map(statement)) }
    return result
  }

  /// Runs a statement that returns one row or none.
  func row<Value>(
    _ sql: String,
    _ values: SQLiteValue...,
    map: (SQLiteStatement) throws(StorageError) -> Value
  ) throws(StorageError) -> Value? {
    let statement = try prepared(sql)
    defer { statement.reset() }
    try bind(values, to: statement)
    guard try step(statement) else { return nil }
    return try map(statement)
  }

  private func prepared(_ sql: String) throws(StorageError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    var pointer: OpaquePointer?
    try check(
      unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil),
      "prepare"
    )
    guard let pointer = unsafe pointer else { preconditionFailure("an empty statement") }
    let statement = unsafe SQLiteStatement(pointer)
    statements[sql] = statement
    return statement
  }

  private func bind(_ values: [SQLiteValue], to statement: SQLiteStatement) throws(StorageError) {
    precondition(statement.parameterCount == values.count, "a value for each parameter")
    for (index, value) in values.enumerated() {
      try check(statement.bind(value, at: Int32(index + 1)), "bind")
    }
  }

  /// Goes to the next row; false at the end.
  private func step(_ statement: SQLiteStatement) throws(StorageError) -> Bool {
    let code = statement.step()
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    try check(code, "step")
    return false
  }

  /// The funnel: turns a result code into an error of the ledger.
  private func check(_ code: Int32, _ operation: String) throws(StorageError) {
    guard code != SQLITE_OK else { return }
    throw unsafe Self.error(code, operation, handle: handle)
  }

  private static func error(
    _ code: Int32,
    _ operation: String,
    handle: OpaquePointer
  ) -> StorageError {
    precondition(code & 0xFF != SQLITE_MISUSE, "SQLite was used in a way it forbids")
    let system = unsafe sqlite3_system_errno(handle)
    return StorageError(
      errorCode(code & 0xFF, system: system),
      "SQLite \(operation): \(words(code, system: system))"
    )
  }

  /// What a result code and the system's number mean; neither quotes anything that is stored.
  private static func words(_ code: Int32, system: Int32) -> String {
    let result = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "unknown"
    let reason = system == 0 ? "" : ", \(POSIXErrorCode(rawValue: system).map { "\($0)" } ?? "")"
    return "\(result) (\(code)\(reason))"
  }

  private static func errorCode(_ primary: Int32, system: Int32) -> StorageError.Code {
    switch primary {
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    case SQLITE_FULL: return .full
    case SQLITE_READONLY: return .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_SCHEMA:
      return .corrupt
    case SQLITE_TOOBIG: return .tooLarge
    default: break
    }
    switch system {
    case ENOSPC, EDQUOT, EFBIG: return .full
    case EROFS, EACCES, EPERM: return .readOnly
    default: return .unavailable
    }
  }
}
