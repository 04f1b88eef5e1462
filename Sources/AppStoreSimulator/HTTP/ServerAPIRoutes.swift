import Foundation
import HTTPValues
import IAPModel

/// The part of the App Store Server API that is needed so far.
///
/// Transaction information, transaction history (version 2), subscription statuses, and test
/// notifications. A request needs a bearer token; that it is there is all that is looked at.
///
/// - **Source:** the server-interface facts, sections 2, 3 and 5.
struct ServerAPIRoutes: Sendable {
  let store: SimulatedAppStore

  /// The longest identifier that is looked up, in characters.
  static let idLengthMax = 64

  var routes: [Route] {
    [
      route(.get, "/inApps/v1/transactions/:id") { _, path throws(SimulatorError) in
        try transaction(path["id"])
      },
      route(.get, "/inApps/v2/history/:id") { request, path throws(SimulatorError) in
        try history(path["id"], request)
      },
      route(.get, "/inApps/v1/subscriptions/:id") { request, path throws(SimulatorError) in
        try statuses(path["id"], request)
      },
      route(.post, "/inApps/v1/notifications/test") { _, _ throws(SimulatorError) in
        try requestTest()
      },
      route(.get, "/inApps/v1/notifications/test/:token") { _, path throws(SimulatorError) in
        try testStatus(path["token"])
      },
    ]
  }

  private typealias Answer =
    @Sendable (HTTPRequest, RouteParameters) throws(SimulatorError) -> HTTPResponse

  /// A route that looks for a token and answers refusals as Apple does.
  private func route(_ method: HTTPMethod, _ path: String, _ answer: @escaping Answer) -> Route {
    Route(method, path) { request, parameters in
      guard let authorization = request.headers["Authorization"],
        authorization.hasPrefix("Bearer "), authorization.utf8.count > 7
      else { return HTTPResponse(status: 401) }
      do throws(SimulatorError) {
        return try answer(request, parameters)
      } catch {
        return ServerAPIAnswer(error).response
      }
    }
  }

  private func transaction(_ id: String) throws(SimulatorError) -> HTTPResponse {
    guard !isAppTransactionID(id) else { throw .refusal(.appTransactionIDNotSupported) }
    let found = store.transaction(try checked(id))
    guard let found else { throw .refusal(.transactionIDNotFound) }
    return .json(["signedTransactionInfo": .string(try signed(found))])
  }

  private func history(_ id: String, _ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse
  {
    let holder = try holder(of: id)
    let query = try HistoryQuery(request)
    let page = query.page(of: store.transactions(of: holder.account, app: holder.bundleID))
    var texts: [JSONValue] = []
    for record in page.records { texts.append(.string(try signed(record))) }
    var members = WireMembers()
    members.text("revision", page.revision)
    members.bool("hasMore", page.hasMore)
    write(holder.bundleID, &members)
    members.value("signedTransactions", .array(texts))
    return .json(.object(members.object))
  }

  private func statuses(
    _ id: String,
    _ request: HTTPRequest
  ) throws(SimulatorError) -> HTTPResponse {
    let holder = try holder(of: id)
    var wanted: [Int] = []
    for item in request.queryItems where item.name == "status" {
      guard let number = item.value.flatMap({ Int($0) }), (1...5).contains(number) else {
        throw .refusal(.invalidStatus)
      }
      wanted.append(number)
    }
    var groups: [(SubscriptionGroupID, [JSONValue])] = []
    for subscription in store.subscriptions
    where subscription.account == holder.account && subscription.bundleID == holder.bundleID {
      let status = SubscriptionStatusRule.status(subscription.phase).rawValue
      guard wanted.isEmpty || wanted.contains(status) else { continue }
      let entry = try lastTransaction(subscription, status)
      if let place = groups.firstIndex(where: { $0.0 == subscription.groupID }) {
        groups[place].1.append(entry)
      } else {
        groups.append((subscription.groupID, [entry]))
      }
    }
    var members = WireMembers()
    write(holder.bundleID, &members)
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

  private func requestTest() throws(SimulatorError) -> HTTPResponse {
    do throws(SimulatorError) {
      let uuid = try store.requestTestNotification()
      return .json(["testNotificationToken": .string(uuid.rawValue)])
    } catch {
      throw .refusal(.serverNotificationURLNotFound)
    }
  }

  private func testStatus(_ token: String) throws(SimulatorError) -> HTTPResponse {
    guard AppAccountToken(token) != nil else { throw .refusal(.invalidTestNotificationToken) }
    let found = store.notifications.first { $0.uuid.rawValue == token && $0.type == .test }
    guard let found, !found.attempts.isEmpty else { throw .refusal(.testNotificationNotFound) }
    let attempts = found.attempts.map { attempt -> JSONValue in
      [
        "attemptDate": .integer(attempt.date.milliseconds),
        "sendAttemptResult": .string(attempt.result),
      ]
    }
    return .json([
      "signedPayload": .string(try store.signedNotification(found)),
      "sendAttempts": .array(attempts),
    ])
  }
}

// MARK: Finding

extension ServerAPIRoutes {
  /// Any identifier of a customer leads to all that the customer bought in the app.
  private func holder(of id: String) throws(SimulatorError) -> StoreState.Holder {
    if let record = store.transaction(try checked(id)) {
      return StoreState.Holder(account: record.account, bundleID: record.bundleID)
    }
    if let holder = appTransactionHolder(id) { return holder }
    throw .refusal(.transactionIDNotFound)
  }

  private func isAppTransactionID(_ id: String) -> Bool {
    store.transaction(TransactionID(id)) == nil && appTransactionHolder(id) != nil
  }

  private func appTransactionHolder(_ id: String) -> StoreState.Holder? {
    store.read { core in
      core.state.devices.first {
        core.identifiers.appTransactionID($0.account, $0.bundleID).rawValue == id
      }.map { StoreState.Holder(account: $0.account, bundleID: $0.bundleID) }
    }
  }

  private func checked(_ id: String) throws(SimulatorError) -> TransactionID {
    let isDecimal = id.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isDecimal, (1...Self.idLengthMax).contains(id.utf8.count) else {
      throw .refusal(.invalidTransactionID)
    }
    return TransactionID(id)
  }

  private func signed(_ record: StoreTransactionRecord) throws(SimulatorError) -> String {
    try store.signedTransaction(record.transactionID)
  }

  private func write(_ bundleID: BundleID, _ members: inout WireMembers) {
    let configuration = store.configuration
    members.text("bundleId", bundleID.rawValue)
    if configuration.environment == .production || configuration.options.sandboxNamesAppAppleID {
      let app = store.apps.first { $0.bundleID == bundleID }
      members.integer("appAppleId", app?.appAppleID.rawValue)
    }
    members.text("environment", configuration.environment.rawValue)
  }
}
