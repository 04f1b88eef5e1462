public import Foundation
public import IAPModel
import IAPSignatures

/// How and when the customer got the app, as the App Store signed it.
///
/// A missing value is nil, never invented.
public struct IAPAppTransaction: Hashable, Sendable {
  /// What the device can say about the signature.
  public enum Integrity: Hashable, Sendable {
    /// StoreKit 2, or the check of the receipt, found it genuine for this app.
    case verified
    /// It is not genuine: it may have been tampered with.
    case unverified(reason: String)
    /// It was read from the receipt (StoreKit 1, and systems before iOS 16), and the device could
    /// not check it; the server can.
    case unchecked
  }

  /// What the device can say about the signature.
  public let integrity: Integrity
  /// The app.
  public let bundleId: String
  /// The version that is installed: the build number on iOS.
  public let appVersion: String?
  /// The version that the customer got first: the build number on iOS, always "1.0" in the sandbox.
  public let originalAppVersion: String?
  /// When the customer got the app first.
  public let originalPurchaseDate: Date?
  /// When the customer ordered the app before its release.
  public let preorderDate: Date?
  /// Where the app was got.
  public let environment: StoreEnvironment?
  /// When these data were signed.
  public let signedDate: Date?
  /// The platform on which the customer got the app first; StoreKit 2.
  public let originalPlatform: String?
  /// The App Store's number of this customer's download; StoreKit 2.
  public let appTransactionId: String?
  /// The signed text, for the server; StoreKit 2.
  public let jws: String?

  /// Makes a value for tests and previews; what is left out is absent.
  public init(
    integrity: Integrity,
    bundleId: String,
    appVersion: String? = nil,
    originalAppVersion: String? = nil,
    originalPurchaseDate: Date? = nil,
    environment: StoreEnvironment? = nil
  ) {
    self.integrity = integrity
    self.bundleId = bundleId
    self.appVersion = appVersion
    self.originalAppVersion = originalAppVersion
    self.originalPurchaseDate = originalPurchaseDate
    self.environment = environment
    preorderDate = nil
    signedDate = nil
    originalPlatform = nil
    appTransactionId = nil
    jws = nil
  }
}

extension IAPAppTransaction {
  /// Reads the app's part of a receipt; nil when it names no app.
  init?(receipt: ReceiptPayload, integrity: Integrity) {
    guard let bundleID = receipt.bundleID else { return nil }
    self.integrity = integrity
    bundleId = bundleID.rawValue
    appVersion = receipt.applicationVersion
    originalAppVersion = receipt.originalApplicationVersion
    originalPurchaseDate = receipt.originalPurchaseDate
    preorderDate = nil
    environment = receipt.environment
    signedDate = receipt.creationDate
    originalPlatform = nil
    appTransactionId = nil
    jws = nil
  }
}

/// The version with which an app that was paid for became free, or began to sell what it had.
///
/// Who got the app before it keeps what was paid for then.
public struct BusinessModelChange: Hashable, Sendable {
  /// What is known about a customer.
  public enum Customer: Hashable, Sendable {
    /// Got the app before the change.
    case earlier
    /// Got the app with the change or after it.
    case later
    /// It cannot be said; give nothing away, and take nothing.
    case unknown(Reason)
  }

  /// Why nothing can be said.
  public enum Reason: Hashable, Sendable, CaseIterable {
    /// The signature does not hold, or was not checked.
    case notVerified
    /// The sandbox and Xcode say the same for everybody.
    case notProduction
    /// There is no original version, or it is not written in numbers.
    case noVersion
  }

  /// The first version of the new model, as the App Store counts: the build number on iOS, for
  /// example "214", and the version on the Mac.
  public var version: String

  /// Makes a change.
  ///
  /// - Parameter version: The first version of the new model.
  public init(version: String) { self.version = version }

  /// Which side of the change a customer is on.
  ///
  /// - Parameters:
  ///   - transaction: The app transaction.
  ///   - acceptsUnchecked: Whether a receipt counts that the device did not check.
  /// - Returns: The side.
  public func customer(
    _ transaction: IAPAppTransaction,
    acceptsUnchecked: Bool = false
  ) -> Customer {
    switch transaction.integrity {
    case .verified: break
    case .unchecked where acceptsUnchecked: break
    case .unverified, .unchecked: return .unknown(.notVerified)
    }
    guard transaction.environment == .production else { return .unknown(.notProduction) }
    guard let original = transaction.originalAppVersion.flatMap(Self.numbers),
      let change = Self.numbers(version)
    else { return .unknown(.noVersion) }
    let length = max(original.count, change.count)
    let padded = [original, change].map { $0 + Array(repeating: 0, count: length - $0.count) }
    return padded[0].lexicographicallyPrecedes(padded[1]) ? .earlier : .later
  }

  private static func numbers(_ text: String) -> [Int]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard !parts.contains(where: { $0.map { $0 < 0 } ?? true }) else { return nil }
    return parts.compactMap { $0 }
  }
}
