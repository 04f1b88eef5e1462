public import Foundation
public import IAPModel

extension StoreTransactionRecord {
  /// The transaction as signed data has it.
  ///
  /// - Parameters:
  ///   - environment: Where the store says that it is.
  ///   - appTransactionID: The customer's download of the app.
  ///   - signedDate: When it is signed; nil for the last change.
  /// - Returns: The payload without what ties it to a device.
  public func payload(
    environment: StoreEnvironment,
    appTransactionID: AppTransactionID?,
    signedDate: Date? = nil
  ) -> TransactionPayload {
    var payload = TransactionPayload(
      transactionID: transactionID,
      originalTransactionID: originalTransactionID,
      bundleID: bundleID,
      productID: productID,
      purchaseDate: purchaseDate
    )
    payload.webOrderLineItemID = webOrderLineItemID
    payload.subscriptionGroupID = groupID
    payload.originalPurchaseDate = originalPurchaseDate
    payload.expiresDate = expiresDate
    payload.quantity = quantity
    payload.type = type
    payload.appAccountToken = appAccountToken
    payload.ownershipType = ownership
    payload.signedDate = signedDate ?? modifiedDate
    payload.revocationDate = revocationDate
    payload.revocationReason = revocationReason
    payload.revocationType = revocationType
    payload.revocationPercentage = revocationPercentage
    payload.isUpgraded = isUpgraded
    payload.offerType = offer?.type
    payload.offerIdentifier = offer?.id
    payload.offerDiscountType = offer?.discountType
    payload.offerPeriod = offer?.period?.iso8601
    payload.environment = environment
    payload.storefront = storefront.countryCode
    payload.storefrontID = storefront.id
    payload.transactionReason = reason
    payload.priceMilliunits = priceMilliunits
    payload.currency = storefront.currency
    payload.appTransactionID = appTransactionID
    return payload
  }
}
