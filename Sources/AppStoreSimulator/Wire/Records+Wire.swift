import Foundation
import IAPModel

// How the store's records look in JSON: on the control interface and in the history. The members
// are ours except where Apple has a name for the same thing.

/// Members that are left out when there is no value.
struct WireMembers {
  private var members: [JSONMember] = []

  var object: JSONObject { JSONObject(members) }

  mutating func append(_ other: WireMembers) { members += other.members }

  mutating func text(_ name: String, _ value: String?) {
    if let value { members.append(JSONMember(name, .string(value))) }
  }

  mutating func integer(_ name: String, _ value: Int64?) {
    if let value { members.append(JSONMember(name, .integer(value))) }
  }

  mutating func bool(_ name: String, _ value: Bool) {
    members.append(JSONMember(name, .bool(value)))
  }

  mutating func date(_ name: String, _ value: Date?) { integer(name, value?.milliseconds) }

  mutating func value(_ name: String, _ value: JSONValue) {
    members.append(JSONMember(name, value))
  }
}

extension JSONValue {
  /// A number with a fraction.
  static func decimal(_ value: Double) -> JSONValue {
    if let whole = Int64(exactly: value) { return .integer(whole) }
    return (try? JSONParser.parse(Array("\(value)".utf8))) ?? .null
  }
}

extension AppRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("bundleId", bundleID.rawValue)
    members.integer("appAppleId", appAppleID.rawValue)
    members.text("version", version)
    members.text("build", build)
    members.value("products", .array(catalog.products.map { .string($0.id.rawValue) }))
    return .object(members.object)
  }
}

extension AccountRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("account", id.rawValue)
    members.text("storefront", storefront.countryCode)
    members.bool("asksToBuy", asksToBuy)
    members.bool("mayBuy", mayBuy)
    members.bool("paymentWorks", paymentWorks)
    return .object(members.object)
  }
}

extension DeviceRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("device", id.rawValue)
    members.text("account", account.rawValue)
    members.text("bundleId", bundleID.rawValue)
    return .object(members.object)
  }
}

extension FamilyRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("family", id.rawValue)
    members.value("members", .array(self.members.map { .string($0.rawValue) }))
    members.value("silent", .array(silent.map { .string($0.rawValue) }))
    return .object(members.object)
  }
}

extension StoreTransactionRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("transactionId", transactionID.rawValue)
    members.text("originalTransactionId", originalTransactionID.rawValue)
    members.text("webOrderLineItemId", webOrderLineItemID?.rawValue)
    members.text("account", account.rawValue)
    members.text("bundleId", bundleID.rawValue)
    members.text("productId", productID.rawValue)
    members.text("type", type.rawValue)
    members.text("subscriptionGroupIdentifier", groupID?.rawValue)
    members.date("purchaseDate", purchaseDate)
    members.date("originalPurchaseDate", originalPurchaseDate)
    members.date("expiresDate", expiresDate)
    members.integer("quantity", Int64(quantity))
    members.text("appAccountToken", appAccountToken?.description)
    members.text("transactionReason", reason.rawValue)
    members.text("inAppOwnershipType", ownership.rawValue)
    members.integer("offerType", offer.map { Int64($0.type.rawValue) })
    members.text("offerIdentifier", offer?.id?.rawValue)
    members.text("storefront", storefront.countryCode)
    members.integer("price", priceMilliunits)
    members.text("currency", storefront.currency)
    members.text("device", device?.rawValue)
    members.text("pending", pending?.rawValue)
    members.date("revocationDate", revocationDate)
    members.integer("revocationReason", revocationReason.map { Int64($0.rawValue) })
    members.text("revocationType", revocationType?.rawValue)
    members.integer("revocationPercentage", revocationPercentage.map { Int64($0) })
    members.text("refundRequest", refundRequest?.answer.rawValue)
    members.bool("isUpgraded", isUpgraded)
    members.bool("isFinished", isFinished)
    members.date("modifiedDate", modifiedDate)
    members.text("restoredFrom", restoredFrom?.rawValue)
    members.text("sharedFrom", sharedFrom?.rawValue)
    return .object(members.object)
  }
}

extension OfferCodeRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("code", code.rawValue)
    members.text("bundleId", bundleID.rawValue)
    members.text("productId", productID.rawValue)
    members.text("offer", offerName)
    members.integer("price", priceMilliunits)
    members.integer("redemptionsMax", redemptionCountMax.map { Int64($0) })
    members.date("endDate", endDate)
    members.value("redeemers", .array(redeemers.map { .string($0.rawValue) }))
    return .object(members.object)
  }
}

extension PendingPurchase {
  var json: JSONValue {
    var members = WireMembers()
    members.text("pending", id.rawValue)
    members.text("cause", cause.rawValue)
    members.text("answer", answer.rawValue)
    members.text("account", account.rawValue)
    members.text("device", request.device.rawValue)
    members.text("productId", request.productID.rawValue)
    members.integer("quantity", Int64(request.quantity))
    members.date("askedDate", askedDate)
    return .object(members.object)
  }
}

extension SubscriptionRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("originalTransactionId", originalTransactionID.rawValue)
    members.text("account", account.rawValue)
    members.text("bundleId", bundleID.rawValue)
    members.text("subscriptionGroupIdentifier", groupID.rawValue)
    members.integer("status", Int64(SubscriptionStatusRule.status(phase).rawValue))
    members.text("transactionId", period.transactionID.rawValue)
    members.text("productId", period.productID.rawValue)
    members.date("expiresDate", period.end)
    members.text("autoRenewProductId", renewalProductID.rawValue)
    members.bool("willAutoRenew", willAutoRenew)
    members.text("sharedFrom", sharedFrom?.rawValue)
    members.text("scheduledOffer", scheduledOffer?.offer.id?.rawValue)
    members.integer("increasedPrice", priceIncrease?.priceMilliunits)
    if let priceIncrease { members.bool("isPriceAgreed", priceIncrease.isAgreed) }
    return .object(members.object)
  }
}

extension NotificationRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("notificationUUID", uuid.rawValue)
    members.text("bundleId", bundleID.rawValue)
    members.text("notificationType", type.rawValue)
    members.text("subtype", subtype?.rawValue)
    if case .version1(let type) = form {
      members.integer("version", 1)
      members.text("legacyType", type.rawValue)
    }
    members.date("signedDate", signedDate)
    members.text("transactionId", transaction?.transactionID.rawValue)
    members.integer("status", status.map { Int64($0.rawValue) })
    members.value("sendAttempts", .array(attempts.map(\.json)))
    members.date("nextAttemptDate", nextAttemptDate)
    return .object(members.object)
  }
}

extension NotificationAttempt {
  var json: JSONValue {
    var members = WireMembers()
    members.date("attemptDate", date)
    members.text("sendAttemptResult", result.rawValue)
    members.integer("status", status.map { Int64($0) })
    return .object(members.object)
  }
}
