import HTTPValues
import IAPModel

/// A request to the App Store's server, and how its answer is read.
///
/// The endpoints are values of this type, for example
/// ``ServerAPIRequest/transaction(_:)``; ``AppStoreServerClient`` sends them.
public struct ServerAPIRequest<Answer: Sendable>: Sendable {
  /// The endpoint's name: what its budget and its metrics are kept under.
  public let endpoint: ServerAPIEndpoint
  let method: HTTPMethod
  let path: [String]
  let query: [(name: String, value: String)]
  let body: RequestBody?
  /// Whether sending it twice does no more than sending it once.
  let isRepeatable: Bool
  let read: @Sendable (JSONObject) throws(PayloadError) -> Answer

  enum RequestBody: Sendable {
    case json(JSONObject)
    case png([UInt8])

    var mediaType: String {
      switch self {
      case .json: "application/json"
      case .png: "image/png"
      }
    }

    var bytes: [UInt8] {
      switch self {
      case .json(let object): JSONValue.object(object).serialized
      case .png(let bytes): bytes
      }
    }
  }

  init(
    _ endpoint: ServerAPIEndpoint,
    _ method: HTTPMethod,
    _ path: [String],
    query: [(name: String, value: String)] = [],
    body: RequestBody? = nil,
    isRepeatable: Bool = true,
    read: @escaping @Sendable (JSONObject) throws(PayloadError) -> Answer
  ) {
    self.endpoint = endpoint
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    self.isRepeatable = isRepeatable
    self.read = read
  }

  /// Path and query, percent-encoded.
  var target: String {
    let path = path.map { "/" + PercentCoding.encode($0) }.joined()
    guard !query.isEmpty else { return path }
    let items = query.map { "\($0.name)=\(PercentCoding.encode($0.value))" }
    return path + "?" + items.joined(separator: "&")
  }
}

/// The endpoints of the App Store's server, by the names of its documentation.
public enum ServerAPIEndpoint: String, Hashable, Sendable, CaseIterable {
  /// Get Transaction History.
  case transactionHistory
  /// Get Transaction Info.
  case transactionInfo
  /// Get App Transaction Info.
  case appTransactionInfo
  /// Get All Subscription Statuses.
  case subscriptionStatuses
  /// Look Up Order ID.
  case orderLookup
  /// Get Refund History.
  case refundHistory
  /// Extend a Subscription Renewal Date.
  case extendRenewalDate
  /// Extend Subscription Renewal Dates for All Active Subscribers.
  case massExtension
  /// Get Status of Subscription Renewal Date Extensions.
  case massExtensionStatus
  /// Send Consumption Information.
  case consumption
  /// Set App Account Token.
  case appAccountToken
  /// Finish Transaction.
  case finishTransaction
  /// Request a Test Notification.
  case requestTestNotification
  /// Get Test Notification Status.
  case testNotificationStatus
  /// Get Notification History.
  case notificationHistory
  /// Groups of customers who share a subscription.
  case groups
  /// Retention messaging.
  case retentionMessaging

  /// How many requests Apple allows; of the last two it is not known, so they are kept low.
  public var rate: RateClass {
    switch self {
    case .transactionHistory, .transactionInfo, .appTransactionInfo, .subscriptionStatuses,
      .consumption, .notificationHistory, .finishTransaction:
      .fifty
    case .extendRenewalDate, .appAccountToken: .twenty
    case .orderLookup, .refundHistory, .groups, .retentionMessaging: .ten
    case .massExtension, .massExtensionStatus, .requestTestNotification, .testNotificationStatus:
      .one
    }
  }
}
