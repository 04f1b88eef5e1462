import Foundation
import StoreKit

extension ForcedFailure {
  /// What StoreKit 2 throws for it; nil for what is not thrown.
  var storeKit2: (any Error)? {
    switch self {
    case .general(let failure): failure.error
    case .purchase(let failure): failure.error
    case .payment(let code): SKError.Code(rawValue: code).map(Self.nearest)
    case .verification: nil
    case .refundRequest(let failure): failure.error
    }
  }

  /// What a failed transaction of StoreKit 1 carries; nil for what is not a failure of one.
  var storeKit1: (any Error)? {
    guard case .payment(let code) = self else { return storeKit2.map(StoreKitError.storeKit1) }
    return SKError.Code(rawValue: code).map { SKError($0) }
  }

  private static func nearest(_ code: SKError.Code) -> any Error {
    switch code {
    case .paymentCancelled, .overlayCancelled: StoreKitError.userCancelled
    case .paymentNotAllowed: Product.PurchaseError.purchaseNotAllowed
    case .storeProductNotAvailable: StoreKitError.notAvailableInStorefront
    case .cloudServiceNetworkConnectionFailed: General.network.error
    case .invalidOfferIdentifier: Product.PurchaseError.invalidOfferIdentifier
    case .invalidSignature: Product.PurchaseError.invalidOfferSignature
    case .missingOfferParams: Product.PurchaseError.missingOfferParameters
    case .invalidOfferPrice: Product.PurchaseError.invalidOfferPrice
    case .ineligibleForOffer: Product.PurchaseError.ineligibleForOffer
    case .unsupportedPlatform: StoreKitError.unsupported
    case .unknown, .clientInvalid, .paymentInvalid, .cloudServicePermissionDenied,
      .cloudServiceRevoked, .privacyAcknowledgementRequired, .unauthorizedRequestData,
      .overlayInvalidConfiguration, .overlayTimeout, .overlayPresentedInBackgroundScene:
      StoreKitError.unknown
    }
  }
}

extension ForcedFailure.General {
  fileprivate var error: any Error {
    switch self {
    case .unknown: StoreKitError.unknown
    case .userCancelled: StoreKitError.userCancelled
    case .network: StoreKitError.networkError(URLError(.notConnectedToInternet))
    case .system: StoreKitError.systemError(CocoaError(.featureUnsupported))
    case .notAvailableInStorefront: StoreKitError.notAvailableInStorefront
    case .notEntitled: StoreKitError.notEntitled
    case .unsupported: StoreKitError.unsupported
    }
  }
}

extension ForcedFailure.Purchase {
  fileprivate var error: Product.PurchaseError {
    switch self {
    case .invalidQuantity: .invalidQuantity
    case .productUnavailable: .productUnavailable
    case .purchaseNotAllowed: .purchaseNotAllowed
    case .ineligibleForOffer: .ineligibleForOffer
    case .invalidOfferIdentifier: .invalidOfferIdentifier
    case .invalidOfferPrice: .invalidOfferPrice
    case .invalidOfferSignature: .invalidOfferSignature
    case .missingOfferParameters: .missingOfferParameters
    }
  }
}

extension ForcedFailure.RefundRequest {
  fileprivate var error: StoreKit.Transaction.RefundRequestError {
    switch self {
    case .duplicateRequest: .duplicateRequest
    case .failed: .failed
    }
  }
}

extension ForcedFailure.Verification {
  /// The verdict on a signed value.
  func refuse<Value>(_ value: Value) -> VerificationResult<Value> {
    switch self {
    case .revokedCertificate: .unverified(value, .revokedCertificate)
    case .invalidCertificateChain: .unverified(value, .invalidCertificateChain)
    case .invalidDeviceVerification: .unverified(value, .invalidDeviceVerification)
    case .invalidEncoding: .unverified(value, .invalidEncoding)
    case .invalidSignature: .unverified(value, .invalidSignature)
    case .missingRequiredProperties: .unverified(value, .missingRequiredProperties)
    }
  }
}
