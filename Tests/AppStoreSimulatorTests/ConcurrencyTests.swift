import AppStoreSimulator
import Foundation
import IAPModel
import Testing

struct ConcurrencyTests {
  @Test func manyBuyersAtOnceLeaveAnOrderlyLedger() async throws {
    let test = try TestStore()
    let (buyers, purchases) = (8, 50)
    for buyer in 0..<buyers {
      try test.store.addAccount(AccountID("buyer-\(buyer)"))
      try test.store.addDevice(DeviceID("device-\(buyer)"), account: AccountID("buyer-\(buyer)"))
    }
    try await withThrowingTaskGroup { group in
      for buyer in 0..<buyers {
        group.addTask {
          for _ in 0..<purchases {
            let record = try test.buy(DemoCatalog.coins, on: DeviceID("device-\(buyer)"))
            try test.store.finish(record.transactionID, on: DeviceID("device-\(buyer)"))
          }
        }
      }
      group.addTask { for _ in 0..<100 { test.store.clock.advance(by: 60) } }
      try await group.waitForAll()
    }
    let history = test.store.history
    #expect(history.map(\.sequence) == Array(history.indices))
    #expect(zip(history, history.dropFirst()).allSatisfy { $0.stamp < $1.stamp })
    var ids: Set<TransactionID> = []
    for buyer in 0..<buyers {
      let records = test.store.transactions(of: AccountID("buyer-\(buyer)"))
      #expect(records.count == purchases)
      #expect(records.allSatisfy { $0.isFinished })
      ids.formUnion(records.map(\.transactionID))
    }
    #expect(ids.count == buyers * purchases)
  }

  @Test func notificationsAreSentByThemselvesWhenTheStoreIsToldTo() async throws {
    let test = try TestStore { $0.sendsNotificationsAtOnce = true }
    let (bodies, arrived) = AsyncStream<[UInt8]>.makeStream()
    try test.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
    test.store.setNotificationTransport { _, body in
      arrived.yield(body)
      return 200
    }
    let bought = try test.buy(DemoCatalog.coins)
    var iterator = bodies.makeAsyncIterator()
    let body = try #require(await iterator.next())
    #expect(try Signed.notification(body).transactionID == bought.transactionID)
  }

  @Test func anObserverMayUseTheStore() throws {
    let test = try TestStore()
    let log = Log()
    try test.store.observe(test.pad) { event in
      guard case .transaction(let record, _) = event else { return }
      try? test.store.finish(record.transactionID, on: test.pad)
      log.add("finished")
    }
    try test.store.observe(test.phone) { event in
      if case .finished(let id) = event { log.add("heard \(id)") }
    }
    let bought = try test.buy(DemoCatalog.coins)
    #expect(log.lines == ["finished", "heard \(bought.transactionID)"])
    #expect(try test.store.unfinished(on: test.phone) == [])
  }
}
