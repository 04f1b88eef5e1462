import Foundation
import StoreKit

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension IAPError {
  /// Maps an error of StoreKit 2.
  ///
  /// - Parameters:
  ///   - error: What StoreKit threw.
  ///   - productID: The product that the call was about, when it was about one.
  init(storeKit2 error: any Error, productID: String? = nil) {
    switch error {
    case StoreKitError.userCancelled: self = .userCancelled
    case StoreKitError.networkError(let underlying): self = .network(underlying: underlying)
    case let underlying as URLError: self = .network(underlying: underlying)
    case StoreKitError.notAvailableInStorefront, Product.PurchaseError.productUnavailable:
      self = productID.map { .productNotFound(id: $0) } ?? .store(storeKit2: error)
    case Product.PurchaseError.purchaseNotAllowed: self = .paymentsNotAllowed
    case Product.PurchaseError.invalidQuantity:
      self = .invalidOrder(reason: "the quantity is not possible for this product")
    case Product.PurchaseError.ineligibleForOffer: self = .offerRefused(.ineligible)
    case Product.PurchaseError.invalidOfferIdentifier: self = .offerRefused(.invalidIdentifier)
    case Product.PurchaseError.invalidOfferPrice: self = .offerRefused(.invalidPrice)
    case Product.PurchaseError.invalidOfferSignature: self = .offerRefused(.invalidSignature)
    case Product.PurchaseError.missingOfferParameters: self = .offerRefused(.missingParameters)
    case StoreKitError.unknown: self = .unknown
    case let known as IAPError: self = known
    default: self = .store(storeKit2: error)
    }
  }

  private static func store(storeKit2 error: any Error) -> IAPError {
    .store(code: (error as NSError).code, underlying: error)
  }
}
