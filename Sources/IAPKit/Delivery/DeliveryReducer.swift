package import Foundation
import IAPModel

/// The state machine of one transaction.
///
/// Pure: (record, event) to (record, actions).
///
/// A crash between any two actions leaves a record from which `due(.launch)` or the transaction's
/// next arrival goes on. Every state and every event is spelt out; there is no catch-all.
package struct DeliveryReducer {
  /// How many seconds after the server's word a consumable may be handed over without asking again.
  ///
  /// Well below the server's lease for claims (a day), so that the handler's time fits in between.
  package static let claimFreshSecondsMax: TimeInterval = 6 * 3600

  package private(set) var record: TransactionRecord
  package private(set) var actions: [DeliveryAction] = []
  private let context: DeliveryContext

  private init(_ record: TransactionRecord, _ context: DeliveryContext) {
    self.record = record
    self.context = context
  }

  /// What follows from an event.
  ///
  /// - Parameters:
  ///   - record: The durable record; nil before the transaction's first arrival.
  ///   - event: What happened.
  ///   - context: What the decision depends on besides.
  /// - Returns: The record and the actions; nil when there is no record and none begins.
  package static func reduce(
    _ record: TransactionRecord?,
    _ event: DeliveryEvent,
    _ context: DeliveryContext
  ) -> DeliveryReducer? {
    if let record {
      var reducer = DeliveryReducer(record, context)
      reducer.apply(event)
      return reducer
    }
    switch event {
    case .arrived(let transaction, let order):
      var reducer = DeliveryReducer(
        TransactionRecord(
          transaction: transaction,
          state: transaction.verification.isUnverified ? .held : .received,
          savedAt: context.now,
          launch: context.launch
        ),
        context
      )
      reducer.record.order = order
      reducer.begin()
      return reducer
    case .verdict, .answered, .acknowledged, .storeAnswered, .due, .released, .reported,
      .serverTold:
      return nil
    }
  }

  private mutating func begin() {
    guard record.state == .held else {
      actions += [.save, .emit(.saved), .validate]
      return
    }
    record.attempts = 1
    scheduleRetry(after: record.attempts)
    actions += [.emit(.held)]
  }

  private mutating func apply(_ event: DeliveryEvent) {
    switch event {
    case .arrived(let transaction, let order): arrive(transaction, order)
    case .verdict(.accepted(let result)): accept(result)
    case .verdict(.rejected(let result)): reject(result)
    case .verdict(.unknown(let reason)): wait(reason)
    case .verdict(.staleReceipt):
      record.hasStaleReceipt = true
      wait("the receipt does not show the transaction yet")
    case .answered(let answer, let due): take(answer, due)
    case .acknowledged: acknowledgeByApp()
    case .storeAnswered(.finished): markFinished()
    // StoreKit 1 announces it again by itself; it is finished then. What was finished when it was
    // set aside is not announced any more.
    case .storeAnswered(.notAnnounced): if record.isFinished { markFinished() }
    case .due(let trigger): goOn(trigger)
    case .released: release()
    case .reported: markReported()
    case .serverTold:
      guard !record.isServerTold else { break }
      record.isServerTold = true
      actions.append(.save)
    }
  }

  // MARK: Arriving

  private mutating func arrive(_ transaction: StoreTransaction, _ order: OrderNumber?) {
    if transaction.verification.isUnverified {
      // A copy whose signature does not hold says nothing about the one that is known.
      guard record.state == .held else { return }
      record.attempts += 1
      scheduleRetry(after: record.attempts)
      return
    }
    let hadProof = !record.transaction.proof.isMissing
    let (isSigned, isChanged) = merge(transaction, order)
    let saves = isSigned || isChanged
    switch record.state {
    case .held:
      record.state = .received
      record.attempts = 0
      record.nextAttempt = nil
      actions += [.save, .emit(.saved), .validate]
    case .received:
      if saves { actions.append(.save) }
      // Once it was asked for, timers and triggers decide when to ask again.
      if record.attempts == 0 || !hadProof { actions.append(.validate) }
    case .accepted:
      if saves { actions.append(.save) }
      guard isChanged || !isTooEarly else { break }
      if isToBeAskedAbout { actions.append(.validate) } else { handOver(announces: isChanged) }
    case .delivered, .finished:
      if due != nil {
        record.state = .accepted
        record.isFinished = false
        actions.append(.save)
        handOver(announces: true)
      } else {
        if saves { actions.append(.save) }
        finish()
      }
    case .quarantined, .refused:
      if saves { actions.append(.save) }
      finish()
    }
  }

  /// Takes over what a later copy knows more: whether it was signed later, and whether it says
  /// anything new.
  private mutating func merge(
    _ transaction: StoreTransaction,
    _ order: OrderNumber?
  ) -> (isSigned: Bool, isChanged: Bool) {
    let old = record
    var merged = old.transaction.merged(with: transaction, needsProof: old.needsProof)
    // Announced once more: what was let go of is not taken up again, unless the news is a refund.
    if old.isSpent, merged.revocationDate == nil { merged.proof = old.transaction.proof }
    let isSigned = merged.signedDate != old.transaction.signedDate
    let isNews = !merged.isEquivalent(to: old.transaction)
    if isSigned || isNews { record.transaction = merged }
    if old.order == nil { record.order = order }
    return (isSigned, isNews || record.order != old.order)
  }

  // MARK: Judging

  private mutating func accept(_ result: ReceiptValidationResult?) {
    switch record.state {
    case .received, .quarantined, .accepted: break
    case .held, .delivered, .finished, .refused: return
    }
    record.attempts += 1
    record.wasRejectedLast = false
    record.hasStaleReceipt = false
    record.judgedAt = context.now
    record.lastError = nil
    record.nextAttempt = nil
    record.quarantine = nil
    if let result { learn(from: result) }
    // From here on the goods keep their name, whatever is learnt of their type: a handler may have
    // been called with it.
    if record.unit == nil { record.unit = context.nameOfCopies(record) ?? record.deliveryUnit }
    record.state = .accepted
    actions += [.save, .emit(.accepted(result))]
    handOver(announces: true)
  }

  private mutating func learn(from result: ReceiptValidationResult) {
    // A receipt may show the goods under another identifier, and another period beside: what is
    // known of the own one comes first.
    let isAboutItself = result.transactionId.map { $0 == record.transactionId } ?? true
    if record.unit == nil, isAboutItself || record.transaction.webOrderLineItemID == nil {
      record.unit = result.unit.map { UnitID($0) }
    }
    record.isAnothers = result.belongsToAnother ?? false
    if record.transaction.expiresDate == nil { record.transaction.expiresDate = result.expiresDate }
    if record.transaction.revocationDate == nil {
      record.transaction.revocationDate = result.revocationDate
    }
    let claimer = result.claimedBy.map { InstallationID($0) }
    record.claimedBy = claimer == context.installation ? nil : claimer
    // After a reinstall the journal is gone: the server remembers that the goods were used up.
    if result.isAcknowledged == true, record.needsAppToAcknowledge, record.acknowledged.isEmpty {
      record.isServedElsewhere = true
    }
  }

  private mutating func reject(_ result: ReceiptValidationResult) {
    guard record.state != .held else { return }
    record.attempts += 1
    record.rejections += 1
    record.wasRejectedLast = true
    record.hasStaleReceipt = false
    record.lastError = "refused: " + result.reasons.map(\.rule).joined(separator: ", ")
    if record.rejections > context.quarantine.rejectionsBorne {
      setAside(.rejected, first: .rejected(result))
    } else {
      scheduleRetry(after: record.attempts)
      actions.append(.emit(.rejected(result)))
    }
  }

  private mutating func wait(_ reason: String) {
    record.attempts += 1
    record.wasRejectedLast = false
    record.lastError = reason
    guard record.state != .held else { return scheduleRetry(after: record.attempts) }
    if context.quarantine.countsEveryFailure {
      record.rejections += 1
      if record.rejections > context.quarantine.rejectionsBorne { return setAside(.failedChecks) }
    }
    let waitsTooLong =
      context.launch - record.savedInLaunch >= context.quarantine.unansweredLaunches
      && context.now >= record.savedAt + context.quarantine.unansweredSeconds
    let isShown = record.state == .quarantined
    if waitsTooLong, !isShown {
      record.state = .quarantined
      record.quarantine = .unanswered
    }
    scheduleRetry(after: record.attempts)
    if waitsTooLong, !isShown { actions += [.emit(.quarantined), .report] }
  }

  private mutating func setAside(_ reason: QuarantineReason, first note: DeliveryNote? = nil) {
    record.state = .quarantined
    if record.quarantine != reason { record.isReported = false }
    record.quarantine = reason
    record.nextAttempt = nil
    actions.append(.save)
    if let note { actions.append(.emit(note)) }
    actions += [.emit(.quarantined), .report]
    finish()
  }

  // MARK: Handing over

  private var due: DueEffect? {
    DueEffect.of(record) { context.isKnown($0) || record.acknowledged.contains($0) }
  }

  private mutating func handOver(announces: Bool) {
    guard let due else { return settleWithoutEffect() }
    guard context.isOwnerPresent, !record.isAnothers else {
      // It waits for the user whose purchase it is.
      if announces { actions.append(.emit(.held)) }
      return
    }
    if due.kind == .grant, isSomebodyElses {
      // Another installation of this account is to hand it over; look again later.
      record.deliveryAttempts += 1
      record.lastError = "another installation hands it over"
      return scheduleRetry(after: record.deliveryAttempts)
    }
    guard context.isDeliveryOpen else { return }
    if due.kind == .grant, isClaimStale { return actions.append(.validate) }
    if context.hasTaker {
      noteBeginning(of: due)
      actions.append(.deliver(due))
    } else if !record.needsAppToAcknowledge, context.hasCaller || due.kind != .grant {
      acknowledge(due)
    } else if announces {
      actions.append(.emit(.ready(due.kind)))
    }
  }

  /// Takes note, durably, that goods are about to be handed over: a process that dies meanwhile may
  /// have done so.
  private mutating func noteBeginning(of due: DueEffect) {
    guard due.kind == .grant, !record.isGrantBegun else { return }
    record.isGrantBegun = true
    // The record is saved as it is at the end of the step.
    let isSaved = actions.contains { if case .save = $0 { true } else { false } }
    if !isSaved { actions.append(.save) }
  }

  /// Whether another installation is to hand over goods that are used up.
  private var isSomebodyElses: Bool { record.claimedBy != nil && record.needsAppToAcknowledge }

  /// Whether the server has to say again who is to have it.
  private var isToBeAskedAbout: Bool { isSomebodyElses || record.isAnothers }

  /// Whether the next attempt is still to come.
  ///
  /// One that is further away than any wait can be was planned before the clock was set back.
  private var isTooEarly: Bool {
    guard let next = record.nextAttempt else { return false }
    return next > context.now && next <= context.now + context.retry.longestDelay
  }

  /// Whether the server may have given goods that are used up to another installation since it
  /// accepted them: the handler was not ready for hours, or the app did not run.
  private var isClaimStale: Bool {
    guard context.hasJudge, record.needsAppToAcknowledge, let judged = record.judgedAt else {
      return false
    }
    let age = context.now.timeIntervalSince(judged)
    return age > DeliveryReducer.claimFreshSecondsMax || age < 0
  }

  /// The goods were handed over through another record, or were taken back before they were
  /// handed over.
  private mutating func settleWithoutEffect() {
    let grant = "grant:\(record.deliveryUnit)"
    if record.transaction.revocationDate == nil, !record.isServedElsewhere,
      !record.acknowledged.contains(grant)
    {
      record.acknowledged.append(grant)
    }
    record.state = .delivered
    actions.append(.save)
    finish()
  }

  private mutating func take(_ answer: DeliveryAnswer, _ due: DueEffect) {
    guard record.state == .accepted else { return }
    switch answer {
    case .delivered: acknowledge(due)
    case .retryLater:
      record.deliveryAttempts += 1
      record.lastError = "the app asked to be called later"
      scheduleRetry(after: record.deliveryAttempts)
    case .refuse(let reason):
      record.state = .refused
      record.lastError = reason
      record.nextAttempt = nil
      actions += [.save, .emit(.quarantined), .report]
      finish()
    }
  }

  private mutating func acknowledge(_ due: DueEffect) {
    record.acknowledged.append(due.key)
    record.state = .delivered
    record.lastError = nil
    record.nextAttempt = nil
    actions += [.save, .emit(.ready(due.kind))]
    guard due.kind == .grant, self.due != nil else { return finish() }
    // Taken back before it was known that they had been handed over: the next effect is due when
    // this one has ended.
    record.state = .accepted
    actions.append(.retry(at: context.now))
  }

  private mutating func acknowledgeByApp() {
    switch record.state {
    case .delivered: finish()
    case .accepted:
      guard let due else { return settleWithoutEffect() }
      record.acknowledged.append(due.key)
      record.state = .delivered
      actions.append(.save)
      finish()
    case .held, .received, .quarantined, .refused:
      // The app took the goods before the server agreed: they are not handed over twice.
      guard let due else { return }
      record.acknowledged.append(due.key)
      actions.append(.save)
    case .finished: break
    }
  }

  // MARK: Finishing

  /// Tells the server, then StoreKit.
  ///
  /// The server's silence never keeps a transaction that was handed over: StoreKit's queue has to
  /// move, and once StoreKit was told the acknowledgement matters only if that is lost as well.
  private mutating func finish() {
    acknowledgeToServer()
    guard FinishPolicy.decide(FinishPolicy.Facts(record)) == .finish else { return }
    actions.append(.finish)
  }

  private mutating func acknowledgeToServer() {
    guard context.hasJudge, record.owesAcknowledgement else { return }
    actions.append(.acknowledge)
  }

  private mutating func markFinished() {
    switch record.state {
    case .delivered: record.state = .finished
    case .quarantined, .refused:
      guard !record.isFinished else { return }
    case .held, .received, .accepted, .finished: return
    }
    record.isFinished = true
    actions += [.save, .emit(.finished)]
  }

  // MARK: Going on

  private mutating func goOn(_ trigger: RetryTrigger?) {
    switch record.state {
    case .held: actions.append(.reverify)
    case .received: ask(trigger)
    case .accepted:
      if isToBeAskedAbout {
        actions.append(.validate)
      } else {
        handOver(announces: trigger == .launch)
      }
    case .delivered: finish()
    case .finished: acknowledgeToServer()
    case .quarantined:
      guard record.quarantine != .unanswered else { return ask(trigger) }
      settleSetAside()
    case .refused: settleSetAside()
    }
  }

  /// Asks the validator again; an explicit refusal is not asked about again before its time.
  private mutating func ask(_ trigger: RetryTrigger?) {
    if trigger != nil, record.wasRejectedLast, isTooEarly, let next = record.nextAttempt {
      actions.append(.retry(at: next))
    } else {
      actions.append(.validate)
    }
    if record.state == .quarantined, !record.isReported { actions.append(.report) }
  }

  private mutating func settleSetAside() {
    if !record.isReported { actions.append(.report) }
    if !record.isFinished { finish() }
  }

  private mutating func release() {
    switch record.state {
    case .quarantined:
      record.state = .received
      record.quarantine = nil
      record.isReported = false
      record.rejections = 0
      record.attempts = 0
      record.nextAttempt = nil
      actions += [.save, .validate]
    case .refused:
      record.state = .accepted
      record.isReported = false
      record.lastError = nil
      actions.append(.save)
      handOver(announces: true)
    case .held, .received, .accepted, .delivered, .finished: break
    }
  }

  private mutating func markReported() {
    guard !record.isReported else { return }
    record.isReported = true
    actions.append(.save)
  }

  private mutating func scheduleRetry(after attempts: Int) {
    let delay = context.retry.delay(afterAttempts: attempts, random: context.random)
    let next = context.now + delay
    record.nextAttempt = next
    actions += [.save, .retry(at: next)]
  }
}

extension TransactionRecord {
  /// Whether something to show to a server is still needed.
  fileprivate var needsProof: Bool {
    switch state {
    case .held, .received, .quarantined: true
    case .accepted, .delivered, .finished, .refused: false
    }
  }
}
