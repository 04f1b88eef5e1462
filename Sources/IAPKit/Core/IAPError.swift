/// What can go wrong between a tap and the goods.
///
/// Two errors are equal when their ``code`` is; what lies underneath is for logs, not for
/// comparing. No text of an error contains a receipt, a signed transaction or a token.
public enum IAPError: Error, Sendable {
  /// The store did not answer a request for products.
  case productLoadFailed(underlying: any Error)
  /// The store knows no product of this identifier here.
  case productNotFound(id: String)
  /// The customer closed the payment sheet. Show nothing.
  case userCancelled
  /// The purchase waits for somebody else: a parent, or the bank. The goods arrive later.
  case pending
  /// The signature of a transaction does not hold. The transaction is kept and checked again.
  case verificationFailed(underlying: any Error)
  /// The server looked and refused.
  case receiptValidationFailed
  /// The receipt is genuine but does not show the purchase: it is brought up to date and asked
  /// about again.
  case staleReceipt
  /// A purchase of the same product is in flight.
  case purchaseInProgress
  /// This device or account may not pay.
  case paymentsNotAllowed
  /// There was no answer from the network.
  case network(underlying: any Error)
  /// The disk under the journal failed, or its content cannot be used.
  case storage(StorageProblem)
  /// StoreKit failed, with its own number.
  case store(code: Int, underlying: any Error)
  /// The order cannot be opened as asked for; the text says why.
  case invalidOrder(reason: String)
  /// The configuration cannot be used; each problem names its key.
  case invalidConfiguration(problems: [String])
  /// This generation of StoreKit, or this system, cannot do it; the text says what.
  case unsupported(reason: String)
  /// The offer was not signed, or the store does not take it.
  case offerRefused(OfferProblem)
  /// The system gave a reason that is not known here.
  case unknown
}

/// What is wrong with an offer.
public struct OfferProblem: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The stable name.
  public let rawValue: String
  /// Makes a problem from its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name.
  public var description: String { rawValue }
  /// The customer may not have it.
  public static let ineligible = Self(rawValue: "ineligible")
  /// The product has no such offer.
  public static let invalidIdentifier = Self(rawValue: "invalidIdentifier")
  /// Its price is no longer valid.
  public static let invalidPrice = Self(rawValue: "invalidPrice")
  /// The signature is not for this purchase, too old, used before, or by an unknown key.
  public static let invalidSignature = Self(rawValue: "invalidSignature")
  /// A part of the signature is missing.
  public static let missingParameters = Self(rawValue: "missingParameters")
  /// Nobody signed it: there is no ``OfferSigner``, or it refused.
  public static let notSigned = Self(rawValue: "notSigned")
}

/// What is wrong with the storage.
public struct StorageProblem: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The stable name.
  public let rawValue: String
  /// Makes a problem from its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name.
  public var description: String { rawValue }
  /// No space is left.
  public static let full = Self(rawValue: "full")
  /// Writing is not permitted.
  public static let readOnly = Self(rawValue: "readOnly")
  /// Another live delivery funnel uses the same journal.
  public static let inUse = Self(rawValue: "inUse")
  /// The journal was written by a newer version; it was left untouched.
  public static let futureVersion = Self(rawValue: "futureVersion")
  /// Reading or writing failed in another way.
  public static let inputOutput = Self(rawValue: "inputOutput")
  /// A record is longer than the limit.
  public static let tooLarge = Self(rawValue: "tooLarge")
  /// There is no record of this name.
  public static let notFound = Self(rawValue: "notFound")
  /// A value could not be turned into a record.
  public static let unencodable = Self(rawValue: "unencodable")
}

extension IAPError {
  /// The stable name of an error, for logs, metrics and comparing.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stable name.
    public let rawValue: String
    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name.
    public var description: String { rawValue }
    /// The code of ``IAPError/productLoadFailed(underlying:)``.
    public static let productLoadFailed = Self(rawValue: "productLoadFailed")
    /// The code of ``IAPError/productNotFound(id:)``.
    public static let productNotFound = Self(rawValue: "productNotFound")
    /// The code of ``IAPError/userCancelled``.
    public static let userCancelled = Self(rawValue: "userCancelled")
    /// The code of ``IAPError/pending``.
    public static let pending = Self(rawValue: "pending")
    /// The code of ``IAPError/verificationFailed(underlying:)``.
    public static let verificationFailed = Self(rawValue: "verificationFailed")
    /// The code of ``IAPError/receiptValidationFailed``.
    public static let receiptValidationFailed = Self(rawValue: "receiptValidationFailed")
    /// The code of ``IAPError/staleReceipt``.
    public static let staleReceipt = Self(rawValue: "staleReceipt")
    /// The code of ``IAPError/purchaseInProgress``.
    public static let purchaseInProgress = Self(rawValue: "purchaseInProgress")
    /// The code of ``IAPError/paymentsNotAllowed``.
    public static let paymentsNotAllowed = Self(rawValue: "paymentsNotAllowed")
    /// The code of ``IAPError/network(underlying:)``.
    public static let network = Self(rawValue: "network")
    /// The code of ``IAPError/storage(_:)``.
    public static let storage = Self(rawValue: "storage")
    /// The code of ``IAPError/store(code:underlying:)``.
    public static let store = Self(rawValue: "store")
    /// The code of ``IAPError/invalidOrder(reason:)``.
    public static let invalidOrder = Self(rawValue: "invalidOrder")
    /// The code of ``IAPError/invalidConfiguration(problems:)``.
    public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
    /// The code of ``IAPError/unsupported(reason:)``.
    public static let unsupported = Self(rawValue: "unsupported")
    /// The code of ``IAPError/offerRefused(_:)``.
    public static let offerRefused = Self(rawValue: "offerRefused")
    /// The code of ``IAPError/unknown``.
    public static let unknown = Self(rawValue: "unknown")
  }

  /// The stable name of this error.
  public var code: Code {
    switch self {
    case .productLoadFailed: .productLoadFailed
    case .productNotFound: .productNotFound
    case .userCancelled: .userCancelled
    case .pending: .pending
    case .verificationFailed: .verificationFailed
    case .receiptValidationFailed: .receiptValidationFailed
    case .staleReceipt: .staleReceipt
    case .purchaseInProgress: .purchaseInProgress
    case .paymentsNotAllowed: .paymentsNotAllowed
    case .network: .network
    case .storage: .storage
    case .store: .store
    case .invalidOrder: .invalidOrder
    case .invalidConfiguration: .invalidConfiguration
    case .unsupported: .unsupported
    case .offerRefused: .offerRefused
    case .unknown: .unknown
    }
  }

  /// Whether the same call may succeed later without the caller changing anything.
  public var isRetryable: Bool {
    switch self {
    case .productLoadFailed, .network, .purchaseInProgress, .userCancelled: true
    case .storage(let problem): problem == .full || problem == .inUse || problem == .inputOutput
    case .store, .unknown, .staleReceipt: true
    case .productNotFound, .pending, .verificationFailed, .receiptValidationFailed: false
    case .paymentsNotAllowed, .invalidOrder, .invalidConfiguration: false
    case .unsupported, .offerRefused: false
    }
  }

  /// The error underneath, where there is one.
  public var underlyingError: (any Error)? {
    switch self {
    case .productLoadFailed(let error), .verificationFailed(let error), .network(let error): error
    case .store(_, let error): error
    case .productNotFound, .userCancelled, .pending, .receiptValidationFailed, .staleReceipt: nil
    case .purchaseInProgress, .paymentsNotAllowed, .storage, .invalidOrder: nil
    case .invalidConfiguration, .unknown: nil
    case .unsupported, .offerRefused: nil
    }
  }
}

extension IAPError: Equatable {
  /// Compares the codes only.
  public static func == (left: IAPError, right: IAPError) -> Bool { left.code == right.code }
}

extension IAPError: CustomStringConvertible {
  /// The code, with what may be logged of the rest.
  public var description: String {
    switch self {
    case .productNotFound(let id): "IAPError.\(code)(\(id))"
    case .storage(let problem): "IAPError.\(code)(\(problem))"
    case .store(let number, _): "IAPError.\(code)(\(number))"
    case .unsupported(let reason): "IAPError.\(code)(\(reason))"
    case .offerRefused(let problem): "IAPError.\(code)(\(problem))"
    case .invalidOrder(let reason): "IAPError.\(code)(\(reason))"
    case .invalidConfiguration(let problems):
      "IAPError.\(code)(\(problems.joined(separator: "; ")))"
    default: "IAPError.\(code)"
    }
  }
}
