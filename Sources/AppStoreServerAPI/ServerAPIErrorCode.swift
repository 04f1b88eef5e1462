/// The App Store's number of an error; its first three digits are the HTTP status.
///
/// - **Source:** App Store Server API, "Error codes".
public struct ServerAPIErrorCode: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int64
  /// Makes a code from its number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// The number as text.
  public var description: String { String(rawValue) }

  /// Whether Apple says that the same request may be sent again.
  public var isRetryable: Bool { Self.retryable.contains(self) }

  private static let retryable: Set<Self> = [
    .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIDNotFoundRetryable,
    .generalInternalRetryable,
  ]

  /// Whether it says that this address knows no such purchase, so that the other may be asked.
  public var meansUnknownHere: Bool {
    self == .transactionIDNotFound || self == .originalTransactionIDNotFound
  }

  /// The body or an order id is malformed.
  public static let generalBadRequest = Self(rawValue: 4_000_000)
  /// The token's bundle id is not one.
  public static let invalidAppIdentifier = Self(rawValue: 4_000_002)
  /// The page's mark is not one that the App Store gave.
  public static let invalidRequestRevision = Self(rawValue: 4_000_005)
  /// The transaction id is not well-formed.
  public static let invalidTransactionID = Self(rawValue: 4_000_006)
  /// The original transaction id is not well-formed.
  public static let invalidOriginalTransactionID = Self(rawValue: 4_000_008)
  /// The days are not 1 to 90.
  public static let invalidExtendByDays = Self(rawValue: 4_000_009)
  /// The page's mark is not one that the App Store gave.
  public static let invalidPaginationToken = Self(rawValue: 4_000_014)
  /// The page's mark is too old.
  public static let paginationTokenExpired = Self(rawValue: 4_000_017)
  /// The history is asked for further back than 180 days.
  public static let startDateTooFarInPast = Self(rawValue: 4_000_012)
  /// An app transaction id is not accepted here.
  public static let appTransactionIDNotSupported = Self(rawValue: 4_000_048)
  /// The account token is no UUID.
  public static let invalidAppAccountTokenUUID = Self(rawValue: 4_000_183)
  /// The id is that of a family member's transaction.
  public static let familyTransactionNotSupported = Self(rawValue: 4_000_185)
  /// The id is that of a renewal.
  public static let transactionIDIsNotOriginal = Self(rawValue: 4_000_187)
  /// The subscription may not be extended.
  public static let subscriptionExtensionIneligible = Self(rawValue: 4_030_004)
  /// The subscription was extended twice in a year.
  public static let subscriptionMaxExtension = Self(rawValue: 4_030_005)
  /// The customer's account is not known.
  public static let accountNotFound = Self(rawValue: 4_040_001)
  /// The customer's account is not known now.
  public static let accountNotFoundRetryable = Self(rawValue: 4_040_002)
  /// The app is not known.
  public static let appNotFound = Self(rawValue: 4_040_003)
  /// The app is not known now.
  public static let appNotFoundRetryable = Self(rawValue: 4_040_004)
  /// There is no transaction of that original id.
  public static let originalTransactionIDNotFound = Self(rawValue: 4_040_005)
  /// There is no transaction of that original id now.
  public static let originalTransactionIDNotFoundRetryable = Self(rawValue: 4_040_006)
  /// No address for notifications is set.
  public static let serverNotificationURLNotFound = Self(rawValue: 4_040_007)
  /// The test notification is not known, or its result is not there yet.
  public static let testNotificationNotFound = Self(rawValue: 4_040_008)
  /// There is no transaction of that id at this address.
  public static let transactionIDNotFound = Self(rawValue: 4_040_010)
  /// The customer has no app transaction.
  public static let appTransactionDoesNotExist = Self(rawValue: 4_040_019)
  /// Too many requests.
  public static let rateLimitExceeded = Self(rawValue: 4_290_000)
  /// The App Store failed.
  public static let generalInternal = Self(rawValue: 5_000_000)
  /// The App Store failed for now.
  public static let generalInternalRetryable = Self(rawValue: 5_000_001)
}
