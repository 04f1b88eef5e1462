import Foundation
import IAPModel

extension DeveloperEvent {
  var name: String {
    switch self {
    case .renewalExtended: "renewalExtended"
    case .appAccountTokenSet: "appAccountTokenSet"
    case .consumptionSent: "consumptionSent"
    case .massExtensionAsked: "massExtensionAsked"
    case .massExtensionDone: "massExtensionDone"
    case .retention: "retentionChanged"
    }
  }

  func write(into members: inout WireMembers) {
    switch self {
    case .renewalExtended(let record): members.value("extension", record.json)
    case .appAccountTokenSet(let id, let token):
      members.text("transactionId", id.rawValue)
      members.text("appAccountToken", token.description)
    case .consumptionSent(let record): members.value("consumption", record.json)
    case .massExtensionAsked(let record): members.value("massExtension", record.json)
    case .massExtensionDone(let request, let succeeded, let failed):
      members.text("requestIdentifier", request.rawValue)
      members.integer("succeededCount", Int64(succeeded))
      members.integer("failedCount", Int64(failed))
    case .retention(let app, let change):
      members.text("bundleId", app.rawValue)
      change.write(into: &members)
    }
  }
}

extension RetentionEvent {
  fileprivate func write(into members: inout WireMembers) {
    switch self {
    case .imageAdded(let id, let size):
      members.text("what", "imageAdded")
      members.text("imageIdentifier", id)
      members.text("imageSize", size)
    case .imageRemoved(let id):
      members.text("what", "imageRemoved")
      members.text("imageIdentifier", id)
    case .messageAdded(let id, let body):
      members.text("what", "messageAdded")
      members.text("messageIdentifier", id)
      members.value("message", .object(body))
    case .messageRemoved(let id):
      members.text("what", "messageRemoved")
      members.text("messageIdentifier", id)
    case .defaultSet(let key, let message):
      members.text("what", "defaultSet")
      members.text("default", key)
      members.text("messageIdentifier", message)
    case .defaultRemoved(let key):
      members.text("what", "defaultRemoved")
      members.text("default", key)
    case .realtimeURLSet(let url):
      members.text("what", "realtimeURLSet")
      members.text("realtimeURL", url)
    case .realtimeURLRemoved: members.text("what", "realtimeURLRemoved")
    case .performanceTestAsked(let id):
      members.text("what", "performanceTestAsked")
      members.text("requestId", id)
    }
  }
}

extension RenewalExtension {
  var json: JSONValue {
    var members = WireMembers()
    members.text("originalTransactionId", originalTransactionID.rawValue)
    members.text("transactionId", transactionID.rawValue)
    members.text("requestIdentifier", request.rawValue)
    members.integer("extendByDays", Int64(days))
    members.integer("extendReasonCode", Int64(reason))
    members.date("effectiveDate", effectiveDate)
    return .object(members.object)
  }
}

extension MassExtension {
  var json: JSONValue {
    var members = WireMembers()
    members.text("requestIdentifier", request.rawValue)
    members.text("bundleId", bundleID.rawValue)
    members.text("productId", productID.rawValue)
    members.integer("extendByDays", Int64(days))
    members.integer("extendReasonCode", Int64(reason))
    if let countries {
      members.value("storefrontCountryCodes", .array(countries.map { .string($0) }))
    }
    return .object(members.object)
  }
}

extension ConsumptionRecord {
  var json: JSONValue {
    var members = WireMembers()
    members.text("transactionId", transactionID.rawValue)
    members.integer("version", Int64(version))
    members.date("date", date)
    members.bool("isInTime", isInTime)
    members.value("content", .object(content))
    return .object(members.object)
  }
}
