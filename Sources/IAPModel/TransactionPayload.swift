public import Foundation

/// What a signed transaction says, decoded but not verified.
///
/// A missing value is nil, never invented. Members that are not known here are kept in
/// ``otherMembers`` and written back.
///
/// - **Units:** dates are instants; ``priceMilliunits`` is in thousandths of ``currency``, after
///   discounts and times ``quantity``.
/// - **Source:** App Store Server API, `JWSTransactionDecodedPayload`.
public struct TransactionPayload: Hashable, Sendable {
  /// The members, behind one reference: a payload has some thirty texts, and is handed around much
  /// more often than it is changed.
  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let members: Members

    @usableFromInline
    init(_ members: Members) { self.members = members }
  }

  @usableFromInline var box: Box

  init(_ members: Members) { box = Box(members) }

  /// Changes several members at once; each change by itself copies all of them.
  @usableFromInline
  package mutating func change(_ body: (inout Members) -> Void) {
    var members = box.members
    body(&members)
    box = Box(members)
  }

  /// Whether two payloads say the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.box === right.box || left.box.members == right.box.members
  }

  /// Takes what tells payloads apart into a hash: the other members hardly ever do.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(box.members.transactionID)
    hasher.combine(box.members.signedDate)
    hasher.combine(box.members.revocationDate)
  }

  /// Makes a payload with what every transaction has; the rest is absent.
  public init(
    transactionID: TransactionID,
    originalTransactionID: OriginalTransactionID,
    bundleID: BundleID,
    productID: ProductID,
    purchaseDate: Date
  ) {
    self.init(
      Members(
        transactionID: transactionID,
        originalTransactionID: originalTransactionID,
        bundleID: bundleID,
        productID: productID,
        purchaseDate: purchaseDate
      )
    )
  }

  /// What was charged, when the payload says both amount and currency.
  public var price: Money? {
    guard let priceMilliunits, let currency else { return nil }
    return Money(milliunits: priceMilliunits, currency: currency)
  }

  /// The name of what was paid for (design, invariant 3).
  ///
  /// A consumable or non-renewing purchase is its transaction; a non-consumable its original; a
  /// period of an auto-renewable subscription its original with the web order line item, else the
  /// purchase date. Nil while the type is unknown.
  public var unit: UnitID? {
    switch type {
    case .consumable?, .nonRenewable?: return UnitID("tx:\(transactionID)")
    case .nonConsumable?: return UnitID("orig:\(originalTransactionID)")
    case .autoRenewable?:
      guard let webOrderLineItemID else {
        return UnitID("period:\(originalTransactionID):at:\(purchaseDate.milliseconds)")
      }
      return UnitID("period:\(originalTransactionID):line:\(webOrderLineItemID)")
    default: return nil
    }
  }
}

// MARK: Members

extension TransactionPayload {
  /// The identifier of this transaction.
  @inlinable
  public var transactionID: TransactionID {
    get { box.members.transactionID }
    set { change { $0.transactionID = newValue } }
  }
  /// The identifier of the first transaction of the product or subscription.
  @inlinable
  public var originalTransactionID: OriginalTransactionID {
    get { box.members.originalTransactionID }
    set { change { $0.originalTransactionID = newValue } }
  }
  /// The billing event of an auto-renewable subscription.
  @inlinable
  public var webOrderLineItemID: WebOrderLineItemID? {
    get { box.members.webOrderLineItemID }
    set { change { $0.webOrderLineItemID = newValue } }
  }
  /// The app that sold the product.
  @inlinable
  public var bundleID: BundleID {
    get { box.members.bundleID }
    set { change { $0.bundleID = newValue } }
  }
  /// The product.
  @inlinable
  public var productID: ProductID {
    get { box.members.productID }
    set { change { $0.productID = newValue } }
  }
  /// The group of an auto-renewable subscription.
  @inlinable
  public var subscriptionGroupID: SubscriptionGroupID? {
    get { box.members.subscriptionGroupID }
    set { change { $0.subscriptionGroupID = newValue } }
  }
  /// When the customer was charged, or the start of the renewed period.
  @inlinable
  public var purchaseDate: Date {
    get { box.members.purchaseDate }
    set { change { $0.purchaseDate = newValue } }
  }
  /// When the original transaction was made.
  @inlinable
  public var originalPurchaseDate: Date? {
    get { box.members.originalPurchaseDate }
    set { change { $0.originalPurchaseDate = newValue } }
  }
  /// When an auto-renewable subscription's period ends; nil for every other type.
  @inlinable
  public var expiresDate: Date? {
    get { box.members.expiresDate }
    set { change { $0.expiresDate = newValue } }
  }
  /// How many were bought; nil when the payload does not say.
  @inlinable
  public var quantity: Int? {
    get { box.members.quantity }
    set { change { $0.quantity = newValue } }
  }
  /// The product's type.
  @inlinable
  public var type: ProductType? {
    get { box.members.type }
    set { change { $0.type = newValue } }
  }
  /// The token that travelled with the purchase.
  @inlinable
  public var appAccountToken: AppAccountToken? {
    get { box.members.appAccountToken }
    set { change { $0.appAccountToken = newValue } }
  }
  /// Whether the customer bought it or shares it.
  @inlinable
  public var ownershipType: OwnershipType? {
    get { box.members.ownershipType }
    set { change { $0.ownershipType = newValue } }
  }
  /// When the App Store signed these bytes.
  @inlinable
  public var signedDate: Date? {
    get { box.members.signedDate }
    set { change { $0.signedDate = newValue } }
  }
  /// When the App Store took the transaction back.
  @inlinable
  public var revocationDate: Date? {
    get { box.members.revocationDate }
    set { change { $0.revocationDate = newValue } }
  }
  /// Why the App Store took it back.
  @inlinable
  public var revocationReason: RevocationReason? {
    get { box.members.revocationReason }
    set { change { $0.revocationReason = newValue } }
  }
  /// How the App Store took it back.
  @inlinable
  public var revocationType: RevocationType? {
    get { box.members.revocationType }
    set { change { $0.revocationType = newValue } }
  }
  /// How much was paid back, in thousandths of a percent.
  @inlinable
  public var revocationPercentage: Int? {
    get { box.members.revocationPercentage }
    set { change { $0.revocationPercentage = newValue } }
  }
  /// Whether the customer has moved to a higher level and this transaction no longer counts.
  @inlinable
  public var isUpgraded: Bool {
    get { box.members.isUpgraded }
    set { change { $0.isUpgraded = newValue } }
  }
  /// The kind of offer.
  @inlinable
  public var offerType: OfferType? {
    get { box.members.offerType }
    set { change { $0.offerType = newValue } }
  }
  /// The offer's identifier.
  @inlinable
  public var offerIdentifier: OfferID? {
    get { box.members.offerIdentifier }
    set { change { $0.offerIdentifier = newValue } }
  }
  /// How the offer is paid.
  @inlinable
  public var offerDiscountType: OfferDiscountType? {
    get { box.members.offerDiscountType }
    set { change { $0.offerDiscountType = newValue } }
  }
  /// The ISO 8601 length of the whole offer.
  @inlinable
  public var offerPeriod: String? {
    get { box.members.offerPeriod }
    set { change { $0.offerPeriod = newValue } }
  }
  /// Where the transaction was made.
  @inlinable
  public var environment: StoreEnvironment? {
    get { box.members.environment }
    set { change { $0.environment = newValue } }
  }
  /// The storefront's three-letter country code.
  @inlinable
  public var storefront: String? {
    get { box.members.storefront }
    set { change { $0.storefront = newValue } }
  }
  /// Apple's number of the storefront.
  @inlinable
  public var storefrontID: StorefrontID? {
    get { box.members.storefrontID }
    set { change { $0.storefrontID = newValue } }
  }
  /// Whether the customer bought or the store renewed.
  @inlinable
  public var transactionReason: TransactionReason? {
    get { box.members.transactionReason }
    set { change { $0.transactionReason = newValue } }
  }
  /// The amount charged, in thousandths of ``currency``.
  @inlinable
  public var priceMilliunits: Int64? {
    get { box.members.priceMilliunits }
    set { change { $0.priceMilliunits = newValue } }
  }
  /// The ISO 4217 currency code.
  @inlinable
  public var currency: String? {
    get { box.members.currency }
    set { change { $0.currency = newValue } }
  }
  /// The customer's download of the app.
  @inlinable
  public var appTransactionID: AppTransactionID? {
    get { box.members.appTransactionID }
    set { change { $0.appTransactionID = newValue } }
  }
  /// Members that are not known here, in their order.
  @inlinable
  public var otherMembers: [JSONMember] {
    get { box.members.otherMembers }
    set { change { $0.otherMembers = newValue } }
  }
}
