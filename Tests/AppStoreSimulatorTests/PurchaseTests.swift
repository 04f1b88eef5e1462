import AppStoreSimulator
import Foundation
import IAPModel
import Testing

struct PurchaseTests {
  @Test func aConsumableIsSoldAgainAndAgain() throws {
    let test = try TestStore()
    let first = try test.buy(DemoCatalog.coins, quantity: 3)
    let second = try test.buy(DemoCatalog.coins)
    #expect(first.type == .consumable)
    #expect(first.quantity == 3)
    #expect(first.priceMilliunits == 2970)
    #expect(first.storefront == .usa)
    #expect(first.expiresDate == nil)
    #expect(first.webOrderLineItemID == nil)
    #expect(first.purchaseDate == TestStore.start)
    #expect(first.originalTransactionID.rawValue == first.transactionID.rawValue)
    #expect(first.transactionID < second.transactionID)
    #expect(first.transactionID.rawValue.hasPrefix("2000000"))
    #expect(test.store.transactions(of: test.account) == [first, second])
    #expect(test.announced == ["ONE_TIME_CHARGE", "ONE_TIME_CHARGE"])
  }

  @Test func anOwnedNonConsumableIsFree() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.lifetime)
    let outcome = try test.store.purchase(
      PurchaseRequest(device: test.pad, productID: DemoCatalog.lifetime)
    )
    #expect(outcome == .unchanged(bought, .alreadyOwned))
    #expect(test.store.transactions(of: test.account).count == 1)
  }

  @Test func aRefundedNonConsumableIsSoldAnew() throws {
    let test = try TestStore()
    let bought = try test.buy(DemoCatalog.lifetime)
    try test.store.refund(bought.transactionID)
    let again = try test.buy(DemoCatalog.lifetime)
    #expect(again.transactionID != bought.transactionID)
    #expect(again.originalTransactionID != bought.originalTransactionID)
  }

  @Test func aNonRenewingSubscriptionHasNoEnd() throws {
    let test = try TestStore()
    let pass = try test.buy(DemoCatalog.season)
    let second = try test.buy(DemoCatalog.season)
    #expect(pass.type == .nonRenewable)
    #expect(pass.expiresDate == nil)
    try test.store.finish(pass.transactionID, on: test.phone)
    #expect(try test.store.currentEntitlements(on: test.pad) == [second])
  }

  @Test func aSubscriptionRunsForOnePeriod() throws {
    let test = try TestStore()
    let token = try #require(AppAccountToken("3F2504E0-4F89-41D3-9A0C-0305E82C3301"))
    let outcome = try test.store.purchase(
      PurchaseRequest(device: test.phone, productID: DemoCatalog.monthly, appAccountToken: token)
    )
    guard case .purchased(let bought) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(bought.expiresDate == (try date("2026-02-01T12:00:00Z")))
    #expect(bought.groupID == DemoCatalog.group)
    #expect(bought.webOrderLineItemID != nil)
    #expect(bought.appAccountToken == token)
    #expect(bought.reason == .purchase)
    #expect(test.announced == ["SUBSCRIBED/INITIAL_BUY"])
    let again = try test.store.purchase(
      PurchaseRequest(device: test.pad, productID: DemoCatalog.monthly)
    )
    #expect(again == .unchanged(bought, .alreadySubscribed))
  }

  @Test func aTrialIsFreeOnceInTheGroup() throws {
    let test = try TestStore()
    let trial = try test.buy(DemoCatalog.yearly)
    #expect(trial.priceMilliunits == 0)
    #expect(trial.expiresDate == TestStore.start.addingTimeInterval(7 * day))
    #expect(trial.offer?.type == .introductory)
    #expect(trial.offer?.discountType == .freeTrial)
    test.store.clock.advance(by: 8 * day)
    let renewal = try #require(test.store.transactions(of: test.account).last)
    #expect(renewal.reason == .renewal)
    #expect(renewal.priceMilliunits == 49_990)
    #expect(renewal.offer == nil)
    #expect(renewal.expiresDate == (try date("2027-01-08T12:00:00Z")))
  }

  @Test(arguments: [StoreFailure.paymentFailed, .paymentNotAllowed])
  func aFailureChargesNothing(_ failure: StoreFailure) throws {
    let test = try TestStore()
    test.store.changeFaults { $0.purchaseFailure = failure }
    let request = PurchaseRequest(device: test.phone, productID: DemoCatalog.coins)
    #expect(try test.store.purchase(request) == .failed(failure))
    #expect(test.store.transactions(of: test.account).isEmpty)
    #expect(test.store.notifications.isEmpty)
  }

  @Test func aUserNameOfStoreKitOneBecomesTheTokenWhenItIsOne() throws {
    let test = try TestStore()
    let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    for (name, token) in [(uuid, AppAccountToken(uuid)), ("mia@home", nil)] {
      let outcome = try test.store.purchase(
        PurchaseRequest(
          device: test.phone,
          productID: DemoCatalog.coins,
          applicationUsername: name
        )
      )
      guard case .purchased(let record) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(record.appAccountToken == token)
      #expect(record.applicationUsername == name)
    }
  }

  @Test func productsComeInTheOrderAskedForWithoutUnknownOnes() throws {
    let test = try TestStore()
    let found = try test.store.products(
      [DemoCatalog.season, "nothing", DemoCatalog.coins, DemoCatalog.season],
      on: test.phone
    )
    #expect(found.map(\.id) == [DemoCatalog.season, DemoCatalog.coins])
  }

  @Test func severalAppsKeepTheirPurchasesApart() throws {
    let test = try TestStore()
    let other: BundleID = "com.example.other"
    try test.store.addApp(other, appAppleID: AppAppleID(99), catalog: try DemoCatalog.load())
    try test.store.addDevice("mia-other", account: test.account, app: other)
    let bought = try test.buy(DemoCatalog.coins, on: "mia-other")
    #expect(bought.bundleID == other)
    #expect(try test.store.unfinished(on: test.phone).isEmpty)
    #expect(try test.store.unfinished(on: "mia-other") == [bought])
    #expect(throws: SimulatorError(.unknownTransaction, "")) {
      try test.store.finish(bought.transactionID, on: test.phone)
    }
  }
}

struct AskToBuyTests {
  @Test func approvalSellsAndEveryDeviceHearsOfIt() throws {
    let test = try TestStore()
    let log = Log()
    for device in [test.phone, test.pad] {
      try test.store.observe(device) { event in
        guard case .transaction(let record, let cause) = event else { return }
        log.add("\(device) \(record.productID) \(cause == .approved("pending-1"))")
      }
    }
    let request = PurchaseRequest(
      device: test.phone,
      productID: DemoCatalog.coins,
      simulatesAskToBuy: true
    )
    #expect(try test.store.purchase(request) == .pending("pending-1"))
    #expect(test.store.transactions(of: test.account).isEmpty)
    test.store.clock.advance(by: 3600)
    guard case .purchased(let record) = try test.store.approve("pending-1") else {
      Issue.record("not sold")
      return
    }
    #expect(record.purchaseDate == TestStore.start.addingTimeInterval(3600))
    #expect(record.pending == "pending-1")
    #expect(
      log.lines == [
        "mia-phone com.example.demo.coins true", "mia-pad com.example.demo.coins true",
      ]
    )
    #expect(try test.store.unfinished(on: test.phone) == [record])
    #expect(throws: SimulatorError(.notAllowed, "")) { try test.store.approve("pending-1") }
  }

  @Test func decliningSellsNothing() throws {
    let test = try TestStore()
    try test.store.setAsksToBuy(true, of: test.account)
    let request = PurchaseRequest(device: test.phone, productID: DemoCatalog.coins)
    #expect(try test.store.purchase(request) == .pending("pending-1"))
    try test.store.decline("pending-1")
    #expect(test.store.transactions(of: test.account).isEmpty)
    #expect(test.store.notifications.isEmpty)
    #expect(test.store.pendingPurchases.map(\.answer) == [.declined])
  }

  @Test func aQuestionLapsesAfterADay() throws {
    let test = try TestStore()
    try test.store.setAsksToBuy(true, of: test.account)
    try test.store.purchase(PurchaseRequest(device: test.phone, productID: DemoCatalog.coins))
    test.store.clock.advance(by: day - 1)
    #expect(test.store.pendingPurchases.map(\.answer) == [.waiting])
    test.store.clock.advance(by: 1)
    #expect(test.store.pendingPurchases.map(\.answer) == [.lapsed])
    #expect(throws: SimulatorError(.notAllowed, "")) { try test.store.approve("pending-1") }
  }

  @Test func productionDoesNotHeedTheSimulatedQuestion() throws {
    let test = try TestStore(environment: .production)
    let outcome = try test.store.purchase(
      PurchaseRequest(device: test.phone, productID: DemoCatalog.coins, simulatesAskToBuy: true)
    )
    guard case .purchased(let record) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(!record.transactionID.rawValue.hasPrefix("2000000"))
  }

  @Test func anInterruptedPurchaseFailsFirstAndHappensLater() throws {
    let test = try TestStore()
    test.store.changeFaults { $0.interruptsPurchases = true }
    let request = PurchaseRequest(device: test.phone, productID: DemoCatalog.coins, quantity: 2)
    #expect(try test.store.purchase(request) == .failed(.interrupted))
    let waiting = try #require(test.store.pendingPurchases.first)
    #expect(waiting.cause == .interruption)
    guard case .purchased(let record) = try test.store.approve(waiting.id) else {
      Issue.record("not sold")
      return
    }
    #expect(record.quantity == 2)
  }
}
