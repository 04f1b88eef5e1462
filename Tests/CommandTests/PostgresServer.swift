import Foundation
import Testing

/// A PostgreSQL for one test, which may be killed and started again.
struct PostgresServer: Sendable {
  static let absence: Comment = "IAP_POSTGRES_URL names no PostgreSQL: run make test-postgres"

  /// Whether whoever runs the tests wants them on PostgreSQL, and has one installed.
  static var isWanted: Bool { ProcessInfo.processInfo.environment["IAP_POSTGRES_URL"] != nil }

  let address: String
  private let folder: String

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
