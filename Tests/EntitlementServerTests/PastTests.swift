import AppStoreSimulator
import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import IAPSignatures
import SQLiteStorage
import ServerStorage
import Testing

@testable import EntitlementServer

/// A ledger made as it was at an instant, compared with one that stopped there.
@Suite struct PastTests {
  private static let number = "0f4d2e3a-9b1c-4d5e-8f60-718293a4b5c6"
  private static let scopes = [
    LedgerScope(app: DemoCatalog.bundleID, environment: .production),
    LedgerScope(app: DemoCatalog.bundleID, environment: .sandbox),
  ]

  /// The ledger as it was after a step.
  private struct Stop {
    let date: Date
    let path: String
    let balance: JSONValue?
    let orders: JSONValue?
  }

  private func read<Value: Sendable>(
    _ path: String,
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws -> Value {
    let ledger = try SQLiteLedger(path: path)
    let value = try await ledger.read(body)
    await ledger.close()
    return value
  }

  private func dump(_ path: String, at instant: Date) async throws -> LedgerDump {
    try await read(path) { reader throws(StorageError) in
      try LedgerDump(reader, scopes: Self.scopes, at: instant)
    }
  }

  private func make(_ source: String, _ path: String, _ until: Date) throws -> SQLitePast.Report {
    try SQLitePast.make(
      from: source,
      at: path,
      until: until,
      now: until,
      reading: { fact throws(StorageError) in try StoredFactReader.facts(of: fact) }
    )
  }

  private func receipt(_ test: TestServer, on device: DeviceID) async throws {
    let bytes = try #require(try test.store.receipt(on: device))
    let body: JSONObject = [
      "receipt": .string(Base64.encode(bytes, .standard)), "account": "zoe",
    ]
    for record in test.store.transactions(of: "mia") {
      var body = body
      body["transactionId"] = .string(record.transactionID.rawValue)
      _ = try await test.verify(body)
    }
  }

  private func debit(_ test: TestServer, _ name: String, _ amount: Int64) async throws {
    let answer = try await test.send(
      .post,
      "/v1/customers/mia/debits?environment=Sandbox",
      headers: ["Idempotency-Key": name],
      ["balance": "coins", "amount": .integer(amount)]
    )
    #expect(answer.status == 200)
  }

  /// What happens, one step after another.
  private func steps(_ test: TestServer) -> [() async throws -> Void] {
    let coins = DemoCatalog.coins
    let order: JSONObject = [
      "orderNumber": .string(Self.number), "productId": .string(coins.rawValue), "account": "mia",
      "context": ["cart": 7],
    ]
    return [
      {
        _ = try await test.send(
          .put,
          "/v1/catalog",
          [
            "products": [
              ["id": .string(coins.rawValue), "type": "Consumable", "credits": ["coins": 100]]
            ]
          ]
        )
        _ = try await test.verify(try test.buy(coins), ["account": "mia"])
      },
      { _ = try await test.post("/v1/orders", order) },
      {
        _ = try test.buy(coins, token: AppAccountToken(Self.number), quantity: 2)
        await test.store.drainNotifications()
      },
      { try await debit(test, "a", 30) },
      {
        _ = try test.buy(DemoCatalog.monthly)
        await test.store.drainNotifications()
      },
      { _ = try await test.verify(try test.buy(DemoCatalog.lifetime), ["account": "mia"]) },
      {
        await test.store.advance(by: 40 * 86_400)
        await test.store.drainNotifications()
      },
      { try await receipt(test, on: test.phone) },
      { try await debit(test, "b", 50) },
      {
        let bought = try #require(test.store.transactions(of: "mia").first)
        try test.store.refund(bought.transactionID)
        await test.store.drainNotifications()
      },
      {
        let bought = try #require(test.store.transactions(of: "mia").first)
        try test.store.reverseRefund(bought.transactionID)
        await test.store.drainNotifications()
      },
      {
        var other = order
        other["orderNumber"] = "0f4d2e3a-9b1c-4d5e-8f60-718293a4b5c7"
        _ = try await test.post("/v1/orders", other)
      },
    ]
  }

  private func balance(_ test: TestServer) async throws -> JSONValue? {
    try await test.get("/v1/customers/mia/balances?environment=Sandbox").body["balances"]
  }

  private func orders(_ test: TestServer) async throws -> JSONValue? {
    try await test.customer("mia")["orders"]
  }

  @Test func aLedgerUntilAnInstantIsTheOneThatStoppedThere() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      let test = try TestServer(ledger: ledger, receipts: true)
      var stops: [Stop] = []
      for (index, step) in steps(test).enumerated() {
        try await step()
        let copy = folder + "/stop-\(index).sqlite"
        try SQLiteArchive(path: path).copy(to: copy)
        stops.append(
          Stop(
            date: test.store.clock.now,
            path: copy,
            balance: try await balance(test),
            orders: try await orders(test)
          )
        )
        // The next step comes one unit later.
        test.store.clock.advance(by: 0.001)
      }
      await ledger.close()
      let last = test.store.clock.now
      for (index, stop) in stops.enumerated() {
        let past = folder + "/past-\(index).sqlite"
        let report = try make(path, past, stop.date)
        #expect(report.entriesUnrecorded == 0)
        let (there, here) = (
          try await dump(stop.path, at: last), try await dump(past, at: last)
        )
        #expect(there.differences(from: here) == [], "step \(index)")
        #expect(there.lines == here.lines)
        let (stopped, made) = (try SQLiteLedger(path: stop.path), try SQLiteLedger(path: past))
        #expect(try await stopped.counts() == made.counts(), "step \(index)")
        let server = try TestServer(ledger: made)
        #expect(try await balance(server) == stop.balance, "step \(index)")
        #expect(try await orders(server) == stop.orders, "step \(index)")
        for ledger in [stopped, made] { await ledger.close() }
      }
    }
  }

  @Test func aFactOfTheInstantIsInItAndOneOfTheNextUnitIsNot() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      let test = try TestServer(ledger: ledger)
      var dates: [Date] = []
      for _ in 0..<3 {
        _ = try await test.verify(try test.buy(DemoCatalog.coins))
        dates.append(test.store.clock.now)
        test.store.clock.advance(by: 0.001)
      }
      await ledger.close()
      let span = try #require(try SQLitePast.span(of: path))
      #expect(span == dates[0]...dates[2])
      #expect(try make(path, folder + "/a", dates[1]).facts == 2)
      #expect(try make(path, folder + "/b", dates[1].addingTimeInterval(-0.001)).facts == 1)
      let all = try make(path, folder + "/c", dates[2].addingTimeInterval(3600))
      #expect((all.facts, all.factsLeft) == (3, 0))
      #expect(all.lastFact == dates[2])
    }
  }

  @Test func nothingWaitsToBeToldAndNoNumberIsGivenAgain() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      let test = try TestServer(ledger: ledger)
      _ = try await test.verify(try test.buy(DemoCatalog.monthly), ["account": "mia"])
      let until = test.store.clock.now
      test.store.clock.advance(by: 1)
      let later = try test.buy(DemoCatalog.coins)
      _ = try await test.verify(later, ["account": "mia"])
      let app = DemoCatalog.bundleID
      let before = try await ledger.read { reader throws(StorageError) in
        try reader.events(of: app, after: 0, limit: 100)
      }
      await ledger.close()
      let past = folder + "/past.sqlite"
      _ = try make(path, past, until)
      let made = try SQLiteLedger(path: past)
      #expect(
        try await made.read { reader throws(StorageError) in
          try reader.events(of: app, after: 0, limit: 100)
        }.isEmpty
      )
      // What comes again is told again, behind everything that was told, and once.
      let text = try test.store.signedTransaction(later.transactionID)
      let again = try BareServer(
        ledger: made,
        roots: [test.store.jwsRootCertificate],
        apps: [ServerApp(bundleID: app, appAppleID: DemoCatalog.appAppleID)],
        now: test.store.clock.now
      )
      let body: JSONObject = ["signedTransaction": .string(text), "account": "mia"]
      for _ in 0..<2 {
        #expect(try await again.post("/v1/verify", body.serialized).status == 200)
      }
      let told = try await made.read { reader throws(StorageError) in
        try reader.events(of: app, after: 0, limit: 100)
      }
      #expect(told.map(\.type) == [.granted])
      let last = try #require(before.map(\.ordinal).max())
      #expect(told.allSatisfy { $0.ordinal > last })
      #expect(Set(told.map(\.id)).isDisjoint(with: before.map(\.id)))
      await made.close()
    }
  }

  @Test func whoWasErasedStaysErasedAndTheStateIsTheSame() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/ledger.sqlite"
      let ledger = try SQLiteLedger(path: path)
      let test = try TestServer(ledger: ledger)
      _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "mia-zqx"])
      _ = try test.buy(DemoCatalog.monthly)
      await test.store.drainNotifications()
      let until = test.store.clock.now
      test.store.clock.advance(by: 1)
      _ = try await test.verify(try test.buy(DemoCatalog.coins), ["account": "mia-zqx"])
      var write = LedgerWrite(date: test.store.clock.now)
      write.erasures = [Erasure("mia-zqx", app: DemoCatalog.bundleID)]
      _ = try await ledger.commit(write)
      await ledger.close()
      let past = folder + "/past.sqlite"
      let report = try make(path, past, until)
      #expect(report.entries == 2)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: past))
      #expect(bytes.range(of: Data("mia-zqx".utf8)) == nil)
      let erased = try await read(past) { reader throws(StorageError) in
        var count = 0
        for scope in Self.scopes {
          for subject in try reader.subjects(in: scope, after: nil, limit: 100)
          where try reader.isErased(subject) {
            count += 1
          }
        }
        return count
      }
      #expect(erased == 1)
    }
  }

  @Test func randomLivesCutAtAnyInstantAreThoseThatWereLivedSoFar() async throws {
    try await withTemporaryFolder { folder in
      let lives = try RandomLives(count: 12, days: 60, seed: 4)
      let whole = folder + "/whole.sqlite"
      let ledger = try SQLiteLedger(path: whole)
      let deliveries = Deliveries(lives.parcels, seed: 9)
      try await lives.run.deliver(deliveries, to: ledger)
      await ledger.close()
      let arrivals = deliveries.parcels.map(\.arrival)
      for part in [7, 3, 2] {
        let until = Date(milliseconds: arrivals[arrivals.count / part].milliseconds)
        let stopped = folder + "/stopped-\(part).sqlite"
        let other = try SQLiteLedger(path: stopped)
        try await lives.run.deliver(deliveries.through(until), to: other)
        await other.close()
        let past = folder + "/past-\(part).sqlite"
        #expect(try make(whole, past, until).entriesUnrecorded == 0)
        let (there, here) = (
          try await dump(stopped, at: lives.run.end), try await dump(past, at: lives.run.end)
        )
        #expect(there.differences(from: here) == [])
        #expect(there.lines == here.lines)
        #expect(!there.lines.isEmpty)
      }
    }
  }
}
