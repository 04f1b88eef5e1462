extension TransactionPayload {
  /// Reads a decoded JWS transaction.
  ///
  /// - Parameter object: The members of the payload.
  /// - Throws: ``PayloadError`` with `missingMember` when a member is absent that every
  ///   transaction has, or `wrongType`.
  public init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    var members = Members(
      transactionID: TransactionID(try reader.requiredText("transactionId")),
      originalTransactionID: OriginalTransactionID(
        try reader.requiredText("originalTransactionId")
      ),
      bundleID: BundleID(try reader.requiredText("bundleId")),
      productID: ProductID(try reader.requiredText("productId")),
      purchaseDate: try reader.requiredDate("purchaseDate")
    )
    members.webOrderLineItemID = try reader.identifier("webOrderLineItemId")
    members.subscriptionGroupID = try reader.identifier("subscriptionGroupIdentifier")
    members.originalPurchaseDate = try reader.date("originalPurchaseDate")
    members.expiresDate = try reader.date("expiresDate")
    members.quantity = try reader.smallInteger("quantity")
    members.type = try reader.open("type")
    members.appAccountToken = try reader.token("appAccountToken")
    members.ownershipType = try reader.open("inAppOwnershipType")
    members.signedDate = try reader.date("signedDate")
    members.revocationDate = try reader.date("revocationDate")
    members.revocationReason = try reader.open("revocationReason")
    members.revocationType = try reader.open("revocationType")
    members.revocationPercentage = try reader.smallInteger("revocationPercentage")
    members.isUpgraded = try reader.bool("isUpgraded") ?? false
    members.offerType = try reader.open("offerType")
    members.offerIdentifier = try reader.identifier("offerIdentifier")
    members.offerDiscountType = try reader.open("offerDiscountType")
    members.offerPeriod = try reader.text("offerPeriod")
    members.environment = try reader.open("environment")
    members.storefront = try reader.text("storefront")
    members.storefrontID = try reader.identifier("storefrontId")
    members.transactionReason = try reader.open("transactionReason")
    members.priceMilliunits = try reader.integer("price")
    members.currency = try reader.text("currency")
    members.appTransactionID = try reader.identifier("appTransactionId")
    members.otherMembers = reader.others
    self.init(members)
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
