public import IAPModel

/// What a customer wants to buy on a device.
public struct PurchaseRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The product.
  public var productID: ProductID
  /// How many; 1 to 10 for consumables and non-renewing subscriptions, 1 for the others.
  public var quantity: Int
  /// The token of a StoreKit 2 purchase.
  public var appAccountToken: AppAccountToken?
  /// The user name of a StoreKit 1 purchase; a UUID becomes the token.
  public var applicationUsername: String?
  /// The offer that shall be used.
  public var offerUse: OfferUse?
  /// Whether a parent shall be asked; only the sandbox heeds it.
  public var simulatesAskToBuy: Bool

  /// What the app's server said about the introductory offer, once its word was checked.
  var introductoryIsAllowed: Bool?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - productID: The product.
  ///   - quantity: How many.
  ///   - appAccountToken: The token of a StoreKit 2 purchase.
  ///   - applicationUsername: The user name of a StoreKit 1 purchase.
  ///   - offer: A promotional offer without proof.
  ///   - offerUse: The offer that shall be used, in the place of `offer`.
  ///   - simulatesAskToBuy: Whether a parent shall be asked.
  public init(
    device: DeviceID,
    productID: ProductID,
    quantity: Int = 1,
    appAccountToken: AppAccountToken? = nil,
    applicationUsername: String? = nil,
    offer: OfferID? = nil,
    offerUse: OfferUse? = nil,
    simulatesAskToBuy: Bool = false
  ) {
    self.device = device
    self.productID = productID
    self.quantity = quantity
    self.appAccountToken = appAccountToken
    self.applicationUsername = applicationUsername
    self.offerUse = offerUse ?? offer.map { .promotional($0, nil) }
    self.simulatesAskToBuy = simulatesAskToBuy
  }

  /// The token that the purchase carries: the StoreKit 2 one, else a user name that is a UUID.
  public var token: AppAccountToken? {
    appAccountToken ?? applicationUsername.flatMap { AppAccountToken($0) }
  }
}

/// What came of a request to buy.
public enum PurchaseOutcome: Hashable, Sendable {
  /// Charged: a new transaction.
  case purchased(StoreTransactionRecord)
  /// Nothing was charged; this is the transaction that the account already holds.
  case unchanged(StoreTransactionRecord, UnchangedReason)
  /// A parent was asked.
  case pending(PendingID)
  /// The store refused.
  case failed(StoreFailure)
}

/// Why nothing was charged.
public enum UnchangedReason: String, Hashable, Sendable {
  /// The non-consumable is owned: getting it again is free.
  case alreadyOwned
  /// This very subscription is active; auto-renewal was switched on again if it was off.
  case alreadySubscribed
  /// The change of plan takes effect at the next renewal.
  case changeScheduled
  /// The offer starts with the next renewal.
  case offerScheduled
}

/// Why the store refuses a customer's wish, as StoreKit tells it.
public enum StoreFailure: String, Hashable, Sendable, CaseIterable {
  /// The device has no network.
  case networkUnavailable
  /// Apple's servers cannot be reached.
  case storeUnreachable
  /// The catalog has no such product.
  case productUnavailable
  /// The quantity is out of bounds for the product.
  case invalidQuantity
  /// Payments are not allowed on the device.
  case paymentNotAllowed
  /// The payment did not go through.
  case paymentFailed
  /// The customer has to act first, and the purchase happens later as another transaction.
  case interrupted
  /// The product has no such offer.
  case invalidOfferIdentifier
  /// The customer may not have the offer.
  case ineligibleForOffer
  /// What the app's server signed is wrong, too old, or was used before.
  case invalidOfferSignature
  /// A promotional offer came without a signature.
  case missingOfferParameters
  /// The product cannot be sold with offers.
  case offerUnsupported
}
