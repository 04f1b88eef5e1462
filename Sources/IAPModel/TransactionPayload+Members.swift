public import Foundation

extension TransactionPayload {
  /// What a payload holds; each member is described where everybody reads it.
  @usableFromInline
  package struct Members: Hashable, Sendable {
    @usableFromInline package var transactionID: TransactionID
    @usableFromInline package var originalTransactionID: OriginalTransactionID
    @usableFromInline package var webOrderLineItemID: WebOrderLineItemID?
    @usableFromInline package var bundleID: BundleID
    @usableFromInline package var productID: ProductID
    @usableFromInline package var subscriptionGroupID: SubscriptionGroupID?
    @usableFromInline package var purchaseDate: Date
    @usableFromInline package var originalPurchaseDate: Date?
    @usableFromInline package var expiresDate: Date?
    @usableFromInline package var quantity: Int?
    @usableFromInline package var type: ProductType?
    @usableFromInline package var appAccountToken: AppAccountToken?
    @usableFromInline package var ownershipType: OwnershipType?
    @usableFromInline package var signedDate: Date?
    @usableFromInline package var revocationDate: Date?
    @usableFromInline package var revocationReason: RevocationReason?
    @usableFromInline package var revocationType: RevocationType?
    @usableFromInline package var revocationPercentage: Int?
    @usableFromInline package var isUpgraded: Bool = false
    @usableFromInline package var offerType: OfferType?
    @usableFromInline package var offerIdentifier: OfferID?
    @usableFromInline package var offerDiscountType: OfferDiscountType?
    @usableFromInline package var offerPeriod: String?
    @usableFromInline package var environment: StoreEnvironment?
    @usableFromInline package var storefront: String?
    @usableFromInline package var storefrontID: StorefrontID?
    @usableFromInline package var transactionReason: TransactionReason?
    @usableFromInline package var priceMilliunits: Int64?
    @usableFromInline package var currency: String?
    @usableFromInline package var appTransactionID: AppTransactionID?
    @usableFromInline package var otherMembers: [JSONMember] = []
  }
}
