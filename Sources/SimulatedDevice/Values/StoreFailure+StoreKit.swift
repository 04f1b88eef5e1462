import AppStoreSimulator
import Foundation
import StoreKit

extension StoreFailure {
  /// What StoreKit 2 throws for it.
  var storeKit2: any Error {
    switch self {
    case .networkUnavailable: StoreKitError.networkError(URLError(.notConnectedToInternet))
    case .storeUnreachable: StoreKitError.networkError(URLError(.cannotConnectToHost))
    case .productUnavailable: Product.PurchaseError.productUnavailable
    case .invalidQuantity: Product.PurchaseError.invalidQuantity
    case .paymentNotAllowed: Product.PurchaseError.purchaseNotAllowed
    case .paymentFailed: StoreKitError.unknown
    case .interrupted: StoreKitError.userCancelled
    case .invalidOfferIdentifier: Product.PurchaseError.invalidOfferIdentifier
    case .ineligibleForOffer: Product.PurchaseError.ineligibleForOffer
    case .invalidOfferSignature: Product.PurchaseError.invalidOfferSignature
    case .missingOfferParameters: Product.PurchaseError.missingOfferParameters
    case .offerUnsupported: StoreKitError.unsupported
    }
  }

  /// What a failed transaction of StoreKit 1 carries.
  var storeKit1: any Error {
    // The queue cannot tell an unknown product from a payment that makes no sense.
    self == .productUnavailable ? SKError(.paymentInvalid) : StoreKitError.storeKit1(storeKit2)
  }
}
