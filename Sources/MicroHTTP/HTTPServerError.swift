/// Why a server could not be started.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The host or port is none that can be listened on.
    public static let addressInvalid = Self(rawValue: "addressInvalid")
    /// Another process listens there.
    public static let addressInUse = Self(rawValue: "addressInUse")
    /// This user may not listen there.
    public static let addressForbidden = Self(rawValue: "addressForbidden")
    /// The system or the library has no means left.
    public static let startFailed = Self(rawValue: "startFailed")
  }

  /// What went wrong.
  public let code: Code
  /// What was tried, and what the system said.
  public let reason: String

  /// Makes an error.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The code and the reason.
  public var description: String { "\(code): \(reason)" }

  /// Errors are equal when their codes are.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
