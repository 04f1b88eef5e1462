public import Foundation

extension Product {
  @MainActor public func purchase(
    options: Set<Product.PurchaseOption> = []
  ) async throws -> Product.PurchaseResult {
    let request = PurchaseRequest(product: self, options: options)
    return try await host.answering { try await host.purchase(request) }
  }

  public enum PurchaseResult: Sendable {
    case success(VerificationResult<Transaction>)
    case userCancelled
    case pending
  }

  public enum PurchaseError: Error, Equatable, Hashable {
    case invalidQuantity
    case productUnavailable
    case purchaseNotAllowed
    case ineligibleForOffer
    case invalidOfferIdentifier
    case invalidOfferPrice
    case invalidOfferSignature
    case missingOfferParameters
    case paymentMethodBindingConfigurationRequired
  }
}

extension Product.PurchaseError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .invalidQuantity: "The quantity is not possible for this product."
    case .productUnavailable: "The product is not available in this storefront."
    case .purchaseNotAllowed: "Purchases are not allowed on this device."
    case .ineligibleForOffer: "The account is not eligible for the offer."
    case .invalidOfferIdentifier: "The offer does not exist."
    case .invalidOfferPrice: "The offer's price is no longer valid."
    case .invalidOfferSignature: "The offer's signature is not valid."
    case .missingOfferParameters: "The offer lacks a parameter."
    case .paymentMethodBindingConfigurationRequired: "The payment method must be set up first."
    }
  }
}
