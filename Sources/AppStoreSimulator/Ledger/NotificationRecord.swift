public import Foundation
public import IAPModel

/// A notification to the app's server, and what became of it.
public struct NotificationRecord: Hashable, Sendable {
  /// The notification; the same at every attempt.
  public internal(set) var uuid: NotificationUUID
  /// The app.
  public let bundleID: BundleID
  /// What happened.
  public let type: NotificationType
  /// What exactly happened.
  public let subtype: NotificationSubtype?
  /// When it was signed.
  public let signedDate: Date
  /// The transaction as it was then; tests have none.
  public var transaction: StoreTransactionRecord? { content.transaction }
  /// The subscription as it was then.
  public var renewalInfo: RenewalInfoPayload? { content.renewalInfo }
  /// The subscription's state as it was then.
  public let status: SubscriptionStatus?
  /// Why a customer asked for money back, when this asks for the use of a purchase.
  public var consumptionRequestReason: ConsumptionRequestReason?
  /// What the payloads inside say of Advanced Commerce.
  public var commerce: CommerceDetails?
  /// What stands in the place of `data`; nil for nearly all.
  public var subject: NotificationSubject?
  /// The form in which it is sent.
  public var form = NotificationForm.version2
  /// Every attempt to send it.
  public var attempts: [NotificationAttempt] = []
  /// When the next attempt is due; nil when there is none.
  public var nextAttemptDate: Date?
  /// The large part, which the ledger and the state have once between them.
  private let content: Content

  init(
    uuid: NotificationUUID,
    bundleID: BundleID,
    type: NotificationType,
    subtype: NotificationSubtype?,
    signedDate: Date,
    transaction: StoreTransactionRecord?,
    renewalInfo: RenewalInfoPayload?,
    status: SubscriptionStatus?,
    consumptionRequestReason: ConsumptionRequestReason? = nil,
    commerce: CommerceDetails? = nil,
    subject: NotificationSubject? = nil,
    nextAttemptDate: Date?
  ) {
    self.uuid = uuid
    self.bundleID = bundleID
    self.type = type
    self.subtype = subtype
    self.signedDate = signedDate
    content = Content(transaction, renewalInfo)
    self.status = status
    self.consumptionRequestReason = consumptionRequestReason
    self.commerce = commerce
    self.subject = subject
    self.nextAttemptDate = nextAttemptDate
  }

  private final class Content: Hashable, Sendable {
    let transaction: StoreTransactionRecord?
    let renewalInfo: RenewalInfoPayload?

    init(_ transaction: StoreTransactionRecord?, _ renewalInfo: RenewalInfoPayload?) {
      self.transaction = transaction
      self.renewalInfo = renewalInfo
    }

    static func == (left: Content, right: Content) -> Bool {
      left === right
        || left.transaction == right.transaction && left.renewalInfo == right.renewalInfo
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(transaction)
      hasher.combine(renewalInfo)
    }
  }

  /// Whether the server took it.
  public var isDelivered: Bool { attempts.last.map { $0.isSuccess } ?? false }
}

/// What signed payloads say of Advanced Commerce, which the store itself does not carry out.
///
/// - **Source:** App Store Server Notifications, `advancedCommerceInfo`.
public struct CommerceDetails: Hashable, Sendable {
  /// The `advancedCommerceInfo` of the payloads, as it is sent.
  public var info: JSONObject?
  /// The subscription that was moved to the new model.
  public var previousOriginalTransactionID: OriginalTransactionID?

  /// Describes it.
  ///
  /// - Parameters:
  ///   - info: The `advancedCommerceInfo`.
  ///   - previousOriginalTransactionID: The subscription that was moved.
  public init(
    info: JSONObject? = nil,
    previousOriginalTransactionID: OriginalTransactionID? = nil
  ) {
    self.info = info
    self.previousOriginalTransactionID = previousOriginalTransactionID
  }

  func write(into object: inout JSONObject) {
    if let info { object["advancedCommerceInfo"] = .object(info) }
    if let id = previousOriginalTransactionID {
      object["previousOriginalTransactionId"] = .string(id.rawValue)
    }
  }
}

/// The form of a notification.
public enum NotificationForm: Hashable, Sendable {
  /// Version 2, signed.
  case version2
  /// Version 1, which has types of its own.
  case version1(LegacyNotificationType)

  /// The number of the version.
  public var version: NotificationVersion {
    if case .version2 = self { .version2 } else { .version1 }
  }
}

/// The version of an app's notifications.
public enum NotificationVersion: Int, Hashable, Sendable {
  /// Deprecated in 2023; a plain body with the shared secret.
  case version1 = 1
  /// Signed.
  case version2 = 2
}

/// What a notification has in the place of `data`.
///
/// - **Source:** App Store Server Notifications, `responseBodyV2DecodedPayload`.
public enum NotificationSubject: Hashable, Sendable {
  /// What a mass extension came to.
  case summary(MassExtension)
  /// A token of an external purchase, as it is sent.
  case externalPurchaseToken(JSONObject)
  /// The app transaction of a device, as `appData`.
  case appTransaction(DeviceID)
}

/// One attempt to send a notification.
public struct NotificationAttempt: Hashable, Sendable {
  /// When it was due and made.
  public let date: Date
  /// The HTTP status; nil when there was no answer that could be used.
  public let status: Int?
  /// Apple's word for the outcome.
  public let result: SendAttemptResult

  /// Writes an attempt down.
  ///
  /// - Parameters:
  ///   - date: When it was due and made.
  ///   - status: The HTTP status; nil when there was no answer.
  public init(date: Date, status: Int?) {
    self.init(date: date, status.map { .answered($0) } ?? .failed(.noResponse))
  }

  /// Writes an attempt down.
  ///
  /// - Parameters:
  ///   - date: When it was due and made.
  ///   - reply: What came of it.
  public init(date: Date, _ reply: NotificationReply) {
    self.date = date
    switch reply {
    case .answered(let status):
      self.status = status
      result = RetryTimetable.isSuccess(status) ? .success : .unsuccessfulStatus
    case .failed(let result):
      status = nil
      self.result = result
    }
  }

  /// Whether the server took it.
  public var isSuccess: Bool { result == .success }
}

/// What came of posting a notification.
public enum NotificationReply: Hashable, Sendable {
  /// The server answered with an HTTP status.
  case answered(Int)
  /// There was no answer that could be used.
  case failed(SendAttemptResult)
}

/// Apple's word for the outcome of an attempt.
///
/// - **Source:** App Store Server API, `sendAttemptResult`.
public enum SendAttemptResult: String, Hashable, Sendable, CaseIterable {
  /// The server took it.
  case success = "SUCCESS"
  /// The server did not answer in time.
  case timedOut = "TIMED_OUT"
  /// No encrypted connection came about.
  case tlsIssue = "TLS_ISSUE"
  /// The server sent the store in circles.
  case circularRedirect = "CIRCULAR_REDIRECT"
  /// The server did not answer.
  case noResponse = "NO_RESPONSE"
  /// No connection came about.
  case socketIssue = "SOCKET_ISSUE"
  /// The answer's characters are unknown.
  case unsupportedCharset = "UNSUPPORTED_CHARSET"
  /// The answer is no answer.
  case invalidResponse = "INVALID_RESPONSE"
  /// The connection ended before the answer did.
  case prematureClose = "PREMATURE_CLOSE"
  /// The server answered with a status outside of 200 to 206.
  case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
  /// Something else.
  case other = "OTHER"
}
