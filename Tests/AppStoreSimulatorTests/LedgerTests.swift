import Foundation
import IAPModel
import Testing

@testable import AppStoreSimulator

struct LedgerTests {
  @Test func theStateIsAFoldOverTheHistory() async throws {
    let test = try TestStore { $0.gracePeriod = 16 * day }
    let server = Server([500])
    try test.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
    test.store.setNotificationTransport { _, body in server.receive(body) }
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let monthly = try test.buy(DemoCatalog.monthly)
    try test.buy(DemoCatalog.yearly, on: test.otherPhone)
    try test.store.finish(lifetime.transactionID, on: test.phone)
    try test.store.setPayment(works: false, of: test.account)
    await test.store.advance(by: 40 * day)
    try test.store.setPayment(works: true, of: test.account)
    try test.store.setAsksToBuy(true, of: test.account)
    try test.store.purchase(PurchaseRequest(device: test.pad, productID: DemoCatalog.coins))
    try test.store.approve("pending-1")
    try test.store.refund(monthly.transactionID)
    _ = try test.store.restore(on: test.pad)
    await test.store.advance(by: 100 * day)
    let (state, history) = test.store.read { ($0.state, $0.history) }
    var folded = StoreState(terms: state.terms, grace: GraceSettings(length: 16 * day))
    for entry in history { folded.apply(entry) }
    #expect(folded == state)
    #expect(history.map(\.sequence) == Array(history.indices))
    #expect(zip(history, history.dropFirst()).allSatisfy { $0.stamp < $1.stamp })
    #expect(zip(history, history.dropFirst()).allSatisfy { $0.date <= $1.date })
  }

  @Test func everyLineHasItsEventAndReadsAsJSON() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.coins)
    try test.store.refund(bought.transactionID, reason: .developerIssue)
    let events = try test.store.history.map { entry in
      try JSONParser.parseObject(entry.json.serialized)["event"]?.stringValue
    }
    #expect(
      events == [
        "appAdded", "accountAdded", "accountAdded", "deviceAdded", "deviceAdded", "deviceAdded",
        "sold", "notificationMade", "receiptRefreshed", "refunded", "notificationMade",
      ]
    )
  }
}
