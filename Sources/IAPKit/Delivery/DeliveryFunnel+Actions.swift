package import Foundation
import IAPModel

extension DeliveryFunnel {
  /// How many seconds lie between two requests for a new receipt at least.
  package static let receiptRequestSecondsMin: TimeInterval = 30

  /// Performs one action of a machine; what comes of it is the machine's next event.
  func perform(_ action: DeliveryAction, _ record: TransactionRecord) async {
    let id = record.transaction.transactionID
    switch action {
    case .save: break
    case .validate: postNext(.verdict(await judge(record)), to: id)
    case .reverify: await reverify(record)
    case .deliver(let due): await deliver(due, record)
    case .acknowledge: await acknowledge(record)
    case .finish: await finish(record)
    case .retry(let date):
      schedule(id, at: date)
      tell(.retryScheduled(record, at: date))
    case .report: report(record)
    case .emit(let note): emit(note, record)
    }
  }

  // MARK: Judging

  private func judge(_ record: TransactionRecord) async -> DeliveryVerdict {
    var transaction = record.transaction
    if transaction.proof.isMissing || record.wasRejectedLast || record.hasStaleReceipt
      || !transaction.isPaidProductKnown
    {
      await renewReceipt(of: &transaction, record, isStale: record.hasStaleReceipt)
    }
    guard !transaction.proof.isMissing else { return .unknown(reason: "there is no receipt") }
    guard let validator else { return .accepted(nil) }
    let verdict = await ask(validator, transaction, record)
    guard case .staleReceipt = verdict, !record.hasStaleReceipt else { return verdict }
    let proof = transaction.proof
    await renewReceipt(of: &transaction, record, isStale: true)
    return transaction.proof == proof ? verdict : await ask(validator, transaction, record)
  }

  private func ask(
    _ validator: any ReceiptValidator,
    _ transaction: StoreTransaction,
    _ record: TransactionRecord
  ) async -> DeliveryVerdict {
    do {
      let evidence = evidence(transaction, record)
      var result = try await validator.validate(evidence)
      // Asked about once more, under its owner's name, when that user is there.
      if evidence.isOfUnknownUser { result.belongsToAnother = true }
      #if PLANTED_BUGS
      if world.planted == .ignoresClaims {
        (result.claimedBy, result.isAcknowledged) = (nil, nil)
      }
      #endif
      guard isAbout(transaction, result) else {
        return .unknown(reason: "the answer is about another product")
      }
      let isAboutItself = result.transactionId.map { $0 == evidence.transactionId } ?? true
      guard isAboutItself || transaction.isPaidProductKnown else {
        return .unknown(reason: "the answer is about another transaction")
      }
      guard !result.isValid || transaction.isMeant(by: result) else { return .staleReceipt }
      guard !result.awaitsServer else {
        return .unknown(reason: "no answer of the server; this device finds it genuine")
      }
      return result.isValid ? .accepted(result) : .rejected(result)
    } catch IAPError.staleReceipt {
      return .staleReceipt
    } catch {
      // The text of a foreign error may contain anything: only its kind is kept.
      let kind = (error as? IAPError)?.code.rawValue ?? "\(type(of: error))"
      #if PLANTED_BUGS
      if world.planted == .takesSilenceForRefusal {
        return .rejected(ReceiptValidationResult(isValid: false))
      }
      #endif
      return .unknown(reason: "no answer: \(kind)")
    }
  }

  /// Puts the newest receipt that can be had in a StoreKit 1 transaction's place of proof.
  private func renewReceipt(
    of transaction: inout StoreTransaction,
    _ record: TransactionRecord,
    isStale: Bool
  ) async {
    guard case .receipt = transaction.proof else { return }
    var receipt = adapter.receipt()
    if isStale || receipt?.isEmpty ?? true || !shows(receipt, transaction), mayRequestReceipt() {
      receipt = await adapter.refreshedReceipt()
    }
    guard let receipt, !receipt.isEmpty, transaction.proof != .receipt(receipt) else { return }
    transaction.proof = .receipt(receipt)
    _ = transaction.takePaidProduct()
    keep(transaction, record)
  }

  /// Whether a receipt says which product a transaction paid for.
  private func shows(_ receipt: [UInt8]?, _ transaction: StoreTransaction) -> Bool {
    var copy = transaction
    copy.proof = .receipt(receipt)
    return copy.isPaidProductKnown
  }

  /// Whether the store may be asked for a receipt now; it may ask the user for a password.
  func mayRequestReceipt() -> Bool {
    let now = world.now()
    if let last = receiptRequestedAt,
      (0..<Self.receiptRequestSecondsMin).contains(now.timeIntervalSince(last))
    {
      return false
    }
    receiptRequestedAt = now
    return true
  }

  /// Receipt bytes are kept until they were accepted.
  ///
  /// When that fails they are read again later. What was paid for, which the receipt tells, belongs
  /// to its order from now on.
  private func keep(_ transaction: StoreTransaction, _ record: TransactionRecord) {
    var record = record
    record.transaction = transaction
    if record.order == nil, transaction.isPaidProductKnown {
      record.order = store.match(transaction, policy: configuration.orders)?.number
    }
    do throws(IAPError) {
      try store.put(record, policy: configuration.orders)
    } catch {
      tell(.storageFailed(error))
    }
  }

  /// A receipt holds many products, and a plain server may answer with any of them; a signed
  /// transaction is about one.
  private func isAbout(
    _ transaction: StoreTransaction,
    _ result: ReceiptValidationResult
  ) -> Bool {
    guard case .jws = transaction.proof, let productId = result.productId else { return true }
    return productId == transaction.productID.rawValue
  }

  private func evidence(
    _ transaction: StoreTransaction,
    _ record: TransactionRecord
  ) -> TransactionEvidence {
    let order = record.order.flatMap { store.order($0) }
    #if PLANTED_BUGS
    let isOwn =
      world.planted == .creditsWhoIsSignedIn || account.owns(transaction, order: order)
    #else
    let isOwn = account.owns(transaction, order: order)
    #endif
    var evidence = TransactionEvidence(
      transactionId: transaction.transactionID.rawValue,
      originalTransactionId: transaction.originalTransactionID.rawValue,
      productId: transaction.productID.rawValue,
      orderNumber: record.order?.description,
      // Its own account; for what no order here knows, the one that presents it, unless the token
      // of another user travelled with it.
      account: order?.account?.rawValue ?? (isOwn ? account.id?.rawValue : nil),
      installation: store.installation?.rawValue,
      isSandbox: transaction.environment.map { $0 != .production } ?? configuration.isSandbox
    )
    evidence.isOfUnknownUser = order?.account == nil && !isOwn
    switch transaction.proof {
    case .jws(let text): evidence.signedTransaction = text
    case .receipt(let bytes): evidence.receipt = bytes.map { Data($0) }
    }
    return evidence
  }

  private func reverify(_ record: TransactionRecord) async {
    let id = record.transaction.transactionID
    let again = await adapter.unfinished().first { $0.transactionID == id }
    if let again {
      postNext(.arrived(again, order: nil), to: id)
    } else {
      postNext(.verdict(.unknown(reason: "the signature does not hold")), to: id)
    }
  }

  // MARK: Handing over

  /// Calls the handler or the listener.
  ///
  /// One effect takes place at a time for each key, whichever record it comes from; its end is
  /// saved before the next one looks.
  private func deliver(_ due: DueEffect, _ record: TransactionRecord) async {
    let id = record.transaction.transactionID
    let goods = record.goodsName
    guard effectsInProgress[goods] == nil else {
      await withCheckedContinuation { effectsInProgress[goods]?.append($0) }
      return postNext(.due(nil), to: id)
    }
    effectsInProgress[goods] = []
    defer { effectsInProgress.removeValue(forKey: goods)?.forEach { $0.resume() } }
    let result = result(record)
    let answer: DeliveryAnswer
    if let handler {
      #if PLANTED_BUGS
      let key = due.key + (world.planted == .namesEffectsByLaunch ? "#\(store.launch)" : "")
      #else
      let key = due.key
      #endif
      let delivery = Delivery(
        kind: due.kind,
        transaction: result,
        idempotencyKey: key,
        order: record.order.flatMap { store.order($0) },
        validation: validations[id]
      )
      recipients[id] = account.id
      answer = await call(handler, delivery, id)
    } else if let listener {
      listener(due.kind, result)
      answer = .delivered
    } else {
      return
    }
    await step(.answered(answer, due), id)
    recipients[id] = nil
  }

  /// Tells the server that the goods were handed over; best effort.
  ///
  /// No answer holds nothing up: the goods are with the user, and this is tried again at the next
  /// trigger.
  private func acknowledge(_ record: TransactionRecord) async {
    guard let validator else { return }
    var transaction = record.transaction
    if transaction.proof.isMissing { transaction.proof = .receipt(adapter.receipt()) }
    guard !transaction.proof.isMissing else { return }
    guard (try? await validator.acknowledge(evidence(transaction, record))) != nil else { return }
    postNext(.serverTold, to: transaction.transactionID)
  }

  /// Waits for the handler; one that throws has not answered, and one that takes too long is shown.
  private func call(
    _ handler: DeliveryHandler,
    _ delivery: Delivery,
    _ id: TransactionID
  ) async -> DeliveryAnswer {
    let limit = world.now() + configuration.quarantine.handlerSeconds
    let watch = Task { [weak self, sleepUntil = world.sleepUntil] in
      do { try await sleepUntil(limit) } catch { return }
      await self?.noteSilence(id)
    }
    defer {
      watch.cancel()
      _ = silentHandlers.withLock { $0.remove(id) }
    }
    do {
      return try await handler(delivery)
    } catch {
      return .retryLater
    }
  }

  private func noteSilence(_ id: TransactionID) {
    guard !Task.isCancelled, let record = store.record(id) else { return }
    _ = silentHandlers.withLock { $0.insert(id) }
    world.log(
      LogLine(.warning, "\(id.redacted) \(record.productId): the handler has not answered")
    )
    settle(id)
  }

  private func finish(_ record: TransactionRecord) async {
    let answer = await tellStore(record.transaction.reference, FinishPolicy.Facts(record))
    if let answer { postNext(.storeAnswered(answer), to: record.transaction.transactionID) }
  }

  /// Tells StoreKit that a transaction is done with, if the policy says so: the only place that
  /// does.
  ///
  /// - Parameters:
  ///   - reference: StoreKit's object.
  ///   - facts: What is known of it.
  /// - Returns: What became of it; nil when it is kept.
  func tellStore(
    _ reference: StoreReference,
    _ facts: FinishPolicy.Facts
  ) async -> StoreFinishAnswer? {
    #if PLANTED_BUGS
    let isFinished = world.planted == .finishesBeforeSave
    #else
    let isFinished = false
    #endif
    guard isFinished || FinishPolicy.decide(facts) == .finish else { return nil }
    return await adapter.finish(reference)
  }

  // MARK: Setting aside

  /// Why an order is not with the user; nil when it is, or only the next answer is awaited.
  package nonisolated func reasonForAttention(
    _ record: TransactionRecord,
    _ order: Order?
  ) -> OrderNeedingAttention.Reason? {
    let id = record.transaction.transactionID
    if silentHandlers.withLock({ $0.contains(id) }) { return .handlerSilent }
    if let reason = OrderNeedingAttention.Reason(record) { return reason }
    let isWaiting = record.state == .received || record.state == .accepted
    let isPresent = !record.isAnothers && account.owns(record.transaction, order: order)
    return isWaiting && !isPresent ? .anotherAccount : nil
  }

  package nonisolated func report(
    _ record: TransactionRecord,
    _ reason: OrderNeedingAttention.Reason,
    _ order: Order?
  ) -> QuarantineReport {
    QuarantineReport(
      record,
      reason: reason,
      order: order,
      installation: store.installation?.rawValue,
      receipt: adapter.receipt()
    )
  }

  /// Puts an order into the review queue, and again later until the queue has it.
  private func report(_ record: TransactionRecord) {
    let hook = configuration.reportQuarantine ?? validator.map { $0.report }
    guard let hook, let reason = OrderNeedingAttention.Reason(record) else { return }
    let id = record.transaction.transactionID
    guard reporting.insert(id).inserted else { return }
    let order = record.order.flatMap { store.order($0) }
    let report = report(record, reason, order)
    Task {
      defer { reporting.remove(id) }
      do {
        try await hook(report)
        failedReports[id] = nil
        post(.reported, to: id)
      } catch {
        let count = (failedReports[id] ?? 0) + 1
        failedReports[id] = count
        let delay = configuration.retry.delay(afterAttempts: count, random: world.random())
        // One that is still asked about has a timer of its own, which reports it too.
        if record.nextAttempt == nil { schedule(id, at: world.now() + delay) }
      }
    }
  }

  private func emit(_ note: DeliveryNote, _ record: TransactionRecord) {
    let id = record.transaction.transactionID
    switch note {
    case .saved: tell(.saved(record))
    case .held: tell(.held(record))
    case .quarantined: tell(.quarantined(record))
    case .finished: tell(.finished(record))
    case .accepted(let result):
      validations[id] = result
      tell(.accepted(record, result))
    case .rejected(let result): tell(.rejected(record, result))
    case .ready(let kind):
      noteHandedOver(id)
      tell(.ready(kind, result(record)))
    }
  }
}
