internal import Foundation
internal import IAPModel
internal import PostgresAdapter
internal import ServerStorage

/// The adapter's connection in the words of the ledger; used by one thread at a time.
final class PostgresDatabase {
  private let connection: PostgresConnection
  /// Why the last statement failed, as the adapter says it.
  private(set) var failure: PostgresError.Code?

  /// Connects, and looks only at the ledger's own tables from then on.
  init(
    _ address: PostgresAddress,
    schema: String,
    limits: PostgresConnection.Limits
  ) throws(StorageError) {
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
    failure = nil
    do throws(PostgresError) { try connection.execute(sql) } catch {
      failure = error.code
      throw StorageError(error)
    }
  }

  /// Runs a statement.
  @discardableResult
  func run(_ sql: String, _ values: PostgresValue...) throws(StorageError) -> PostgresResult {
    failure = nil
    do throws(PostgresError) { return try connection.run(sql, values) } catch {
      failure = error.code
      throw StorageError(error)
    }
  }

  /// Runs a statement, with values in a list.
  func run(_ sql: String, _ values: [PostgresValue]) throws(StorageError) {
    failure = nil
    do throws(PostgresError) { try connection.run(sql, values) } catch {
      failure = error.code
      throw StorageError(error)
    }
  }

  /// Runs a statement that returns rows.
  func rows<Value>(
    _ sql: String,
    _ values: PostgresValue...,
    map: (PostgresRow) throws(StorageError) -> Value
  ) throws(StorageError) -> [Value] {
    failure = nil
    let result: PostgresResult
    do throws(PostgresError) { result = try connection.run(sql, values) } catch {
      failure = error.code
      throw StorageError(error)
    }
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
    failure = nil
    let result: PostgresResult
    do throws(PostgresError) { result = try connection.run(sql, values) } catch {
      failure = error.code
      throw StorageError(error)
    }
    guard let row = result.rows.first else { return nil }
    return try map(row)
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
