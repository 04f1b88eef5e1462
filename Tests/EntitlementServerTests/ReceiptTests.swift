import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

@Suite struct ReceiptTests {
  private func base64(_ bytes: [UInt8]?) throws -> JSONValue {
    .string(Base64.encode(try #require(bytes), .standard))
  }

  @Test func thePurchaseIsFoundByItsIdentifier() async throws {
    let test = try TestServer(receipts: true)
    let coins = try test.buy(DemoCatalog.coins)
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let receipt = try base64(test.store.receipt(on: test.phone))
    let id = coins.transactionID.rawValue
    let answer = try await test.verify([
      "receipt": receipt, "transactionId": .string(id), "productId": "com.example.demo.coins",
      "installation": "one", "account": "mia",
    ])
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.text("transactionId") == id)
    #expect(answer.text("unit") == "tx:\(id)")
    #expect(answer.text("claimedBy") == "one")
    #expect(answer.text("environment") == "Sandbox")
    // The other purchase of the receipt is known as well, and granted once with its own proof.
    let other = try await test.verify(lifetime)
    #expect(other.body["grant"]?.objectValue?["count"] == 1)
    #expect(try await test.ledger.counts().entries == 2)
  }

  @Test func bothGenerationsOfStoreKitGiveTheSameUnit() async throws {
    let test = try TestServer(receipts: true)
    let monthly = try test.buy(DemoCatalog.monthly)
    let signed = try await test.verify(monthly)
    let receipt = try await test.verify([
      "receipt": try base64(test.store.receipt(on: test.phone)),
      "transactionId": .string(monthly.transactionID.rawValue),
      "productId": "com.example.demo.plus.monthly",
    ])
    #expect(signed.text("unit") == receipt.text("unit"))
    #expect(signed.body["expiresDate"] == receipt.body["expiresDate"])
    #expect(try await test.ledger.counts().entries == 1)
  }

  @Test func aRestoredCopyIsTheSameUnit() async throws {
    let test = try TestServer(receipts: true)
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let first = try await test.verify(lifetime)
    try test.store.finish(lifetime.transactionID, on: test.phone)
    let copy = try #require(try test.store.restore(on: test.pad).first)
    #expect(copy.transactionID != lifetime.transactionID)
    let answer = try await test.verify([
      "receipt": try base64(test.store.receipt(on: test.pad)),
      "transactionId": .string(copy.transactionID.rawValue),
      "productId": "com.example.demo.lifetime",
    ])
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.text("unit") == first.text("unit"))
    #expect(answer.body["grant"]?.objectValue?["count"] == 1)
    #expect(try await test.ledger.counts().entries == 1)
  }

  @Test func theSmallBodyIsAnsweredForTheLatestPurchase() async throws {
    let test = try TestServer(receipts: true)
    let monthly = try test.buy(DemoCatalog.monthly)
    let answer = try await test.verify([
      "receipt": try base64(test.store.receipt(on: test.phone)), "sandbox": true,
    ])
    #expect(answer.body["isValid"] == true)
    #expect(answer.text("productId") == "com.example.demo.plus.monthly")
    #expect(answer.body["expiresDate"]?.integerValue == monthly.expiresDate?.milliseconds)
  }

  @Test func theSmallBodyMayCarryASignedTransaction() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let text = try test.store.signedTransaction(coins.transactionID)
    let answer = try await test.verify(["receipt": try base64(Array(text.utf8)), "sandbox": true])
    #expect(answer.body["isValid"] == true)
    #expect(answer.text("productId") == "com.example.demo.coins")
  }

  @Test func aFinishedConsumableIsRememberedByTheLedger() async throws {
    let test = try TestServer(receipts: true)
    let coins = try test.buy(DemoCatalog.coins)
    let body: JSONObject = [
      "receipt": try base64(test.store.receipt(on: test.phone)),
      "transactionId": .string(coins.transactionID.rawValue),
      "productId": "com.example.demo.coins",
    ]
    let first = try await test.verify(body)
    try test.store.finish(coins.transactionID, on: test.phone)
    _ = try test.buy(DemoCatalog.lifetime)
    try test.store.refreshReceipt(on: test.phone)
    var later = body
    later["receipt"] = try base64(test.store.receipt(on: test.phone))
    let again = try await test.verify(later)
    #expect(again.withoutRequestID["unit"] == first.withoutRequestID["unit"])
    #expect(again.text("verdict") == "accepted")
  }

  @Test func aReceiptFromBeforeAConsumableDoesNotShowItAndHasNotLostIt() async throws {
    let test = try TestServer(receipts: true)
    _ = try test.buy(DemoCatalog.lifetime)
    let old = try base64(test.store.receipt(on: test.phone))
    test.store.clock.advance(by: 1)
    let coins = try test.buy(DemoCatalog.coins)
    // The server has heard of it in another way, and nobody is credited with it.
    let text = try test.store.signedTransaction(coins.transactionID)
    _ = try await test.verify(["signedTransaction": .string(text)])
    var body: JSONObject = [
      "receipt": old, "transactionId": .string(coins.transactionID.rawValue),
      "productId": "com.example.demo.coins",
    ]
    #expect(try await test.verify(body).rules == ["matchingTransaction"])
    body["receipt"] = try base64(test.store.receipt(on: test.phone))
    #expect(try await test.verify(body).text("verdict") == "accepted")
  }

  @Test func aReceiptOfTheSecondOfAConsumableGivesItToNobodyWhoWasNotNamed() async throws {
    let test = try TestServer(receipts: true)
    _ = try test.buy(DemoCatalog.lifetime)
    let old = try base64(test.store.receipt(on: test.phone))
    // It is bought in the very second in which the receipt was made.
    let coins = try test.buy(DemoCatalog.coins)
    let text = try test.store.signedTransaction(coins.transactionID)
    _ = try await test.verify(["signedTransaction": .string(text)])
    var body: JSONObject = [
      "receipt": old, "transactionId": .string(coins.transactionID.rawValue),
      "installation": "tablet",
    ]
    #expect(try await test.verify(body).rules == ["matchingTransaction"])
    // A newer one shows it, and names who asks with it; then the old one tells whom.
    body["receipt"] = try base64(test.store.receipt(on: test.phone))
    body["installation"] = "phone"
    #expect(try await test.verify(body).text("claimedBy") == "phone")
    body["receipt"] = old
    body["installation"] = "tablet"
    #expect(try await test.verify(body).text("claimedBy") == "phone")
  }

  @Test func whoHasAFinishedConsumableIsBelievedWithoutItsLine() async throws {
    let test = try TestServer(receipts: true)
    let coins = try test.buy(DemoCatalog.coins)
    func body(_ installation: String, acknowledged: Bool? = nil) throws -> JSONObject {
      var body: JSONObject = [
        "receipt": try base64(test.store.receipt(on: test.phone)),
        "transactionId": .string(coins.transactionID.rawValue),
        "installation": .string(installation),
      ]
      body["acknowledged"] = acknowledged.map { .bool($0) }
      return body
    }
    #expect(try await test.verify(body("phone")).text("claimedBy") == "phone")
    try test.store.finish(coins.transactionID, on: test.phone)
    _ = try test.buy(DemoCatalog.lifetime)
    try test.store.refreshReceipt(on: test.phone)
    // Nobody else is, nor becomes the claimer by a receipt that does not show it.
    let other = try await test.verify(body("tablet", acknowledged: true))
    #expect(other.text("claimedBy") == "phone")
    #expect(other.body["acknowledged"] == nil)
    let lease = TimeInterval(ServerLimits.standard.claimLeaseSeconds)
    test.store.clock.advance(by: lease + 1)
    #expect(try await test.verify(body("tablet")).text("claimedBy") == "phone")
    // Its question begins the lease anew.
    #expect(try await test.verify(body("phone")).text("claimedBy") == "phone")
    let text = try test.store.signedTransaction(coins.transactionID)
    let shown: JSONObject = [
      "signedTransaction": .string(text), "installation": "tablet",
    ]
    test.store.clock.advance(by: lease)
    #expect(try await test.verify(shown).text("claimedBy") == "phone")
    #expect(try await test.verify(body("phone", acknowledged: true)).body["acknowledged"] == true)
    test.store.clock.advance(by: 2 * lease)
    let answer = try await test.verify(shown)
    #expect(answer.text("claimedBy") == "phone")
    #expect(answer.body["acknowledged"] == true)
  }

  @Test func aReceiptFromBeforeALastingPurchaseDoesNotShowIt() async throws {
    let test = try TestServer(receipts: true)
    _ = try test.buy(DemoCatalog.coins)
    let old = try base64(test.store.receipt(on: test.phone))
    let lifetime = try test.buy(DemoCatalog.lifetime)
    // The server has heard of it in another way.
    let text = try test.store.signedTransaction(lifetime.transactionID)
    _ = try await test.verify(["signedTransaction": .string(text)])
    var body: JSONObject = [
      "receipt": old, "transactionId": .string(lifetime.transactionID.rawValue),
    ]
    #expect(try await test.verify(body).rules == ["matchingTransaction"])
    try test.store.refreshReceipt(on: test.phone)
    body["receipt"] = try base64(test.store.receipt(on: test.phone))
    #expect(try await test.verify(body).text("verdict") == "accepted")
  }

  @Test func aConsumableIsNotFoundByItsProduct() async throws {
    let test = try TestServer(receipts: true)
    _ = try test.buy(DemoCatalog.coins)
    let answer = try await test.verify([
      "receipt": try base64(test.store.receipt(on: test.phone)), "transactionId": "1",
      "productId": "com.example.demo.coins",
    ])
    #expect(answer.rules == ["matchingTransaction"])
  }

  @Test func aChangedReceiptIsRefused() async throws {
    let test = try TestServer(receipts: true)
    let coins = try test.buy(DemoCatalog.coins)
    var bytes = try #require(try test.store.receipt(on: test.phone))
    let product = Array("com.example.demo.coins".utf8)
    let index = try #require(
      (0..<(bytes.count - product.count)).first { bytes[$0..<($0 + product.count)] == product[...] }
    )
    bytes[index] ^= 1
    let answer = try await test.verify([
      "receipt": try base64(bytes), "transactionId": .string(coins.transactionID.rawValue),
    ])
    #expect(answer.text("verdict") == "rejected")
    #expect(answer.rules.contains("signature"))
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func anotherAppsReceiptIsRefused() async throws {
    let test = try TestServer(receipts: true)
    let coins = try test.buy(DemoCatalog.coins, on: "other-app")
    let answer = try await test.verify([
      "receipt": try base64(test.store.receipt(on: "other-app")),
      "transactionId": .string(coins.transactionID.rawValue),
    ])
    #expect(answer.text("verdict") == "rejected")
    #expect(answer.rules.contains("bundle"))
  }

  @Test func aSandboxReceiptIsRefusedByAProductionServer() async throws {
    let test = try TestServer(serverEnvironments: [.production], receipts: true)
    _ = try test.buy(DemoCatalog.coins)
    let answer = try await test.verify([
      "receipt": try base64(test.store.receipt(on: test.phone))
    ])
    #expect(answer.rules == ["environment"])
  }

  @Test func whatIsNoReceiptIsRefused() async throws {
    let test = try TestServer(receipts: true)
    let answer = try await test.verify(["receipt": try base64([0x30, 0x03, 0x02, 0x01, 0x01])])
    #expect(answer.text("verdict") == "rejected")
    #expect(!answer.rules.isEmpty)
    let text = try await test.verify(["receipt": "no base64!"])
    #expect(text.errorCode == "parameterInvalid")
    #expect(text.errorParameter == "receipt")
  }
}
