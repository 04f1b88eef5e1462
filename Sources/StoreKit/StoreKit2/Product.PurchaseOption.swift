public import Foundation

extension Product {
  public struct PurchaseOption: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    enum Content: Hashable, Sendable {
      case appAccountToken(UUID)
      case quantity(Int)
      case simulatesAskToBuy(Bool)
      case promotionalOffer(PurchaseRequest.SignedOffer)
      case winBackOffer(Product.SubscriptionOffer)
      case billingPlanType(Product.SubscriptionInfo.BillingPlanType)
      case custom(key: String, CustomValue)
      case storefrontChange
    }

    let content: Content
    let continuesInStorefront: (@Sendable (Storefront) -> Bool)?

    private init(_ content: Content, _ handler: (@Sendable (Storefront) -> Bool)? = nil) {
      self.content = content
      self.continuesInStorefront = handler
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
      case .winBackOffer(let offer): "winBackOffer(\(offer.id ?? ""))"
      case .billingPlanType(let type): "billingPlanType(\(type.rawValue))"
      // The value may be a signature.
      case .custom(let key, _): "custom(\(key))"
      case .storefrontChange: "onStorefrontChange"
      }
    }
  }
}

extension Product.PurchaseOption {
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

  @preconcurrency public static func onStorefrontChange(
    shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
  ) -> Product.PurchaseOption {
    Self(.storefrontChange, shouldContinuePurchase)
  }

  public static func billingPlanType(
    _ type: Product.SubscriptionInfo.BillingPlanType
  ) -> Product.PurchaseOption {
    Self(.billingPlanType(type))
  }
}

extension Product.PurchaseOption {
  public static func custom(key: String, value: String) -> Product.PurchaseOption {
    Self(.custom(key: key, .string(value)))
  }

  public static func custom(key: String, value: Double) -> Product.PurchaseOption {
    Self(.custom(key: key, .number(value)))
  }

  public static func custom(key: String, value: Bool) -> Product.PurchaseOption {
    Self(.custom(key: key, .bool(value)))
  }

  public static func custom(key: String, value: Data) -> Product.PurchaseOption {
    Self(.custom(key: key, .data(value)))
  }
}

// Offers.
extension Product.PurchaseOption {
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

  /// Two options, as on Apple's platforms: the offer, and the signature in base64.
  public static func promotionalOffer(
    _ offerID: String,
    compactJWS: String
  ) -> [Product.PurchaseOption] {
    let signature = Data(compactJWS.utf8).base64EncodedString()
    return [
      custom(key: PurchaseRequest.CustomKey.offerID, value: offerID),
      custom(key: PurchaseRequest.CustomKey.offerSignature, value: signature),
    ]
  }

  public static func introductoryOfferEligibility(compactJWS: String) -> Product.PurchaseOption {
    custom(key: PurchaseRequest.CustomKey.introductoryEligibility, value: compactJWS)
  }

  public static func winBackOffer(_ offer: Product.SubscriptionOffer) -> Product.PurchaseOption {
    Self(.winBackOffer(offer))
  }
}

extension PurchaseRequest {
  /// The keys of the options that Apple's module builds from `custom(key:value:)`.
  package enum CustomKey {
    package static let offerID = "adHocOfferId"
    package static let offerSignature = "adHocSignature"
    package static let introductoryEligibility = "introOfferEligibilityParam"
  }

  init(product: Product, options: Set<Product.PurchaseOption>) {
    self.init(product: product)
    // Two options of one kind must not win by the chance of hashing.
    for option in options.sorted(by: { $0.debugDescription < $1.debugDescription }) {
      switch option.content {
      case .appAccountToken(let token): appAccountToken = token
      case .quantity(let quantity): self.quantity = quantity
      case .simulatesAskToBuy(let value): simulatesAskToBuy = value
      case .promotionalOffer(let offer): promotionalOffer = offer
      case .winBackOffer(let offer): winBackOffer = offer
      case .billingPlanType(let type): billingPlanType = type
      case .custom(let key, let value): custom[key] = value
      case .storefrontChange: continuesInStorefront = option.continuesInStorefront
      }
    }
  }
}
