public import Foundation

/// Why a call to the App Store's server brought no answer.
///
/// None of them says anything about a purchase: it could not be looked at. What the App Store says
/// about a purchase ("there is none of that id") is ``AppStoreServerError/apiCode``.
public struct AppStoreServerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The request breaks a documented limit and was not sent.
    public static let requestInvalid = Self(rawValue: "requestInvalid")
    /// The key cannot sign.
    public static let keyUnusable = Self(rawValue: "keyUnusable")
    /// The App Store does not accept the token: a wrong key, issuer or bundle id.
    public static let unauthorized = Self(rawValue: "unauthorized")
    /// The App Store refuses the request: see ``AppStoreServerError/apiCode``.
    public static let refused = Self(rawValue: "refused")
    /// The App Store does not know what was named: see ``AppStoreServerError/apiCode``.
    public static let notFound = Self(rawValue: "notFound")
    /// Too many requests: see ``AppStoreServerError/retryAt``.
    public static let rateLimited = Self(rawValue: "rateLimited")
    /// The App Store failed.
    public static let serverFailed = Self(rawValue: "serverFailed")
    /// There was no response.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The response is not what is documented.
    public static let answerMalformed = Self(rawValue: "answerMalformed")
    /// The caller gave up.
    public static let cancelled = Self(rawValue: "cancelled")
  }

  /// What went wrong; the only part that equality looks at beside ``apiCode``.
  public let code: Code
  /// What was seen and expected; never a key, a token or an identifier of a customer.
  public let reason: String
  /// The HTTP status; nil when there was no response.
  public let status: Int?
  /// The App Store's own number; nil when it gave none.
  public let apiCode: ServerAPIErrorCode?
  /// When the App Store wants to be asked again; nil when it did not say.
  public let retryAt: Date?
  /// Module, file and line.
  public let origin: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - reason: What was seen and expected.
  ///   - status: The HTTP status.
  ///   - apiCode: The App Store's own number.
  ///   - retryAt: When the App Store wants to be asked again.
  ///   - file: Where; filled in by the compiler.
  ///   - line: Where; filled in by the compiler.
  public init(
    _ code: Code,
    _ reason: String,
    status: Int? = nil,
    apiCode: ServerAPIErrorCode? = nil,
    retryAt: Date? = nil,
    file: String = #fileID,
    line: Int = #line
  ) {
    self.code = code
    self.reason = reason
    self.status = status
    self.apiCode = apiCode
    self.retryAt = retryAt
    origin = "\(file):\(line)"
  }

  /// Whether the same call may succeed later without anybody changing anything.
  public var isRetryable: Bool {
    if let apiCode, apiCode.isRetryable { return true }
    switch code {
    case .rateLimited, .serverFailed, .unreachable, .answerMalformed: return true
    default: return false
    }
  }

  /// Whether this is a no: the App Store's, or that of a documented limit.
  ///
  /// Everything else (an unusable key, a token that is not accepted, a caller that gave up) says
  /// nothing about what was asked, and it can be asked again when that has passed.
  package var isNo: Bool {
    guard !isRetryable else { return false }
    return switch code {
    case .refused, .notFound, .requestInvalid: true
    default: false
    }
  }

  /// The code, the App Store's number and the reason.
  public var description: String {
    "\(code)\(apiCode.map { " \($0.rawValue)" } ?? ""): \(reason)"
  }

  /// Errors are equal when their codes and the App Store's numbers are.
  public static func == (left: Self, right: Self) -> Bool {
    left.code == right.code && left.apiCode == right.apiCode
  }
}
