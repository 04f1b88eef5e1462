/// Why a simulated device or one of its app processes could not do what it was asked.
public struct DeviceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The app process was killed before the work was done.
    public static let processKilled = Self(rawValue: "processKilled")
    /// The disk takes no writes.
    public static let diskReadOnly = Self(rawValue: "diskReadOnly")
    /// The disk has no room for all of the bytes.
    public static let diskFull = Self(rawValue: "diskFull")
    /// The disk cannot be read.
    public static let diskUnreadable = Self(rawValue: "diskUnreadable")
    /// Another holder has the lock.
    public static let lockInUse = Self(rawValue: "lockInUse")
    /// The file is shorter than where a write is to begin.
    public static let offsetBehindEnd = Self(rawValue: "offsetBehindEnd")
    /// No payment sheet is open.
    public static let noSheet = Self(rawValue: "noSheet")
    /// The device is locked, so nobody can do anything at a sheet.
    public static let locked = Self(rawValue: "locked")
    /// Nothing can happen like that.
    public static let notPossible = Self(rawValue: "notPossible")
  }

  /// What went wrong.
  public let code: Code
  /// What was seen and expected.
  public let reason: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - reason: What was seen and expected.
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
