import Foundation
import HTTPValues
import IAPModel

// Subscriptions: their statuses, and days given to subscribers.
//
// - **Source:** the server-interface facts, sections 5.4 and 5.7 to 5.10.
extension ServerAPIRoutes {
  var subscriptionRoutes: [Route] {
    [
      route(.get, "/inApps/v1/subscriptions/:id", .fifty) { call throws(SimulatorError) in
        try statuses(call)
      },
      route(.put, "/inApps/v1/subscriptions/extend/:id", .twenty) { call throws(SimulatorError) in
        try extend(call)
      },
      route(.post, "/inApps/v1/subscriptions/extend/mass", .one) { call throws(SimulatorError) in
        try extendAll(call)
      },
      route(.get, "/inApps/v1/subscriptions/extend/mass/:product/:request", .one) {
        call throws(SimulatorError) in
        try extensionStatus(call)
      },
    ]
  }

  private func statuses(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let holder = try call.holder(of: call.parameters["id"])
    var wanted: [Int] = []
    for item in call.request.queryItems where item.name == "status" {
      guard let number = item.value.flatMap({ Int($0) }), (1...5).contains(number) else {
        throw .refusal(.invalidStatus)
      }
      wanted.append(number)
    }
    var groups: [(SubscriptionGroupID, [JSONValue])] = []
    let subscriptions = store.read { core in
      core.state.subscriptions(of: holder.account, in: holder.bundleID)
    }
    for subscription in subscriptions {
      let status = SubscriptionStatusRule.status(subscription.phase).rawValue
      guard wanted.isEmpty || wanted.contains(status) else { continue }
      let entry = try lastTransaction(subscription, status)
      if let place = groups.firstIndex(where: { $0.0 == subscription.groupID }) {
        groups[place].1.append(entry)
      } else {
        groups.append((subscription.groupID, [entry]))
      }
    }
    var members = try store.origin(of: call.app)
    members.value(
      "data",
      .array(
        groups.map { group, entries in
          [
            "subscriptionGroupIdentifier": .string(group.rawValue),
            "lastTransactions": .array(entries),
          ]
        }
      )
    )
    return .json(.object(members.object))
  }

  private func lastTransaction(
    _ subscription: SubscriptionRecord,
    _ status: Int
  ) throws(SimulatorError) -> JSONValue {
    [
      "status": .integer(Int64(status)),
      "originalTransactionId": .string(subscription.originalTransactionID.rawValue),
      "signedTransactionInfo": .string(
        try store.signedTransaction(subscription.period.transactionID)
      ),
      "signedRenewalInfo": .string(
        try store.signedRenewalInfo(subscription.originalTransactionID)
      ),
    ]
  }

  /// What both kinds of extensions ask for.
  private struct ExtensionTerms {
    let days: Int
    let reason: Int
    let request: RequestIdentifier

    init(_ body: JSONObject) throws(SimulatorError) {
      guard let days = body["extendByDays"]?.integerValue.map({ Int(clamping: $0) }),
        ExtensionRule.days.contains(days)
      else { throw .refusal(.invalidExtendByDays) }
      guard let reason = body["extendReasonCode"]?.integerValue.map({ Int(clamping: $0) }),
        ExtensionRule.reasons.contains(reason)
      else { throw .refusal(.invalidExtendReasonCode) }
      guard let request = body["requestIdentifier"]?.stringValue,
        (1...RequestIdentifier.lengthMax).contains(request.count)
      else { throw .refusal(.invalidRequestIdentifier) }
      self.days = days
      self.reason = reason
      self.request = RequestIdentifier(request)
    }
  }

  private func extend(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let id = call.parameters["id"]
    _ = try call.checked(id, else: .invalidOriginalTransactionID)
    let terms = try ExtensionTerms(try call.body())
    let record = try call.transaction(id, missing: .originalTransactionIDNotFound)
    guard record.transactionID.rawValue == record.originalTransactionID.rawValue,
      record.type == .autoRenewable
    else { throw .refusal(.originalTransactionIDNotFound) }
    let outcome = try store.extendRenewal(
      of: record.originalTransactionID,
      days: terms.days,
      reason: terms.reason,
      request: terms.request
    )
    switch outcome {
    case .refused(.isShared): throw .refusal(.sharedExtensionIneligible)
    case .refused(.isIneligible): throw .refusal(.extensionIneligible)
    case .refused(.hadTwo): throw .refusal(.extensionMax)
    case .extended(let done):
      let period = store.transaction(done.transactionID)
      var members = WireMembers()
      members.text("originalTransactionId", done.originalTransactionID.rawValue)
      members.text("webOrderLineItemId", period?.webOrderLineItemID?.rawValue)
      members.bool("success", true)
      members.date("effectiveDate", done.effectiveDate)
      return .json(.object(members.object))
    }
  }

  private func extendAll(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let body = try call.body()
    let terms = try ExtensionTerms(body)
    guard let product = body["productId"]?.stringValue,
      isSubscription(ProductID(product), of: call.app)
    else { throw .refusal(.invalidProductID) }
    var countries: [String]?
    if let value = body["storefrontCountryCodes"], value != .null {
      guard let list = value.arrayValue else { throw .refusal(.invalidCountry) }
      guard !list.isEmpty else { throw .refusal(.emptyCountryList) }
      let codes = list.compactMap(\.stringValue)
      let areCodes = codes.allSatisfy { code in
        code.utf8.count == 3 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
      }
      guard codes.count == list.count, areCodes else { throw .refusal(.invalidCountry) }
      countries = codes
    }
    if call.isHere {
      try store.extendRenewals(
        of: ProductID(product),
        app: call.app,
        days: terms.days,
        reason: terms.reason,
        request: terms.request,
        countries: countries
      )
    }
    return .json(["requestIdentifier": .string(terms.request.rawValue)])
  }

  private func isSubscription(_ product: ProductID, of app: BundleID) -> Bool {
    let record = store.apps.first { $0.bundleID == app }
    return record?.catalog[product]?.subscription != nil
  }

  private func extensionStatus(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let request = RequestIdentifier(call.parameters["request"])
    guard (1...RequestIdentifier.lengthMax).contains(request.rawValue.count) else {
      throw .refusal(.invalidRequestIdentifier)
    }
    let product = ProductID(call.parameters["product"])
    guard isSubscription(product, of: call.app) else { throw .refusal(.invalidProductID) }
    let found = store.massExtensions.first {
      $0.request == request && $0.productID == product && $0.bundleID == call.app
    }
    guard call.isHere, let found else { throw .refusal(.statusRequestNotFound) }
    var members = WireMembers()
    members.text("requestIdentifier", request.rawValue)
    members.bool("complete", found.completeDate != nil)
    if let date = found.completeDate {
      members.date("completeDate", date)
      members.integer("succeededCount", Int64(found.succeededCount))
      members.integer("failedCount", Int64(found.failedCount))
    }
    return .json(.object(members.object))
  }
}
