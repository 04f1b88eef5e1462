internal import Foundation
internal import SQLiteAdapter
package import ServerStorage

extension SQLiteLedger {
  /// Looks at a ledger's file without being able to change it; blocks while it does so.
  ///
  /// - Parameter path: The file, which exists.
  /// - Returns: What it says of itself.
  /// - Throws: ``StorageError``: `newerSchema`, `corrupt`, `unavailable`.
  package static func probe(path: String) throws(StorageError) -> LedgerProbe {
    let connection = try SQLiteConnection(
      path: path,
      mode: .readOnly,
      busyTimeoutMilliseconds: Options().busyTimeoutMilliseconds
    )
    let version = try SQLiteSchema.version(of: connection)
    _ = try Migration.missing(from: SQLiteSchema.migrations, current: version)
    let engine = try connection.row("SELECT sqlite_version()") { $0.text(0) } ?? ""
    return LedgerProbe(
      engine: "SQLite \(engine)",
      version: version,
      newestVersion: SQLiteSchema.migrations.count,
      isReadOnly: !FileManager.default.isWritableFile(atPath: path)
    )
  }
}
