/// Why the ledger could not do what it was asked.
///
/// Nothing was recorded when it is thrown by a commit; only when a database was lost in the middle
/// of one, the reason says that nobody knows, and the same write again finds out. The reason names
/// operations and result codes, never a value that was to be stored.
public struct StorageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// Others were faster for too long, or too much is waiting.
    public static let busy = Self(rawValue: "busy")
    /// There is no room left on the disk.
    public static let full = Self(rawValue: "full")
    /// The disk or the file may not be written.
    public static let readOnly = Self(rawValue: "readOnly")
    /// The file is damaged, or no database.
    public static let corrupt = Self(rawValue: "corrupt")
    /// A newer version of this software has written the file; it was left untouched.
    public static let newerSchema = Self(rawValue: "newerSchema")
    /// The disk or the database does not answer as it should.
    public static let unavailable = Self(rawValue: "unavailable")
    /// What was to be stored is larger than a named limit.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The ledger was closed.
    public static let closed = Self(rawValue: "closed")
  }

  /// What went wrong; the only part that equality looks at.
  public let code: Code
  /// What was seen and expected.
  public let reason: String
  /// Module, file and line.
  public let origin: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - reason: What was seen and expected; no stored value.
  ///   - file: Where; filled in by the compiler.
  ///   - line: Where; filled in by the compiler.
  public init(_ code: Code, _ reason: String, file: String = #fileID, line: Int = #line) {
    self.code = code
    self.reason = reason
    self.origin = "\(file):\(line)"
  }

  /// Whether the same call may succeed later without anybody changing it.
  public var isRetryable: Bool {
    switch code {
    case .busy, .full, .readOnly, .unavailable: true
    default: false
    }
  }

  /// The code and the reason.
  public var description: String { "\(code): \(reason)" }

  /// Errors are equal when their codes are.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
