internal import Foundation
internal import IAPModel
internal import SQLiteAdapter
internal import ServerStorage

/// The adapter's database in the words of the ledger; used by one thread at a time.
final class SQLiteConnection {
  /// From how many milliseconds on a statement is slow, and who is told.
  typealias Slow = (milliseconds: Int, notice: @Sendable (LedgerNotice) -> Void)

  private let database: SQLiteDatabase
  private let slow: Slow?

  /// Opens a file.
  init(
    path: String,
    mode: SQLiteDatabase.Mode,
    busyTimeoutMilliseconds: Int32,
    slow: Slow? = nil
  ) throws(StorageError) {
    self.slow = slow
    do throws(SQLiteError) {
      database = try SQLiteDatabase(
        path: path,
        mode: mode,
        busyTimeoutMilliseconds: busyTimeoutMilliseconds
      )
    } catch {
      throw StorageError(error)
    }
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { database.isInTransaction }

  /// The row that was inserted last.
  var lastInsertedRow: Int64 { database.lastInsertedRow }

  /// Runs statements without values, once.
  func execute(_ sql: String) throws(StorageError) {
    do throws(SQLiteError) { try database.execute(sql) } catch { throw StorageError(error) }
  }

  /// Runs a statement that changes rows.
  ///
  /// - Returns: How many rows were changed.
  @discardableResult
  func run(_ sql: String, _ values: SQLiteValue...) throws(StorageError) -> Int {
    let start = slow == nil ? 0 : uptimeMilliseconds()
    defer { noteDuration(since: start, of: sql) }
    do throws(SQLiteError) {
      return try database.run(sql, values)
    } catch {
      throw StorageError(error)
    }
  }

  /// Runs a statement that changes rows, with values in a list.
  func run(_ sql: String, _ values: [SQLiteValue]) throws(StorageError) {
    let start = slow == nil ? 0 : uptimeMilliseconds()
    defer { noteDuration(since: start, of: sql) }
    do throws(SQLiteError) { try database.run(sql, values) } catch { throw StorageError(error) }
  }

  /// Hands out the rows of a statement, one after another.
  func visit(
    _ sql: String,
    _ take: (SQLiteStatement) throws(StorageError) -> Void
  ) throws(StorageError) {
    try forEachRow(sql, []) { statement throws(StorageError) in
      try take(statement)
      return true
    }
  }

  /// Runs a statement that returns rows.
  func rows<Value>(
    _ sql: String,
    _ values: SQLiteValue...,
    map: (SQLiteStatement) throws(StorageError) -> Value
  ) throws(StorageError) -> [Value] {
    var result: [Value] = []
    try forEachRow(sql, values) { statement throws(StorageError) in
      result.append(try map(statement))
      return true
    }
    return result
  }

  /// Runs a statement that returns one row or none.
  func row<Value>(
    _ sql: String,
    _ values: SQLiteValue...,
    map: (SQLiteStatement) throws(StorageError) -> Value
  ) throws(StorageError) -> Value? {
    var result: Value?
    try forEachRow(sql, values) { statement throws(StorageError) in
      result = try map(statement)
      return false
    }
    return result
  }

  func forEachRow(
    _ sql: String,
    _ values: [SQLiteValue],
    _ body: (SQLiteStatement) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let start = slow == nil ? 0 : uptimeMilliseconds()
    defer { noteDuration(since: start, of: sql) }
    var failure: StorageError?
    do throws(SQLiteError) {
      try database.forEachRow(sql, values) { statement in
        do throws(StorageError) {
          return try body(statement)
        } catch {
          failure = error
          return false
        }
      }
    } catch {
      throw StorageError(error)
    }
    if let failure { throw failure }
  }
}

extension SQLiteConnection {
  /// Tells of a statement that was slow, what it does with its rows included.
  private func noteDuration(since start: Int, of sql: String) {
    guard let slow else { return }
    let duration = uptimeMilliseconds() - start
    guard duration >= slow.milliseconds else { return }
    slow.notice(.slow(sql, milliseconds: duration))
  }
}

extension SQLiteValue {
  /// A date in milliseconds, or null.
  static func date(_ value: Date?) -> SQLiteValue { .integer(value?.milliseconds) }
}

extension SQLiteStatement {
  func date(_ column: Int32) -> Date { Date(milliseconds: integer(column)) }

  func optionalDate(_ column: Int32) -> Date? { isNull(column) ? nil : date(column) }
}

extension StorageError {
  /// The same problem in the ledger's words.
  fileprivate init(_ error: SQLiteError) {
    let code: Code =
      switch error.code {
      case .busy: .busy
      case .full: .full
      case .readOnly: .readOnly
      case .corrupt: .corrupt
      case .tooLarge: .tooLarge
      case .unavailable: .unavailable
      }
    self.init(code, error.reason)
  }
}
