import AppStoreSimulator
import Foundation
import IAPModel
import StoreKit

extension AppStoreSimulator.PurchaseRequest {
  /// What the store is asked for.
  ///
  /// Custom options that Apple's module does not use itself are left out, as the store ignores
  /// them.
  ///
  /// - Throws: `Product.PurchaseError` when an offer lacks something, `StoreKitError.unsupported`
  ///   for options that the simulated store does not know, and for more than one offer.
  init(_ request: StoreKit.PurchaseRequest, on device: DeviceID) throws {
    // There are no billing plans but the usual one.
    if let plan = request.billingPlanType, plan != .upFront { throw StoreKitError.unsupported }
    self.init(
      device: device,
      productID: ProductID(request.product.id),
      quantity: request.quantity,
      appAccountToken: request.appAccountToken.map { AppAccountToken($0) },
      offerUse: try request.offerUse,
      simulatesAskToBuy: request.simulatesAskToBuy
    )
  }

  /// What the store is asked for by a payment of StoreKit 1.
  ///
  /// - Throws: `SKError` when the payment cannot be meant.
  init(_ payment: PaymentValue, on device: DeviceID) throws(SKError) {
    guard payment.requestData == nil else { throw SKError(.unauthorizedRequestData) }
    self.init(
      device: device,
      productID: ProductID(payment.productIdentifier),
      quantity: payment.quantity,
      applicationUsername: payment.applicationUsername,
      offerUse: try payment.discount.map { discount throws(SKError) in try discount.offerUse },
      simulatesAskToBuy: payment.simulatesAskToBuyInSandbox
    )
  }
}

extension StoreKit.PurchaseRequest {
  fileprivate var offerUse: OfferUse? {
    get throws {
      let uses = try [signedUse, compactUse, winBackUse, introductoryUse].compactMap { $0 }
      // A subscription has one offer at a time; none of them may be ignored.
      guard uses.count <= 1 else { throw StoreKitError.unsupported }
      return uses.first
    }
  }

  private var signedUse: OfferUse? {
    get throws {
      guard let offer = promotionalOffer else { return nil }
      guard !offer.id.isEmpty, !offer.keyID.isEmpty, !offer.signature.isEmpty else {
        throw Product.PurchaseError.missingOfferParameters
      }
      let signature = OfferSignature(
        keyID: DeveloperKeyID(offer.keyID),
        nonce: offer.nonce,
        timestampMilliseconds: Int64(offer.timestamp),
        signature: Array(offer.signature)
      )
      return .promotional(OfferID(offer.id), .signature(signature))
    }
  }

  private var compactUse: OfferUse? {
    get throws {
      switch (custom[CustomKey.offerID], custom[CustomKey.offerSignature]) {
      case (nil, nil): return nil
      case (.string(let id)?, .string(let signature)?) where !id.isEmpty && !signature.isEmpty:
        guard let bytes = Data(base64Encoded: signature) else {
          throw Product.PurchaseError.invalidOfferSignature
        }
        return .promotional(OfferID(id), .jws(String(decoding: bytes, as: UTF8.self)))
      default: throw Product.PurchaseError.missingOfferParameters
      }
    }
  }

  private var winBackUse: OfferUse? {
    get throws {
      guard let offer = winBackOffer else { return nil }
      guard let id = offer.id, offer.type == .winBack else {
        throw Product.PurchaseError.invalidOfferIdentifier
      }
      return .winBack(OfferID(id))
    }
  }

  private var introductoryUse: OfferUse? {
    get throws {
      switch custom[CustomKey.introductoryEligibility] {
      case nil: return nil
      case .string(let text)? where !text.isEmpty: return .introductory(eligibilityJWS: text)
      default: throw Product.PurchaseError.missingOfferParameters
      }
    }
  }
}

extension PaymentValue.Discount {
  fileprivate var offerUse: OfferUse {
    get throws(SKError) {
      guard ![identifier, keyIdentifier, signature].contains("") else {
        throw SKError(.missingOfferParams)
      }
      guard let bytes = Data(base64Encoded: signature) else { throw SKError(.invalidSignature) }
      let signature = OfferSignature(
        keyID: DeveloperKeyID(keyIdentifier),
        nonce: nonce,
        timestampMilliseconds: Int64(timestamp),
        signature: Array(bytes)
      )
      return .promotional(OfferID(identifier), .signature(signature))
    }
  }
}
