import Foundation
import IAPKit
import IAPModel
import Testing

@Suite struct TransactionStoreTests {
  private let disk = ScriptedDisk()
  private let clock = ScriptedClock()
  private let policy = OrderPolicy()

  private func store(_ storage: (any RecordStorage)? = nil) -> TransactionStore {
    disk.state.withLock { $0.locks = [:] }
    return TransactionStore(
      storage: storage ?? JournalStorage(files: ScriptedFiles(disk)),
      now: { [clock] in clock.now },
      uuid: { UUID(uuidString: "00000000-0000-4000-8000-000000000001")! }
    )
  }

  private func record(_ id: String, state: RecordState = .received) -> TransactionRecord {
    TransactionRecord(transaction: .coins(id), state: state, savedAt: clock.now, launch: 1)
  }

  // MARK: The three calls of the facade

  @Test func savedRecordIsPendingUntilItIsConsumed() async throws {
    let store = store()
    try await store.save(
      TransactionRecord(transactionId: "1", productId: "coins", purchaseDate: clock.now)
    )
    #expect(store.pendingRecords().map(\.transactionId) == ["1"])
    #expect(store.pendingRecords().map(\.isConsumed) == [false])
    try store.markConsumed("1")
    #expect(store.pendingRecords() == [])
    let record = try #require(self.store().record("1"))
    #expect(record.isConsumed)
    #expect(record.isAcknowledged)
  }

  @Test func savingAgainKeepsTheProgress() async throws {
    let store = store()
    let record = TransactionRecord(transactionId: "1", productId: "coins", purchaseDate: clock.now)
    try await store.save(record)
    try store.markConsumed("1")
    try await store.save(record)
    #expect(store.pendingRecords() == [])
  }

  @Test func recordThatIsConsumedWhenSavedIsNotPending() async throws {
    let store = store()
    try await store.save(
      TransactionRecord(
        transactionId: "1",
        productId: "coins",
        purchaseDate: clock.now,
        isConsumed: true
      )
    )
    #expect(store.pendingRecords() == [])
    #expect(store.records().map(\.isConsumed) == [true])
  }

  @Test func savedResultKeepsWhatItSays() async throws {
    var transaction = StoreTransaction.coins("7")
    transaction.quantity = 3
    transaction.price = Money(milliunits: 990, currency: "USD")
    transaction.environment = .sandbox
    let result = IAPTransactionResult(transaction, order: nil)
    try await store().save(result)
    let record = try #require(store().record("7"))
    #expect(record.quantity == 3)
    #expect(record.productType == .consumable)
    #expect(record.environment == .sandbox)
    #expect(record.jws == "header.7.signature")
  }

  @Test func consumingAnUnknownTransactionIsAnError() {
    let error = #expect(throws: IAPError.self) { try store().markConsumed("nothing") }
    #expect(error.flatMap { problem($0) } == .notFound)
  }

  @Test func pendingRecordsAreOldestFirst() async throws {
    let store = store()
    for (id, age) in [("1", 0.0), ("2", 20), ("3", 10)] {
      try await store.save(
        TransactionRecord(transactionId: id, productId: "p", purchaseDate: clock.now - age)
      )
    }
    #expect(store.pendingRecords().map(\.id) == ["2", "3", "1"])
  }

  @Test func subscriptionIsConsumedWhenItsPeriodIsOver() throws {
    let store = store()
    var record = record("1", state: .finished)
    record.transaction.type = .autoRenewable
    record.transaction.expiresDate = clock.now + 100
    record.acknowledged = ["grant:x"]
    try store.put(record, policy: policy)
    clock.advance(by: 99)
    #expect(store.record("1")?.isConsumed == false)
    clock.advance(by: 1)
    #expect(store.record("1")?.isConsumed == true)
  }

  // MARK: Durability

  @Test func everythingOfARecordIsThereAfterReopening() throws {
    var record = record("1")
    record.transaction.unit = "tx:1"
    record.transaction.applicationUsername = "someone"
    record.transaction.revocationDate = clock.now
    record.transaction.revocationReason = .developerIssue
    record.transaction.ownership = .familyShared
    record.order = OrderNumber("00000000-0000-4000-8000-000000000009")
    record.attempts = 3
    record.rejections = 2
    record.wasRejectedLast = true
    record.deliveryAttempts = 4
    record.lastError = "why"
    record.nextAttempt = clock.now + 8
    record.acknowledged = ["grant:tx:1"]
    record.unit = "tx:1"
    record.claimedBy = "other"
    record.isFinished = true
    record.isReported = true
    record.quarantine = .unanswered
    record.state = .quarantined
    try store().put(record, policy: policy)
    record.isConsumed = true
    #expect(store().record("1") == record)
  }

  @Test func memoryNeverKnowsMoreThanTheDisk() throws {
    let store = store()
    try store.put(record("1"), policy: policy)
    disk.fail(.full)
    #expect(throws: IAPError.storage(.full)) {
      try store.put(record("1", state: .accepted), policy: policy)
    }
    #expect(throws: IAPError.storage(.full)) { try store.markConsumed("1") }
    #expect(store.record("1")?.state == .received)
    #expect(store.record("1")?.isAcknowledged == false)
    #expect(throws: IAPError.storage(.full)) {
      try store.open(OrderDraft(productID: "coins"), policy: policy)
    }
    #expect(store.orders == [])
  }

  @Test func storeOpensLaterWhenTheDiskCouldNotBeReadAtFirst() throws {
    disk["iapkit.journal"] = Array("IAPKit journal 3\n".utf8)
    let store = store()
    #expect(store.pendingRecords() == [])
    #expect(throws: IAPError.storage(.futureVersion)) {
      try store.put(record("1"), policy: policy)
    }
    disk["iapkit.journal"] = nil
    try store.put(record("1"), policy: policy)
    #expect(store.pendingRecords().map(\.id) == ["1"])
  }

  @Test func recordThatCannotBeDecodedIsReportedAndStaysInTheJournal() throws {
    let journal = JournalStorage(files: ScriptedFiles(disk))
    let key = StorageKey(kind: "transaction", id: "9")
    try journal.write([StorageEntry(key, Array("{\"state\":\"of the future\"}".utf8))])
    journal.close()
    let store = store()
    #expect(try store.beginLaunch() == 1)
    store.close()
    disk.state.withLock { $0.locks = [:] }
    let entries = try JournalStorage(files: ScriptedFiles(disk)).load().entries
    #expect(entries.contains { $0.key == key })
  }

  @Test func launchesAreCountedAndTheInstallationKeepsItsName() throws {
    _ = try store().beginLaunch()
    let second = store()
    _ = try second.beginLaunch()
    #expect(second.launch == 2)
    #expect(second.installation == "00000000-0000-4000-8000-000000000001")
  }

  // MARK: Receipts

  private func receipts() throws -> [StorageEntry] {
    disk.state.withLock { $0.locks = [:] }
    return try JournalStorage(files: ScriptedFiles(disk)).load().entries
      .filter { $0.key.kind == "receipt" }
  }

  private func legacy(_ id: String, _ receipt: [UInt8]) -> TransactionRecord {
    TransactionRecord(
      transaction: .legacy(id, receipt: receipt),
      state: .received,
      savedAt: clock.now,
      launch: 1
    )
  }

  @Test func receiptIsWrittenOnceForAllThatShareItAndKeptUntilTheLastIsAccepted() throws {
    let bytes = [UInt8](repeating: 7, count: 5_000)
    let store = store()
    try store.put(legacy("1", bytes), policy: policy)
    let afterFirst = disk.state.withLock(\.bytesWritten)
    try store.put(legacy("2", bytes), policy: policy)
    #expect(disk.state.withLock(\.bytesWritten) - afterFirst < 2_000)
    #expect(try receipts().count == 1)
    let reopened = self.store()
    for id in ["1", "2"] {
      #expect(reopened.record(TransactionID(id))?.transaction.proof == .receipt(bytes))
    }
    for (id, left) in [("1", 1), ("2", 0)] {
      var record = try #require(reopened.record(TransactionID(id)))
      record.state = .accepted
      try reopened.put(record, policy: policy)
      #expect(reopened.record(TransactionID(id))?.transaction.proof == .receipt(nil))
      #expect(try receipts().count == left)
    }
  }

  @Test func receiptOfAQuarantinedTransactionIsKept() throws {
    var record = legacy("1", [1, 2, 3])
    record.state = .quarantined
    record.quarantine = .rejected
    record.isFinished = true
    try store().put(record, policy: policy)
    #expect(store().record(TransactionID("1"))?.transaction.proof == .receipt([1, 2, 3]))
  }

  /// After a compaction the record stands before the receipt that it names.
  @Test func receiptIsFoundWhereverItStandsInTheJournal() throws {
    let store = store()
    try store.put(legacy("1", [1]), policy: policy)
    try store.put(legacy("1", [2]), policy: policy)
    for _ in 0..<600 { try store.put(legacy("3", [3]), policy: policy) }
    #expect(disk.state.withLock(\.replacements) >= 1)
    #expect(self.store().record(TransactionID("1"))?.transaction.proof == .receipt([2]))
    #expect(try receipts().count == 2)
  }

  @Test func receiptThatACrashLeftBehindGoesAtTheNextLaunch() throws {
    let journal = JournalStorage(files: ScriptedFiles(disk))
    let orphan = StorageEntry(StorageKey(kind: "receipt", id: "r5"), Array("AQID".utf8))
    try journal.write([orphan])
    journal.close()
    _ = try store().beginLaunch()
    #expect(try receipts() == [])
  }

  // MARK: Orders

  @Test func orderAndItsPaymentShareOneJournal() throws {
    let store = store()
    let order = try store.open(
      OrderDraft(productID: "coins", number: "A-17", context: ["level": "3"]),
      policy: policy
    )
    var record = record("1")
    record.order = order.number
    let paid = try #require(try store.put(record, policy: policy))
    #expect(paid.state == .paid)
    #expect(paid.transactionId == "1")
    let reopened = self.store()
    #expect(reopened.order("A-17") == paid)
    #expect(reopened.order(order.number.description.uppercased()) == paid)
    #expect(reopened.order("A-17")?.context == ["level": "3"])
  }

  @Test func orderThatIsPaidCannotBeClosedByALateResultOfItsSheet() throws {
    let store = store()
    let order = try store.open(OrderDraft(productID: "coins"), policy: policy)
    var record = record("1")
    record.order = order.number
    try store.put(record, policy: policy)
    #expect(try store.move(order.number, to: .cancelled) == nil)
    #expect(store.orders.map(\.state) == [.paid])
  }

  @Test func costOfASaveDoesNotGrowWithTheNumberOfRecords() throws {
    func bytesPerSave(records: Int) throws -> Int {
      let disk = ScriptedDisk()
      let store = store(JournalStorage(files: ScriptedFiles(disk)))
      for number in 0..<records { try store.put(record("\(number)"), policy: policy) }
      let before = disk.state.withLock(\.bytesWritten)
      for number in 0..<200 { try store.put(record("n\(number)"), policy: policy) }
      return (disk.state.withLock(\.bytesWritten) - before) / 200
    }
    let few = try bytesPerSave(records: 10)
    let many = try bytesPerSave(records: 2_000)
    #expect(many <= few + few / 4)
  }
}
