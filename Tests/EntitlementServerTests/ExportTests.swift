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
}
