import AppStoreSimulator
import Foundation
import IAPModel
import Testing

struct DeviceTests {
  @Test func finishingCountsForTheWholeAccountAndOnce() throws {
    let test = try TestStore()
    let log = Log()
    try test.store.observe(test.pad) { log.add("\($0)".prefix(8).description) }
    let bought = try test.buy(DemoCatalog.lifetime)
    #expect(try test.store.unfinished(on: test.pad) == [bought])
    try test.store.finish(bought.transactionID, on: test.phone)
    try test.store.finish(bought.transactionID, on: test.pad)
    #expect(try test.store.unfinished(on: test.phone) == [])
    #expect(try test.store.unfinished(on: test.pad) == [])
    #expect(log.lines == ["transact", "finished"])
    let finishes = test.store.history.filter { entry in
      if case .finished = entry.event { true } else { false }
    }
    #expect(finishes.count == 1)
  }

  @Test func theBuyingDeviceIsNotToldWhatItsCallAnswered() throws {
    let test = try TestStore()
    let log = Log()
    for device in [test.phone, test.pad, test.otherPhone] {
      try test.store.observe(device) { event in
        guard case .transaction(_, let cause) = event else { return }
        log.add("\(device) \(cause)")
      }
    }
    try test.buy(DemoCatalog.coins)
    #expect(log.lines == ["mia-pad purchasedElsewhere"])
  }

  @Test func anEndedObservationHearsNothing() throws {
    let test = try TestStore()
    let log = Log()
    let observation = try test.store.observe(test.pad) { _ in log.add("heard") }
    test.store.endObservation(observation)
    try test.buy(DemoCatalog.coins)
    #expect(log.lines == [])
  }

  @Test func aDeviceWithoutNetworkKeepsWhatItSawAndCatchesUp() throws {
    let test = try TestStore()
    let log = Log()
    try test.store.observe(test.pad) { event in
      guard case .transaction(let record, _) = event else { return }
      log.add(record.productID.rawValue)
    }
    let bought = try test.buy(DemoCatalog.lifetime)
    test.store.setNetwork(false, of: test.pad)
    let request = PurchaseRequest(device: test.pad, productID: DemoCatalog.coins)
    #expect(try test.store.purchase(request) == .failed(.networkUnavailable))
    #expect(throws: SimulatorError(.unreachable, "")) {
      try test.store.products([DemoCatalog.coins], on: test.pad)
    }
    #expect(throws: SimulatorError(.unreachable, "")) { try test.store.restore(on: test.pad) }
    let coins = try test.buy(DemoCatalog.coins)
    #expect(try test.store.allTransactions(on: test.pad) == [bought])
    #expect(try test.store.currentEntitlements(on: test.pad) == [bought])
    // What is finished in the dark is finished at once for the device, later for the account.
    try test.store.finish(bought.transactionID, on: test.pad)
    #expect(try test.store.unfinished(on: test.pad) == [])
    #expect(try test.store.unfinished(on: test.phone) == [bought, coins])
    #expect(log.lines == ["com.example.demo.lifetime"])
    test.store.setNetwork(true, of: test.pad)
    #expect(try test.store.unfinished(on: test.phone) == [coins])
    #expect(try test.store.unfinished(on: test.pad) == [coins])
    #expect(log.lines == ["com.example.demo.lifetime", "com.example.demo.coins"])
  }

  @Test func anUnreachableStoreSellsToNobody() throws {
    let test = try TestStore()
    test.store.changeFaults { $0.isStoreUnreachable = true }
    let request = PurchaseRequest(device: test.phone, productID: DemoCatalog.coins)
    #expect(try test.store.purchase(request) == .failed(.storeUnreachable))
    test.store.changeFaults { $0.isStoreUnreachable = false }
    try test.buy(DemoCatalog.coins)
  }

  @Test func aNewCountryChangesCurrencyAndIsTold() throws {
    let test = try TestStore()
    let log = Log()
    try test.store.observe(test.phone) { event in
      if case .storefrontChanged(let storefront) = event { log.add(storefront.countryCode) }
    }
    let china = try Storefront.of(countryCode: "CHN")
    try test.store.setStorefront(china, of: test.account)
    #expect(try test.store.storefront(of: test.phone) == china)
    #expect(try test.buy(DemoCatalog.coins).storefront.currency == "CNY")
    #expect(log.lines == ["CHN"])
    #expect(throws: SimulatorError(.unknownStorefront, "")) {
      try Storefront.of(countryCode: "ATLANTIS")
    }
  }

  @Test func namesCannotBeTakenTwiceAndMustBeKnown() throws {
    let test = try TestStore()
    let store = test.store
    #expect(throws: SimulatorError(.duplicate, "")) { try store.addAccount(test.account) }
    #expect(throws: SimulatorError(.duplicate, "")) {
      try store.addDevice(test.phone, account: test.account)
    }
    #expect(throws: SimulatorError(.unknownAccount, "")) {
      try store.addDevice("x", account: "nobody")
    }
    #expect(throws: SimulatorError(.unknownApp, "")) {
      try store.addDevice("x", account: test.account, app: "nothing")
    }
    #expect(throws: SimulatorError(.unknownDevice, "")) { try store.unfinished(on: "x") }
    #expect(throws: SimulatorError(.unknownDevice, "")) {
      try store.purchase(PurchaseRequest(device: "x", productID: DemoCatalog.coins))
    }
  }
}

struct RestoreTests {
  @Test func storeKitOneRestoresCopiesWithNewIdentifiers() throws {
    let test = try TestStore()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let coins = try test.buy(DemoCatalog.coins)
    let pass = try test.buy(DemoCatalog.season)
    let monthly = try test.buy(DemoCatalog.monthly)
    for record in [lifetime, coins, pass, monthly] {
      try test.store.finish(record.transactionID, on: test.phone)
    }
    test.store.clock.advance(by: 3600)
    let copies = try test.store.restore(on: test.pad)
    #expect(copies.map(\.restoredFrom) == [lifetime.transactionID, monthly.transactionID])
    #expect(copies.allSatisfy { $0.transactionID > monthly.transactionID })
    #expect(
      copies.map(\.originalTransactionID) == [
        lifetime.originalTransactionID, monthly.originalTransactionID,
      ]
    )
    #expect(copies.map(\.purchaseDate) == [test.store.now, monthly.purchaseDate])
    #expect(try test.store.unfinishedCopies(on: test.pad) == copies)
    #expect(try test.store.unfinishedCopies(on: test.phone) == [])
    #expect(try test.store.unfinished(on: test.pad) == [])
    try test.store.finish(copies[0].transactionID, on: test.pad)
    #expect(try test.store.unfinishedCopies(on: test.pad) == [copies[1]])
    #expect(try test.store.restore(on: test.pad).count == 2)
  }

  @Test func whatIsUnfinishedOrRefundedIsNotRestored() throws {
    let test = try TestStore()
    try test.buy(DemoCatalog.lifetime)
    #expect(try test.store.restore(on: test.pad) == [])
    let monthly = try test.buy(DemoCatalog.monthly)
    try test.store.finish(monthly.transactionID, on: test.phone)
    try test.store.refund(monthly.transactionID)
    #expect(try test.store.restore(on: test.pad) == [])
    #expect(try test.store.restore(on: test.otherPhone) == [])
  }
}
