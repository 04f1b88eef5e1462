public import Foundation

extension Product {
  @MainActor public func purchase(
    options: Set<Product.PurchaseOption> = []
  ) async throws -> Product.PurchaseResult {
    let request = PurchaseRequest(product: self, options: options)
    let result: Product.PurchaseResult
    do {
      result = try await host.purchase(request)
    } catch {
      await host.passWhileAlive()
      throw error
    }
    await host.passWhileAlive()
    return result
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
    }
  }
}

extension Product {
  public struct PurchaseOption: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    enum Content: Hashable, Sendable {
      case appAccountToken(UUID)
      case quantity(Int)
      case simulatesAskToBuy(Bool)
      case promotionalOffer(PurchaseRequest.SignedOffer)
      case storefrontChange
    }

    let content: Content
    let continuesInStorefront: (@Sendable (Storefront) -> Bool)?

    private init(_ content: Content, _ handler: (@Sendable (Storefront) -> Bool)? = nil) {
      self.content = content
      self.continuesInStorefront = handler
    }

    public static func appAccountToken(_ token: UUID) -> Product.PurchaseOption {
      Self(.appAccountToken(token))
    }

    public static func quantity(_ quantity: Int) -> Product.PurchaseOption {
      Self(.quantity(quantity))
    }

    public static func simulatesAskToBuyInSandbox(
      _ simulateAskToBuy: Bool
    ) -> Product.PurchaseOption {
      Self(.simulatesAskToBuy(simulateAskToBuy))
    }

    public static func onStorefrontChange(
      shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
    ) -> Product.PurchaseOption {
      Self(.storefrontChange, shouldContinuePurchase)
    }

    public static func promotionalOffer(
      offerID: String,
      keyID: String,
      nonce: UUID,
      signature: Data,
      timestamp: Int
    ) -> Product.PurchaseOption {
      Self(
        .promotionalOffer(
          PurchaseRequest.SignedOffer(
            id: offerID,
            keyID: keyID,
            nonce: nonce,
            signature: signature,
            timestamp: timestamp
          )
        )
      )
    }

    public static func promotionalOffer(
      offerID: String,
      signature: Product.SubscriptionOffer.Signature
    ) -> Product.PurchaseOption {
      promotionalOffer(
        offerID: offerID,
        keyID: signature.keyID,
        nonce: signature.nonce,
        signature: signature.signature,
        timestamp: signature.timestamp
      )
    }

    public static func == (lhs: Product.PurchaseOption, rhs: Product.PurchaseOption) -> Bool {
      lhs.content == rhs.content
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(content) }

    public var debugDescription: String {
      switch content {
      case .appAccountToken: "appAccountToken"
      case .quantity(let quantity): "quantity(\(quantity))"
      case .simulatesAskToBuy(let value): "simulatesAskToBuyInSandbox(\(value))"
      case .promotionalOffer(let offer): "promotionalOffer(\(offer.id))"
      case .storefrontChange: "onStorefrontChange"
      }
    }
  }
}

extension PurchaseRequest {
  init(product: Product, options: Set<Product.PurchaseOption>) {
    self.init(product: product)
    // Two options of one kind must not win by the chance of hashing.
    for option in options.sorted(by: { $0.debugDescription < $1.debugDescription }) {
      switch option.content {
      case .appAccountToken(let token): appAccountToken = token
      case .quantity(let quantity): self.quantity = quantity
      case .simulatesAskToBuy(let value): simulatesAskToBuy = value
      case .promotionalOffer(let offer): promotionalOffer = offer
      case .storefrontChange: continuesInStorefront = option.continuesInStorefront
      }
    }
  }
}
