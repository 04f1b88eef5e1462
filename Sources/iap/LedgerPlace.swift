import Foundation
import PostgresStorage
import SQLiteStorage
import ServerStorage

/// Where a ledger is: a SQLite file, or a PostgreSQL database that servers share.
///
/// It describes itself without user and password.
enum LedgerPlace: Sendable, CustomStringConvertible {
  case sqlite(path: String)
  case postgres(address: String)

  private static let filePrefix = "sqlite:"

  /// Reads `postgres://...`, `sqlite:FILE` or the name of a file.
  ///
  /// - Parameters:
  ///   - text: What somebody gave.
  ///   - folder: From where a relative file is meant; nil for the folder of the process.
  init(_ text: String, folder: URL? = nil) {
    guard !PostgresLedger.isAddress(text) else {
      self = .postgres(address: text)
      return
    }
    let path =
      text.hasPrefix(Self.filePrefix) ? String(text.dropFirst(Self.filePrefix.count)) : text
    self = .sqlite(path: folder.map { ServeSettingsReader.path(path, in: $0) } ?? path)
  }

  /// Words for people, without credentials.
  var description: String {
    switch self {
    case .sqlite(let path): path
    case .postgres(let address): PostgresLedger.description(of: address)
    }
  }

  /// Whether there is a file that holds it; a database that is asked over a network may be there.
  var mayExist: Bool {
    switch self {
    case .sqlite(let path): FileManager.default.fileExists(atPath: path)
    case .postgres: true
    }
  }

  /// Opens the ledger, making it when it is not there; blocks while it does so.
  ///
  /// - Throws: ``CommandError`` with code `file`.
  func open() throws(CommandError) -> any Ledger {
    do throws(StorageError) {
      switch self {
      case .sqlite(let path): return try SQLiteLedger(path: path)
      case .postgres(let address): return try PostgresLedger(address)
      }
    } catch {
      throw CommandError(
        .file,
        Words(
          "the database '\(self)' cannot be used (\(error.code)): \(error.reason).",
          zh: "数据库“\(self)”无法使用（\(error.code)）：\(error.reason)。"
        )
      )
    }
  }
}
