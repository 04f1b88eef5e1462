import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@testable import IAPKit

/// Lasting goods that somebody got anew after a refund of which the server has not heard, on a
/// telephone whose receipt shows the purchase of before.
@Suite("Lasting goods that an old receipt does not show", .timeLimit(.minutes(1)))
struct OldReceiptTests {
  @Test("are handed over, whatever the server says of the purchase of before")
  func boughtAnew() async throws {
    let served = try ServedShop(.storekit1)
    let store = served.store
    try store.addAccount("bob")
    try store.addFamily("home", organizer: "bob")
    try store.joinFamily("home", Shop.account)
    let phone = try served.install()
    try await phone.launch()
    _ = try await phone.buy(Shop.lifetime)
    await phone.waitUntilQueueIsEmpty()
    let first = try #require(store.transactions(of: Shop.account).last)
    store.clock.advance(by: 1)
    try store.refund(first.transactionID)
    // Another member of the family buys it: the store gives the copy for nothing, and the receipt
    // of this telephone stays as it was.
    let tablet = try served.shop.install(on: "tablet", account: "bob")
    try await tablet.launch()
    _ = try await tablet.buy(Shop.lifetime)
    store.clock.advance(by: 60)
    let copy = try #require(store.transactions(of: Shop.account).last)
    #expect(copy.transactionID != first.transactionID)
    let outcome = try await phone.buy(Shop.lifetime)
    await phone.waitUntilQueueIsEmpty()
    #expect(outcome.result?.transactionId == copy.transactionID.rawValue)
    #expect(
      phone.effects.filter { $0.kind == .grant }.map(\.transactionId)
        == [first.transactionID.rawValue, copy.transactionID.rawValue]
    )
    // Now the server hears of the refund.
    try await served.tellServer(of: first.transactionID)
    try await phone.enterForeground()
    #expect(phone.access(to: Shop.lifetime).isGranted)
  }

  @Test("are not finished while no newer receipt can be had")
  func noNewerReceipt() async throws {
    let served = try ServedShop(.storekit1)
    let phone = try served.install()
    try await phone.launch()
    _ = try await phone.buy(Shop.lifetime)
    await phone.waitUntilQueueIsEmpty()
    let old = try #require(phone.device.receipt)
    let first = try #require(served.store.transactions(of: Shop.account).last)
    served.store.clock.advance(by: 60)
    try served.store.refund(first.transactionID)
    phone.update { $0.receipt = { _ in old } }
    try await phone.launch()
    guard case .processing = try await phone.buy(Shop.lifetime) else {
      Issue.record("it is not known to be accepted")
      return
    }
    let second = try #require(served.store.transactions(of: Shop.account).last)
    #expect(second.transactionID != first.transactionID)
    #expect(!second.isFinished)
    let record = phone.manager.store.record(second.transactionID.rawValue)
    #expect(record?.hasStaleReceipt == true)
    #expect(record?.rejections == 0)
  }
}

@Suite("An acceptance of another transaction") struct MeantTransactionTests {
  private func transaction(
    _ state: StoreTransactionState = .purchased,
    original: String? = nil,
    bought: TimeInterval = 0,
    receipt: [UInt8]? = [1]
  ) -> StoreTransaction {
    var transaction = StoreTransaction(
      transactionID: "2",
      originalTransactionID: OriginalTransactionID(original ?? "2"),
      productID: Shop.lifetime,
      purchaseDate: Shop.start + bought,
      proof: .receipt(receipt),
      verification: .unchecked,
      source: .purchase,
      generation: .storekit1,
      storeState: state
    )
    transaction.type = .nonConsumable
    return transaction
  }

  private func accepted(
    _ id: String?,
    original: String? = nil,
    isRevoked: Bool = false
  ) -> ReceiptValidationResult {
    var result = ReceiptValidationResult(isValid: true)
    result.transactionId = id
    result.originalTransactionId = original ?? id
    result.revocationDate = isRevoked ? Shop.start : nil
    return result
  }

  @Test func serverThatNamesNoneOrTheSameMeansThisOne() {
    #expect(transaction().isMeant(by: accepted(nil)))
    #expect(transaction().isMeant(by: accepted("2", isRevoked: true)))
  }

  @Test func copiesMeanTheSameGoods() {
    #expect(transaction(.restored, original: "1").isMeant(by: accepted("1", isRevoked: true)))
    #expect(transaction().isMeant(by: accepted("3", original: "2", isRevoked: true)))
  }

  @Test func anotherPurchaseThatWasTakenBackSaysNothing() {
    #expect(!transaction().isMeant(by: accepted("1", isRevoked: true)))
    #expect(!transaction(.restored, original: "0").isMeant(by: accepted("1", isRevoked: true)))
  }

  @Test func receiptCountsFromTheSecondOfThePurchase() throws {
    let shop = try Shop(.storekit1)
    shop.store.clock.advance(by: 10)
    let device = try SimulatedDevice(store: shop.store, account: Shop.account, id: "phone")
    try shop.store.refreshReceipt(on: device.id)
    let receipt = try #require(device.receipt)
    let other = accepted("1")
    #expect(transaction(bought: 9, receipt: receipt).isMeant(by: other))
    #expect(transaction(bought: 10.9, receipt: receipt).isMeant(by: other))
    #expect(!transaction(bought: 11, receipt: receipt).isMeant(by: other))
    #expect(transaction(bought: 11, receipt: [7]).isMeant(by: other), "it cannot be read")
  }

  @Test func signedTransactionsAndPeriodsHaveRulesOfTheirOwn() {
    var period = transaction()
    period.type = .autoRenewable
    #expect(period.isMeant(by: accepted("1", isRevoked: true)))
    var signed = transaction()
    signed.generation = .storekit2
    #expect(signed.isMeant(by: accepted("1", isRevoked: true)))
  }
}

@Suite("Access to goods that the app refused", .timeLimit(.minutes(1)))
struct RefusedGoodsAccessTests {
  @Test("ends with their refund, by the device's word alone")
  func refund() async throws {
    let shop = try Shop(.storekit2)
    let app = try shop.install(handle: { _ in .refuse(reason: "no room") })
    app.update { $0.judge = .device }
    try await app.launch()
    _ = try await app.buy(Shop.lifetime)
    #expect(app.access(to: Shop.lifetime).isGranted)
    let bought = try #require(shop.store.transactions(of: Shop.account).last)
    shop.store.clock.advance(by: 1)
    try shop.store.refund(bought.transactionID)
    await app.rest()
    try await app.enterForeground()
    #expect(!app.access(to: Shop.lifetime).isGranted)
    #expect(app.effects == [])
  }
}
