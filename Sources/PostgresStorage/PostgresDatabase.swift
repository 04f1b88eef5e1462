internal import Foundation
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

/// The adapter's connection in the words of the ledger; used by one thread at a time.
final class PostgresDatabase {
  /// From how many milliseconds on a statement is slow, and who is told.
  typealias Slow = (milliseconds: Int, notice: @Sendable (LedgerNotice) -> Void)

  private let connection: PostgresConnection
  private let slow: Slow?
  /// Why the last statement failed, as the adapter says it.
  private(set) var failure: PostgresError.Code?

  /// Connects, and looks only at the ledger's own tables from then on.
  init(
    _ address: PostgresAddress,
    schema: String,
    limits: PostgresConnection.Limits,
    slow: Slow? = nil
  ) throws(StorageError) {
    self.slow = slow
    do throws(PostgresError) {
      connection = try PostgresConnection(address, limits: limits)
      try connection.execute("SET search_path = \(schema)")
      try Self.checkSettings(connection)
    } catch {
      throw StorageError(error)
    }
  }

  /// What has to be so for a commit to be durable and every text to be stored.
  private static func checkSettings(_ connection: PostgresConnection) throws(PostgresError) {
    let settings = try connection.run(
      "SELECT current_setting('server_encoding'), current_setting('synchronous_commit')",
      []
    )
    guard let row = settings.rows.first else { return }
    guard row.text(0) == "UTF8" else {
      throw PostgresError(.corrupt, "the database's encoding is \(row.text(0)), not UTF8")
    }
    // "off" answers before the disk has it, "local" before the standby has it.
    guard ["off", "local"].contains(row.text(1)) else { return }
    try connection.execute("SET synchronous_commit = on")
  }

  /// Whether it cannot be used any more.
  var isLost: Bool { connection.isLost }

  /// Whether a transaction is open.
  var isInTransaction: Bool { connection.isInTransaction }

  /// Runs statements without values, once.
  func execute(_ sql: String) throws(StorageError) {
    try watched(sql) { () throws(PostgresError) in try connection.execute(sql) }
  }

  /// Runs a statement.
  @discardableResult
  func run(_ sql: String, _ values: PostgresValue...) throws(StorageError) -> PostgresResult {
    try watched(sql) { () throws(PostgresError) in try connection.run(sql, values) }
  }

  /// Runs a statement, with values in a list.
  func run(_ sql: String, _ values: [PostgresValue]) throws(StorageError) {
    try watched(sql) { () throws(PostgresError) in _ = try connection.run(sql, values) }
  }

  /// A statement and a value for each of its parameters.
  typealias Statement = (sql: String, values: [PostgresValue])

  /// Runs statements that are sent at once, in their order.
  func run(_ statements: [Statement]) throws(StorageError) -> [PostgresResult] {
    let names = statements.map { $0.sql.prefix(Self.namedCharactersMax) }
    return try watched(names.joined(separator: "; ")) { () throws(PostgresError) in
      try connection.run(statements)
    }
  }

  /// How much of each of several statements is told when together they were slow.
  private static let namedCharactersMax = 40

  /// Runs a statement that returns rows.
  func rows<Value>(
    _ sql: String,
    _ values: PostgresValue...,
    map: (PostgresRow) throws(StorageError) -> Value
  ) throws(StorageError) -> [Value] {
    let result = try watched(sql) { () throws(PostgresError) in try connection.run(sql, values) }
    var mapped: [Value] = []
    mapped.reserveCapacity(result.count)
    for row in result.rows { mapped.append(try map(row)) }
    return mapped
  }

  /// Runs a statement that returns one row or none.
  func row<Value>(
    _ sql: String,
    _ values: PostgresValue...,
    map: (PostgresRow) throws(StorageError) -> Value
  ) throws(StorageError) -> Value? {
    let result = try watched(sql) { () throws(PostgresError) in try connection.run(sql, values) }
    guard let row = result.rows.first else { return nil }
    return try map(row)
  }

  /// Copies rows into a table; none of them when it fails.
  func copyIn(_ sql: String, _ rows: RowBatch) throws(StorageError) {
    try watched(sql) { () throws(PostgresError) in try connection.copyIn(sql, rows.bytes) }
  }

  /// Hands out rows that are copied out of a table.
  func copyOut(
    _ sql: String,
    _ take: ([UInt8]) throws(StorageError) -> Void
  ) throws(StorageError) {
    try beginCopyOut(sql)
    while let row = try nextCopied() { try take(row) }
  }

  /// Begins to copy rows out of a table.
  func beginCopyOut(_ sql: String) throws(StorageError) {
    try watched(sql) { () throws(PostgresError) in try connection.beginCopyOut(sql) }
  }

  /// The next row that is copied out; nil behind the last.
  func nextCopied() throws(StorageError) -> [UInt8]? {
    do throws(PostgresError) { return try connection.nextCopied() } catch {
      failure = error.code
      throw StorageError(error)
    }
  }

  /// Runs `body`, remembers why it failed, and says so when it was slow.
  private func watched<Value>(
    _ sql: String,
    _ body: () throws(PostgresError) -> Value
  ) throws(StorageError) -> Value {
    failure = nil
    let start = uptimeMilliseconds()
    defer { noteDuration(since: start, of: sql) }
    do throws(PostgresError) { return try body() } catch {
      failure = error.code
      throw StorageError(error)
    }
  }

  private func noteDuration(since start: Int, of sql: String) {
    guard let slow else { return }
    let duration = uptimeMilliseconds() - start
    guard duration >= slow.milliseconds else { return }
    slow.notice(.slow(sql, milliseconds: duration))
  }
}

extension PostgresValue {
  /// A date in milliseconds, or null.
  static func date(_ value: Date?) -> PostgresValue { .integer(value?.milliseconds) }

  static func dates(_ values: [Date?]) -> PostgresValue { .integers(values.map(\.?.milliseconds)) }
}

extension PostgresRow {
  func date(_ column: Int) -> Date { Date(milliseconds: integer(column)) }

  func optionalDate(_ column: Int) -> Date? { isNull(column) ? nil : date(column) }
}

extension StorageError {
  /// The same problem in the ledger's words.
  init(_ error: PostgresError) {
    let code: Code =
      switch error.code {
      case .conflict, .busy: .busy
      case .full: .full
      case .readOnly: .readOnly
      case .corrupt: .corrupt
      case .tooLarge: .tooLarge
      case .lost, .unavailable, .badAddress: .unavailable
      }
    self.init(code, error.reason)
  }
}
