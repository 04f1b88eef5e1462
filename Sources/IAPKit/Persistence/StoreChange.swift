/// A record on its way to the disk, and what the memory takes over once it is there.
struct StoreChange {
  /// What reading the entry gives: it need not be read then.
  enum Value {
    case record(TransactionRecord, receipt: String?)
    case order(Order)
    case meta(JournalMeta)
  }

  let entry: StorageEntry
  /// Nil when the entry has to be read.
  let value: Value?

  init(_ entry: StorageEntry, _ value: Value? = nil) {
    self.entry = entry
    self.value = value
  }

  /// A record without its receipt, which stands in a line of its own.
  init(_ record: TransactionRecord, receipt: String?) throws(IAPError) {
    let line = try LineEncoder.line(JournalRecord(record: record, receipt: receipt))
    let key = StorageKey.transaction(record.transaction.transactionID)
    if let body = FinishedLine.body(of: record, json: line.json) {
      self.init(StorageEntry(key, body))
    } else {
      self.init(
        StorageEntry(key, line.json),
        line.isExact ? .record(record, receipt: receipt) : nil
      )
    }
  }

  init(_ order: Order) throws(IAPError) {
    let line = try LineEncoder.line(order)
    let body = FinishedLine.body(of: order, json: line.json)
    self.init(
      StorageEntry(.order(order.number), body ?? line.json),
      line.isExact && body == nil ? .order(order) : nil
    )
  }

  init(_ meta: JournalMeta) throws(IAPError) {
    let key = StorageKey(kind: RecordCoding.meta, id: "app")
    self.init(StorageEntry(key, try LineEncoder.line(meta).json), .meta(meta))
  }

  /// That an effect took place, in the place of the record that told it.
  init(effect: String, of id: String) throws(IAPError) {
    let key = StorageKey(kind: RecordCoding.effects, id: effect)
    self.init(StorageEntry(key, try LineEncoder.line(id).json))
  }

  /// The end of a record.
  init(removing key: StorageKey) { self.init(StorageEntry(key, nil)) }
}
