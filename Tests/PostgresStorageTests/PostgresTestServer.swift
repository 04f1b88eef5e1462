import Foundation
import IAPModel
import PostgresAdapter
import ServerStorage
import Testing

@testable import PostgresStorage

/// A PostgreSQL for tests.
struct PostgresTestServer: Sendable {
  /// Why tests are skipped when there is none.
  static let absence: Comment = "IAP_POSTGRES_URL names no PostgreSQL: run make test-postgres"

  /// The one that all tests share; nil when nobody started one.
  static let shared: PostgresTestServer? = ProcessInfo.processInfo
    .environment["IAP_POSTGRES_URL"].map { PostgresTestServer(address: $0, folder: nil) }

  let address: String
  /// The folder of a server that belongs to one test.
  let folder: String?

  /// Runs `body` with a server of its own, which it may kill and start again.
  static func withPrivate<Value>(
    _ body: (PostgresTestServer) async throws -> Value
  ) async throws -> Value {
    let folder = "/tmp/iap-postgres-" + UUID().uuidString.prefix(8)
    let address = try run("start", folder)
    defer { _ = try? run("remove", folder) }
    return try await body(PostgresTestServer(address: address, folder: folder))
  }

  /// Ends every process of the server as a loss of power would.
  func kill() throws { try Self.run("kill", #require(folder)) }

  func start() throws { try Self.run("start", #require(folder)) }

  /// Opens a ledger in a schema.
  func ledger(
    _ schema: String,
    at address: String? = nil,
    _ change: (inout PostgresLedger.Options) -> Void = { _ in }
  ) throws -> PostgresLedger {
    var options = PostgresLedger.Options()
    options.schema = schema
    options.readersMax = 2
    options.connectSecondsMax = 2
    change(&options)
    return try PostgresLedger(address ?? self.address, options: options)
  }

  /// A schema that nobody has.
  func newSchema() -> String { "test_" + UUID().uuidString.prefix(8).lowercased() }

  /// Runs statements beside every ledger.
  @discardableResult
  func sql(_ sql: String, schema: String = "public") throws -> [[String?]] {
    let connection = try PostgresConnection(
      PostgresAddress(address),
      limits: PostgresConnection.Limits()
    )
    try connection.execute("SET search_path = \(schema)")
    return try connection.run(sql, []).rows.map { row in [row.optionalText(0)] }
  }

  /// A whole number that a statement returns as text.
  func number(_ sql: String, schema: String) throws -> Int {
    try #require(self.sql("SELECT (\(sql))::text", schema: schema).first?.first??.integer)
  }

  /// Runs `body` with a standby of this server, which confirms each commit of it.
  func withStandby<Value>(
    _ body: (PostgresTestServer) async throws -> Value
  ) async throws -> Value {
    let folder = "/tmp/iap-postgres-" + UUID().uuidString.prefix(8)
    defer { _ = try? Self.run("remove", folder) }
    let primary: String = try #require(self.folder)
    let address = try Self.run("standby", folder, primary)
    return try await body(PostgresTestServer(address: address, folder: folder))
  }

  /// Makes a standby take writes, at the address of another server when one is named.
  func promote(at other: PostgresTestServer? = nil) throws {
    let own: String = try #require(folder)
    try Self.run("promote", own, other?.folder)
  }

  @discardableResult
  private static func run(
    _ action: String,
    _ folder: String,
    _ other: String? = nil
  ) throws -> String {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Scripts/postgres")
    let process = Process()
    process.executableURL = script
    process.arguments = [action, folder] + (other.map { [$0] } ?? [])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ScriptFailure(action: action) }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private struct ScriptFailure: Error { let action: String }
}

extension String {
  fileprivate var integer: Int? { Int(self) }
}

extension PostgresTestServer {
  /// Keeps every ledger of a schema from an app while `body` runs.
  func withLock(
    on app: BundleID,
    schema: String,
    _ body: () async throws -> Void
  ) async throws {
    let connection = try PostgresConnection(
      PostgresAddress(address),
      limits: PostgresConnection.Limits()
    )
    let name = LockName.number(schema, "app", app.rawValue)
    try connection.run("SELECT pg_advisory_lock($1)", [.integer(name)])
    try await body()
    try connection.run("SELECT pg_advisory_unlock($1)", [.integer(name)])
  }
}
