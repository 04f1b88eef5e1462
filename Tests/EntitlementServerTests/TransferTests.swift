import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import ServerStorage
import Testing

/// What happens when another customer presents a purchase.
@Suite struct TransferTests {
  private func conflicts(_ test: TestServer) async throws -> Int {
    try await test.ledger.counts().conflicts
  }

  @Test(arguments: Backend.allCases)
  func ofTwoAtTheSameMomentOneOwnsAndOneIsAConflict(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for number in 0..<20 {
          let account: JSONValue = number.isMultiple(of: 2) ? "mia" : "eve"
          group.addTask { try await test.verify(lifetime, ["account": account]) }
        }
        return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
      }
      let mine = try await test.customer("mia")["purchases"]?.arrayValue?.count
      let hers = try await test.customer("eve")["purchases"]?.arrayValue?.count
      #expect([mine, hers].compactMap { $0 }.sorted() == [0, 1])
      #expect(answers.filter { $0.body["belongsToAnother"] == true }.count == 10)
      #expect(try await conflicts(test) == 1)
      #expect(try await test.get("/v1/reviews").body["reviews"]?.arrayValue?.count == 1)
    }
  }

  @Test(arguments: Backend.allCases)
  func whereTransferIsThePolicyTheLastPresenterOwns(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger, transfers: .transfer)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      for account in ["mia", "eve", "eve", "mia"] {
        let answer = try await test.verify(lifetime, ["account": .string(account)])
        #expect(answer.body["belongsToAnother"] == nil)
        #expect(answer.entitlements == [DemoCatalog.lifetime.rawValue])
        #expect(try await test.customer(account)["purchases"]?.arrayValue?.count == 1)
        let other = account == "mia" ? "eve" : "mia"
        #expect(try await test.customer(other)["purchases"]?.arrayValue?.count == 0)
      }
      let audit = try await ledger.read { reader throws(StorageError) in
        try reader.audit(after: 0, limit: 10)
      }
      #expect(audit.map(\.action) == ["purchase.ownerChanged", "purchase.ownerChanged"])
      // It is no case for people, and goods were granted once.
      #expect(try await test.get("/v1/reviews").body["reviews"] == [])
      #expect(try await ledger.counts().entries == 1)
    }
  }

  @Test(arguments: Backend.allCases)
  func whereSharingIsThePolicyBothHaveIt(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger, transfers: .share)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      for account in ["mia", "eve", "mia", "eve"] {
        let answer = try await test.verify(lifetime, ["account": .string(account)])
        #expect(answer.body["belongsToAnother"] == nil)
        #expect(answer.entitlements == [DemoCatalog.lifetime.rawValue])
      }
      for account in ["mia", "eve"] {
        #expect(
          names(try await test.customer(account)["entitlements"])
            == [DemoCatalog.lifetime.rawValue]
        )
      }
      #expect(try await conflicts(test) == 0)
      try test.store.refund(lifetime.transactionID)
      await test.store.drainNotifications()
      for account in ["mia", "eve"] {
        #expect(names(try await test.customer(account)["entitlements"]) == [])
      }
    }
  }

  @Test(arguments: [TransferPolicy.transfer, .share])
  func whatIsUsedUpStaysWhereItIs(policy: TransferPolicy) async throws {
    let test = try TestServer(transfers: policy)
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins, ["account": "mia"])
    let answer = try await test.verify(coins, ["account": "eve"])
    #expect(answer.body["belongsToAnother"] == true)
    #expect(try await test.customer("eve")["purchases"]?.arrayValue?.count == 0)
    #expect(try await conflicts(test) == 1)
  }

  @Test(arguments: Backend.allCases)
  func anUnclaimedPurchaseIsKeptAndClaimedLater(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      await test.store.drainNotifications()
      #expect(try await ledger.counts().entries == 1)
      #expect(try await test.customer("mia")["purchases"]?.arrayValue?.count == 0)
      await test.store.advance(by: 90 * 86_400)
      let answer = try await test.verify(lifetime, ["account": "mia"])
      #expect(answer.body["grant"]?.objectValue?["count"] == 1)
      #expect(try await test.customer("mia")["purchases"]?.arrayValue?.count == 1)
    }
  }

  @Test(arguments: Backend.allCases)
  func aPlainReceiptCreditsEverythingThatItShows(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger, receipts: true)
      _ = try test.buy(DemoCatalog.lifetime)
      _ = try test.buy(DemoCatalog.monthly)
      _ = try test.buy(DemoCatalog.coins)
      let receipt = try #require(try test.store.receipt(on: test.phone))
      let answer = try await test.verify([
        "receipt": .string(Data(receipt).base64EncodedString()), "account": "mia",
      ])
      #expect(answer.text("verdict") == "accepted")
      #expect(answer.entitlements.count == 2)
      #expect(try await test.customer("mia")["purchases"]?.arrayValue?.count == 3)
      let other = try await test.verify([
        "receipt": .string(Data(receipt).base64EncodedString()), "account": "eve",
      ])
      #expect(other.entitlements == [])
      #expect(try await conflicts(test) == 3)
    }
  }

  @Test func twoSpellingsOfOneTextAreOneCustomerAndLookAlikesAreNot() async throws {
    let test = try TestServer()
    let lifetime = try test.buy(DemoCatalog.lifetime)
    _ = try await test.verify(lifetime, ["account": "zo\u{EB}"])
    let same = try await test.verify(lifetime, ["account": "zoe\u{308}"])
    #expect(same.body["belongsToAnother"] == nil)
    // A Cyrillic o.
    let other = try await test.verify(lifetime, ["account": "z\u{43E}\u{EB}"])
    #expect(other.body["belongsToAnother"] == true)
    for bad in ["a\u{0}b", "a\nb", "\u{7F}", "me"] {
      let answer = try await test.verify(lifetime, ["account": .string(bad)])
      #expect(answer.errorParameter == "account")
    }
  }
}
