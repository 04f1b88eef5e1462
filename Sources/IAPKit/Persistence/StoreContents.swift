import Foundation
import IAPModel

/// What a ``TransactionStore`` holds in memory: the journal's records, decoded and indexed.
struct StoreContents {
  var isOpen = false
  var damagedRecords = 0
  /// Records of a known kind that could not be decoded; they stay in the journal.
  private(set) var unreadable = 0
  private(set) var records: [TransactionID: TransactionRecord] = [:]
  private(set) var orders = OrderBook()
  private(set) var meta: JournalMeta?
  /// The effects that took place, and through which transaction.
  private(set) var effects: [String: TransactionID] = [:]
  private var receipts: [String: [UInt8]] = [:]
  private var receiptNames: [[UInt8]: String] = [:]
  private var receiptOf: [TransactionID: String] = [:]
  private var receiptUses: [String: Int] = [:]
  private var nextReceipt = 1

  func due(_ record: TransactionRecord) -> DueEffect? {
    DueEffect.of(record) { effects[$0] != nil }
  }

  // MARK: Writing

  func entries(putting record: TransactionRecord) throws(IAPError) -> [StorageEntry] {
    var entries: [StorageEntry] = []
    var line = JournalRecord(record: record, receipt: nil)
    if case .receipt(let bytes) = record.transaction.proof {
      line.record.transaction.proof = .receipt(nil)
      if record.keepsReceipt, let bytes, !bytes.isEmpty {
        let known = receiptNames[bytes]
        let id = known ?? "r\(nextReceipt)"
        if known == nil {
          let body = Array(Data(bytes).base64EncodedData())
          entries.append(StorageEntry(StorageKey(kind: RecordCoding.receipts, id: id), body))
        }
        line.receipt = id
      }
    }
    let id = record.transaction.transactionID
    let key = StorageKey(kind: RecordCoding.transactions, id: id.rawValue)
    entries.append(StorageEntry(key, try RecordCoding.encode(line)))
    if let old = receiptOf[id], old != line.receipt, receiptUses[old] == 1 {
      entries.append(StorageEntry(StorageKey(kind: RecordCoding.receipts, id: old), nil))
    }
    return entries
  }

  func entry(putting order: Order) throws(IAPError) -> StorageEntry {
    let key = StorageKey(kind: RecordCoding.orders, id: order.number.description)
    return StorageEntry(key, try RecordCoding.encode(order))
  }

  func entry(putting meta: JournalMeta) throws(IAPError) -> StorageEntry {
    let key = StorageKey(kind: RecordCoding.meta, id: "app")
    return StorageEntry(key, try RecordCoding.encode(meta))
  }

  /// Removes receipts that a crash left behind after the last record stopped needing them.
  var orphanRemovals: [StorageEntry] {
    receipts.keys.filter { receiptUses[$0, default: 0] == 0 }.sorted().map {
      StorageEntry(StorageKey(kind: RecordCoding.receipts, id: $0), nil)
    }
  }

  // MARK: Reading

  /// Takes over what is durable.
  mutating func apply(_ entry: StorageEntry) {
    switch entry.key.kind {
    case RecordCoding.transactions: applyRecord(entry)
    case RecordCoding.receipts: applyReceipt(entry)
    case RecordCoding.orders:
      guard let body = entry.body else { return }
      guard let order = RecordCoding.decode(Order.self, body) else { return unreadable += 1 }
      orders.put(order)
    case RecordCoding.meta:
      guard let body = entry.body else { return }
      guard let value = RecordCoding.decode(JournalMeta.self, body) else { return unreadable += 1 }
      meta = value
    default:
      // Another version's business: it stays in the journal as it is.
      break
    }
  }

  private mutating func applyRecord(_ entry: StorageEntry) {
    guard let body = entry.body else { return }
    guard let line = RecordCoding.decode(JournalRecord.self, body) else { return unreadable += 1 }
    var record = line.record
    let id = record.transaction.transactionID
    if let old = receiptOf[id] { receiptUses[old, default: 1] -= 1 }
    if let new = line.receipt { receiptUses[new, default: 0] += 1 }
    receiptOf[id] = line.receipt
    if let receipt = line.receipt { record.transaction.proof = .receipt(receipts[receipt]) }
    for effect in record.acknowledged { effects[effect] = id }
    records[id] = record
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

extension TransactionRecord {
  /// Whether the receipt's bytes are still needed: until the purchase was judged real.
  fileprivate var keepsReceipt: Bool {
    switch state {
    case .held, .received, .quarantined: true
    case .accepted, .delivered, .finished, .refused: false
    }
  }

  func handedOut(at now: Date) -> TransactionRecord {
    var copy = self
    copy.isConsumed = isConsumed(at: now)
    return copy
  }
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
