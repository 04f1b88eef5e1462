extension TransactionPayload {
  /// Reads a decoded JWS transaction.
  ///
  /// - Parameter object: The members of the payload.
  /// - Throws: ``PayloadError`` with `missingMember` when a member is absent that every
  ///   transaction has, or `wrongType`.
  public init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    self.init(
      transactionID: TransactionID(try reader.requiredText("transactionId")),
      originalTransactionID: OriginalTransactionID(
        try reader.requiredText("originalTransactionId")
      ),
      bundleID: BundleID(try reader.requiredText("bundleId")),
      productID: ProductID(try reader.requiredText("productId")),
      purchaseDate: try reader.requiredDate("purchaseDate")
    )
    webOrderLineItemID = try reader.identifier("webOrderLineItemId")
    subscriptionGroupID = try reader.identifier("subscriptionGroupIdentifier")
    originalPurchaseDate = try reader.date("originalPurchaseDate")
    expiresDate = try reader.date("expiresDate")
    quantity = try reader.smallInteger("quantity")
    type = try reader.open("type")
    appAccountToken = try reader.token("appAccountToken")
    ownershipType = try reader.open("inAppOwnershipType")
    signedDate = try reader.date("signedDate")
    revocationDate = try reader.date("revocationDate")
    revocationReason = try reader.open("revocationReason")
    revocationType = try reader.open("revocationType")
    revocationPercentage = try reader.smallInteger("revocationPercentage")
    isUpgraded = try reader.bool("isUpgraded") ?? false
    offerType = try reader.open("offerType")
    offerIdentifier = try reader.identifier("offerIdentifier")
    offerDiscountType = try reader.open("offerDiscountType")
    offerPeriod = try reader.text("offerPeriod")
    environment = try reader.open("environment")
    storefront = try reader.text("storefront")
    storefrontID = try reader.identifier("storefrontId")
    transactionReason = try reader.open("transactionReason")
    priceMilliunits = try reader.integer("price")
    currency = try reader.text("currency")
    appTransactionID = try reader.identifier("appTransactionId")
    otherMembers = reader.others
  }

  /// The members of the payload, absent ones left out.
  public var object: JSONObject {
    var writer = MemberWriter()
    writer.text("transactionId", transactionID.rawValue)
    writer.text("originalTransactionId", originalTransactionID.rawValue)
    writer.text("webOrderLineItemId", webOrderLineItemID?.rawValue)
    writer.text("bundleId", bundleID.rawValue)
    writer.text("productId", productID.rawValue)
    writer.text("subscriptionGroupIdentifier", subscriptionGroupID?.rawValue)
    writer.date("purchaseDate", purchaseDate)
    writer.date("originalPurchaseDate", originalPurchaseDate)
    writer.date("expiresDate", expiresDate)
    writer.integer("quantity", quantity)
    writer.text("type", type?.rawValue)
    writer.text("appAccountToken", appAccountToken?.description)
    writer.text("inAppOwnershipType", ownershipType?.rawValue)
    writer.date("signedDate", signedDate)
    writer.date("revocationDate", revocationDate)
    writer.integer("revocationReason", revocationReason?.rawValue)
    writer.text("revocationType", revocationType?.rawValue)
    writer.integer("revocationPercentage", revocationPercentage)
    writer.bool("isUpgraded", isUpgraded ? true : nil)
    writer.integer("offerType", offerType?.rawValue)
    writer.text("offerIdentifier", offerIdentifier?.rawValue)
    writer.text("offerDiscountType", offerDiscountType?.rawValue)
    writer.text("offerPeriod", offerPeriod)
    writer.text("environment", environment?.rawValue)
    writer.text("storefront", storefront)
    writer.text("storefrontId", storefrontID?.rawValue)
    writer.text("transactionReason", transactionReason?.rawValue)
    writer.integer("price", priceMilliunits)
    writer.text("currency", currency)
    writer.text("appTransactionId", appTransactionID?.rawValue)
    return writer.object(with: otherMembers)
  }
}
