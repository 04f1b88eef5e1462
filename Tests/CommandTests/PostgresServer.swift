import Foundation
import Testing

/// A PostgreSQL for one test, which may be killed and started again.
struct PostgresServer: Sendable {
  static let absence: Comment = "IAP_POSTGRES_URL names no PostgreSQL: run make test-postgres"

  /// Whether whoever runs the tests wants them on PostgreSQL, and has one installed.
  static var isWanted: Bool { ProcessInfo.processInfo.environment["IAP_POSTGRES_URL"] != nil }

  let address: String
  let folder: String

  static func with<Value>(
    _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let folder = "/tmp/iap-postgres-" + UUID().uuidString.prefix(8)
    defer { _ = try? run("remove", folder) }
    let server = PostgresServer(address: try run("start", folder), folder: folder)
    return try await body(server)
  }

  /// Ends every process of the server as a loss of power would.
  func kill() throws { try Self.run("kill", folder) }

  func start() throws { try Self.run("start", folder) }

  /// Runs statements beside every server.
  func sql(_ statements: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "iap", "postgres"]
      + statements.flatMap { ["-c", $0] }
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ScriptFailure(action: "sql") }
  }

  /// Makes a role that has to show a password.
  func demandPassword(of role: String, _ password: String) throws {
    let file = URL(fileURLWithPath: folder + "/data/pg_hba.conf")
    let rules = try String(contentsOf: file, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data(("local all \(role) scram-sha-256\n" + rules).utf8))
    try handle.close()
    try sql(
      "SELECT pg_reload_conf()",
      "CREATE ROLE \(role) LOGIN PASSWORD '\(password)'",
      "GRANT CREATE ON DATABASE postgres TO \(role)"
    )
  }

  /// Makes it listen at an address too, for everybody in a network; it is started anew.
  func listen(at host: String, for network: String) throws {
    func append(_ line: String, to name: String) throws {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder + "/data/" + name))
      try file.seekToEnd()
      try file.write(contentsOf: Data((line + "\n").utf8))
      try file.close()
    }
    try append("listen_addresses = '\(host)'", to: "postgresql.conf")
    try append("host all all \(network) trust", to: "pg_hba.conf")
    try Self.run("stop", folder)
    try start()
  }

  @discardableResult
  private static func run(_ action: String, _ folder: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Scripts/postgres")
    process.arguments = [action, folder]
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

extension ServedStore {
  /// The words of a call that serves this store on another database.
  func words(database: String) -> [String] {
    var words = words
    if let place = words.firstIndex(of: "--database") { words[place + 1] = database }
    return words
  }

  /// The file of the ledger that ``words`` names.
  var ledgerPath: String { folder.path + "/ledger.sqlite" }
}
