extension RenewalInfoPayload {
  /// Reads decoded JWS renewal info.
  ///
  /// - Parameter object: The members of the payload.
  /// - Throws: ``PayloadError`` with `missingMember` or `wrongType`.
  public init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    self.init(
      originalTransactionID: OriginalTransactionID(
        try reader.requiredText("originalTransactionId")
      ),
      productID: ProductID(try reader.requiredText("productId"))
    )
    autoRenewProductID = try reader.identifier("autoRenewProductId")
    willAutoRenew = try reader.integer("autoRenewStatus").map { $0 != 0 }
    signedDate = try reader.date("signedDate")
    environment = try reader.open("environment")
    renewalDate = try reader.date("renewalDate")
    recentSubscriptionStartDate = try reader.date("recentSubscriptionStartDate")
    expirationIntent = try reader.open("expirationIntent")
    isInBillingRetryPeriod = try reader.bool("isInBillingRetryPeriod")
    gracePeriodExpiresDate = try reader.date("gracePeriodExpiresDate")
    priceIncreaseStatus = try reader.open("priceIncreaseStatus")
    offerType = try reader.open("offerType")
    offerIdentifier = try reader.identifier("offerIdentifier")
    offerDiscountType = try reader.open("offerDiscountType")
    offerPeriod = try reader.text("offerPeriod")
    renewalPriceMilliunits = try reader.integer("renewalPrice")
    currency = try reader.text("currency")
    eligibleWinBackOfferIDs = try reader.texts("eligibleWinBackOfferIds")?.map { OfferID($0) }
    appAccountToken = try reader.token("appAccountToken")
    appTransactionID = try reader.identifier("appTransactionId")
    otherMembers = reader.others
  }

  /// The members of the payload, absent ones left out.
  public var object: JSONObject {
    var writer = MemberWriter()
    writer.text("originalTransactionId", originalTransactionID.rawValue)
    writer.text("productId", productID.rawValue)
    writer.text("autoRenewProductId", autoRenewProductID?.rawValue)
    writer.integer("autoRenewStatus", willAutoRenew.map { $0 ? 1 : 0 })
    writer.date("signedDate", signedDate)
    writer.text("environment", environment?.rawValue)
    writer.date("renewalDate", renewalDate)
    writer.date("recentSubscriptionStartDate", recentSubscriptionStartDate)
    writer.integer("expirationIntent", expirationIntent?.rawValue)
    writer.bool("isInBillingRetryPeriod", isInBillingRetryPeriod)
    writer.date("gracePeriodExpiresDate", gracePeriodExpiresDate)
    writer.integer("priceIncreaseStatus", priceIncreaseStatus?.rawValue)
    writer.integer("offerType", offerType?.rawValue)
    writer.text("offerIdentifier", offerIdentifier?.rawValue)
    writer.text("offerDiscountType", offerDiscountType?.rawValue)
    writer.text("offerPeriod", offerPeriod)
    writer.integer("renewalPrice", renewalPriceMilliunits)
    writer.text("currency", currency)
    writer.value(
      "eligibleWinBackOfferIds",
      eligibleWinBackOfferIDs.map { .array($0.map { .string($0.rawValue) }) }
    )
    writer.text("appAccountToken", appAccountToken?.description)
    writer.text("appTransactionId", appTransactionID?.rawValue)
    return writer.object(with: otherMembers)
  }
}
