/// Why a request has no proper answer.
///
/// A refused purchase is no error: it is answered with a verdict. What is thrown here becomes the
/// JSON error object of the API; the message is for the API's user and repeats nothing of what was
/// sent.
public struct ServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The family of errors, as a stable word for programs that handle few cases.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a kind from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// The request has to be changed.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// Who calls has to show who it is.
    public static let unauthorized = Self(rawValue: "unauthorized")
    /// Who calls may not do that.
    public static let forbidden = Self(rawValue: "forbidden")
    /// What is there contradicts the request.
    public static let conflict = Self(rawValue: "conflict")
    /// There were too many requests.
    public static let rateLimited = Self(rawValue: "rate_limited")
    /// There is nothing there.
    public static let notFound = Self(rawValue: "not_found")
    /// Signed data does not follow the rules.
    public static let refused = Self(rawValue: "refused")
    /// This server cannot do that.
    public static let unsupported = Self(rawValue: "unsupported")
    /// It was not possible to look or to store; the same request may succeed later.
    public static let unavailable = Self(rawValue: "unavailable")
  }

  /// What went wrong, as a stable word.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// There is no such route.
    public static let routeUnknown = Self(rawValue: "routeUnknown")
    /// The route does not know the method.
    public static let methodNotAllowed = Self(rawValue: "methodNotAllowed")
    /// The request is not what HTTP allows.
    public static let requestMalformed = Self(rawValue: "requestMalformed")
    /// The request line and header fields are too long.
    public static let headersTooLarge = Self(rawValue: "headersTooLarge")
    /// There is no body.
    public static let bodyEmpty = Self(rawValue: "bodyEmpty")
    /// The body is too long.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// The body is said to be something else than JSON.
    public static let mediaTypeUnsupported = Self(rawValue: "mediaTypeUnsupported")
    /// The body is no JSON object in UTF-8.
    public static let bodyNotJSON = Self(rawValue: "bodyNotJSON")
    /// A member or parameter is missing.
    public static let parameterMissing = Self(rawValue: "parameterMissing")
    /// A member or parameter has another type or form than it must have.
    public static let parameterInvalid = Self(rawValue: "parameterInvalid")
    /// The notification's signatures or contents do not follow the rules.
    public static let notificationRefused = Self(rawValue: "notificationRefused")
    /// The transaction is not known, and this server cannot ask the App Store for it.
    public static let transactionLookupUnsupported = Self(
      rawValue: "transactionLookupUnsupported"
    )
    /// The cryptography could not be carried out.
    public static let verificationUnavailable = Self(rawValue: "verificationUnavailable")
    /// The ledger could not read or store.
    public static let storageUnavailable = Self(rawValue: "storageUnavailable")
    /// A key is needed, and there is none.
    public static let keyMissing = Self(rawValue: "keyMissing")
    /// The key is not known, or withdrawn.
    public static let keyRefused = Self(rawValue: "keyRefused")
    /// A public key does not open this.
    public static let secretKeyNeeded = Self(rawValue: "secretKeyNeeded")
    /// The key or token is for another app.
    public static let anotherApp = Self(rawValue: "anotherApp")
    /// The customer token is missing, expired or withdrawn.
    public static let customerTokenRefused = Self(rawValue: "customerTokenRefused")
    /// The key has sent too many requests.
    public static let tooManyRequests = Self(rawValue: "tooManyRequests")
    /// The thing of that name is not there.
    public static let nothingThere = Self(rawValue: "nothingThere")
    /// No catalog was given yet.
    public static let catalogMissing = Self(rawValue: "catalogMissing")
    /// What is there is another version than the request names.
    public static let versionMismatch = Self(rawValue: "versionMismatch")
    /// The idempotency key was used with other parameters.
    public static let idempotencyKeyReused = Self(rawValue: "idempotencyKeyReused")
    /// The app has no key with which offers could be signed.
    public static let offerKeyMissing = Self(rawValue: "offerKeyMissing")
    /// The case was decided in another way before.
    public static let alreadyDecided = Self(rawValue: "alreadyDecided")
    /// The name stands for something else already.
    public static let nameTaken = Self(rawValue: "nameTaken")
    /// The balance does not hold so much.
    public static let balanceTooLow = Self(rawValue: "balanceTooLow")
    /// There are as many as there may be.
    public static let tooManyThere = Self(rawValue: "tooManyThere")
    /// The server is about to stop.
    public static let stopping = Self(rawValue: "stopping")
  }

  /// The HTTP status, 400...599.
  public var status: Int
  /// The family.
  public var kind: Kind
  /// What went wrong; the only part that equality looks at.
  public var code: Code
  /// What was seen and expected, in words for the API's user.
  public var message: String
  /// The member or parameter that it is about.
  public var parameter: String?
  /// After how many seconds trying again makes sense.
  public var retryAfterSeconds: Int?
  /// What the inside knows about it; only for the log.
  public var inside: String?
  /// The rules that signed data did not follow, as stable words; only for the log.
  public var rules: String?

  /// Makes an error.
  public init(
    _ status: Int,
    _ kind: Kind,
    _ code: Code,
    _ message: String,
    parameter: String? = nil,
    retryAfterSeconds: Int? = nil,
    inside: String? = nil
  ) {
    precondition((400...599).contains(status), "an error has the status of one")
    self.status = status
    self.kind = kind
    self.code = code
    self.message = message
    self.parameter = parameter
    self.retryAfterSeconds = retryAfterSeconds
    self.inside = inside
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }

  /// Errors are equal when their codes are.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
