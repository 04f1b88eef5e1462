/// Why bytes could not be read as the payload they were said to be.
public struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The text is not JSON.
    public static let notJSON = Self(rawValue: "notJSON")
    /// The text is longer than the limit.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// Objects or arrays are nested deeper than the limit.
    public static let tooDeep = Self(rawValue: "tooDeep")
    /// An object names a member twice.
    public static let duplicateMember = Self(rawValue: "duplicateMember")
    /// A member that must be there is missing.
    public static let missingMember = Self(rawValue: "missingMember")
    /// A member has another type than it must have.
    public static let wrongType = Self(rawValue: "wrongType")
  }

  /// What went wrong.
  public let code: Code
  /// Where, and what was seen and expected; never a value out of the payload.
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
