extension NotificationPayload {
  /// Reads a decoded notification of version 2.
  ///
  /// - Parameter object: The members of the payload.
  /// - Throws: ``PayloadError`` with `missingMember` or `wrongType`.
  public init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    self.init(
      type: NotificationType(rawValue: try reader.requiredText("notificationType")),
      uuid: NotificationUUID(try reader.requiredText("notificationUUID"))
    )
    subtype = try reader.open("subtype")
    version = try reader.text("version")
    signedDate = try reader.date("signedDate")
    if let members = try reader.object("data") { data = try Data(members) }
    summary = try reader.object("summary")
    externalPurchaseToken = try reader.object("externalPurchaseToken")
    appData = try reader.object("appData")
    otherMembers = reader.others
  }

  /// The members of the payload, absent ones left out.
  public var object: JSONObject {
    var writer = MemberWriter()
    writer.text("notificationType", type.rawValue)
    writer.text("subtype", subtype?.rawValue)
    writer.text("notificationUUID", uuid.rawValue)
    writer.text("version", version)
    writer.date("signedDate", signedDate)
    writer.object("data", data?.object)
    writer.object("summary", summary)
    writer.object("externalPurchaseToken", externalPurchaseToken)
    writer.object("appData", appData)
    return writer.object(with: otherMembers)
  }
}

extension NotificationPayload.Data {
  /// Reads the `data` member of a notification.
  ///
  /// - Parameter object: The members of `data`.
  /// - Throws: ``PayloadError`` with `wrongType`.
  public init(_ object: JSONObject) throws(PayloadError) {
    var reader = MemberReader(object)
    self.init()
    appAppleID = try reader.integer("appAppleId").map { AppAppleID($0) }
    bundleID = try reader.identifier("bundleId")
    bundleVersion = try reader.text("bundleVersion")
    environment = try reader.open("environment")
    signedTransactionInfo = try reader.text("signedTransactionInfo")
    signedRenewalInfo = try reader.text("signedRenewalInfo")
    status = try reader.open("status")
    consumptionRequestReason = try reader.text("consumptionRequestReason")
    otherMembers = reader.others
  }

  /// The members of `data`, absent ones left out.
  public var object: JSONObject {
    var writer = MemberWriter()
    writer.integer("appAppleId", appAppleID?.rawValue)
    writer.text("bundleId", bundleID?.rawValue)
    writer.text("bundleVersion", bundleVersion)
    writer.text("environment", environment?.rawValue)
    writer.text("signedTransactionInfo", signedTransactionInfo)
    writer.text("signedRenewalInfo", signedRenewalInfo)
    writer.integer("status", status?.rawValue)
    writer.text("consumptionRequestReason", consumptionRequestReason)
    return writer.object(with: otherMembers)
  }
}
