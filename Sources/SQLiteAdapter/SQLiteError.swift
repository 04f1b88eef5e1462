/// What SQLite, or the disk under it, could not do.
package struct SQLiteError: Error, Hashable, Sendable {
  /// What went wrong.
  package enum Code: Hashable, Sendable {
    /// Another connection holds the file.
    case busy
    /// There is no room left on the disk.
    case full
    /// The disk or the file may not be written.
    case readOnly
    /// The file is damaged, or no database.
    case corrupt
    /// A value is larger than SQLite stores.
    case tooLarge
    /// The disk or SQLite does not answer as it should.
    case unavailable
  }

  package let code: Code
  /// What was seen; no stored value.
  package let reason: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}
