import Foundation
import HTTPValues
import IAPModel

// What a server does to purchases: consumption, account tokens, finishing.
//
// - **Source:** the server-interface facts, sections 5.11, 5.12 and 5.14.
extension ServerAPIRoutes {
  var purchaseRoutes: [Route] {
    [
      route(.put, "/inApps/v2/transactions/consumption/:id", .fifty) {
        call throws(SimulatorError) in
        try consumption(call, version: 2)
      },
      route(.put, "/inApps/v1/transactions/consumption/:id", .fifty) {
        call throws(SimulatorError) in
        try consumption(call, version: 1)
      },
      route(.put, "/inApps/v1/transactions/:id/appAccountToken", .twenty) {
        call throws(SimulatorError) in
        try setAccountToken(call)
      },
      route(.post, "/inApps/v1/transactions/:id/finish", .fifty) { call throws(SimulatorError) in
        let record = try call.transaction(call.parameters["id"])
        try store.finishForServer(record.transactionID)
        return .empty(200)
      },
    ]
  }

  private func consumption(
    _ call: ServerAPICall,
    version: Int
  ) throws(SimulatorError) -> HTTPResponse {
    _ = try call.checked(call.parameters["id"])
    let body = try call.body()
    let record = try call.transaction(call.parameters["id"])
    if version == 1 {
      guard [.consumable, .autoRenewable].contains(record.type) else {
        throw .refusal(.transactionTypeNotSupported)
      }
      try ConsumptionCheck.version1(body)
    } else {
      try ConsumptionCheck.version2(body, type: record.type)
    }
    try store.noteConsumption(of: record.transactionID, version: version, content: body)
    return .empty(202)
  }

  private func setAccountToken(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    _ = try call.checked(call.parameters["id"])
    let body = try call.body()
    guard let text = body["appAccountToken"]?.stringValue, let token = AppAccountToken(text) else {
      throw .refusal(.invalidAccountTokenUUID)
    }
    let record = try call.transaction(
      call.parameters["id"],
      missing: .originalTransactionIDNotFound
    )
    guard record.ownership == .purchased else { throw .refusal(.familyTransactionNotSupported) }
    guard record.transactionID.rawValue == record.originalTransactionID.rawValue else {
      throw .refusal(.notOriginalTransactionID)
    }
    // Of a subscription it is the present period that gets it.
    let subscription = store.read { $0.state.subscription(record.originalTransactionID) }
    try store.setAppAccountToken(
      token,
      of: subscription?.period.transactionID ?? record.transactionID
    )
    return .empty(200)
  }
}

/// The rules of what servers say about the use of a purchase.
///
/// - **Source:** App Store Server API, "Send Consumption Information" and its version 1.
enum ConsumptionCheck {
  /// All of a purchase, in thousandths of a percent.
  static let percentageMax: Int64 = 100_000

  static func version2(_ body: JSONObject, type: ProductType) throws(SimulatorError) {
    guard body["customerConsented"] == true else { throw .refusal(.invalidCustomerConsented) }
    let known = [
      "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM",
      "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
    ]
    guard let delivery = body["deliveryStatus"]?.stringValue, known.contains(delivery) else {
      throw .refusal(.invalidDeliveryStatus)
    }
    guard body["sampleContentProvided"]?.boolValue != nil else {
      throw .refusal(.invalidSampleContent)
    }
    var percentage: Int64?
    if let value = body["consumptionPercentage"], value != .null {
      guard let number = value.integerValue, (0...percentageMax).contains(number) else {
        throw .refusal(.generalBadRequest)
      }
      guard type != .autoRenewable else { throw .refusal(.percentageOfSubscription) }
      guard delivery == "DELIVERED" || number == 0 else { throw .refusal(.generalBadRequest) }
      percentage = number
    }
    guard let value = body["refundPreference"], value != .null else { return }
    switch value.stringValue {
    case "DECLINE"?, "GRANT_FULL"?: break
    case "GRANT_PRORATED"?:
      guard let percentage, percentage > 0, percentage < percentageMax else {
        throw .refusal(.invalidRefundPreference)
      }
    default: throw .refusal(.invalidRefundPreference)
    }
  }

  static func version1(_ body: JSONObject) throws(SimulatorError) {
    guard body["customerConsented"] == true else { throw .refusal(.invalidCustomerConsented) }
    try require(body, "accountTenure", 0...7, .invalidAccountTenure)
    guard let token = body["appAccountToken"]?.stringValue,
      token.isEmpty || AppAccountToken(token) != nil
    else { throw .refusal(.invalidConsumptionAccountToken) }
    try require(body, "consumptionStatus", 0...3, .invalidConsumptionStatus)
    try require(body, "deliveryStatus", 0...5, .invalidDeliveryStatus)
    try require(body, "lifetimeDollarsPurchased", 0...7, .invalidDollarsPurchased)
    try require(body, "lifetimeDollarsRefunded", 0...7, .invalidDollarsRefunded)
    try require(body, "platform", 0...2, .invalidPlatform)
    try require(body, "playTime", 0...7, .invalidPlayTime)
    guard body["sampleContentProvided"]?.boolValue != nil else {
      throw .refusal(.invalidSampleContent)
    }
    try require(body, "userStatus", 0...4, .invalidUserStatus)
    guard let preference = body["refundPreference"], preference != .null else { return }
    try require(body, "refundPreference", 0...3, .invalidRefundPreference)
  }

  private static func require(
    _ body: JSONObject,
    _ name: String,
    _ range: ClosedRange<Int64>,
    _ refusal: ServerAPIAnswer
  ) throws(SimulatorError) {
    guard let number = body[name]?.integerValue, range.contains(number) else {
      throw .refusal(refusal)
    }
  }
}
