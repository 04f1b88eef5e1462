extension AppTransactionPayload {
  /// Reads a decoded JWS app transaction.
  ///
  /// - Parameter object: The members of the payload.
  /// - Throws: ``PayloadError`` with `missingMember` or `wrongType`.
  public init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    self.init(
      environment: StoreEnvironment(rawValue: try reader.requiredText("receiptType")),
      bundleID: BundleID(try reader.requiredText("bundleId"))
    )
    appAppleID = try reader.integer("appAppleId").map { AppAppleID($0) }
    applicationVersion = try reader.text("applicationVersion")
    receiptCreationDate = try reader.date("receiptCreationDate")
    originalPurchaseDate = try reader.date("originalPurchaseDate")
    originalApplicationVersion = try reader.text("originalApplicationVersion")
    preorderDate = try reader.date("preorderDate")
    deviceVerification = try reader.text("deviceVerification")
    deviceVerificationNonce = try reader.text("deviceVerificationNonce")
    appTransactionID = try reader.identifier("appTransactionId")
    originalPlatform = try reader.text("originalPlatform")
    otherMembers = reader.others
  }

  /// The members of the payload, absent ones left out.
  public var object: JSONObject {
    var writer = MemberWriter()
    writer.text("receiptType", environment.rawValue)
    writer.integer("appAppleId", appAppleID?.rawValue)
    writer.text("bundleId", bundleID.rawValue)
    writer.text("applicationVersion", applicationVersion)
    writer.date("receiptCreationDate", receiptCreationDate)
    writer.date("originalPurchaseDate", originalPurchaseDate)
    writer.text("originalApplicationVersion", originalApplicationVersion)
    writer.date("preorderDate", preorderDate)
    writer.text("deviceVerification", deviceVerification)
    writer.text("deviceVerificationNonce", deviceVerificationNonce)
    writer.text("appTransactionId", appTransactionID?.rawValue)
    writer.text("originalPlatform", originalPlatform)
    return writer.object(with: otherMembers)
  }
}
