#if canImport(SQLite3)
internal import SQLite3
#else
internal import CSQLite
#endif
internal import Foundation

/// One connection to one database file; used by one thread at a time.
///
/// It is the only place that calls SQLite, and every result code passes through ``check(_:_:)``.
@safe package final class SQLiteDatabase {
  /// How a file is opened.
  package enum Mode {
    /// For reading; the file must exist and is not changed.
    case readOnly
    /// For reading and writing; the file is made when it does not exist.
    case readWrite
  }

  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]
  /// The statements by where their text lies in memory: a text that stands in the source is found
  /// without looking at each of its bytes.
  private var places: [UInt: (sql: String, statement: SQLiteStatement)] = [:]

  /// Opens a file.
  package init(path: String, mode: Mode, busyTimeoutMilliseconds: Int32) throws(SQLiteError) {
    Self.prepareLibrary()
    var flags = SQLITE_OPEN_NOMUTEX
    switch mode {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened = unsafe opened else {
      throw SQLiteError(.unavailable, "no memory to open a database")
    }
    // The flag of the same meaning is younger than the SQLite of iOS 14.
    _ = unsafe sqlite3_extended_result_codes(opened, 1)
    guard code == SQLITE_OK else {
      let code = unsafe sqlite3_extended_errcode(opened)
      let error = unsafe Self.error(code, "open", handle: opened)
      _ = unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
    _ = unsafe sqlite3_busy_timeout(opened, busyTimeoutMilliseconds)
  }

  /// Tells the library not to count what it allocates.
  ///
  /// It counts under a lock that every connection takes for every allocation, and nobody asks. It
  /// may only be told before it is used for the first time, so what it answers does not matter.
  private static func prepareLibrary() {
    #if !canImport(SQLite3)
    _ = countsNoMemory
    #endif
  }

  #if !canImport(SQLite3)
  private static let countsNoMemory = iap_sqlite_count_no_memory()
  #endif

  deinit {
    places = [:]
    statements = [:]
    _ = unsafe sqlite3_close_v2(handle)
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// The row that was inserted last.
  package var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Runs statements without values, once.
  package func execute(_ sql: String) throws(SQLiteError) {
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil), "execute")
  }

  /// Runs a statement that changes rows.
  ///
  /// - Returns: How many rows were changed.
  @discardableResult
  package func run(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> Int {
    let statement = try prepared(sql)
    defer { statement.reset() }
    try bind(values, to: statement)
    while try step(statement) {}
    return Int(unsafe sqlite3_changes(handle))
  }

  /// Runs a statement that returns rows.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - values: One for each of its parameters.
  ///   - body: Gets the statement at each row; answers whether to go on.
  /// - Throws: ``SQLiteError``.
  package func forEachRow(
    _ sql: String,
    _ values: [SQLiteValue],
    _ body: (SQLiteStatement) -> Bool
  ) throws(SQLiteError) {
    let statement = try prepared(sql)
    defer { statement.reset() }
    try bind(values, to: statement)
    while try step(statement), body(statement) {}
  }

  private func prepared(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    let place = unsafe sql.utf8.withContiguousStorageIfAvailable { text in
      UInt(bitPattern: text.baseAddress)
    }
    // The same place may hold another text by now, if that text was made for the occasion.
    if let place, let known = places[place], known.sql == sql { return known.statement }
    let statement = try statement(sql)
    if let place {
      if places.count >= Self.placesMax { places = [:] }
      places[place] = (sql, statement)
    }
    return statement
  }

  /// More places than there are texts in the source.
  private static let placesMax = 512

  private func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
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

  private func bind(_ values: [SQLiteValue], to statement: SQLiteStatement) throws(SQLiteError) {
    precondition(statement.parameterCount == values.count, "a value for each parameter")
    for (index, value) in values.enumerated() {
      try check(statement.bind(value, at: Int32(index + 1)), "bind")
    }
  }

  /// Goes to the next row; false at the end.
  private func step(_ statement: SQLiteStatement) throws(SQLiteError) -> Bool {
    let code = statement.step()
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    try check(code, "step")
    return false
  }

  /// The funnel: turns a result code into an error.
  private func check(_ code: Int32, _ operation: String) throws(SQLiteError) {
    guard code != SQLITE_OK else { return }
    throw unsafe Self.error(code, operation, handle: handle)
  }

  private static func error(
    _ code: Int32,
    _ operation: String,
    handle: OpaquePointer
  ) -> SQLiteError {
    precondition(code & 0xFF != SQLITE_MISUSE, "SQLite was used in a way it forbids")
    let system = unsafe sqlite3_system_errno(handle)
    return SQLiteError(
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

  private static func errorCode(_ primary: Int32, system: Int32) -> SQLiteError.Code {
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
