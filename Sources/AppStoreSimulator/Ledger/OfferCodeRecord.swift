public import Foundation
public import IAPModel

/// A code that customers redeem: one of many that work once, or one word for many customers.
///
/// - **Source:** the product facts, section 6.
public struct OfferCodeRecord: Hashable, Sendable {
  /// What is typed in.
  public let code: OfferCode
  /// The app.
  public let bundleID: BundleID
  /// What it is for.
  public let productID: ProductID
  /// The reference name of the offer: of the catalog's for a subscription, else its own.
  public let offerName: String
  /// What a one-time product costs with it, in thousandths; nil for subscriptions.
  public let priceMilliunits: Int64?
  /// How many customers may redeem it; nil for any number.
  public let redemptionCountMax: Int?
  /// Until when it is good, not included; nil for ever.
  public let endDate: Date?
  /// Who redeemed it, in order.
  public internal(set) var redeemers: [AccountID] = []

  var isForSubscription: Bool { priceMilliunits == nil }

  /// What transactions say.
  var reference: OfferReference { OfferReference(type: .code, id: OfferID(offerName)) }

  /// Why the customer cannot redeem it; nil when nothing is in the way.
  func failure(
    _ request: PurchaseRequest,
    _ account: AccountID,
    at now: Date
  ) -> StoreFailure? {
    guard request.productID == productID else { return .invalidOfferIdentifier }
    guard request.quantity == 1 else { return .invalidQuantity }
    if let endDate, now >= endDate { return .ineligibleForOffer }
    if let redemptionCountMax, redeemers.count >= redemptionCountMax { return .ineligibleForOffer }
    return redeemers.contains(account) ? .ineligibleForOffer : nil
  }
}

/// What codes are made for.
public struct OfferCodeTerms: Hashable, Sendable {
  /// What they are for.
  public var productID: ProductID
  /// The reference name of the catalog's offer, or a name for a one-time product's.
  public var offerName: String
  /// What a one-time product costs with it, in thousandths; nil for subscriptions.
  public var priceMilliunits: Int64?
  /// Until when they are good; nil for ever.
  public var endDate: Date?

  /// Puts terms together.
  ///
  /// - Parameters:
  ///   - productID: What they are for.
  ///   - offerName: The reference name of the offer.
  ///   - priceMilliunits: What a one-time product costs with it, in thousandths.
  ///   - endDate: Until when they are good.
  public init(
    productID: ProductID,
    offerName: String,
    priceMilliunits: Int64? = nil,
    endDate: Date? = nil
  ) {
    self.productID = productID
    self.offerName = offerName
    self.priceMilliunits = priceMilliunits
    self.endDate = endDate
  }
}
