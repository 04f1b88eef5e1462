import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit

extension AppStoreSimulator.PurchaseRequest {
  /// What the store is asked for.
  ///
  /// - Throws: `Product.PurchaseError` when an offer lacks something, `StoreKitError.unsupported`
  ///   for options that the simulated store does not know.
  init(_ request: StoreKit.PurchaseRequest, on device: DeviceID) throws {
    // There are no billing plans but the usual one, and nobody checks signed eligibility.
    if let plan = request.billingPlanType, plan != .upFront { throw StoreKitError.unsupported }
    guard request.custom[StoreKit.PurchaseRequest.CustomKey.introductoryEligibility] == nil else {
      throw StoreKitError.unsupported
    }
    self.init(
      device: device,
      productID: ProductID(request.product.id),
      quantity: request.quantity,
      appAccountToken: request.appAccountToken.map { AppAccountToken($0) },
      offer: try request.offerID,
      simulatesAskToBuy: request.simulatesAskToBuy
    )
  }
}

extension AppStoreSimulator.PurchaseRequest {
  /// What the store is asked for by a payment of StoreKit 1.
  ///
  /// - Throws: `SKError` when the payment cannot be meant.
  init(_ payment: PaymentValue, on device: DeviceID) throws(SKError) {
    guard payment.requestData == nil else { throw SKError(.unauthorizedRequestData) }
    if let discount = payment.discount {
      let parts = [discount.identifier, discount.keyIdentifier, discount.signature]
      guard !parts.contains("") else { throw SKError(.missingOfferParams) }
    }
    self.init(
      device: device,
      productID: ProductID(payment.productIdentifier),
      quantity: payment.quantity,
      applicationUsername: payment.applicationUsername,
      offer: payment.discount.map { OfferID($0.identifier) },
      simulatesAskToBuy: payment.simulatesAskToBuyInSandbox
    )
  }
}

extension StoreKit.PurchaseRequest {
  fileprivate var offerID: OfferID? {
    get throws {
      if let offer = promotionalOffer {
        guard !offer.id.isEmpty, !offer.keyID.isEmpty, !offer.signature.isEmpty else {
          throw Product.PurchaseError.missingOfferParameters
        }
        return OfferID(offer.id)
      }
      if let offer = winBackOffer {
        guard let id = offer.id else { throw Product.PurchaseError.invalidOfferIdentifier }
        return OfferID(id)
      }
      let parts = (custom[CustomKey.offerID], custom[CustomKey.offerSignature])
      switch parts {
      case (nil, nil): return nil
      case (.string(let id)?, .string(let signature)?) where !id.isEmpty && !signature.isEmpty:
        return OfferID(id)
      default: throw Product.PurchaseError.missingOfferParameters
      }
    }
  }
}
