import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

@Suite struct MoneyAuditTests {
  /// A store of production, whose notifications reach the server until they are lost.
  private func server(_ ledger: any Ledger = InMemoryLedger()) throws -> TestServer {
    try TestServer(ledger: ledger, storeEnvironment: .production)
  }

  private func file(_ text: String, _ name: String = "report.txt") -> JSONValue {
    ["name": .string(name), "content": .string(Base64.encode(Array(text.utf8), .standard))]
  }

  private func report(_ test: TestServer, _ kind: StoreReport = .summarySales) -> String {
    test.store.report(kind, from: TestServer.start, to: test.store.clock.now)
  }

  /// Hands files in and works until the audit is over.
  private func audit(
    _ test: TestServer,
    _ texts: [String],
    _ more: JSONObject = [:],
    query: String = ""
  ) async throws -> JSONObject {
    var body: JSONObject = ["files": .array(texts.map { file($0) })]
    for member in more.members { body[member.name] = member.value }
    let begun = try await test.post("/v1/audits" + query, body)
    #expect(begun.status == 200)
    while await test.server.work() > 0 {}
    let shown = try await test.get("/v1/audits/\(try #require(begun.text("id")))")
    #expect(shown.text("state") == "done")
    return shown.body
  }

  private func differences(_ audit: JSONObject) -> [String] {
    (audit["differences"]?.arrayValue ?? []).compactMap(\.objectValue).map { difference in
      let sides = ["report", "ledger"].map { side in
        let units = difference[side + "Units"]?.integerValue ?? -1
        return "\(units)/\(difference[side + "Amount"]?.stringValue ?? "?")"
      }
      let reasons = (difference["reasons"]?.arrayValue ?? []).compactMap(\.stringValue)
      let product = difference["productId"]?.stringValue ?? ""
      return [
        difference["kind"]?.stringValue ?? "", difference["start"]?.stringValue ?? "",
        String(product.split(separator: ".").last ?? ""),
        difference["currency"]?.stringValue ?? "?", sides.joined(separator: " "),
        reasons.joined(separator: ","),
      ].joined(separator: " ")
    }
  }

  private func lose(_ test: TestServer) {
    test.store.setNotificationTransport { _, _ in 503 }
  }

  private func live(_ test: TestServer) async throws {
    _ = try test.buy(DemoCatalog.coins, quantity: 3)
    _ = try test.buy(DemoCatalog.lifetime)
    _ = try test.buy(DemoCatalog.monthly)
    await test.store.drainNotifications()
    await test.store.advance(by: 40 * 86_400)
    let second = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    try test.store.refund(second.transactionID)
    await test.store.drainNotifications()
  }

  @Test(arguments: Backend.allCases, StoreReport.allCases)
  func aLedgerThatHeardEverythingEqualsTheReport(
    backend: Backend,
    kind: StoreReport
  ) async throws {
    try await withLedger(backend) { ledger in
      let test = try server(ledger)
      try await live(test)
      // A subscriber report names products by number: the sales report says which is which.
      let texts = kind == .subscriber ? [report(test), report(test, kind)] : [report(test, kind)]
      let audit = try await audit(test, texts)
      #expect(differences(audit) == [])
      #expect(audit["differenceCount"] == 0)
      #expect(audit["badRows"] == [])
      let totals = (audit["totals"]?.arrayValue ?? []).compactMap(\.objectValue)
      #expect(!totals.isEmpty)
      for total in totals {
        #expect(total["reportUnits"] == total["ledgerUnits"])
        #expect(total["reportAmount"] == total["ledgerAmount"])
        #expect(total["reportAmount"] != nil)
      }
    }
  }

  @Test func aLostNotificationIsExactlyOneDifference() async throws {
    let test = try server()
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    lose(test)
    _ = try test.buy(DemoCatalog.lifetime)
    await test.store.drainNotifications()
    let price = try #require(test.store.transactions(of: "mia").last?.priceMilliunits)
    let amount = "\(price / 1000).\(price % 1000 / 10)"
    #expect(
      differences(try await audit(test, [report(test)])) == [
        "units 2026-01-01 lifetime USD 1/\(amount) 0/0.00 unknownProduct,missingNotification"
      ]
    )
  }

  @Test func aLostRefundIsExactlyOneDifference() async throws {
    let test = try server()
    let coins = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    await test.store.advance(by: 3 * 86_400)
    lose(test)
    try test.store.refund(coins.transactionID)
    await test.store.drainNotifications()
    #expect(
      differences(try await audit(test, [report(test)])) == [
        "refunds 2026-01-04 coins USD 1/0.99 0/0.00 missingNotification"
      ]
    )
  }

  @Test func aRefundOfAPartIsComparedByItsAmount() async throws {
    let test = try server()
    let yearly = try test.buy(DemoCatalog.lifetime)
    await test.store.drainNotifications()
    try test.store.refund(yearly.transactionID, percentage: 50_000)
    await test.store.drainNotifications()
    #expect(differences(try await audit(test, [report(test)])) == [])
  }

  @Test func whatOnlyTheLedgerHasIsNamedWithItsTransactions() async throws {
    let test = try server()
    let coins = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let lines = report(test).split(separator: "\n")
    let audit = try await audit(
      test,
      [lines[0] + "\n"].map { String($0) },
      ["start": "2026-01-01", "end": "2026-01-01"]
    )
    // A file without rows says nothing about any day.
    #expect(differences(audit) == [])
    let empty: JSONValue = [
      "name": "S_D_80012345_20260101.txt",
      "content": .string(Base64.encode(Array((lines[0] + "\n").utf8), .standard)),
    ]
    let second = try await self.audit(test, [], ["files": [empty]])
    #expect(
      differences(second) == ["units 2026-01-01 coins USD 0/0.00 1/0.99 reportIncomplete"]
    )
    let found = second["differences"]?.arrayValue?.first?.objectValue
    #expect(found?["transactions"] == [.string(coins.transactionID.rawValue)])
  }

  @Test func currenciesAreNeverAddedUp() async throws {
    let test = try server()
    try test.store.addAccount("zoe", storefront: Storefront.of(countryCode: "DEU"))
    try test.store.addDevice("german", account: "zoe")
    _ = try test.buy(DemoCatalog.coins)
    _ = try test.buy(DemoCatalog.coins, on: "german")
    await test.store.drainNotifications()
    let audit = try await audit(test, [report(test)])
    #expect(differences(audit) == [])
    let totals = (audit["totals"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(totals.map { $0["currency"] } == ["EUR", "USD"])
    // The same pieces under another currency.
    let other = report(test).replacingOccurrences(of: "EUR", with: "GBP")
    #expect(
      differences(try await self.audit(test, [other])) == [
        "units 2026-01-01 coins EUR 0/0.00 1/0.99 currencyDiffers,reportIncomplete",
        "units 2026-01-01 coins GBP 1/0.99 0/0.00 currencyDiffers,missingNotification",
      ]
    )
  }

  @Test func familyMembersCopiesAreNotSold() async throws {
    let test = try server()
    try test.store.addAccount("ada")
    try test.store.addFamily("family", organizer: "mia")
    try test.store.joinFamily("family", "ada")
    _ = try test.buy(DemoCatalog.yearly)
    await test.store.drainNotifications()
    #expect(differences(try await audit(test, [report(test)])) == [])
  }

  @Test func aPriceThatNobodySaysIsUnknown() async throws {
    let test = try server()
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let text = report(test).replacingOccurrences(of: "\t0.99\t", with: "\t\t")
    #expect(
      differences(try await audit(test, [text])) == [
        "amount 2026-01-01 coins USD 1/? 1/0.99 pricingUnknown"
      ]
    )
    let dearer = report(test).replacingOccurrences(of: "\t0.99\t", with: "\t1.99\t")
    #expect(
      differences(try await audit(test, [dearer])) == [
        "amount 2026-01-01 coins USD 1/1.99 1/0.99 priceDiffers"
      ]
    )
  }

  @Test func midnightIsCalifornias() async throws {
    let test = try server()
    // 2026-01-02T07:30:00Z is still the first of January in California, 08:30 the second.
    await test.store.advance(to: Date(milliseconds: 1_767_339_000_000))
    _ = try test.buy(DemoCatalog.coins)
    await test.store.advance(by: 3600)
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let text = report(test)
    #expect(text.contains("\t01/01/2026\t") && text.contains("\t01/02/2026\t"))
    #expect(differences(try await audit(test, [text])) == [])
    // Both on one day: the neighbours are off by one each.
    let moved = text.replacingOccurrences(of: "01/02/2026", with: "01/01/2026")
    let named: JSONValue = [
      "name": "S_D_80012345_20260102.txt",
      "content": .string(
        Base64.encode(Array((text.split(separator: "\n")[0] + "\n").utf8), .standard)
      ),
    ]
    let found = try await audit(test, [], ["files": [file(moved), named]])
    #expect(
      differences(found) == [
        "units 2026-01-01 coins USD 2/1.98 1/0.99 dayBoundary,missingNotification",
        "units 2026-01-02 coins USD 0/0.00 1/0.99 dayBoundary,reportIncomplete",
      ]
    )
  }

  @Test func theSandboxIsNotReported() async throws {
    let test = try TestServer()
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let text = report(test)
    let named: JSONValue = [
      "name": "S_D_80012345_20260101.txt",
      "content": .string(
        Base64.encode(Array((text.split(separator: "\n")[0] + "\n").utf8), .standard)
      ),
    ]
    let found = try await audit(test, [], ["files": [named]], query: "?environment=Sandbox")
    #expect(
      differences(found) == ["units 2026-01-01 coins USD 0/0.00 1/0.99 sandbox,reportIncomplete"]
    )
  }

  @Test func otherAppsRowsAreLeftOut() async throws {
    let test = try server()
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let text = report(test)
    let cells = text.split(separator: "\n")[1].components(separatedBy: "\t")
    var foreign = cells
    foreign[2] = "com.example.other.gems"
    foreign[17] = "OTHER"
    let both = text + foreign.joined(separator: "\t") + "\n"
    #expect(
      differences(try await audit(test, [both])) == [
        "units 2026-01-01 gems USD 1/0.99 0/0.00 unknownProduct,missingNotification"
      ]
    )
    #expect(differences(try await audit(test, [both], ["sku": "EXAMPLE"])) == [])
    // The row of the app itself says its SKU.
    var app = cells
    (app[2], app[6], app[14], app[17]) = ("EXAMPLE", "1F", "\(DemoCatalog.appAppleID)", " ")
    let third = try await audit(test, [both + app.joined(separator: "\t") + "\n"])
    #expect(differences(third) == [])
  }

  @Test func aFileThatIsHandedInTwiceCountsOnce() async throws {
    let test = try server()
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let text = report(test)
    let begun = try await test.post(
      "/v1/audits",
      ["files": [file(text)], "complete": false]
    )
    #expect(begun.text("state") == "collecting")
    let id = try #require(begun.text("id"))
    let again = try await test.post(
      "/v1/audits/\(id)/files",
      ["files": [file(text)], "complete": false]
    )
    #expect(again.withoutRequestID == begun.withoutRequestID)
    #expect(await test.server.work() == 0)
    let last = try await test.post("/v1/audits/\(id)/files", ["files": [file(text)]])
    #expect(last.text("state") == "running")
    while await test.server.work() > 0 {}
    let done = try await test.get("/v1/audits/\(id)")
    #expect(differences(done.body) == [])
    let late = try await test.post("/v1/audits/\(id)/files", ["files": [file(text + "\n")]])
    #expect(late.status == 409)
  }

  @Test func theDifferencesAreATableToo() async throws {
    let test = try server()
    lose(test)
    _ = try test.buy(DemoCatalog.coins)
    let audit = try await audit(test, [report(test)])
    let id = try #require(audit["id"]?.stringValue)
    let response = await test.server.answer(
      HTTPRequest(method: .get, target: "/v1/audits/\(id)?format=csv")
    )
    let lines = String(decoding: response.body, as: UTF8.self).components(separatedBy: "\r\n")
    #expect(response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present")
    #expect(lines.count == 3)
    let start = #""units","sales","2026-01-01","2026-01-01","com.example.demo.coins""#
    #expect(lines[1].hasPrefix(start))
    #expect(try await test.get("/v1/audits/\(id)?format=xml").status == 400)
    #expect(try await test.get("/v1/audits/aud_unknown").status == 404)
  }

  @Test(arguments: [
    ["files": [["name": "a", "content": "%%%"]]], ["files": [["name": "a", "content": ""]]],
    ["files": []] as JSONObject, ["files": [["name": "a"]]],
    ["files": [], "start": "2026-02-30", "end": "2026-03-01"],
    ["files": [], "start": "2026-02-01"],
    ["files": [], "start": "2026-02-02", "end": "2026-02-01"],
    ["files": [], "start": "2020-01-01", "end": "2026-02-01"],
  ])
  func whatCannotBeUsedIsNamed(body: JSONObject) async throws {
    let test = try server()
    let answer = try await test.post("/v1/audits", body)
    // An audit of no file is over at once.
    #expect(answer.status == (body == ["files": []] ? 200 : 400))
    if answer.status == 400 { #expect(answer.errorParameter != nil) }
  }

  @Test func aPageAfterTheOtherIsRead() async throws {
    let test = try server()
    for _ in 0..<1001 { _ = try test.buy(DemoCatalog.coins) }
    await test.store.drainNotifications()
    let audit = try await audit(test, [report(test)])
    #expect(audit["purchases"] == 1001)
    #expect(differences(audit) == [])
  }
}
