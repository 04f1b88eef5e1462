import Foundation
import IAPModel

/// What a ``TransactionStore`` holds in memory: the journal's records, indexed.
///
/// What is finished stays as its line until somebody asks for it: a launch does not pay for it.
struct StoreContents {
  var isOpen = false
  var damagedRecords = 0
  /// Records of a known kind that could not be decoded; they stay in the journal.
  private(set) var unreadable = 0
  /// The records that are not at their end.
  private(set) var open: [TransactionID: TransactionRecord] = [:]
  /// The lines of those that are.
  private(set) var finished: [TransactionID: FinishedLine] = [:]
  /// Those of them that the server has still to be told of.
  private(set) var owing: Set<TransactionID> = []
  /// The orders that are under way, or were looked at.
  var orders = OrderBook()
  private(set) var meta: JournalMeta?
  /// The effects that took place, and through which transaction.
  private(set) var effects: [String: TransactionID] = [:]
  /// Finished records that somebody asked for: who asks once asks again.
  private var woken: [TransactionID: TransactionRecord] = [:]
  /// The most of them; then all are let go.
  static let wokenMax = 128
  private var finishedOrders: [OrderNumber: FinishedLine] = [:]
  /// Finished records in the words of an older version.
  private var outdated: Set<TransactionID> = []
  private var receipts: [String: [UInt8]] = [:]
  private var receiptNames: [[UInt8]: String] = [:]
  private var receiptOf: [TransactionID: String] = [:]
  private var receiptUses: [String: Int] = [:]
  private var nextReceipt = 1

  func due(_ record: TransactionRecord) -> DueEffect? {
    DueEffect.of(record) { effects[$0] != nil }
  }

  mutating func record(_ id: TransactionID) -> TransactionRecord? {
    let record = peek(id)
    if let record, open[id] == nil, woken[id] == nil {
      if woken.count >= Self.wokenMax { woken = [:] }
      woken[id] = record
    }
    return record
  }

  /// The same for who does not ask again.
  func peek(_ id: TransactionID) -> TransactionRecord? {
    open[id] ?? woken[id] ?? finished[id].flatMap(Self.record(inLine:))
  }

  /// The name by which a copy of the same lasting goods is being handed over.
  ///
  /// A process that died between the handler's effect and the record of it left that name behind,
  /// whichever copy comes first afterwards.
  func nameOfCopies(of record: TransactionRecord) -> UnitID? {
    guard record.mayBeLasting else { return nil }
    let original = record.transaction.originalTransactionID
    let copies = open.values.filter { copy in
      copy.transaction.originalTransactionID == original && copy.state == .accepted
        && copy.mayBeLasting && copy.id != record.id
    }
    return copies.min { $0.id < $1.id }?.unit
  }

  /// The user who got the goods that a record is about, through whichever copy.
  mutating func recipient(of record: TransactionRecord) -> CustomerID? {
    guard let id = effects["grant:\(record.deliveryUnit)"] else { return nil }
    return self.record(id)?.recipient
  }

  static func record(inLine line: FinishedLine) -> TransactionRecord? {
    RecordCoding.decode(JournalRecord.self, line.json)?.record
  }

  /// Every record, decoded.
  var records: [TransactionRecord] {
    Array(open.values) + finished.compactMap { woken[$0] ?? Self.record(inLine: $1) }
  }

  /// Takes an order that is at its end into the book, when there is one of this number.
  mutating func wake(_ number: OrderNumber?) {
    guard let number, let line = finishedOrders.removeValue(forKey: number),
      let order = RecordCoding.decode(Order.self, line.json)
    else { return }
    orders.put(order)
  }

  mutating func wakeAllOrders() {
    for number in Array(finishedOrders.keys) { wake(number) }
  }

  // MARK: Writing

  func changes(putting record: TransactionRecord) throws(IAPError) -> [StoreChange] {
    var changes: [StoreChange] = []
    var record = record
    var receipt: String?
    record.isConsumed = false
    if case .receipt(let bytes) = record.transaction.proof {
      record.transaction.proof = .receipt(nil)
      if record.keepsReceipt, let bytes, !bytes.isEmpty {
        let known = receiptNames[bytes]
        let id = known ?? "r\(nextReceipt)"
        if known == nil {
          let body = Array(Data(bytes).base64EncodedData())
          changes.append(
            StoreChange(StorageEntry(StorageKey(kind: RecordCoding.receipts, id: id), body))
          )
        }
        receipt = id
      }
    } else if record.isSpent {
      record.transaction.proof = .jws("")
    }
    let id = record.transaction.transactionID
    changes.append(try StoreChange(record.roundedToMilliseconds, receipt: receipt))
    if let old = receiptOf[id], old != receipt, receiptUses[old] == 1 {
      changes.append(StoreChange(removing: StorageKey(kind: RecordCoding.receipts, id: old)))
    }
    return changes
  }

  /// Removes receipts that a crash left behind after the last record stopped needing them.
  var orphanRemovals: [StoreChange] {
    receipts.keys.filter { receiptUses[$0, default: 0] == 0 }.sorted().map {
      StoreChange(removing: StorageKey(kind: RecordCoding.receipts, id: $0))
    }
  }

  /// Writes what is finished in the words of this version.
  func upgrades() throws(IAPError) -> [StoreChange] {
    var changes: [StoreChange] = []
    for id in outdated.sorted() {
      if let record = open[id] { changes += try self.changes(putting: record) }
    }
    return changes
  }

  // MARK: Reading

  /// Takes over what is durable.
  mutating func apply(_ change: StoreChange) {
    switch change.value {
    case .record(let record, let receipt): take(record, receipt: receipt)
    case .order(let order): take(order)
    case .meta(let value): meta = value
    case nil: apply(change.entry)
    }
  }

  /// Takes over what was read.
  mutating func apply(_ entry: StorageEntry) {
    switch entry.key.kind {
    case RecordCoding.transactions: applyRecord(entry)
    case RecordCoding.receipts: applyReceipt(entry)
    case RecordCoding.effects:
      guard let body = entry.body else { return }
      guard let id = RecordCoding.decode(String.self, body) else { return unreadable += 1 }
      effects[entry.key.id] = TransactionID(id)
    case RecordCoding.orders: applyOrder(entry)
    case RecordCoding.meta:
      guard let body = entry.body else { return }
      guard let value = RecordCoding.decode(JournalMeta.self, body) else { return unreadable += 1 }
      meta = value
    default:
      // Another version's business: it stays in the journal as it is.
      break
    }
  }

  private mutating func applyOrder(_ entry: StorageEntry) {
    guard let body = entry.body, let number = OrderNumber(entry.key.id) else {
      if let number = OrderNumber(entry.key.id) { finishedOrders[number] = nil }
      return
    }
    let line = FinishedLine(body)
    // One that is in the book stays there: it would be looked for there first.
    if let line, orders[number] == nil {
      finishedOrders[number] = line
      return
    }
    guard let order = RecordCoding.decode(Order.self, line?.json ?? body) else {
      finishedOrders[number] = nil
      return unreadable += 1
    }
    take(order)
  }

  private mutating func take(_ order: Order) {
    finishedOrders[order.number] = nil
    orders.put(order)
  }

  private mutating func applyRecord(_ entry: StorageEntry) {
    let id = TransactionID(entry.key.id)
    woken[id] = nil
    guard let body = entry.body else {
      open[id] = nil
      finished[id] = nil
      owing.remove(id)
      return
    }
    if let line = FinishedLine(body) {
      open[id] = nil
      finished[id] = line
      outdated.remove(id)
      if line.owesAcknowledgement { owing.insert(id) } else { owing.remove(id) }
      for effect in line.effects { effects[effect] = id }
      useReceipt(nil, id)
      return
    }
    guard let line = RecordCoding.decode(JournalRecord.self, body) else { return unreadable += 1 }
    take(line.record, receipt: line.receipt)
  }

  private mutating func take(_ record: TransactionRecord, receipt: String?) {
    var record = record
    let id = record.transaction.transactionID
    woken[id] = nil
    useReceipt(receipt, id)
    if let receipt { record.transaction.proof = .receipt(receipts[receipt]) }
    for effect in record.acknowledged { effects[effect] = id }
    if finished.removeValue(forKey: id) != nil { owing.remove(id) }
    open[id] = record
    if record.state == .finished { outdated.insert(id) } else { outdated.remove(id) }
  }

  private mutating func useReceipt(_ new: String?, _ id: TransactionID) {
    guard new != nil || !receiptOf.isEmpty else { return }
    if let old = receiptOf[id] { receiptUses[old, default: 1] -= 1 }
    if let new { receiptUses[new, default: 0] += 1 }
    receiptOf[id] = new
  }

  private mutating func applyReceipt(_ entry: StorageEntry) {
    if let number = Int(entry.key.id.dropFirst()) { nextReceipt = max(nextReceipt, number + 1) }
    let name = entry.key.id
    guard let body = entry.body else {
      if let old = receipts.removeValue(forKey: name) { receiptNames[old] = nil }
      receiptUses[name] = nil
      return
    }
    guard let bytes = Data(base64Encoded: Data(body)) else { return unreadable += 1 }
    receipts[name] = Array(bytes)
    receiptNames[Array(bytes)] = name
  }
}

extension StorageKey {
  static func transaction(_ id: TransactionID) -> StorageKey {
    StorageKey(kind: RecordCoding.transactions, id: id.rawValue)
  }

  static func order(_ number: OrderNumber) -> StorageKey {
    StorageKey(kind: RecordCoding.orders, id: number.description)
  }
}

extension TransactionRecord {
  /// Whether the receipt's bytes are still needed: until the purchase was judged real.
  fileprivate var keepsReceipt: Bool {
    switch state {
    case .held, .received, .quarantined: true
    case .accepted, .delivered, .finished, .refused: false
    }
  }

  /// With dates as the journal can tell them.
  fileprivate var roundedToMilliseconds: TransactionRecord {
    var copy = self
    copy.savedAt = savedAt.roundedToMilliseconds
    copy.judgedAt = judgedAt?.roundedToMilliseconds
    copy.nextAttempt = nextAttempt?.roundedToMilliseconds
    return copy
  }

  func handedOut(at now: Date) -> TransactionRecord {
    var copy = self
    copy.isConsumed = isConsumed(at: now)
    return copy
  }
}

extension Date {
  fileprivate var roundedToMilliseconds: Date { Date(milliseconds: milliseconds) }
}

extension StoreTransaction {
  /// What a result says, for records that apps save themselves.
  init(_ result: IAPTransactionResult) {
    self.init(
      transactionID: TransactionID(result.transactionId),
      originalTransactionID: OriginalTransactionID(result.originalTransactionId),
      productID: ProductID(result.productId),
      purchaseDate: result.purchaseDate,
      proof: result.jws.map(TransactionProof.jws) ?? .receipt(nil),
      verification: result.generation == .storekit2 ? .verified : .unchecked,
      source: result.source,
      generation: result.generation
    )
    webOrderLineItemID = result.webOrderLineItemId.map { WebOrderLineItemID($0) }
    type = result.productType
    subscriptionGroupID = result.subscriptionGroupId.map { SubscriptionGroupID($0) }
    expiresDate = result.expiresDate
    revocationDate = result.revocationDate
    revocationReason = result.revocationReason
    quantity = result.quantity
    appAccountToken = result.appAccountToken.map { AppAccountToken($0) }
    environment = result.environment
    ownership = result.ownership
    isUpgraded = result.isUpgraded
    offerType = result.offerType
    offerID = result.offerId.map { OfferID($0) }
  }
}
