import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

@Suite struct ErasureContractTests {
  private static let token = Make.number(9).accountToken

  /// A customer with a purchase that carries a token, an order and a conflict.
  private func prepare(_ ledger: any Ledger) async throws {
    var write = Make.write(Make.payload("1", token: Self.token), Make.payload("2"))
    write.orders = [Make.order(1, customer: "ann", context: ["note": "x"])]
    write.aliases = [CustomerAlias(app: "com.example.app", token: Self.token, customer: "ann")]
    _ = try await ledger.commit(write)
    _ = try await ledger.commit(Make.presented("1", by: "ann"))
    _ = try await ledger.commit(Make.presented("1", by: "bob"))
    _ = try await ledger.commit(Make.presented("2", by: "bob"))
    _ = try await ledger.commit(Make.claim("phone", at: 300))
  }

  private func erase(_ ledger: any Ledger) async throws -> ErasureOutcome? {
    var write = LedgerWrite(date: Make.date(500))
    write.erasures = [Erasure("ann", app: "com.example.app")]
    write.digest = { _ in [0xAB] }
    return try await ledger.commit(write).erasures.first
  }

  @Test(arguments: Backend.allCases)
  func aTombstoneHasKeyDatesAndHashAndNothingElse(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      try await prepare(ledger)
      let outcome = try await erase(ledger)
      #expect(outcome?.subjects == 1)
      #expect(outcome?.facts == 1)
      let (mine, other) = try await ledger.read { reader throws(StorageError) in
        (
          try reader.fact(.transaction(Make.payload("1")), in: Make.scope),
          try reader.fact(.transaction(Make.payload("2")), in: Make.scope)
        )
      }
      let bytes = try #require(mine?.bytes)
      #expect(
        try JSONParser.parseObject(bytes)
          == [
            "tombstone": "transaction:1:1700000000000", "signedDate": 1_700_000_000_000,
            "receivedDate": 1_700_000_100_000, "sha256": "ab",
          ]
      )
      #expect(other?.bytes == Make.payload("2").object.serialized)
    }
  }

  @Test(arguments: Backend.allCases)
  func whoItWasIsForgottenAndWhatHappenedIsNot(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      try await prepare(ledger)
      let counts = try await ledger.counts()
      _ = try await erase(ledger)
      let subject = Make.subject("1")
      let found = try await ledger.read { reader throws(StorageError) in
        (
          owner: try reader.owner(of: subject),
          orders: try reader.orders(of: "ann", app: "com.example.app"),
          customer: try reader.customer(of: Self.token, app: "com.example.app"),
          carrying: try reader.subjects(carrying: Self.token, app: "com.example.app"),
          conflicts: try reader.conflicts(of: subject).map(\.customer),
          claim: try reader.claim(to: "tx:1", in: Make.scope)?.installation,
          entries: try reader.entries(of: subject).count, isErased: try reader.isErased(subject),
          order: try reader.order(Make.number(1), app: "com.example.app")
        )
      }
      #expect(found.owner == nil)
      #expect(found.orders == [])
      #expect(found.customer == nil)
      #expect(found.carrying == [])
      #expect(found.conflicts.count == 1)
      #expect(!found.conflicts.contains("bob"))
      #expect(found.claim == "erased")
      #expect(found.entries == 1)
      #expect(found.isErased)
      #expect(found.order?.customer == nil)
      #expect(found.order?.context == [:])
      #expect(try await ledger.counts() == counts)
      let transaction = try await ledger.history(of: subject).transactions.first
      #expect(transaction?.payload.appAccountToken == nil)
      #expect(transaction?.payload.productID == "coins")
    }
  }

  @Test(arguments: Backend.allCases)
  func newsAboutAnErasedPurchaseNamesNobody(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      try await prepare(ledger)
      _ = try await erase(ledger)
      let counts = try await ledger.counts()
      // What was known is known, although it says more than what is kept.
      let again = try await ledger.commit(Make.write(Make.payload("1", token: Self.token)))
      #expect(again.facts == [.known])
      #expect(try await ledger.counts() == counts)
      let refund = Make.payload("1", signed: 50, revoked: 40, token: Self.token)
      let outcome = try await ledger.commit(Make.write(refund))
      #expect(outcome.facts == [.inserted])
      #expect(outcome.newEntries.map(\.entry.kind) == [.clawback])
      let (fact, items) = try await ledger.read { reader throws(StorageError) in
        (
          try reader.fact(.transaction(refund), in: Make.scope),
          try reader.items(of: Make.subject("1"))
        )
      }
      #expect(fact?.bytes.starts(with: #"{"tombstone""#.utf8) == true)
      for item in items {
        let text = String(decoding: item.body, as: UTF8.self)
        #expect(!text.contains(Self.token.description))
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func aMergeMovesOwnersOrdersAndTokens(backend: Backend) async throws {
    try await backend.withLedger { ledger in
      try await prepare(ledger)
      var write = LedgerWrite(date: Make.date(600))
      write.merges = [CustomerMerge(app: "com.example.app", from: "ann", into: "zoe")]
      _ = try await ledger.commit(write)
      let found = try await ledger.read { reader throws(StorageError) in
        (
          old: try reader.subjects(ownedBy: "ann", app: "com.example.app"),
          new: try reader.subjects(ownedBy: "zoe", app: "com.example.app"),
          orders: try reader.orders(of: "zoe", app: "com.example.app").count,
          tokens: try reader.tokens(of: "zoe", app: "com.example.app")
        )
      }
      #expect(found.old == [])
      #expect(found.new == [Make.subject("1")])
      #expect(found.orders == 1)
      #expect(found.tokens == [Self.token])
    }
  }
}
