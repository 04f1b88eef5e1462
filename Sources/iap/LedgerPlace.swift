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
  /// The address stands in a file, which is read again for each new connection: a password may
  /// change while a server runs.
  case postgresFile(path: String, address: String)

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
    case .postgres(let address), .postgresFile(_, let address):
      PostgresLedger.description(of: address)
    }
  }

  /// Whether there is a file that holds it; a database that is asked over a network may be there.
  var mayExist: Bool {
    switch self {
    case .sqlite(let path): FileManager.default.fileExists(atPath: path)
    case .postgres, .postgresFile: true
    }
  }

  /// Whether several servers may have the ledger open.
  var isShared: Bool {
    switch self {
    case .sqlite: false
    case .postgres, .postgresFile: true
    }
  }

  /// Opens the ledger, making it when it is not there; blocks while it does so.
  ///
  /// - Parameters:
  ///   - slowMilliseconds: From which duration on a statement is told as slow; 0 for never.
  ///   - notice: Takes what happens to the database beside answers.
  /// - Returns: The ledger.
  /// - Throws: ``CommandError`` with code `file`.
  func open(
    slowMilliseconds: Int = 0,
    notice: @escaping @Sendable (LedgerNotice) -> Void = { _ in }
  ) throws(CommandError) -> any Ledger {
    var options = PostgresLedger.Options()
    options.slowMillisecondsMin = slowMilliseconds > 0 ? slowMilliseconds : .max
    do throws(StorageError) {
      switch self {
      case .sqlite(let path):
        var own = SQLiteLedger.Options()
        own.slowMillisecondsMin = options.slowMillisecondsMin
        return try SQLiteLedger(path: path, options: own, notice: notice)
      case .postgres(let address):
        return try PostgresLedger(address, options: options, notice: notice)
      case .postgresFile(let path, _):
        return try PostgresLedger(
          addressBy: { Self.address(in: path) },
          options: options,
          notice: notice
        )
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

extension LedgerPlace {
  /// The longest file that holds an address.
  private static let addressSizeBytesMax = 4096

  /// The address that a file holds now; nil when it cannot be read.
  static func address(in path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path),
      let bytes = try? file.read(upToCount: addressSizeBytesMax + 1),
      bytes.count <= addressSizeBytesMax
    else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return PostgresLedger.isAddress(text) ? text : nil
  }
}
