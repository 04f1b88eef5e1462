import Foundation
import IAPKit
import IAPModel
import Testing

/// The signed text of goods that are used up goes when nobody will be shown it any more.
@Suite struct SpentRecordTests {
  private let disk = ScriptedDisk()
  private let clock = ScriptedClock()
  private let policy = OrderPolicy()

  private func store() -> TransactionStore {
    disk.state.withLock { $0.locks = [:] }
    return TransactionStore(
      storage: JournalStorage(files: ScriptedFiles(disk)),
      now: { [clock] in clock.now },
      uuid: { UUID() }
    )
  }

  private func finished(
    _ id: String,
    _ type: ProductType = .consumable,
    original: String? = nil,
    daysAgo: Double = 1
  ) -> TransactionRecord {
    var transaction = StoreTransaction.coins(id)
    transaction.type = type
    transaction.purchaseDate = clock.now - daysAgo * 86_400
    if let original { transaction.originalTransactionID = OriginalTransactionID(original) }
    var record = TransactionRecord(
      transaction: transaction,
      state: .finished,
      savedAt: clock.now,
      launch: 1
    )
    record.isFinished = true
    record.isServerTold = true
    record.acknowledged = ["grant:\(record.deliveryUnit)"]
    return record
  }

  /// The signed text that is left of a record, in memory and after a launch.
  private func left(of record: TransactionRecord) throws -> String? {
    let store = store()
    try store.put(record, policy: policy)
    let inMemory = store.record(record.transactionId)
    let onDisk = self.store().record(record.transactionId)
    #expect(inMemory == onDisk)
    #expect(inMemory?.acknowledged == record.acknowledged)
    return onDisk?.jws
  }

  @Test func finishedConsumableThatEverybodyKnowsOfLosesItsText() throws {
    #expect(try left(of: finished("1")) == nil)
    #expect(
      !String(decoding: try #require(disk["iapkit.journal"]), as: UTF8.self).contains("header")
    )
  }

  @Test func whateverMayBeShownAgainKeepsItsText() throws {
    var unfinished = finished("1")
    unfinished.state = .delivered
    unfinished.isFinished = false
    var owing = finished("1")
    owing.isServerTold = false
    var refunded = finished("1")
    refunded.transaction.revocationDate = clock.now
    var returned = finished("1")
    returned.acknowledged += ["clawback:tx:1:1", "regrant:tx:1:1"]
    var claimed = finished("1")
    claimed.claimedBy = "another"
    var anothers = finished("1")
    anothers.isAnothers = true
    var quarantined = finished("1")
    quarantined.state = .quarantined
    let all =
      [unfinished, owing, refunded, returned, claimed, anothers, quarantined] + [
        finished("1", .nonConsumable), finished("1", .autoRenewable), finished("1", .nonRenewable),
      ]
    for record in all {
      #expect(try left(of: record) == "header.1.signature", "\(record.state)")
    }
  }

  /// A line as it was written before texts were let go of.
  @Test func launchTakesTheTextOutOfALineOfBefore() throws {
    let json = #"""
      {"record":{"acknowledged":["grant:tx:1"],"attempts":1,"deliveryAttempts":0,\#
      "isFinished":true,"isReported":false,"marks":["serverTold"],"rejections":0,\#
      "savedAt":1700000000000,"savedInLaunch":1,"state":"finished",\#
      "transaction":{"generation":"storekit2","isUpgraded":false,"originalTransactionID":"1",\#
      "productID":"coins","proof":{"jws":{"_0":"a.b.c"}},"purchaseDate":1700000000000,\#
      "quantity":1,"reference":{"rawValue":"1"},"source":"purchase","storeState":"purchased",\#
      "transactionID":"1","type":"Consumable","verification":{"verified":{}}},\#
      "wasRejectedLast":false}}
      """#
    let line = "done\tConsumable\t1\t1700000000000\t-\tgrant:tx:1\t" + json
    let journal = JournalStorage(files: ScriptedFiles(disk))
    try journal.write([StorageEntry(StorageKey(kind: "transaction", id: "1"), Array(line.utf8))])
    #expect(store().record("1")?.jws == "a.b.c")
    try store().prune(RetentionPolicy(), keepsOwing: true)
    let record = try #require(store().record("1"))
    #expect(record.jws == nil)
    #expect(record.acknowledged == ["grant:tx:1"])
    #expect(store().isKnown("grant:tx:1"))
  }

  @Test func launchTakesTheTextOutOfPeriodsWithASuccessor() throws {
    let store = store()
    let periods = [
      finished("10", .autoRenewable, original: "10", daysAgo: 60),
      finished("11", .autoRenewable, original: "10", daysAgo: 30),
      finished("12", .autoRenewable, original: "10", daysAgo: 0),
    ]
    for record in periods { try store.put(record, policy: policy) }
    try store.prune(RetentionPolicy(), keepsOwing: true)
    let again = self.store()
    #expect(again.records().map(\.jws) == [nil, nil, "header.12.signature"])
    #expect(again.newestOwned(9).map(\.transactionId) == ["12"])
    let before = disk["iapkit.journal"]
    try again.prune(RetentionPolicy(), keepsOwing: true)
    #expect(disk["iapkit.journal"] == before, "there is nothing left to take out")
  }

  @Test func announcedOnceMoreItStaysAsItIs() async {
    let world = ScriptedWorld()
    world.sellsCoins()
    let process = world.launch()
    _ = await process.funnel.buy(OrderDraft(productID: "coins"))
    await process.finished("1")
    await process.funnel.whenIdle()
    let known = process.store.record("1")
    #expect(known?.jws == nil)
    _ = await process.funnel.process(.coins("1"))
    await process.funnel.whenIdle()
    #expect(process.store.record("1") == known)
    #expect(world.app.effects == ["grant:tx:1"])
  }

  @Test func refundOfASpentPurchaseTakesTheGoodsBackAndKeepsWhatProvesIt() async {
    let world = ScriptedWorld()
    world.sellsCoins()
    let process = world.launch()
    _ = await process.funnel.buy(OrderDraft(productID: "coins"))
    await process.finished("1")
    await process.funnel.whenIdle()
    var refund = StoreTransaction.coins("1")
    refund.revocationDate = Date(timeIntervalSince1970: 1_700_000_500)
    refund.signedDate = Date(timeIntervalSince1970: 1_700_000_501)
    refund.proof = .jws("header.1.refund")
    _ = await process.funnel.process(refund)
    await process.funnel.whenIdle()
    #expect(world.app.effects.first == "grant:tx:1")
    #expect(world.app.effects.count == 2)
    #expect(process.store.record("1")?.jws == "header.1.refund")
  }
}
