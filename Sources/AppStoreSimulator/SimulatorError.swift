/// Why the simulated store could not do what it was asked.
///
/// Answers that Apple's store gives to customers are not errors here but values: ``StoreFailure``.
public struct SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a stable word.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// A `.storekit` file cannot be used.
    public static let badCatalog = Self(rawValue: "badCatalog")
    /// There is no app with that bundle identifier.
    public static let unknownApp = Self(rawValue: "unknownApp")
    /// There is no such account.
    public static let unknownAccount = Self(rawValue: "unknownAccount")
    /// There is no such device.
    public static let unknownDevice = Self(rawValue: "unknownDevice")
    /// There is no such product in the app's catalog.
    public static let unknownProduct = Self(rawValue: "unknownProduct")
    /// There is no such transaction for that account and app.
    public static let unknownTransaction = Self(rawValue: "unknownTransaction")
    /// There is no such purchase waiting for an answer.
    public static let unknownPending = Self(rawValue: "unknownPending")
    /// There is no such subscription.
    public static let unknownSubscription = Self(rawValue: "unknownSubscription")
    /// There is no such key of the developer.
    public static let unknownKey = Self(rawValue: "unknownKey")
    /// The name is taken.
    public static let duplicate = Self(rawValue: "duplicate")
    /// The state does not allow it, for example a second refund of one transaction.
    public static let notAllowed = Self(rawValue: "notAllowed")
    /// The storefront has no currency here; give one.
    public static let unknownStorefront = Self(rawValue: "unknownStorefront")
    /// The device has no network, or the store cannot be reached.
    public static let unreachable = Self(rawValue: "unreachable")
    /// Something could not be signed.
    public static let signingFailed = Self(rawValue: "signingFailed")
    /// A request to the control interface cannot be understood.
    public static let badRequest = Self(rawValue: "badRequest")
  }

  /// What went wrong.
  public let code: Code
  /// What was seen and expected; no secrets and no signed data.
  public let reason: String
  /// The error below, when there is one.
  public let underlying: (any Error)?
  /// Where in the sources it was found.
  public let origin: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - reason: What was seen and expected.
  ///   - underlying: The error below.
  ///   - file: The source file; leave it out.
  ///   - line: The source line; leave it out.
  public init(
    _ code: Code,
    _ reason: String,
    underlying: (any Error)? = nil,
    file: String = #fileID,
    line: Int = #line
  ) {
    self.code = code
    self.reason = reason
    self.underlying = underlying
    self.origin = "\(file):\(line)"
  }

  /// The code and the reason.
  public var description: String { "\(code): \(reason)" }

  /// Errors are equal when their codes are.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
