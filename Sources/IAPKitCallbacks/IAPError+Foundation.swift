public import Foundation
public import IAPKit

extension IAPError {
  /// The domain of `foundationError`.
  public static let foundationDomain = "IAPKit"
  /// The key of the error's stable name in `foundationError`.
  public static let foundationCodeKey = "IAPErrorCode"

  /// The error as Foundation and Objective-C know errors.
  ///
  /// - **Shape:** the number is stable; the name under ``foundationCodeKey`` is the one to compare.
  ///   The description is the text for the user, in the user's language.
  public var foundationError: NSError {
    let language = Language.best(of: Locale.preferredLanguages)
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: userText(language),
      NSLocalizedRecoverySuggestionErrorKey: developerHint,
      Self.foundationCodeKey: code.rawValue,
    ]
    if let underlyingError { info[NSUnderlyingErrorKey] = underlyingError }
    return NSError(domain: Self.foundationDomain, code: foundationNumber, userInfo: info)
  }

  private var foundationNumber: Int { (Self.foundationNumbers[code] ?? -1) + 1 }

  private static let foundationNumbers: [Code: Int] = Dictionary(
    uniqueKeysWithValues: [
      Code.unknown, .productLoadFailed, .productNotFound, .userCancelled, .pending,
      .verificationFailed, .receiptValidationFailed, .purchaseInProgress, .paymentsNotAllowed,
      .network, .storage, .store, .invalidOrder, .staleReceipt,
    ].enumerated().map { ($0.element, $0.offset) }
  )
}
