/// Why there is no response.
///
/// A response with any status is no error here.
public struct HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The address is no absolute `http` or `https` URL.
    public static let urlInvalid = Self(rawValue: "urlInvalid")
    /// The name of the host is not known.
    public static let hostNotFound = Self(rawValue: "hostNotFound")
    /// Nobody answers there.
    public static let connectFailed = Self(rawValue: "connectFailed")
    /// The connection broke off.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The other side's certificate or encryption was refused.
    public static let encryptionFailed = Self(rawValue: "encryptionFailed")
    /// The time was up.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The head or body of the response is longer than the limit.
    public static let responseTooLarge = Self(rawValue: "responseTooLarge")
    /// The response is not HTTP.
    public static let responseMalformed = Self(rawValue: "responseMalformed")
    /// The task was cancelled, or the client was let go.
    public static let cancelled = Self(rawValue: "cancelled")
    /// Anything else that libcurl says.
    public static let failed = Self(rawValue: "failed")
  }

  /// What went wrong.
  public let code: Code
  /// What libcurl said; never the address, which may hold secrets.
  public let reason: String

  /// Makes an error.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// Whether the same request may succeed later.
  public var isRetryable: Bool {
    switch code {
    case .hostNotFound, .connectFailed, .connectionLost, .timedOut, .failed: true
    default: false
    }
  }

  /// The code and the reason.
  public var description: String { "\(code): \(reason)" }

  /// Errors are equal when their codes are.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
