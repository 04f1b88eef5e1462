import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import Testing

/// What Xcode's test session offers and Apple's store does not.
struct TestSessionTests {
  private func session() throws -> TestStore { try TestStore.rules(environment: .xcode) }

  @Test func numbersAreCountedFromZero() throws {
    let test = try session()
    let coins = try test.buy(RulesCatalog.coins)
    let silver = try test.buy(RulesCatalog.silver)
    let book = try test.buy(RulesCatalog.book)
    #expect(
      [coins, silver, book].map(\.transactionID) == ["0", "1", "2"] as [TransactionID]
    )
    #expect(silver.webOrderLineItemID == "0")
    let signed = try Signed.payload(of: try test.store.signedTransaction("0", on: test.phone))
    #expect(signed["transactionId"] == "0")
    #expect(signed["environment"] == "Xcode")
  }

  @Test func theAppTransactionIsXcodes() throws {
    let test = try session()
    let payload = try test.store.appTransaction(on: test.phone)
    #expect(payload.appAppleID == nil)
    #expect(payload.originalPurchaseDate?.milliseconds == -62_135_769_600_000)
  }

  @Test func aDeletedPurchaseWasNeverMade() throws {
    let test = try session()
    let book = try test.buy(RulesCatalog.book)
    let coins = try test.buy(RulesCatalog.coins)
    try test.store.finish(book.transactionID, on: test.phone)
    let copy = try #require(try test.store.restore(on: test.phone).first)
    try test.store.deleteTransaction(book.transactionID)
    #expect(test.store.transactions(of: test.account) == [coins])
    #expect(test.store.transaction(book.transactionID) == nil)
    #expect(test.store.transaction(copy.transactionID) == nil)
    #expect(try test.store.currentEntitlements(on: test.phone) == [])
    let receipt = try test.store.device(test.phone).receipt
    #expect(receipt?.purchases.map(\.productID) == [RulesCatalog.coins])
    _ = try test.buy(RulesCatalog.book)
  }

  @Test func aDeletedSubscriptionGivesTheTrialBack() throws {
    let test = try session()
    try test.store.addFamily("home", organizer: test.account)
    try test.store.joinFamily("home", test.other)
    let trial = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 20 * day)
    #expect(test.store.transactions(of: test.account).count > 1)
    #expect(!test.store.transactions(of: test.other).isEmpty)
    try test.store.deleteTransaction(trial.transactionID)
    #expect(test.store.transactions(of: test.account) == [])
    #expect(test.store.transactions(of: test.other) == [])
    #expect(test.store.subscriptions == [])
    test.store.clock.advance(by: 60 * day)
    #expect(test.store.transactions(of: test.account) == [])
    #expect(try test.buy(RulesCatalog.silver).offer?.type == .introductory)
  }

  @Test func aDeletedRenewalTakesTheLaterOnesAlong() throws {
    let test = try session()
    let trial = try test.buy(RulesCatalog.silver)
    test.store.clock.advance(by: 80 * day)
    let held = test.store.transactions(of: test.account)
    #expect(held.count >= 3)
    try test.store.deleteTransaction(held[1].transactionID)
    #expect(test.store.transactions(of: test.account).map(\.transactionID) == ["0"])
    #expect(try test.subscription.phase == .expired(.other))
    #expect(try test.subscription.period.transactionID == trial.transactionID)
    let again = try test.buy(RulesCatalog.silver)
    #expect(again.originalTransactionID == trial.originalTransactionID)
    #expect(again.offer == nil)
  }

  @Test func clearingLeavesNothingButPeople() throws {
    let test = try session()
    try test.buy(RulesCatalog.silver)
    try test.buy(RulesCatalog.book, on: test.otherPhone)
    try test.store.setAsksToBuy(true, of: test.account)
    let asked = try test.store.purchase(
      PurchaseRequest(device: test.phone, productID: RulesCatalog.coins)
    )
    guard case .pending(let pending) = asked else {
      Issue.record("\(asked)")
      return
    }
    try test.store.clearTransactions()
    #expect(test.store.transactions(of: test.account) == [])
    #expect(test.store.transactions(of: test.other) == [])
    #expect(test.store.accounts.count == 2)
    #expect(throws: SimulatorError(.notAllowed, "")) { try test.store.approve(pending) }
    let count = test.store.history.count
    try test.store.clearTransactions()
    #expect(test.store.history.count == count)
  }

  @Test(arguments: [StoreEnvironment.sandbox, .production])
  func elsewhereNothingIsDeleted(_ environment: StoreEnvironment) throws {
    let test = try TestStore.rules(environment: environment)
    let book = try test.buy(RulesCatalog.book)
    let count = test.store.history.count
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.deleteTransaction(book.transactionID)
    }
    #expect(throws: SimulatorError(.notAllowed, "")) { try test.store.clearTransactions() }
    #expect(test.store.history.count == count)
  }

  @Test func whatIsNotThereIsNotDeleted() async throws {
    let test = try session()
    #expect(throws: SimulatorError(.unknownTransaction, "")) {
      try test.store.deleteTransaction("42")
    }
    #expect(throws: SimulatorError(.unknownApp, "")) {
      try test.store.clearTransactions(app: "other")
    }
    let client = FaceClient(face: StoreHTTPFace(store: test.store))
    try test.buy(RulesCatalog.book)
    #expect(await client.send(.delete, "/control/transactions/42").status == 404)
    #expect(await client.send(.delete, "/control/transactions/0").status == 200)
    #expect(await client.send(.delete, "/control/transactions").status == 200)
    #expect(test.store.transactions(of: test.account) == [])
  }
}
