import Foundation
import IAPModel

extension StoreCore {
  /// Makes a notification about a transaction; it is sent when the app has an address.
  mutating func notify(
    _ type: NotificationType,
    _ subtype: NotificationSubtype?,
    about record: StoreTransactionRecord,
    consumption reason: ConsumptionRequestReason? = nil,
    commerce: CommerceDetails? = nil,
    at now: Date
  ) {
    let subscription = state.subscription(record.originalTransactionID)
    add(
      NotificationRecord(
        uuid: identifiers.nextNotification(),
        bundleID: record.bundleID,
        type: type,
        subtype: subtype,
        signedDate: state.nextStamp(at: now),
        // The ledger has the newest state: a refund is in it by now.
        transaction: state.transaction(record.transactionID) ?? record,
        renewalInfo: subscription.map { renewalInfo($0, signedDate: state.nextStamp(at: now)) },
        status: subscription.map { SubscriptionStatusRule.status($0.phase) },
        consumptionRequestReason: reason,
        commerce: commerce,
        nextAttemptDate: notificationURLs[record.bundleID] == nil ? nil : now
      ),
      at: now
    )
  }

  /// Makes the notification that a developer asks for to try the address.
  mutating func notifyTest(
    of app: BundleID,
    at now: Date
  ) throws(SimulatorError) -> NotificationUUID {
    _ = try self.app(app)
    guard notificationURLs[app] != nil else {
      throw SimulatorError(.notAllowed, "\(app) has no address for notifications")
    }
    let uuid = identifiers.nextNotification()
    add(
      NotificationRecord(
        uuid: uuid,
        bundleID: app,
        type: .test,
        subtype: nil,
        signedDate: state.nextStamp(at: now),
        transaction: nil,
        renewalInfo: nil,
        status: nil,
        nextAttemptDate: now
      ),
      at: now
    )
    return uuid
  }

  /// Makes the notification that ends a mass extension.
  mutating func notifySummary(of done: MassExtension, at now: Date) {
    notify(.renewalExtension, .summary, of: done.bundleID, .summary(done), at: now)
  }

  /// Makes a notification that is about no transaction.
  mutating func notify(
    _ type: NotificationType,
    _ subtype: NotificationSubtype?,
    of app: BundleID,
    _ subject: NotificationSubject,
    at now: Date
  ) {
    add(
      NotificationRecord(
        uuid: identifiers.nextNotification(),
        bundleID: app,
        type: type,
        subtype: subtype,
        signedDate: state.nextStamp(at: now),
        transaction: nil,
        renewalInfo: nil,
        status: nil,
        subject: subject,
        nextAttemptDate: notificationURLs[app] == nil ? nil : now
      ),
      at: now
    )
  }

  /// Makes the notification in the forms that the app wants it in: in version 1 some things are
  /// said twice, and some not at all.
  private mutating func add(_ record: NotificationRecord, at now: Date) {
    guard notificationVersions[record.bundleID] == .version1, record.type != .test else {
      return make(record, at: now)
    }
    let types = LegacyNotificationRule.types(of: record, environment: environment)
    for (place, type) in types.enumerated() {
      var record = record
      if place > 0 { record.uuid = identifiers.nextNotification() }
      record.form = .version1(type)
      make(record, at: now)
    }
  }

  private mutating func make(_ record: NotificationRecord, at now: Date) {
    append(.notificationMade(record), at: now)
    guard record.nextAttemptDate != nil else { return }
    makeDue(record.uuid, at: now)
    if faults.duplicatesNotifications { makeDue(record.uuid, at: now) }
  }

  private mutating func makeDue(_ uuid: NotificationUUID, at date: Date) {
    let attempt = DueAttempt(uuid: uuid, date: date)
    if faults.reordersNotifications {
      dueAttempts.insert(attempt, at: 0)
    } else {
      dueAttempts.append(attempt)
    }
    perform(.attemptDue)
  }

  /// Queues the next attempt when its time has come.
  mutating func wakeNotification(_ uuid: NotificationUUID, at now: Date) {
    guard let due = state.notification(uuid)?.nextAttemptDate, due <= now else { return }
    guard !dueAttempts.contains(where: { $0.uuid == uuid }) else { return }
    makeDue(uuid, at: due)
  }

  mutating func takeDueAttempt() -> (DueAttempt, NotificationRecord, URL)? {
    while !dueAttempts.isEmpty {
      let attempt = dueAttempts.removeFirst()
      if let record = state.notification(attempt.uuid),
        let url = notificationURLs[record.bundleID]
      {
        return (attempt, record, url)
      }
    }
    return nil
  }

  /// Writes down what came of an attempt and plans the next one.
  mutating func noteAttempt(_ attempt: DueAttempt, _ reply: NotificationReply, at now: Date) {
    guard let record = state.notification(attempt.uuid) else { return }
    let made = NotificationAttempt(date: attempt.date, reply)
    var next: Date?
    if !made.isSuccess, !record.isDelivered {
      next = options.retryTimetable.of(record.form.version).nextAttempt(
        after: record.attempts.count + 1,
        last: attempt.date
      )
    }
    append(
      .notificationSent(attempt.uuid, made, next: next),
      at: now
    )
    if let next { perform(.wake(next, .notification(attempt.uuid))) }
  }

  /// The subscription as signed data has it.
  func renewalInfo(_ record: SubscriptionRecord, signedDate: Date) -> RenewalInfoPayload {
    let catalog = state.app(record.bundleID)?.catalog
    var info = SubscriptionStatusRule.renewalInfo(
      record,
      renewalProduct: catalog?[record.renewalProductID],
      running: state.transaction(record.period.transactionID)?.offer?.reference,
      storefront: state.account(record.account)?.storefront ?? .usa,
      environment: environment,
      appTransactionID: identifiers.appTransactionID(record.account, record.bundleID),
      keepsGraceDate: options.keepsGraceDate
    )
    let winBack = OfferEligibilityRule.winBackOffers(
      catalog?[record.period.productID]?.subscription,
      record
    )
    if !winBack.isEmpty { info.eligibleWinBackOfferIDs = winBack }
    info.signedDate = signedDate
    return info
  }
}
