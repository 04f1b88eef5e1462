import Foundation
import IAPModel

// What a developer's server makes the store do.
extension StoreCore {
  /// What an extension that was asked for came to.
  enum ExtensionOutcome: Hashable, Sendable {
    case extended(RenewalExtension)
    case refused(ExtensionRule.Refusal)
  }

  /// Gives a subscription days; a request that was made before is answered as it was then.
  mutating func extendRenewal(
    of original: OriginalTransactionID,
    days: Int,
    reason: Int,
    request: RequestIdentifier,
    at now: Date
  ) throws(SimulatorError) -> ExtensionOutcome {
    let subscription = try subscription(original)
    let earlier = state.server.extensions.filter { $0.originalTransactionID == original }
    if let known = earlier.first(where: { $0.request == request }) { return .extended(known) }
    let record = try transaction(subscription.period.transactionID)
    if let refusal = ExtensionRule.refusal(subscription, record, earlier: earlier, at: now) {
      return .refused(refusal)
    }
    let done = RenewalExtension(
      originalTransactionID: original,
      transactionID: record.transactionID,
      request: request,
      days: days,
      reason: reason,
      effectiveDate: calendar.end(
        from: subscription.period.end,
        of: SubscriptionPeriod(days, .day)
      ),
      date: now
    )
    try carryOut(done, at: now)
    for member in state.subscriptions where isShared(member, from: record.transactionID) {
      let shared = RenewalExtension(
        originalTransactionID: member.originalTransactionID,
        transactionID: member.period.transactionID,
        request: request,
        days: days,
        reason: reason,
        effectiveDate: done.effectiveDate,
        date: now
      )
      try carryOut(shared, at: now)
    }
    return .extended(done)
  }

  private func isShared(_ member: SubscriptionRecord, from id: TransactionID) -> Bool {
    member.phase == .active && state.transaction(member.period.transactionID)?.sharedFrom == id
  }

  private mutating func carryOut(
    _ done: RenewalExtension,
    at now: Date
  ) throws(SimulatorError) {
    append(.server(.renewalExtended(done)), at: now)
    let original = done.originalTransactionID
    let changed = try transaction(done.transactionID)
    let subscription = try subscription(original)
    tellDevices(
      of: changed.account,
      with: changed.bundleID,
      .subscriptionChanged(original, subscription.groupID)
    )
    notify(.renewalExtended, nil, about: changed, at: now)
    if let due = SubscriptionReducer.nextDue(subscription, terms: state.terms) {
      perform(.wake(due, .subscription(original)))
    }
  }

  /// Plans to give all subscribers of a product days; the second time nothing happens.
  mutating func askMassExtension(_ asked: MassExtension, at now: Date) {
    guard state.massExtension(asked.request) == nil else { return }
    append(.server(.massExtensionAsked(asked)), at: now)
    let due = now.addingTimeInterval(options.massExtensionPeriod)
    perform(.wake(due, .massExtension(asked.request)))
  }

  /// Gives all subscribers of a product days, and says of how many it was.
  mutating func performMassExtension(
    _ request: RequestIdentifier,
    at now: Date
  ) throws(SimulatorError) {
    guard let asked = state.massExtension(request), asked.completeDate == nil else { return }
    var (succeeded, failed) = (0, 0)
    for subscription in state.subscriptions where isMeant(subscription, by: asked) {
      let original = subscription.originalTransactionID
      let outcome = try extendRenewal(
        of: original,
        days: asked.days,
        reason: asked.reason,
        request: request,
        at: now
      )
      switch outcome {
      case .extended: succeeded += 1
      case .refused:
        failed += 1
        let record = try transaction(subscription.period.transactionID)
        notify(.renewalExtension, .failure, about: record, at: now)
      }
    }
    append(.server(.massExtensionDone(request, succeeded: succeeded, failed: failed)), at: now)
    if let done = state.massExtension(request) { notifySummary(of: done, at: now) }
  }

  private func isMeant(_ subscription: SubscriptionRecord, by asked: MassExtension) -> Bool {
    guard subscription.bundleID == asked.bundleID, subscription.isRunning,
      subscription.period.productID == asked.productID,
      let record = state.transaction(subscription.period.transactionID),
      // Members of a family get theirs with the purchaser.
      record.ownership == .purchased
    else { return false }
    return asked.countries?.contains(record.storefront.countryCode) ?? true
  }

  /// Ties a purchase, and the renewals to come, to an account of the app.
  mutating func setAppAccountToken(
    _ token: AppAccountToken,
    of id: TransactionID,
    at now: Date
  ) throws(SimulatorError) {
    let record = try transaction(id)
    guard record.appAccountToken != token else { return }
    append(.server(.appAccountTokenSet(id, token)), at: now)
  }

  /// Writes down what the app's server says about the use of a purchase.
  mutating func noteConsumption(
    of id: TransactionID,
    version: Int,
    content: JSONObject,
    at now: Date
  ) throws(SimulatorError) {
    _ = try transaction(id)
    let asked = state.notifications.last {
      $0.type == .consumptionRequest && $0.transaction?.transactionID == id
    }
    let age = asked.map { now.timeIntervalSince($0.signedDate) }
    append(
      .server(
        .consumptionSent(
          ConsumptionRecord(
            transactionID: id,
            version: version,
            content: content,
            date: now,
            isInTime: age.map { $0 <= ConsumptionRecord.answerPeriod } ?? false
          )
        )
      ),
      at: now
    )
  }

  /// Finishes a purchase on the customer's behalf; the second time nothing happens.
  mutating func finishForServer(_ id: TransactionID, at now: Date) throws(SimulatorError) {
    let record = try transaction(id)
    guard !record.isFinished else { return }
    append(.finished(id), at: now)
    tellDevices(of: record.account, with: record.bundleID, .finished(id))
  }
}

extension StoreState {
  func massExtension(_ request: RequestIdentifier) -> MassExtension? {
    server.massExtensions.first { $0.request == request }
  }
}
