public import Foundation

public let SKErrorDomain: String = "SKErrorDomain"

public struct SKError: CustomNSError, Hashable, Sendable {
  /// Carries the user info, whose values need not be Sendable.
  private let nsError: NSError

  public init(_ code: SKError.Code, userInfo: [String: Any] = [:]) {
    nsError = NSError(domain: SKErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  public var code: SKError.Code { Code(rawValue: nsError.code) ?? .unknown }
  public var userInfo: [String: Any] { nsError.userInfo }

  public static var errorDomain: String { SKErrorDomain }
  public var errorCode: Int { nsError.code }
  public var errorUserInfo: [String: Any] { nsError.userInfo }
  public var localizedDescription: String { nsError.localizedDescription }

  public enum Code: Int, BitwiseCopyable, Sendable {
    case unknown = 0
    case clientInvalid = 1
    case paymentCancelled = 2
    case paymentInvalid = 3
    case paymentNotAllowed = 4
    case storeProductNotAvailable = 5
    case cloudServicePermissionDenied = 6
    case cloudServiceNetworkConnectionFailed = 7
    case cloudServiceRevoked = 8
    case privacyAcknowledgementRequired = 9
    case unauthorizedRequestData = 10
    case invalidOfferIdentifier = 11
    case invalidSignature = 12
    case missingOfferParams = 13
    case invalidOfferPrice = 14
    case overlayCancelled = 15
    case overlayInvalidConfiguration = 16
    case overlayTimeout = 17
    case ineligibleForOffer = 18
    case unsupportedPlatform = 19
    case overlayPresentedInBackgroundScene = 20

    public static func ~= (match: SKError.Code, error: any Error) -> Bool {
      if let error = error as? SKError { return error.code == match }
      let error = error as NSError
      return error.domain == SKErrorDomain && error.code == match.rawValue
    }
  }
}

extension SKError {
  public static var unknown: SKError.Code { .unknown }
  public static var clientInvalid: SKError.Code { .clientInvalid }
  public static var paymentCancelled: SKError.Code { .paymentCancelled }
  public static var paymentInvalid: SKError.Code { .paymentInvalid }
  public static var paymentNotAllowed: SKError.Code { .paymentNotAllowed }
  public static var storeProductNotAvailable: SKError.Code { .storeProductNotAvailable }
  public static var cloudServicePermissionDenied: SKError.Code { .cloudServicePermissionDenied }
  public static var cloudServiceNetworkConnectionFailed: SKError.Code {
    .cloudServiceNetworkConnectionFailed
  }
  public static var cloudServiceRevoked: SKError.Code { .cloudServiceRevoked }
  public static var privacyAcknowledgementRequired: SKError.Code {
    .privacyAcknowledgementRequired
  }
  public static var unauthorizedRequestData: SKError.Code { .unauthorizedRequestData }
  public static var invalidOfferIdentifier: SKError.Code { .invalidOfferIdentifier }
  public static var invalidSignature: SKError.Code { .invalidSignature }
  public static var missingOfferParams: SKError.Code { .missingOfferParams }
  public static var invalidOfferPrice: SKError.Code { .invalidOfferPrice }
  public static var overlayCancelled: SKError.Code { .overlayCancelled }
  public static var overlayInvalidConfiguration: SKError.Code { .overlayInvalidConfiguration }
  public static var overlayTimeout: SKError.Code { .overlayTimeout }
  public static var ineligibleForOffer: SKError.Code { .ineligibleForOffer }
  public static var unsupportedPlatform: SKError.Code { .unsupportedPlatform }
  public static var overlayPresentedInBackgroundScene: SKError.Code {
    .overlayPresentedInBackgroundScene
  }
}
