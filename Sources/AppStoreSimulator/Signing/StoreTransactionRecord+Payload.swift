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
    payload.change {
      $0.webOrderLineItemID = webOrderLineItemID
      $0.subscriptionGroupID = groupID
      $0.originalPurchaseDate = originalPurchaseDate
      $0.expiresDate = expiresDate
      $0.quantity = quantity
      $0.type = type
      $0.appAccountToken = appAccountToken
      $0.ownershipType = ownership
      $0.signedDate = signedDate ?? modifiedDate
      $0.revocationDate = revocationDate
      $0.revocationReason = revocationReason
      $0.revocationType = revocationType
      $0.revocationPercentage = revocationPercentage
      $0.isUpgraded = isUpgraded
      $0.offerType = offer?.type
      $0.offerIdentifier = offer?.id
      $0.offerDiscountType = offer?.discountType
      $0.offerPeriod = offer?.period?.iso8601
      $0.environment = environment
      $0.storefront = storefront.countryCode
      $0.storefrontID = storefront.id
      $0.transactionReason = reason
      $0.priceMilliunits = priceMilliunits
      $0.currency = storefront.currency
      $0.appTransactionID = appTransactionID
    }
    return payload
  }
}
