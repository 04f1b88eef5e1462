public import Foundation
public import IAPModel

/// A notification to the app's server, and what became of it.
public struct NotificationRecord: Hashable, Sendable {
  /// The notification; the same at every attempt.
  public let uuid: NotificationUUID
  /// The app.
  public let bundleID: BundleID
  /// What happened.
  public let type: NotificationType
  /// What exactly happened.
  public let subtype: NotificationSubtype?
  /// When it was signed.
  public let signedDate: Date
  /// The transaction as it was then; tests have none.
  public let transaction: StoreTransactionRecord?
  /// The subscription as it was then.
  public let renewalInfo: RenewalInfoPayload?
  /// The subscription's state as it was then.
  public let status: SubscriptionStatus?
  /// Why a customer asked for money back, when this asks for the use of a purchase.
  public var consumptionRequestReason: ConsumptionRequestReason?
  /// Every attempt to send it.
  public var attempts: [NotificationAttempt] = []
  /// When the next attempt is due; nil when there is none.
  public var nextAttemptDate: Date?

  /// Whether the server took it.
  public var isDelivered: Bool { attempts.last.map { $0.isSuccess } ?? false }
}

/// One attempt to send a notification.
public struct NotificationAttempt: Hashable, Sendable {
  /// When it was due and made.
  public let date: Date
  /// The HTTP status; nil when there was no answer.
  public let status: Int?

  /// Writes an attempt down.
  ///
  /// - Parameters:
  ///   - date: When it was due and made.
  ///   - status: The HTTP status; nil when there was no answer.
  public init(date: Date, status: Int?) {
    self.date = date
    self.status = status
  }

  /// Whether the server took it.
  public var isSuccess: Bool { RetryTimetable.isSuccess(status) }

  /// Apple's word for the outcome.
  ///
  /// - **Source:** App Store Server API, `sendAttemptResult`.
  public var result: String {
    guard status != nil else { return "NO_RESPONSE" }
    return isSuccess ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
  }
}
