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
    payload.change {
      $0.webOrderLineItemID = webOrderLineItemID
      $0.type = type
      $0.subscriptionGroupID = subscriptionGroupID
      $0.expiresDate = expiresDate
      $0.signedDate = signedDate
      $0.revocationDate = revocationDate
      $0.revocationReason = revocationReason
      $0.quantity = quantity
      $0.appAccountToken = appAccountToken
      $0.environment = environment
      $0.ownershipType = ownership
      $0.isUpgraded = isUpgraded
      $0.priceMilliunits = price?.milliunits
      $0.currency = price?.currency
      $0.offerType = offerType
      $0.offerIdentifier = offerID
    }
    return payload
  }
}
