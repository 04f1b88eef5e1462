package import IAPModel

extension StoreTransaction {
  /// The transaction in the shape of signed data, for the folds.
  ///
  /// StoreKit only hands an app its own transactions, so the bundle is left empty.
  package var payload: TransactionPayload {
    var payload = TransactionPayload(
      transactionID: transactionID,
      originalTransactionID: originalTransactionID,
      bundleID: BundleID(""),
      productID: productID,
      purchaseDate: purchaseDate
    )
    payload.webOrderLineItemID = webOrderLineItemID
    payload.type = type
    payload.subscriptionGroupID = subscriptionGroupID
    payload.expiresDate = expiresDate
    payload.signedDate = signedDate
    payload.revocationDate = revocationDate
    payload.revocationReason = revocationReason
    payload.quantity = quantity
    payload.appAccountToken = appAccountToken
    payload.environment = environment
    payload.ownershipType = ownership
    payload.isUpgraded = isUpgraded
    payload.priceMilliunits = price?.milliunits
    payload.currency = price?.currency
    payload.offerType = offerType
    payload.offerIdentifier = offerID
    return payload
  }
}
