import Foundation
import IAPModel

/// The one way from the store to the user, for every source.
///
/// Each transaction has a state machine of its own (``DeliveryReducer``); the funnel performs what
/// the machines decide. A slow or bad transaction never delays another.
///
/// - **Concurrency:** events of one transaction are handled one after the other, in the order of
///   their arrival; different transactions proceed at the same time.
package actor DeliveryFunnel {
  package nonisolated let store: TransactionStore
  package nonisolated let events = EventStream()
  /// Purchases that began in the App Store, for whoever asked for the stream before they came.
  nonisolated let promoted = Broadcast<PromotedPurchase>()

  nonisolated let configuration: FunnelConfiguration
  package nonisolated let world: IAPWorld
  package nonisolated var account: SignedInAccount { configuration.account }
  nonisolated let adapter: any StoreAdapter
  let validator: (any ReceiptValidator)?
  let handler: DeliveryHandler?
  private nonisolated let witness: (any DeliveryWitness)?

  var isDeliveryOpen: Bool
  var listener: (@Sendable (Delivery.Kind, IAPTransactionResult) -> Void)?
  /// Purchases whose sheet is open, or whose outcome is not known yet.
  var purchases: [ProductID: Task<PurchaseOutcome, Never>] = [:]
  /// Effects that are taking place, and who waits for their end.
  var effectsInProgress: [String: [CheckedContinuation<Void, Never>]] = [:]
  /// What the server answered in this process.
  var validations: [TransactionID: ReceiptValidationResult] = [:]
  /// When the store was asked for a new receipt last.
  var receiptRequestedAt: Date?
  /// Transactions whose handler was called and has not answered for too long.
  nonisolated let silentHandlers = Locked<Set<TransactionID>>([])
  /// Who was signed in when goods were handed over whose handler answered just now.
  var recipients: [TransactionID: CustomerID] = [:]
  /// Orders that are being reported.
  var reporting: Set<TransactionID> = []
  /// How often reporting an order failed in this process.
  var failedReports: [TransactionID: Int] = [:]
  /// Transactions that arrived and could not be saved.
  var unsaved: [TransactionID: StoreTransaction] = [:]

  private struct Waiter {
    var continuation: CheckedContinuation<DeliveryProgress, Never>
    var order: OrderNumber?
    var wasDone: Bool
  }

  private struct Lifetime {
    var signals: AsyncStream<StoreSignal>.Continuation?
    var isStarted = false
  }

  private nonisolated let lifetime = Locked(Lifetime())
  private var isBegun = false
  private var mailboxes: [TransactionID: [DeliveryEvent]] = [:]
  private(set) var active: Set<TransactionID> = []
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var waiters: [TransactionID: [Waiter]] = [:]
  private var timers: [TransactionID: (due: Date, task: Task<Void, Never>)] = [:]
  /// Writes that failed: the error, until somebody asks anew, and how often so far.
  private var storageFailures: [TransactionID: (error: IAPError?, count: Int)] = [:]
  /// Transactions whose goods became the app's in this process.
  private var handedOver: Set<TransactionID> = []

  /// Makes a funnel; nothing happens before ``start()``.
  ///
  /// - Parameters:
  ///   - configuration: How it behaves.
  ///   - world: Time, chance and the log.
  ///   - adapter: StoreKit.
  ///   - store: The journal.
  ///   - validator: The judge; without one the device's own verdict accepts.
  ///   - handler: What hands over the goods; without one the listener's return, the caller, or
  ///     ``TransactionStore/markConsumed(_:)`` acknowledges.
  ///   - witness: Is told of each decision and each event.
  package init(
    configuration: FunnelConfiguration,
    world: IAPWorld,
    adapter: any StoreAdapter,
    store: TransactionStore,
    validator: (any ReceiptValidator)?,
    handler: DeliveryHandler?,
    witness: (any DeliveryWitness)? = nil
  ) {
    self.configuration = configuration
    self.world = world
    self.adapter = adapter
    self.store = store
    self.validator = validator
    self.handler = handler
    self.witness = witness
    self.isDeliveryOpen = !configuration.holdsDelivery
  }

  deinit {
    lifetime.withLock { $0.signals?.finish() }
    for timer in timers.values { timer.task.cancel() }
  }

  // MARK: Life

  /// Begins to listen at once and recovers what an earlier process left behind.
  package nonisolated func start() {
    let (signals, continuation) = AsyncStream.makeStream(of: StoreSignal.self)
    let isFirst = lifetime.withLock { lifetime in
      lifetime.signals?.finish()
      lifetime.signals = continuation
      defer { lifetime.isStarted = true }
      return !lifetime.isStarted
    }
    store.onAcknowledgement { [weak self] id in
      Task { [weak self] in await self?.post(.acknowledged, to: id) }
    }
    adapter.start { continuation.yield($0) }
    Task { [weak self] in
      await self?.recover(isFirst ? .launch : .foreground)
      for await signal in signals {
        #if PLANTED_BUGS
        if case .transaction(let transaction) = signal, transaction.verification.isUnverified,
          self?.world.planted == .stopsAtUnverified
        {
          return
        }
        #endif
        await self?.receive(signal)
      }
    }
  }

  /// Ends listening; what is under way goes on.
  ///
  /// ``start()`` begins again.
  package nonisolated func stop() {
    adapter.stop()
    lifetime.withLock { lifetime in
      lifetime.signals?.finish()
      lifetime.signals = nil
    }
  }

  /// Counts the launch once the journal can be used.
  func begin() {
    guard !isBegun else { return }
    do throws(IAPError) {
      let damaged = try store.beginLaunch()
      isBegun = true
      if damaged > 0 { tell(.journalRepaired(damagedRecords: damaged)) }
    } catch {
      tell(.storageFailed(error))
    }
  }

  // MARK: Machines

  /// Hands a transaction to its machine and waits until it is done or has to wait.
  ///
  /// - Parameters:
  ///   - transaction: The transaction, from any source.
  ///   - order: The order that it was bought for, when the caller knows it.
  /// - Returns: How far it came.
  package func process(
    _ transaction: StoreTransaction,
    order: OrderNumber? = nil
  ) async -> DeliveryProgress {
    begin()
    let id = transaction.transactionID
    let state = store.record(id)?.state
    let wasDone = state == .delivered || state == .finished
    storageFailures[id]?.error = nil
    // What waits goes before what is new.
    if order != nil { retryWaiting(but: id) }
    return await withCheckedContinuation { continuation in
      waiters[id, default: []].append(
        Waiter(continuation: continuation, order: order, wasDone: wasDone)
      )
      post(.arrived(transaction, order: order), to: id)
    }
  }

  /// Looks at a transaction again because somebody asks for it, also when it was set aside.
  ///
  /// - Parameter id: The transaction.
  /// - Returns: How far it came; nil when there is no such transaction.
  package func retryNow(_ id: TransactionID) async -> DeliveryProgress? {
    begin()
    guard let record = store.record(id) else { return nil }
    storageFailures[id]?.error = nil
    let wasDone = record.state == .delivered || record.state == .finished
    let isSetAside = record.state == .quarantined || record.state == .refused
    return await withCheckedContinuation { continuation in
      waiters[id, default: []].append(
        Waiter(continuation: continuation, order: nil, wasDone: wasDone)
      )
      timers.removeValue(forKey: id)?.task.cancel()
      post(isSetAside ? .released : .due(nil), to: id)
    }
  }

  func post(_ event: DeliveryEvent, to id: TransactionID) {
    #if PLANTED_BUGS
    if world.planted == .blocksBehindTheFirst, isBlocked(id) { return settle(id) }
    #endif
    mailboxes[id, default: []].append(event)
    guard active.insert(id).inserted else { return }
    Task { await run(id) }
  }

  /// Puts an event before those that wait: it belongs to what is being done.
  func postNext(_ event: DeliveryEvent, to id: TransactionID) {
    mailboxes[id, default: []].insert(event, at: 0)
  }

  private func run(_ id: TransactionID) async {
    while let event = mailboxes[id]?.first {
      mailboxes[id]?.removeFirst()
      await step(event, id)
    }
    mailboxes[id] = nil
    active.remove(id)
    settle(id)
    guard active.isEmpty else { return }
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }

  /// Waits until every machine is at its end or waits for a time, a trigger or the app.
  package func whenIdle() async {
    guard !active.isEmpty else { return }
    await withCheckedContinuation { idleWaiters.append($0) }
  }

  /// Whether a time has come that something waits for and that was not noticed yet.
  package var isOverdue: Bool {
    let now = world.now()
    return timers.values.contains { $0.due <= now }
  }

  func step(_ event: DeliveryEvent, _ id: TransactionID) async {
    var event = event
    let record = store.record(id)
    // A change of plan comes under the name and with the token of what was asked for: before the
    // receipt shows what was paid, it belongs to no order.
    if case .arrived(let transaction, nil) = event, record?.order == nil,
      transaction.isPaidProductKnown
    {
      #if PLANTED_BUGS
      var order = store.match(transaction, policy: configuration.orders)
      if world.planted == .forgetsPendingOrders, order?.state == .pending { order = nil }
      #else
      let order = store.match(transaction, policy: configuration.orders)
      #endif
      event = .arrived(transaction, order: order?.number)
    }
    let context = context(id, event, record)
    guard let next = DeliveryReducer.reduce(record, event, context) else { return }
    witness?.note(id, record, event, context)
    for (index, action) in next.actions.enumerated() {
      if let atStep = world.atStep {
        let step = DeliveryStep(
          id: id,
          state: record?.state,
          event: event,
          index: index,
          action: action
        )
        await atStep(step)
      }
      #if PLANTED_BUGS
      if world.planted == .finishesBeforeSave, record == nil, case .save = action {
        await perform(.finish, next.record)
      }
      #endif
      if case .save = action {
        guard save(next.record, event, id) else {
          witness?.note(id, nil, nil, context)
          return
        }
      } else {
        await perform(action, next.record)
      }
    }
  }

  private func context(
    _ id: TransactionID,
    _ event: DeliveryEvent,
    _ record: TransactionRecord?
  ) -> DeliveryContext {
    DeliveryContext(
      now: world.now(),
      random: world.random(),
      launch: store.launch,
      installation: store.installation,
      retry: configuration.retry,
      quarantine: configuration.quarantine,
      isDeliveryOpen: isDeliveryOpen,
      isOwnerPresent: isOwnerPresent(event, record),
      hasJudge: validator != nil,
      hasTaker: handler != nil || listener != nil,
      hasCaller: waiters[id] != nil,
      isKnown: { [self] in isKnown($0) },
      nameOfCopies: { [store] in store.nameOfCopies(of: $0) }
    )
  }

  private nonisolated func isKnown(_ effect: String) -> Bool {
    #if PLANTED_BUGS
    if world.planted == .knowsTransactionsOnly, effect.hasPrefix("clawback:") { return true }
    #endif
    return store.isKnown(effect)
  }

  #if PLANTED_BUGS
  /// Whether another transaction waits.
  private func isBlocked(_ id: TransactionID) -> Bool {
    store.openRecords().contains { record in
      record.transaction.transactionID != id && record.state == .accepted
    }
  }
  #endif

  private func isOwnerPresent(_ event: DeliveryEvent, _ record: TransactionRecord?) -> Bool {
    #if PLANTED_BUGS
    if world.planted == .creditsWhoIsSignedIn { return true }
    #endif
    var (transaction, order) = (record?.transaction, record?.order)
    if case .arrived(let arrived, let number) = event {
      transaction = transaction ?? arrived
      order = order ?? number
    }
    guard let transaction else { return true }
    if let record, let recipient = store.recipient(of: record) { return recipient == account.id }
    return account.owns(transaction, order: order.flatMap { store.order($0) })
  }

  /// Whether the record is durable.
  ///
  /// When it is not, nothing else is done, and the event comes again.
  private func save(
    _ record: TransactionRecord,
    _ event: DeliveryEvent,
    _ id: TransactionID
  ) -> Bool {
    var record = record
    if case .answered(.delivered, let due) = event, due.kind == .grant {
      record.recipient = recipients[id]
    }
    do throws(IAPError) {
      let order = try store.put(record, policy: configuration.orders)
      storageFailures[id] = nil
      unsaved[id] = nil
      if let order { tell(.order(order)) }
      return true
    } catch {
      let count = (storageFailures[id]?.count ?? 0) + 1
      storageFailures[id] = (error, count)
      if case .arrived(let transaction, _) = event { unsaved[id] = transaction }
      tell(.storageFailed(error))
      let delay = configuration.retry.delay(afterAttempts: count, random: world.random())
      schedule(id, at: world.now() + delay)
      #if PLANTED_BUGS
      if world.planted == .ignoresFailedSaves { return true }
      #endif
      return false
    }
  }

  func schedule(_ id: TransactionID, at date: Date) {
    timers[id]?.task.cancel()
    let task = Task { [weak self, sleepUntil = world.sleepUntil] in
      do { try await sleepUntil(date) } catch { return }
      await self?.goOn(id, nil)
    }
    timers[id] = (date, task)
  }

  /// Goes on with one transaction: a timer or a trigger says so.
  func goOn(_ id: TransactionID, _ trigger: RetryTrigger?) {
    timers.removeValue(forKey: id)?.task.cancel()
    if let transaction = unsaved.removeValue(forKey: id) {
      post(.arrived(transaction, order: nil), to: id)
    }
    post(.due(trigger), to: id)
  }

  // MARK: Answers

  func settle(_ id: TransactionID) {
    guard let waiting = waiters.removeValue(forKey: id) else { return }
    for waiter in waiting { waiter.continuation.resume(returning: progress(id, waiter)) }
  }

  private func progress(_ id: TransactionID, _ waiter: Waiter) -> DeliveryProgress {
    if let error = storageFailures[id]?.error { return .storageFailed(error) }
    guard let record = store.record(id) else { return .storageFailed(.storage(.notFound)) }
    let result = result(record)
    switch record.state {
    case .held: return .held(result)
    case .received: return record.wasRejectedLast ? .rejected(result) : .processing(result)
    case .accepted:
      return handler == nil && listener == nil && isDeliveryOpen && record.claimedBy == nil
        && reasonForAttention(record, record.order.flatMap { store.order($0) }) == nil
        ? .delivered(result) : .processing(result)
    case .delivered, .finished:
      let isOfOrder = waiter.order != nil && waiter.order == record.order
      let isNew = !waiter.wasDone && handedOver.contains(id)
      return isOfOrder || isNew ? .delivered(result) : .alreadyDelivered(result)
    case .quarantined:
      return record.quarantine == .unanswered ? .processing(result) : .quarantined(result)
    case .refused: return .refused(result)
    }
  }

  func result(_ record: TransactionRecord) -> IAPTransactionResult {
    IAPTransactionResult(record.transaction, order: record.order.flatMap { store.order($0) })
  }

  func noteHandedOver(_ id: TransactionID) { handedOver.insert(id) }

  func tell(_ event: FunnelEvent) {
    witness?.note(event)
    events.send(event)
    world.log(LogLine(event.level, event.logText))
  }
}
