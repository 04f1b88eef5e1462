import AppStoreServerAPI
package import Foundation
import IAPEntitlements
package import IAPModel
import IAPSignatures
package import ServerStorage

/// What the App Store says that it sent, beside what the ledger holds.
package struct SentNotificationView: Hashable, Sendable {
  /// One attempt to send it.
  package struct Attempt: Hashable, Sendable {
    /// When.
    package let date: Date
    /// What came of it, in the App Store's word.
    package let result: String
    /// Whether it arrived.
    package var isSuccess: Bool { result == SendAttempt.success }
  }

  /// Its name; nil when what was sent does not follow the rules.
  package let uuid: NotificationUUID?
  /// What happened.
  package let type: NotificationType?
  /// What exactly happened.
  package let subtype: NotificationSubtype?
  /// When it was signed.
  package let signedDate: Date?
  /// The purchase that it is about.
  package let original: OriginalTransactionID?
  /// The attempts so far.
  package let attempts: [Attempt]
  /// Whether the ledger holds it: when not, it is a gap.
  package let isRecorded: Bool
}

extension EntitlementServer {
  /// How far back people look at what was sent, in seconds.
  package static let sentReach: TimeInterval = 30 * 24 * 3600

  /// Asks the App Store what it sent, the first page of a span of time.
  ///
  /// - Parameters:
  ///   - scope: The app and the environment.
  ///   - onlyFailures: Only what did not arrive, or not yet.
  /// - Returns: What was sent, and whether there is more than one page of it.
  /// - Throws: ``ServerError``: 501 without a key, 503 when the App Store does not answer.
  package func sentNotifications(
    _ scope: LedgerScope,
    onlyFailures: Bool
  ) async throws(ServerError) -> (sent: [SentNotificationView], hasMore: Bool) {
    guard let client = parts.apple[scope.app]?.client else {
      throw ServerError(
        501,
        .unsupported,
        .transactionLookupUnsupported,
        "This server cannot ask the App Store: its configuration names no key for that."
      )
    }
    let now = await parts.clock.now()
    let query = NotificationQuery(
      from: now.addingTimeInterval(-Self.sentReach),
      to: now,
      onlyFailures: onlyFailures
    )
    let page: NotificationPage
    do throws(AppStoreServerError) {
      page = try await client.answer(
        to: .notifications(query, from: nil),
        in: scope.environment
      )
    } catch {
      throw ServerError.storeUnavailable(error)
    }
    var views: [SentNotificationView] = []
    for sent in page.notifications { views.append(try await view(sent, scope, now)) }
    return (views, page.hasMore)
  }

  private func view(
    _ sent: SentNotification,
    _ scope: LedgerScope,
    _ now: Date
  ) async throws(ServerError) -> SentNotificationView {
    let attempts = sent.attempts.map {
      SentNotificationView.Attempt(date: $0.date, result: $0.result)
    }
    let judged: NotificationUseCase.Judged
    do throws(ServerError) {
      judged = try await NotificationUseCase(parts: parts).judge(
        Array(sent.signedPayload.utf8),
        at: .signedDate,
        now
      )
    } catch {
      guard error.code == .notificationRefused else { throw error }
      return SentNotificationView(
        uuid: nil,
        type: nil,
        subtype: nil,
        signedDate: nil,
        original: nil,
        attempts: attempts,
        isRecorded: false
      )
    }
    let isRecorded = try await parts.read { reader throws(StorageError) in
      try reader.fact(judged.record.key, in: scope) != nil
    }
    return SentNotificationView(
      uuid: judged.notification.uuid,
      type: judged.notification.type,
      subtype: judged.notification.subtype,
      signedDate: judged.record.signedDate,
      original: judged.record.facts.compactMap(\.originalTransactionID).first,
      attempts: attempts,
      isRecorded: isRecorded
    )
  }
}
