public import IAPModel

/// What is known about one transaction after all facts.
public struct TransactionState: Hashable, Sendable {
  /// The content of the fact with the greatest signed date, completed from the others.
  ///
  /// What that fact is silent about and what
  /// never changes (type, token, price, web order line item ...) comes from older facts.
  public let payload: TransactionPayload
  /// What was paid for; nil while the product's type is unknown.
  public let unit: UnitID?
  /// Whether the goods of the unit are taken back at present.
  public let isRevoked: Bool

  /// The transaction's identifier.
  public var id: TransactionID { payload.transactionID }
}

extension TransactionPayload {
  /// Folds the facts about one transaction, in ascending order, into one content.
  static func folded(ascending facts: [RankedTransaction]) -> TransactionPayload {
    precondition(!facts.isEmpty, "a transaction is known from at least one fact")
    let latest = facts[facts.count - 1]
    var result = latest.payload
    if facts.count > 1 {
      result.change { members in
        for fact in facts.dropLast().reversed() { members.complete(from: fact.payload) }
      }
    }
    // A receipt has no word for "upgraded": the newest signed transaction has it.
    if latest.isReceiptLine, let signed = facts.last(where: { !$0.isReceiptLine }),
      result.isUpgraded != signed.payload.isUpgraded
    {
      result.isUpgraded = signed.payload.isUpgraded
    }
    return result
  }
}

extension TransactionPayload.Members {
  /// Takes what is absent here and can never become absent in truth.
  fileprivate mutating func complete(from other: TransactionPayload) {
    webOrderLineItemID = webOrderLineItemID ?? other.webOrderLineItemID
    subscriptionGroupID = subscriptionGroupID ?? other.subscriptionGroupID
    originalPurchaseDate = originalPurchaseDate ?? other.originalPurchaseDate
    expiresDate = expiresDate ?? other.expiresDate
    quantity = quantity ?? other.quantity
    type = type ?? other.type
    appAccountToken = appAccountToken ?? other.appAccountToken
    ownershipType = ownershipType ?? other.ownershipType
    environment = environment ?? other.environment
    storefront = storefront ?? other.storefront
    storefrontID = storefrontID ?? other.storefrontID
    transactionReason = transactionReason ?? other.transactionReason
    appTransactionID = appTransactionID ?? other.appTransactionID
    if priceMilliunits == nil {
      priceMilliunits = other.priceMilliunits
      currency = currency ?? other.currency
    }
    if offerType == nil {
      offerType = other.offerType
      offerIdentifier = offerIdentifier ?? other.offerIdentifier
    }
    offerDiscountType = offerDiscountType ?? other.offerDiscountType
    offerPeriod = offerPeriod ?? other.offerPeriod
    if revocationDate != nil {
      revocationReason = revocationReason ?? other.revocationReason
      revocationType = revocationType ?? other.revocationType
    }
  }
}
