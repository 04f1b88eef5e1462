/// A call of StoreKit that a test can make fail.
public enum FailableCall: String, Hashable, Sendable, CaseIterable {
  /// Loading products.
  case loadProducts
  /// Buying.
  case purchase
  /// Checking signed data: it arrives unverified.
  case verification
  /// Asking the store for everything again.
  case synchronization
  /// Asking for the status of subscriptions.
  case subscriptionStatus
  /// Asking for the app transaction.
  case appTransaction
  /// The sheet for subscriptions.
  case manageSubscriptions
  /// The sheet for refunds.
  case refundRequest
  /// The sheet for offer codes.
  case offerCodeRedemption

  /// Whether the call can fail like that.
  func canFail(with failure: ForcedFailure) -> Bool {
    switch (self, failure) {
    case (.verification, .verification): true
    case (.verification, _), (_, .verification): false
    case (_, .general): true
    case (.purchase, .purchase): true
    case (.purchase, .payment(let code)): ForcedFailure.paymentCodes.contains(code)
    case (.refundRequest, .refundRequest): true
    case (_, .purchase), (_, .payment), (_, .refundRequest): false
    }
  }
}

/// How a call of StoreKit fails.
public enum ForcedFailure: Hashable, Sendable {
  /// What any call can fail with.
  public enum General: String, Hashable, Sendable, CaseIterable {
    /// For no known reason.
    case unknown
    /// The person cancelled.
    case userCancelled
    /// The network.
    case network
    /// The system.
    case system
    /// The product is not sold in the storefront.
    case notAvailableInStorefront
    /// The app lacks an entitlement.
    case notEntitled
    /// The system does not support it.
    case unsupported
  }

  /// What only a purchase can fail with.
  public enum Purchase: String, Hashable, Sendable, CaseIterable {
    /// The quantity.
    case invalidQuantity
    /// The product.
    case productUnavailable
    /// Payments are not allowed.
    case purchaseNotAllowed
    /// The customer may not have the offer.
    case ineligibleForOffer
    /// There is no such offer.
    case invalidOfferIdentifier
    /// The offer's price is no longer valid.
    case invalidOfferPrice
    /// The offer's signature.
    case invalidOfferSignature
    /// Something about the offer is missing.
    case missingOfferParameters
  }

  /// What is wrong with signed data.
  public enum Verification: String, Hashable, Sendable, CaseIterable {
    /// A certificate was revoked.
    case revokedCertificate
    /// The chain of certificates.
    case invalidCertificateChain
    /// It was signed for another device.
    case invalidDeviceVerification
    /// It cannot be read.
    case invalidEncoding
    /// The signature.
    case invalidSignature
    /// Something is missing.
    case missingRequiredProperties
  }

  /// What only a refund request can fail with.
  public enum RefundRequest: String, Hashable, Sendable, CaseIterable {
    /// It was asked for before.
    case duplicateRequest
    /// For another reason.
    case failed
  }

  /// For a reason that any call can have.
  case general(General)
  /// For a reason that purchases have.
  case purchase(Purchase)
  /// With a code of StoreKit 1; StoreKit 2 throws what comes nearest.
  case payment(code: Int)
  /// As signed data that is not verified.
  case verification(Verification)
  /// For a reason that refund requests have.
  case refundRequest(RefundRequest)

  /// The codes that StoreKit 1 has.
  static let paymentCodes = 0...20
}
