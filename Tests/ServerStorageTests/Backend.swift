import Foundation
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage
import Testing

/// The ledgers that pass the contract.
///
/// PostgreSQL is among them when `IAP_POSTGRES_URL` says where one is: `make test-postgres`.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite
  case postgres

  static var allCases: [Backend] {
    postgresAddress == nil ? [.memory, .sqlite] : [.memory, .sqlite, .postgres]
  }

  static var postgresAddress: String? { ProcessInfo.processInfo.environment["IAP_POSTGRES_URL"] }

  var testDescription: String { rawValue }

  /// Runs `body` on a new ledger and closes it afterwards.
  func withLedger<Value>(
    limits: LedgerLimits = LedgerLimits(),
    _ body: (any Ledger) async throws -> Value
  ) async throws -> Value {
    switch self {
    case .memory: return try await body(InMemoryLedger(limits: limits))
    case .sqlite:
      return try await withTemporaryFolder { folder in
        var options = SQLiteLedger.Options()
        options.limits = limits
        let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite", options: options)
        return try await closing(ledger, body)
      }
    case .postgres:
      let address = try #require(Self.postgresAddress)
      var options = PostgresLedger.Options()
      options.limits = limits
      options.schema = "test_" + UUID().uuidString.prefix(8).lowercased()
      let ledger = try PostgresLedger(address, options: options)
      return try await closing(ledger, body)
    }
  }

  private func closing<Value>(
    _ ledger: any Ledger,
    _ body: (any Ledger) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await body(ledger)
      await ledger.close()
      return value
    } catch {
      await ledger.close()
      throw error
    }
  }
}

/// Runs `body` with a folder that is removed afterwards.
func withTemporaryFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("iap-storage-" + UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}
