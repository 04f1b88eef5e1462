import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import ServerStorage
import Testing

/// Who hands over a consumable, and that it was handed over.
@Suite struct AcknowledgementTests {
  private static let lease: TimeInterval = 24 * 3600

  @Test func aClaimHoldsForADay() {
    #expect(ServerLimits.standard.claimLeaseSeconds == Int(Self.lease))
  }

  @Test(arguments: Backend.allCases)
  func theClaimMovesOneSecondAfterTheLease(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try test.buy(DemoCatalog.coins)
      let claimed = test.store.clock.now
      #expect(try await test.verify(coins, ["installation": "one"]).text("claimedBy") == "one")
      await test.store.advance(to: claimed + Self.lease)
      let before = try await test.verify(coins, ["installation": "two"])
      #expect(before.text("claimedBy") == "one")
      await test.store.advance(to: claimed + Self.lease + 1)
      // Who only looks takes nothing.
      #expect(try await test.verify(coins).text("claimedBy") == "one")
      let after = try await test.verify(coins, ["installation": "two"])
      #expect(after.text("claimedBy") == "two")
      #expect(after.body["acknowledged"] == nil)
      #expect(after.body["grant"]?.objectValue?["count"] == 1)
      #expect(try await test.verify(coins, ["installation": "one"]).text("claimedBy") == "two")
    }
  }

  @Test func theLeaseIsAConfiguration() async throws {
    let test = try TestServer(limits: ServerLimits(claimLeaseSeconds: 60))
    let coins = try test.buy(DemoCatalog.coins)
    let claimed = test.store.clock.now
    _ = try await test.verify(coins, ["installation": "one"])
    await test.store.advance(to: claimed + 61)
    #expect(try await test.verify(coins, ["installation": "two"]).text("claimedBy") == "two")
  }

  @Test(arguments: Backend.allCases)
  func anAcknowledgedUnitNeverMoves(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try test.buy(DemoCatalog.coins)
      _ = try await test.verify(coins, ["installation": "one"])
      let body: JSONObject = ["installation": "one", "acknowledged": true]
      let told = try await test.verify(coins, body)
      #expect(told.text("claimedBy") == "one")
      #expect(told.body["acknowledged"] == true)
      #expect(try await test.verify(coins, body).withoutRequestID == told.withoutRequestID)
      await test.store.advance(by: 10 * Self.lease)
      let other = try await test.verify(coins, ["installation": "two"])
      #expect(other.withoutRequestID == told.withoutRequestID)
      #expect(try await test.verify(coins).withoutRequestID == told.withoutRequestID)
      #expect(try await ledger.counts().entries == 1)
    }
  }

  @Test func twentyAcknowledgementsAtOnceAreEqualAnswers() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await test.verify(coins, ["installation": "one", "acknowledged": true])
        }
      }
      return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
    }
    #expect(Set(answers.map(\.withoutRequestID)).count == 1)
    #expect(answers.first?.body["acknowledged"] == true)
  }

  @Test func sayingThatNothingWasHandedOverIsAPlainQuestion() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let answer = try await test.verify(coins, ["installation": "one", "acknowledged": false])
    #expect(answer.text("claimedBy") == "one")
    #expect(answer.body["acknowledged"] == nil)
  }

  @Test func whatIsKeptForEverIsNotAcknowledged() async throws {
    let test = try TestServer()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let answer = try await test.verify(lifetime, ["installation": "one", "acknowledged": true])
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.body["acknowledged"] == nil)
    #expect(answer.text("claimedBy") == nil)
  }

  @Test func aRefusedProofAcknowledgesNothing() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let answer = try await test.verify(
      coins,
      ["installation": "one", "acknowledged": true, "productId": "com.example.demo.lifetime"]
    )
    #expect(answer.text("verdict") == "rejected")
    #expect(try await test.verify(coins).body["acknowledged"] == nil)
  }

  @Test func aReceiptAcknowledgesAsWell() async throws {
    let test = try TestServer(receipts: true)
    let coins = try test.buy(DemoCatalog.coins)
    let receipt = try #require(try test.store.receipt(on: test.phone))
    let body: JSONObject = [
      "receipt": .string(Data(receipt).base64EncodedString()),
      "transactionId": .string(coins.transactionID.rawValue),
      "productId": "com.example.demo.coins", "installation": "one", "acknowledged": true,
    ]
    #expect(try await test.verify(body).body["acknowledged"] == true)
    let signed = try await test.verify(coins, ["installation": "two"])
    #expect(signed.text("claimedBy") == "one")
    #expect(signed.body["acknowledged"] == true)
  }
}
