import Foundation
import IAPKit
import IAPModel
import Testing

/// Finished purchases of long ago go; that they were handed over stays.
@Suite struct RetentionTests {
  private let disk = ScriptedDisk()
  private let clock = ScriptedClock()
  private let policy = OrderPolicy()
  private let day: TimeInterval = 86_400

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
    daysAgo: Double,
    original: String? = nil
  ) -> TransactionRecord {
    var transaction = StoreTransaction.coins(id)
    transaction.type = type
    transaction.purchaseDate = clock.now - daysAgo * day
    if let original { transaction.originalTransactionID = OriginalTransactionID(original) }
    var record = TransactionRecord(
      transaction: transaction,
      state: .finished,
      savedAt: transaction.purchaseDate,
      launch: 1
    )
    record.isFinished = true
    record.isServerTold = true
    record.acknowledged = ["grant:\(record.deliveryUnit)"]
    return record
  }

  private func kept(
    _ records: [TransactionRecord],
    _ retention: RetentionPolicy = RetentionPolicy(),
    keepsOwing: Bool = true
  ) throws -> [String] {
    let store = store()
    for record in records { try store.put(record, policy: policy) }
    try store.prune(retention, keepsOwing: keepsOwing)
    let ids = store.records().map(\.transactionId)
    #expect(self.store().records().map(\.transactionId) == ids, "memory and disk agree")
    for record in records {
      for effect in record.acknowledged { #expect(self.store().isKnown(effect), "\(effect)") }
    }
    return ids
  }

  @Test func recordsThatAreAskedForAgainAreWhatTheDiskHas() throws {
    let store = store()
    // More than are kept decoded.
    let records = (1...300).map { finished("\($0)", daysAgo: 1) }
    for record in records { try store.put(record, policy: policy) }
    for _ in 1...2 {
      for record in records {
        #expect(store.record(record.transactionId)?.acknowledged == record.acknowledged)
      }
    }
    var changed = records[299]
    changed.acknowledged.append("clawback:tx:300:1")
    try store.put(changed, policy: policy)
    #expect(store.record("300")?.acknowledged == changed.acknowledged)
    let known = store.records()
    #expect(known == self.store().records() && known.count == 300)
  }

  @Test func consumableGoesAfterItsTimeAndNotASecondEarlier() throws {
    let exact = finished("1", daysAgo: 400)
    var older = finished("2", daysAgo: 400)
    older.transaction.purchaseDate -= 1
    #expect(try kept([exact, older]) == ["1"])
  }

  @Test func oldestGoWhenThereAreTooMany() throws {
    let retention = RetentionPolicy(finishedRecordsMax: 2)
    let three = (1...3).map { finished("\($0)", daysAgo: Double(10 - $0)) }
    #expect(try kept(Array(three.prefix(2)), retention) == ["1", "2"])
    #expect(try kept(three, retention) == ["2", "3"])
  }

  @Test func whatGivesAccessStays() throws {
    let all = [
      finished("1", .nonConsumable, daysAgo: 900), finished("2", .nonRenewable, daysAgo: 900),
      finished("3", .autoRenewable, daysAgo: 900, original: "3"),
      finished("4", .autoRenewable, daysAgo: 870, original: "3"),
    ]
    #expect(try kept(all) == ["1", "2", "4"])
  }

  @Test func whatHasWorkLeftOrAHistoryStays() throws {
    var taken = finished("1", daysAgo: 900)
    taken.transaction.revocationDate = clock.now
    var given = finished("2", daysAgo: 900)
    given.acknowledged += ["clawback:tx:2:1", "regrant:tx:2:1"]
    var waiting = finished("3", daysAgo: 900)
    waiting.state = .accepted
    var elsewhere = finished("4", daysAgo: 900)
    elsewhere.isServedElsewhere = true
    var owing = finished("5", daysAgo: 900)
    owing.isServerTold = false
    #expect(try kept([taken, given, waiting, elsewhere, owing]) == ["1", "2", "3", "4", "5"])
    #expect(try kept([], keepsOwing: false) == ["1", "2", "3", "4"])
  }

  @Test func noLaunchRemovesMoreThanItsLimit() throws {
    let limit = RetentionPolicy.recordsPerLaunchMax
    let all = (0...limit).map { finished("\($0)", daysAgo: 900) }
    #expect(try kept(all).count == 1)
    #expect(try kept([]).isEmpty)
  }

  @Test func orderGoesWithItsTransactionAndUnpaidOnesByTheirAge() throws {
    let store = store()
    let paid = try store.open(OrderDraft(productID: "coins"), policy: policy)
    let cancelled = try store.open(OrderDraft(productID: "pro"), policy: policy)
    try store.move(cancelled.number, to: .cancelled)
    var record = finished("1", daysAgo: 0)
    record.order = paid.number
    try store.put(record, policy: policy)
    #expect(store.order(paid.number)?.state == .delivered)
    #expect(store.order(cancelled.number)?.state == .cancelled)
    clock.advance(by: 401 * day)
    let young = try store.open(OrderDraft(productID: "gems"), policy: policy)
    try store.prune(RetentionPolicy(), keepsOwing: true)
    #expect(self.store().orders.map(\.number) == [young.number])
  }

  @Test func transactionThatComesBackAfterItWasForgottenHasNoSecondEffect() async {
    let world = ScriptedWorld()
    world.sellsCoins()
    let first = world.launch()
    _ = await first.funnel.buy(OrderDraft(productID: "coins"))
    await first.finished("1")
    first.life.kill()
    first.funnel.stop()
    world.clock.advance(by: 401 * day)
    let second = world.launch()
    await second.funnel.retry(.launch)
    await second.funnel.whenIdle()
    let third = world.launch()
    #expect(third.store.records() == [])
    // StoreKit announces it once more.
    let progress = await third.funnel.process(.coins("1"))
    guard case .delivered = progress else {
      #expect(third.state("1") == .finished)
      #expect(world.app.effects == ["grant:tx:1"])
      return
    }
    Issue.record("handed over again: \(progress)")
  }

  @Test func newestOwnedNamesEachPurchaseOnceAndNoConsumables() throws {
    let store = store()
    for record in [
      finished("1", .autoRenewable, daysAgo: 30, original: "1"),
      finished("2", .autoRenewable, daysAgo: 1, original: "1"),
      finished("3", .nonConsumable, daysAgo: 9), finished("4", daysAgo: 2),
    ] { try store.put(record, policy: policy) }
    var accepted = finished("5", .nonConsumable, daysAgo: 5)
    accepted.state = .accepted
    try store.put(accepted, policy: policy)
    #expect(store.newestOwned(10).map(\.transactionId) == ["2", "5", "3"])
    #expect(store.newestOwned(1).map(\.transactionId) == ["2"])
    #expect(store.newestOwned(10, besides: ["2"]).map(\.transactionId) == ["5", "3", "1"])
    #expect(self.store().newestOwned(10) == store.newestOwned(10))
  }
}
