import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct ExportTests {
  private func table(_ test: TestServer, _ query: String) async -> (HTTPResponse, [String]) {
    let response = await test.server.answer(
      HTTPRequest(method: .get, target: "/v1/export?" + query)
    )
    let text = String(decoding: response.body, as: UTF8.self)
    return (response, text.components(separatedBy: "\r\n"))
  }

  @Test(arguments: Backend.allCases)
  func whatTookEffectIsListedOnceOldestFirst(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try test.buy(DemoCatalog.coins, quantity: 2)
      _ = try await test.verify(coins)
      _ = try await test.verify(coins)
      try test.store.refund(coins.transactionID)
      await test.store.drainNotifications()
      let answer = try await test.get("/v1/export?kind=entries")
      let rows = (answer.body["rows"]?.arrayValue ?? []).compactMap(\.objectValue)
      #expect(rows.map { $0["kind"] } == ["unit.grant", "unit.clawback"])
      #expect(rows.map { $0["quantity"] } == [2, 2])
      #expect(rows.allSatisfy { $0["environment"] == "Sandbox" })
      #expect(answer.body["next"] == nil)
      let first = try await test.get("/v1/export?limit=1")
      let next = try #require(first.body["next"]?.integerValue)
      let second = try await test.get("/v1/export?limit=1&after=\(next)")
      let more = (second.body["rows"]?.arrayValue ?? []).compactMap(\.objectValue)
      #expect(more.map { $0["kind"] } == ["unit.clawback"])
    }
  }

  @Test func aTableHasOneLineARowAndNamesTheNextPlace() async throws {
    let test = try TestServer()
    for _ in 0..<3 { _ = try await test.verify(try test.buy(DemoCatalog.coins)) }
    let (response, lines) = await table(test, "format=csv&limit=2")
    #expect(response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present")
    #expect(response.headers["Next-After"] == "2")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("\"sequence\",\"kind\",\"environment\""))
    #expect(lines[1].hasPrefix("1,\"unit.grant\",\"Sandbox\""))
    #expect(lines[3] == "")
    let (last, rest) = await table(test, "format=csv&after=2")
    #expect(last.headers["Next-After"] == nil)
    #expect(rest.count == 3)
  }

  @Test func quotationMarksAndFormulasAreHarmlessInATable() async throws {
    let test = try TestServer()
    _ = try await test.post("/v1/customers/mia/aliases", ["alias": "=cmd()"])
    let (_, lines) = await table(test, "kind=audit&format=csv")
    #expect(lines[1].contains("\"customer.merged\""))
    // The details are JSON, whose quotation marks are doubled.
    #expect(lines[1].contains("\"{\"\"customer\"\":"))
    #expect(!lines[1].contains("=cmd()"))
  }

  @Test func otherAppsAreNotListed() async throws {
    let test = try TestServer(requiresKeys: true, otherApp: true)
    let own = try await test.key(.secret)
    let foreign = try await test.key(.secret, app: TestServer.appB)
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.send(
      .post,
      "/v1/verify",
      key: own,
      ["signedTransaction": .string(try test.store.signedTransaction(coins.transactionID))]
    )
    let mine = try await test.send(.get, "/v1/export", key: own)
    #expect(mine.body["rows"]?.arrayValue?.count == 1)
    let theirs = try await test.send(.get, "/v1/export", key: foreign)
    #expect(theirs.body["rows"] == [])
  }

  @Test(arguments: [
    ("kind=all", "kind"), ("format=xml", "format"), ("limit=0", "limit"),
    ("limit=1001", "limit"), ("after=-1", "after"),
  ])
  func whatCannotBeListedIsNamed(query: String, place: String) async throws {
    let answer = try await TestServer().get("/v1/export?" + query)
    #expect(answer.status == 400)
    #expect(answer.errorParameter == place)
  }

  /// Every row of a list, page by page.
  private func all(_ test: TestServer, _ query: String, limit: Int) async throws -> [JSONObject] {
    var rows: [JSONObject] = []
    var cursor: String?
    repeat {
      let more = cursor.map { "&cursor=\($0)" } ?? ""
      let answer = try await test.get("/v1/export?\(query)&limit=\(limit)\(more)")
      #expect(answer.status == 200)
      rows += (answer.body["rows"]?.arrayValue ?? []).compactMap(\.objectValue)
      cursor = answer.text("nextCursor")
    } while cursor != nil
    return rows
  }

  @Test(arguments: Backend.allCases, [1, 2, 3, 1000])
  func everyOrderAndTransactionIsListedOnce(backend: Backend, limit: Int) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      var numbers: [String] = []
      for index in 0..<5 {
        let opened = try await test.post(
          "/v1/orders",
          ["productId": "com.example.demo.coins", "account": .string("mia\(index)")]
        )
        numbers.append(try #require(opened.text("orderNumber")))
      }
      let token = AppAccountToken(numbers[2])
      let coins = try test.buy(DemoCatalog.coins, token: token, quantity: 2)
      let monthly = try test.buy(DemoCatalog.monthly)
      await test.store.advance(by: 40 * 86_400)
      let orders = try await all(test, "kind=orders", limit: limit)
      #expect(orders.compactMap { $0["orderNumber"]?.stringValue } == numbers.sorted())
      #expect(orders.count { $0["state"] == "paid" } == 1)
      let rows = try await all(test, "kind=transactions&environment=Sandbox", limit: limit)
      let renewals = test.store.transactions(of: "mia").map(\.transactionID.rawValue)
      #expect(renewals.count > 2)
      #expect(rows.compactMap { $0["transactionId"]?.stringValue }.sorted() == renewals.sorted())
      let first = rows.first { $0["transactionId"]?.stringValue == coins.transactionID.rawValue }
      #expect(first?["price"] == "1.98" && first?["currency"] == "USD")
      #expect(first?["account"] == "mia2" && first?["quantity"] == 2)
      let second = rows.first { $0["transactionId"]?.stringValue == monthly.transactionID.rawValue }
      #expect(second?["account"] == nil)
      #expect(try await all(test, "kind=transactions&environment=Production", limit: 10) == [])
    }
  }

  @Test func ordersAndTransactionsAreTablesToo() async throws {
    let test = try TestServer()
    for _ in 0..<3 { _ = try await test.verify(try test.buy(DemoCatalog.coins)) }
    let (page, lines) = await table(
      test,
      "kind=transactions&format=csv&limit=2&environment=Sandbox"
    )
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("\"environment\",\"transactionId\""))
    let cursor = try #require(page.headers["Next-Cursor"])
    let (last, rest) = await table(
      test,
      "kind=transactions&format=csv&environment=Sandbox&cursor=\(cursor)"
    )
    #expect(rest.count == 3)
    #expect(last.headers["Next-Cursor"] == nil)
  }

  @Test(arguments: [
    "kind=entries&cursor=1", "kind=orders&cursor=1", "kind=orders&cursor='; DROP TABLE orders",
    "kind=transactions&environment=Moon", "kind=receipts", "kind=orders&limit=1001",
  ])
  func whatCannotBeListedIsNamed(query: String) async throws {
    let test = try TestServer()
    let target = "/v1/export?" + query.replacingOccurrences(of: " ", with: "%20")
    let answer = try await test.get(target)
    #expect(answer.status == 400)
    #expect(answer.errorParameter != nil)
  }
}
