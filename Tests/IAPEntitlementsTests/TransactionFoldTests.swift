import Foundation
import IAPEntitlements
import IAPModel
import Testing

@Suite struct TransactionFoldTests {
  @Test func factWithTheGreatestSignedDateCounts() {
    let facts = [3.0, 1.0, 2.0].map { signed in
      StoreFact.transaction(
        Make.transaction("1", signed: signed) { $0.storefront = "S\(Int(signed))" }
      )
    }
    #expect(StoreHistory(facts).transaction("1")?.payload.storefront == "S3")
  }

  @Test func tiesAreBrokenTheSameWayWhateverTheOrder() {
    let facts = ["AAA", "BBB", "CCC"].map { storefront in
      StoreFact.transaction(Make.transaction("1") { $0.storefront = storefront })
    }
    let winners = [facts, facts.reversed(), [facts[1], facts[2], facts[0]]].map {
      StoreHistory($0).transaction("1")?.payload.storefront
    }
    #expect(winners == ["CCC", "CCC", "CCC"])
  }

  @Test func receiptLineIsCompletedByTheSignedTransaction() {
    let token = AppAccountToken("11111111-2222-3333-4444-555555555555")
    let signed = StoreFact.transaction(
      Make.transaction("1", .nonConsumable, signed: 1) {
        $0.appAccountToken = token
        $0.priceMilliunits = 990
        $0.currency = "USD"
        $0.ownershipType = .purchased
      }
    )
    var line = ReceiptLine(transactionID: "1", productID: "coins", purchaseDate: Make.date(0))
    line.quantity = 2
    let later = line.fact(
      bundleID: "com.example.app",
      environment: .production,
      creationDate: Make.date(5)
    )
    let payload = StoreHistory([later, signed]).transaction("1")?.payload
    #expect(payload?.type == .nonConsumable)
    #expect(payload?.appAccountToken == token)
    #expect(payload?.price == Money(milliunits: 990, currency: "USD"))
    #expect(payload?.quantity == 2)
    #expect(payload?.signedDate == Make.date(5))
  }

  @Test func newerFactWithoutRevocationIsNotCompletedWithOne() {
    let facts: [StoreFact] = [
      .transaction(Make.transaction("1", signed: 1, revoked: 1)),
      .transaction(Make.transaction("1", signed: 2)),
    ]
    #expect(StoreHistory(facts).transaction("1")?.payload.revocationDate == nil)
    #expect(StoreHistory(facts).transaction("1")?.isRevoked == false)
  }

  @Test(
    arguments: [
      (0, ProductType.nonConsumable), (1, .consumable), (2, .nonRenewable), (3, .autoRenewable),
    ]
  )
  func receiptSaysTheTypeAsANumber(_ kind: Int, _ type: ProductType) {
    var line = ReceiptLine(transactionID: "1", productID: "p", purchaseDate: Make.date(0))
    line.kind = kind
    line.webOrderLineItemID = "0"
    let payload = line.fact(bundleID: "b", environment: nil, creationDate: Make.date(1)).transaction
    #expect(payload?.type == type)
    #expect(payload?.webOrderLineItemID == nil)
    #expect(payload?.originalTransactionID == "1")
  }

  @Test func factsOfAnotherEnvironmentDoNotCount() {
    var sandbox = Make.transaction("1", .nonConsumable)
    sandbox.environment = .sandbox
    var silent = Make.transaction("2", .nonConsumable)
    silent.environment = nil
    let facts: [StoreFact] = [.transaction(sandbox), .transaction(silent)]
    #expect(StoreHistory(facts, environment: .only(.production)).units == [])
    #expect(StoreHistory(facts, environment: .only(.sandbox)).units.map(\.unit) == ["orig:1"])
    #expect(StoreHistory(facts).units.count == 2)
  }
}
