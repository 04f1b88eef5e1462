package import Foundation
package import IAPModel

/// What the app knows of its purchases, on the disk.
///
/// It opens itself at the first use; while the disk cannot be used, every change throws and nothing
/// is lost or overwritten, and the next change tries again.
///
/// - **Concurrency:** safe from any thread. Changes are durable when a call returns.
public final class TransactionStore: Sendable {
  private let storage: any RecordStorage
  private let now: @Sendable () -> Date
  private let uuid: @Sendable () -> UUID
  private let state = Locked(StoreContents())
  private let acknowledgement = Locked<(@Sendable (TransactionID) -> Void)?>(nil)

  /// Makes a store on a storage of the app's; nothing is read before the first use.
  ///
  /// - Parameter storage: Keeps the records; nobody else may use it.
  public convenience init(storage: any RecordStorage) {
    self.init(storage: storage, now: LiveWorld.now, uuid: LiveWorld.uuid)
  }

  /// Makes a store; nothing is read before the first use.
  package init(
    storage: any RecordStorage,
    now: @escaping @Sendable () -> Date,
    uuid: @escaping @Sendable () -> UUID
  ) {
    self.storage = storage
    self.now = now
    self.uuid = uuid
  }

  // MARK: For apps

  /// Saves a record that the app made.
  ///
  /// One that is known keeps its progress.
  ///
  /// - Parameter record: The record; when it is consumed, the goods count as handed over.
  /// - Throws: ``IAPError/storage(_:)``.
  public func save(_ record: TransactionRecord) async throws(IAPError) {
    let id = record.transaction.transactionID
    try change { (contents) throws(IAPError) in
      let old = contents.record(id)
      var known = old ?? record
      if old == nil { known.savedAt = now() }
      if record.isConsumed, let due = contents.due(known) { known.acknowledged.append(due.key) }
      guard known != old else { return [] }
      return try contents.changes(putting: known)
    }
  }

  /// Saves a purchase that the app was handed.
  ///
  /// One that is known keeps its progress.
  ///
  /// - Parameter result: The purchase.
  /// - Throws: ``IAPError/storage(_:)``.
  public func save(_ result: IAPTransactionResult) async throws(IAPError) {
    var record = TransactionRecord(
      transactionId: result.transactionId,
      productId: result.productId,
      purchaseDate: result.purchaseDate
    )
    record.transaction = StoreTransaction(result)
    record.order = result.orderNumber.map(OrderBook.number(of:))
    try await save(record)
  }

  /// What is not done: not judged, not handed over, or set aside.
  ///
  /// Oldest first.
  ///
  /// - Returns: The records; none while the disk cannot be read.
  public func pendingRecords() -> [TransactionRecord] { openRecords().filter(\.isPending) }

  /// Every record, oldest first.
  ///
  /// Finished purchases of long ago are let go of (``RetentionPolicy``).
  ///
  /// - Returns: The records; none while the disk cannot be read.
  public func records() -> [TransactionRecord] { handOut { $0.records } }

  private func handOut(_ body: (StoreContents) -> [TransactionRecord]) -> [TransactionRecord] {
    let now = now()
    return (reading { body($0) } ?? []).map { $0.handedOut(at: now) }
      .sorted { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }
  }

  /// One record.
  ///
  /// - Parameter id: The transaction's identifier.
  /// - Returns: The record; nil when there is none, or while the disk cannot be read.
  public func record(_ id: String) -> TransactionRecord? {
    let now = now()
    return reading { $0.record(TransactionID(id))?.handedOut(at: now) } ?? nil
  }

  /// Says that the app has the goods: the transaction may be finished.
  ///
  /// - Parameter id: The transaction's identifier.
  /// - Throws: ``IAPError/storage(_:)`` with `notFound` when there is no such record.
  public func markConsumed(_ id: String) throws(IAPError) {
    let id = TransactionID(id)
    try change { (contents) throws(IAPError) in
      guard var record = contents.record(id) else { throw .storage(.notFound) }
      guard let due = contents.due(record) else { return [] }
      record.acknowledged.append(due.key)
      if record.state == .accepted { record.state = .delivered }
      return try contents.changes(putting: record)
    }
    acknowledgement.withLock { $0 }?(id)
  }

  /// Every order, oldest first; none while the disk cannot be read.
  public var orders: [Order] {
    reading { contents in
      contents.wakeAllOrders()
      return contents.orders.all
    } ?? []
  }

  /// Every order whose end is not known yet, oldest first.
  package var waitingOrders: [Order] { reading { $0.orders.waiting } ?? [] }

  /// The order of this number.
  ///
  /// - Parameter number: A UUID, or the app's own number of the order.
  /// - Returns: The order; nil when there is none, or while the disk cannot be read.
  public func order(_ number: String) -> Order? { order(OrderBook.number(of: number)) }

  // MARK: For delivery

  /// Opens the journal, counts a launch, and says how many damaged records were set aside.
  package func beginLaunch() throws(IAPError) -> Int {
    try change { (contents) throws(IAPError) in
      var meta = contents.meta ?? JournalMeta(launches: 0, installation: newInstallation())
      meta.launches += 1
      return [try StoreChange(meta)] + contents.orphanRemovals
        + (try contents.upgrades())
    }
    return reading { $0.damagedRecords } ?? 0
  }

  /// The number of the present launch, from 1; 0 before ``beginLaunch()`` succeeded.
  package var launch: Int { reading { $0.meta?.launches ?? 0 } ?? 0 }

  /// This installation's name, made at the first launch.
  package var installation: InstallationID? { reading { $0.meta?.installation } ?? nil }

  /// The records that are not at their end, oldest first.
  package func openRecords() -> [TransactionRecord] { handOut { Array($0.open.values) } }

  /// The orders that are not paid and handed over, oldest first.
  package var openOrders: [Order] { reading { $0.orders.all } ?? [] }

  /// Finished transactions of which the server has still to be told.
  package func owingAcknowledgement() -> [TransactionID] { reading { $0.owing.sorted() } ?? [] }

  /// The newest judged record of each purchase that gives access, the newest purchases first.
  ///
  /// - Parameters:
  ///   - limit: How many at most.
  ///   - others: Transactions that are left out, as if they were not known.
  /// - Returns: The records.
  package func newestOwned(
    _ limit: Int,
    besides others: Set<TransactionID> = []
  ) -> [TransactionRecord] {
    let now = now()
    return (reading { $0.newestOwned(limit, besides: others) } ?? []).map { $0.handedOut(at: now) }
  }

  /// What was handed over here and is used up, the newest purchases first.
  package func newestUsedUp(_ limit: Int) -> [TransactionRecord] {
    let now = now()
    return (reading { $0.newestUsedUp(limit) } ?? []).map { $0.handedOut(at: now) }
  }

  /// Lets go of what the policy does not keep, and remembers that it was handed over; of what stays
  /// and is used up it lets go of the signed text.
  package func prune(_ policy: RetentionPolicy, keepsOwing: Bool) throws(IAPError) {
    try change { (contents) throws(IAPError) in
      let retired = try contents.retirements(policy, keepsOwing: keepsOwing, now: now())
      return retired + (try contents.slimmings(besides: retired))
    }
  }

  /// The name by which a copy of the same goods is being handed over, if there is one.
  package func nameOfCopies(of record: TransactionRecord) -> UnitID? {
    reading { $0.nameOfCopies(of: record) } ?? nil
  }

  /// The user who got the goods of a record, through it or a copy; nil when nobody did.
  package func recipient(of record: TransactionRecord) -> CustomerID? {
    if let recipient = record.recipient { return recipient }
    return reading { $0.recipient(of: record) } ?? nil
  }

  /// Whether an effect of this name took place.
  package func isKnown(_ effect: String) -> Bool { reading { $0.effects[effect] != nil } ?? false }

  /// Makes a record and what follows for its order durable, together.
  ///
  /// - Returns: The order, when it changed.
  @discardableResult
  package func put(_ record: TransactionRecord, policy: OrderPolicy) throws(IAPError) -> Order? {
    var moved: Order?
    try change { (contents) throws(IAPError) in
      contents.wake(record.order)
      moved = contents.orders.following(record, policy: policy, now: now())
      var changes = try contents.changes(putting: record)
      if let moved { changes.append(try StoreChange(moved)) }
      return changes
    }
    return moved
  }

  /// Opens an order: it is durable when this returns.
  package func open(_ draft: OrderDraft, policy: OrderPolicy) throws(IAPError) -> Order {
    var opened: Order?
    try change { (contents) throws(IAPError) in
      contents.wake(draft.number.map(OrderBook.number(of:)))
      let order = try contents.orders.opening(
        draft,
        policy: policy,
        now: now(),
        newNumber: uuid()
      )
      opened = order
      return [try StoreChange(order)]
    }
    guard let opened else { throw .unknown }
    return opened
  }

  /// Moves an order; nil when there is none of this number, or when a transaction paid for it.
  @discardableResult
  package func move(
    _ number: OrderNumber,
    to state: Order.State,
    failure: IAPError? = nil
  ) throws(IAPError) -> Order? {
    var moved: Order?
    try change { (contents) throws(IAPError) in
      contents.wake(number)
      guard var order = contents.orders[number], order.transactionId == nil else { return [] }
      order.move(to: state, now: now(), failure: failure)
      moved = order
      return [try StoreChange(order)]
    }
    return moved
  }

  /// Closes, or marks as pending, the open order of a purchase that ended without a transaction.
  ///
  /// - Returns: The order; nil when there is none, which is durable by itself.
  package func moveOpen(
    token: AppAccountToken?,
    product: ProductID,
    quantity: Int,
    to state: Order.State,
    failure: IAPError? = nil
  ) throws(IAPError) -> Order? {
    var moved: Order?
    try change { (contents) throws(IAPError) in
      let open = contents.orders.matchOpen(token: token, product: product, quantity: quantity)
      guard var order = open, order.state != state else { return [] }
      order.move(to: state, now: now(), failure: failure)
      moved = order
      return [try StoreChange(order)]
    }
    return moved
  }

  package func record(_ id: TransactionID) -> TransactionRecord? {
    reading { $0.record(id) } ?? nil
  }

  package func order(_ number: OrderNumber) -> Order? {
    reading { contents in
      contents.wake(number)
      return contents.orders[number]
    } ?? nil
  }

  package func match(_ transaction: StoreTransaction, policy: OrderPolicy) -> Order? {
    reading { contents in
      contents.wake(transaction.appAccountToken.map { OrderNumber($0.rawValue) })
      return contents.orders.match(transaction, policy: policy, now: now())
    } ?? nil
  }

  /// Is called after ``markConsumed(_:)`` changed a record; replaces the one before.
  package func onAcknowledgement(_ observer: (@Sendable (TransactionID) -> Void)?) {
    acknowledgement.withLock { $0 = observer }
  }

  /// Gives the storage back.
  package func close() { storage.close() }

  // MARK: Opening and changing

  private func newInstallation() -> InstallationID {
    InstallationID(uuid().uuidString.lowercased())
  }

  private func reading<Result>(_ body: (inout StoreContents) -> Result) -> Result? {
    state.withLock { contents in
      guard (try? open(&contents)) != nil else { return nil }
      return body(&contents)
    }
  }

  /// Writes what `body` returns, then takes it over: the memory never knows more than the disk.
  private func change(
    _ body: (inout StoreContents) throws(IAPError) -> [StoreChange]
  ) throws(IAPError) {
    try state.withLock { (contents) throws(IAPError) in
      try open(&contents)
      let changes = try body(&contents)
      do { try storage.write(changes.map(\.entry)) } catch { throw IAPError(storage: error) }
      for change in changes { contents.apply(change) }
    }
  }

  private func open(_ contents: inout StoreContents) throws(IAPError) {
    guard !contents.isOpen else { return }
    let stored: StorageContents
    do { stored = try storage.load() } catch { throw IAPError(storage: error) }
    // A compacted journal may name a receipt before it shows it.
    let isReceipt = { (entry: StorageEntry) in entry.key.kind == RecordCoding.receipts }
    for entry in stored.entries where isReceipt(entry) { contents.apply(entry) }
    for entry in stored.entries where !isReceipt(entry) { contents.apply(entry) }
    contents.damagedRecords = stored.damagedRecords + contents.unreadable
    contents.isOpen = true
  }
}

extension IAPError {
  /// What a storage threw; an app's own may throw anything.
  fileprivate init(storage error: any Error) {
    if let error = error as? IAPError, case .storage = error {
      self = error
    } else {
      self = .storage(.inputOutput)
    }
  }
}
