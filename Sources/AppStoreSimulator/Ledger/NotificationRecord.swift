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
  public let transaction: StoreTransactionRecord?
  /// The subscription as it was then.
  public let renewalInfo: RenewalInfoPayload?
  /// The subscription's state as it was then.
  public let status: SubscriptionStatus?
  /// Why a customer asked for money back, when this asks for the use of a purchase.
  public var consumptionRequestReason: ConsumptionRequestReason?
  /// What stands in the place of `data`; nil for nearly all.
  public var subject: NotificationSubject?
  /// The form in which it is sent.
  public var form = NotificationForm.version2
  /// Every attempt to send it.
  public var attempts: [NotificationAttempt] = []
  /// When the next attempt is due; nil when there is none.
  public var nextAttemptDate: Date?

  /// Whether the server took it.
  public var isDelivered: Bool { attempts.last.map { $0.isSuccess } ?? false }
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
