import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

// Notifications: tests, and what was sent.
//
// - **Source:** the server-interface facts, section 5.15.
extension ServerAPIRoutes {
  var notificationRoutes: [Route] {
    [
      route(.post, "/inApps/v1/notifications/test", .one) { call throws(SimulatorError) in
        try requestTest(call)
      },
      route(.get, "/inApps/v1/notifications/test/:token", .one) { call throws(SimulatorError) in
        try testStatus(call)
      },
      route(.post, "/inApps/v1/notifications/history", .fifty) { call throws(SimulatorError) in
        try notificationHistory(call)
      },
    ]
  }

  /// How long the outcome of a test can be asked for, in seconds: six months.
  static let testPeriod: TimeInterval = 183 * 24 * 3600

  private func requestTest(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    guard call.isHere else { throw .refusal(.serverNotificationURLNotFound) }
    do throws(SimulatorError) {
      let uuid = try store.requestTestNotification(app: call.app)
      return .json(["testNotificationToken": .string(uuid.rawValue)])
    } catch {
      throw .refusal(.serverNotificationURLNotFound)
    }
  }

  private func testStatus(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let token = call.parameters["token"]
    guard AppAccountToken(token) != nil else { throw .refusal(.invalidTestNotificationToken) }
    let oldest = store.now.addingTimeInterval(-Self.testPeriod)
    let found = store.notifications.first {
      $0.uuid.rawValue == token && $0.type == .test && $0.bundleID == call.app
        && $0.signedDate >= oldest
    }
    guard call.isHere, let found, let first = found.attempts.first else {
      throw .refusal(.testNotificationNotFound)
    }
    var members = WireMembers()
    members.text("signedPayload", try store.signedNotification(found))
    members.text("firstSendAttemptResult", first.result.rawValue)
    members.value("sendAttempts", Self.attempts(found))
    return .json(.object(members.object))
  }

  private func notificationHistory(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let query = try NotificationQuery(call)
    let matching = call.isHere ? store.notifications.filter(query.matches) : []
    let rest = matching.dropFirst(query.offset)
    let page = rest.prefix(NotificationQuery.pageCountMax)
    var items: [JSONValue] = []
    for record in page {
      items.append([
        "signedPayload": .string(try store.signedNotification(record)),
        "sendAttempts": Self.attempts(record),
      ])
    }
    var members = WireMembers()
    members.value("notificationHistory", .array(items))
    members.bool("hasMore", rest.count > page.count)
    if rest.count > page.count { members.text("paginationToken", query.token(after: page.count)) }
    return .json(.object(members.object))
  }

  private static func attempts(_ record: NotificationRecord) -> JSONValue {
    .array(
      record.attempts.map { attempt in
        [
          "attemptDate": .integer(attempt.date.milliseconds),
          "sendAttemptResult": .string(attempt.result.rawValue),
        ]
      }
    )
  }
}

/// What a history of notifications is asked for.
struct NotificationQuery: Sendable {
  /// The most notifications on a page.
  static let pageCountMax = 20
  /// How far back it goes, in seconds: 180 days.
  static let reach: TimeInterval = 180 * 24 * 3600
  /// How long the token of a page is good for, in seconds.
  static let tokenPeriod: TimeInterval = 24 * 3600
  /// The types that there are.
  static let types: Set<NotificationType> = [
    .subscribed, .didRenew, .didChangeRenewalPref, .didChangeRenewalStatus, .didFailToRenew,
    .gracePeriodExpired, .expired, .offerRedeemed, .priceIncrease, .refund, .refundDeclined,
    .refundReversed, .consumptionRequest, .revoke, .renewalExtended, .renewalExtension,
    .oneTimeCharge, .test, .externalPurchaseToken, .rescindConsent, .metadataUpdate, .migration,
    .priceChange,
  ]
  /// The subtypes that there are.
  static let subtypes: Set<NotificationSubtype> = [
    .initialBuy, .resubscribe, .billingRecovery, .upgrade, .downgrade, .autoRenewEnabled,
    .autoRenewDisabled, .gracePeriod, .voluntary, .billingRetry, .priceIncrease,
    .productNotForSale, .pending, .accepted, .summary, .failure, .unreported, .created,
    .activeTokenReminder,
  ]

  let app: BundleID
  let start: Date
  let end: Date
  let type: NotificationType?
  let subtype: NotificationSubtype?
  let holder: StoreState.Holder?
  let onlyFailures: Bool
  let offset: Int
  private let now: Date
  private let fingerprint: String

  init(_ call: ServerAPICall) throws(SimulatorError) {
    let body = try call.body()
    app = call.app
    now = call.store.now
    start = try Self.date(body["startDate"], else: .invalidStartDate)
    let asked = try Self.date(body["endDate"], else: .invalidEndDate)
    guard start >= now.addingTimeInterval(-Self.reach) else {
      throw .refusal(.startDateTooFarInPast)
    }
    guard start < asked else { throw .refusal(.startDateAfterEndDate) }
    end = min(asked, now)
    type = try Self.open(body["notificationType"], known: Self.types)
    subtype = try Self.open(body["notificationSubtype"], known: Self.subtypes)
    guard subtype == nil || type != nil else { throw .refusal(.invalidNotificationType) }
    let transaction = body["transactionId"].flatMap { $0 == .null ? nil : $0 }
    guard transaction == nil || type == nil else { throw .refusal(.multipleFilters) }
    if let transaction {
      guard let id = transaction.stringValue else { throw .refusal(.invalidTransactionID) }
      holder = try call.holder(of: id)
    } else {
      holder = nil
    }
    if let value = body["onlyFailures"], value != .null {
      guard let flag = value.boolValue else { throw .refusal(.generalBadRequest) }
      onlyFailures = flag
    } else {
      onlyFailures = false
    }
    // The next page needs the same question.
    let digest = call.store.signer.signing.digest(.sha256, JSONValue.object(body).serialized)
    fingerprint = digest.prefix(12).map { String($0, radix: 16) }.joined()
    offset = try Self.offset(call.request.queryValue("paginationToken"), fingerprint, now)
  }

  func matches(_ record: NotificationRecord) -> Bool {
    guard record.bundleID == app, record.form == .version2, let first = record.attempts.first,
      first.date >= start, first.date <= end
    else { return false }
    if let type, record.type != type { return false }
    if let subtype, record.subtype != subtype { return false }
    if let holder, record.transaction?.account != holder.account { return false }
    return !onlyFailures || !record.attempts.contains { $0.isSuccess }
  }

  /// The token of the page that follows so many more.
  func token(after count: Int) -> String {
    let text = "\(fingerprint).\(now.milliseconds)"
    return PageToken.write(Int64(offset + count), text, kind: "notifications")
  }

  private static func offset(
    _ token: String?,
    _ fingerprint: String,
    _ now: Date
  ) throws(SimulatorError) -> Int {
    guard let token else { return 0 }
    guard let (number, text) = PageToken.read(token, kind: "notifications") else {
      throw .refusal(.invalidPaginationToken)
    }
    let parts = text.split(separator: ".")
    guard parts.count == 2, parts[0] == fingerprint, let made = Int64(parts[1]) else {
      throw .refusal(.invalidPaginationToken)
    }
    guard now <= Date(milliseconds: made).addingTimeInterval(tokenPeriod) else {
      throw .refusal(.paginationTokenExpired)
    }
    return Int(clamping: number)
  }

  private static func date(
    _ value: JSONValue?,
    else refusal: ServerAPIAnswer
  ) throws(SimulatorError) -> Date {
    guard let number = value?.integerValue, (0...HistoryQuery.millisecondsMax).contains(number)
    else { throw .refusal(refusal) }
    return Date(milliseconds: number)
  }

  private static func open<Value: OpenValue>(
    _ value: JSONValue?,
    known: Set<Value>
  ) throws(SimulatorError) -> Value? where Value.RawValue == String {
    guard let value, value != .null else { return nil }
    guard let text = value.stringValue, known.contains(Value(rawValue: text)) else {
      throw .refusal(.invalidNotificationType)
    }
    return Value(rawValue: text)
  }
}

extension NotificationType {
  // Advanced Commerce.
  static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
  static let migration = Self(rawValue: "MIGRATION")
  static let priceChange = Self(rawValue: "PRICE_CHANGE")
}

extension NotificationSubtype {
  static let created = Self(rawValue: "CREATED")
  static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")
}
