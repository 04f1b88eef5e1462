import Foundation
import StoreKit

extension IAPError {
  /// Maps an error of StoreKit 1.
  ///
  /// - Parameters:
  ///   - error: What the transaction or request carries.
  ///   - productID: The product that it was about, when it was about one.
  init(storeKit1 error: (any Error)?, productID: String? = nil) {
    switch error {
    case nil: self = .unknown
    case let known as IAPError: self = known
    case let underlying as URLError: self = .network(underlying: underlying)
    case let error as SKError: self.init(error, productID: productID)
    case let error?:
      let bridged = error as NSError
      self =
        bridged.domain == NSURLErrorDomain
        ? .network(underlying: error) : .store(code: bridged.code, underlying: error)
    }
  }

  private init(_ error: SKError, productID: String?) {
    switch error.code {
    case .paymentCancelled, .overlayCancelled: self = .userCancelled
    case .paymentNotAllowed, .clientInvalid: self = .paymentsNotAllowed
    case .ineligibleForOffer: self = .offerRefused(.ineligible)
    case .invalidOfferIdentifier: self = .offerRefused(.invalidIdentifier)
    case .invalidOfferPrice: self = .offerRefused(.invalidPrice)
    case .invalidSignature: self = .offerRefused(.invalidSignature)
    case .missingOfferParams: self = .offerRefused(.missingParameters)
    case .cloudServiceNetworkConnectionFailed: self = .network(underlying: error)
    case .storeProductNotAvailable:
      self =
        productID.map { .productNotFound(id: $0) }
        ?? .store(code: error.code.rawValue, underlying: error)
    default:
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      self =
        cause?.domain == NSURLErrorDomain
        ? .network(underlying: error) : .store(code: error.code.rawValue, underlying: error)
    }
  }
}
