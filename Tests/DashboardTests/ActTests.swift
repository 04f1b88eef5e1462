import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@testable import Dashboard

/// What people do, and how those fail who must not.
struct ActTests {
  private static let report: JSONObject = [
    "transactionId": "2000000000000001", "productId": "com.example.demo.coins", "attempts": 4,
    "reason": "rejected", "account": "mia-1",
  ]

  private static func opened(_ test: TestSite) async throws -> String {
    let answer = await test.post("/v1/reviews", report)
    let object = try JSONParser.parseObject(answer.body, limits: .document)
    return try #require(object["id"]?.stringValue)
  }

  private static func state(_ id: String, _ test: TestSite) async throws -> ReviewRecord.State? {
    try await test.ledger.read { reader throws(StorageError) in
      try reader.document(ReviewRecord.key(ReviewID(id), app: TestSite.app))
        .map { document throws(StorageError) in try ReviewRecord(document).state }
    }
  }

  private static func target(_ id: String) -> String {
    "/dashboard/review?app=\(TestSite.app)&environment=Sandbox&id=\(id)"
  }

  @Test func aDecisionIsMadeAndStandsInTheAuditLogWithItsAuthor() async throws {
    let test = try TestSite()
    try await test.add()
    let id = try await Self.opened(test)
    let browser = TestBrowser(test)
    await browser.logIn()
    let page = await browser.get(Self.target(id))
    let done = await browser.submit(
      page,
      to: Self.target(id),
      [("action", "deliver"), ("note", "looked at it")]
    )
    #expect(done.status == 303)
    #expect(try await Self.state(id, test) == .delivered)
    let notes = try await test.ledger.read { reader throws(StorageError) in
      try reader.audit(before: .max, limit: 1)
    }
    #expect(notes.first?.action == "review.delivered")
    #expect(notes.first?.details["by"] == "operator:ada")
    let log = await browser.get("/dashboard/audit?app=\(TestSite.app)")
    #expect(log.words.contains("review.delivered") && log.words.contains("operator:ada"))
  }

  @Test func aFormWithoutItsTokenChangesNothing() async throws {
    let test = try TestSite()
    try await test.add()
    let id = try await Self.opened(test)
    let browser = TestBrowser(test)
    await browser.logIn()
    let page = await browser.get(Self.target(id))
    let good = try #require(page.token)
    let other = TestBrowser(test)
    await other.logIn()
    let foreign = try #require((await other.get(Self.target(id))).token)
    for token in [nil, "", foreign, String(good.dropLast()), good + "0"] {
      let fields = [("action", "deliver")] + (token.map { [("token", $0)] } ?? [])
      let answer = await browser.send(.post, Self.target(id), form: fields)
      #expect(answer.status == 403)
    }
    #expect(try await Self.state(id, test) == .open)
  }

  @Test(arguments: [
    ["Origin": "https://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
    ["Sec-Fetch-Site": "same-site"],
  ])
  func aFormFromAnotherSiteChangesNothing(_ headers: [String: String]) async throws {
    let test = try TestSite()
    try await test.add()
    let id = try await Self.opened(test)
    let browser = TestBrowser(test)
    await browser.logIn()
    let page = await browser.get(Self.target(id))
    let answer = await browser.send(
      .post,
      Self.target(id),
      form: [("token", page.token ?? ""), ("action", "deliver")],
      headers: headers
    )
    #expect(answer.status == 403)
    #expect(try await Self.state(id, test) == .open)
  }

  @Test func nobodyCanBeLoggedInFromAnotherSite() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    let fields = [("name", "ada"), ("password", TestSite.password)]
    #expect(await browser.send(.post, "/dashboard/login", form: fields).status == 403)
    let page = await browser.get("/dashboard/login")
    let answer = await browser.send(
      .post,
      "/dashboard/login",
      form: fields + [("token", page.token ?? "")],
      headers: ["Origin": "https://evil.example"]
    )
    #expect(answer.status == 403)
    #expect(browser.cookies["iap_session"] == nil)
  }

  @Test func whoMayOnlyLookCannotAct() async throws {
    let test = try TestSite()
    try await test.add("eve", role: .read)
    let id = try await Self.opened(test)
    let browser = TestBrowser(test)
    await browser.logIn("eve")
    let page = await browser.get(Self.target(id))
    #expect(page.status == 200 && !page.text.contains("value=\"deliver\""))
    for path in DashboardSite.acts.keys.sorted() {
      let target = path + "?app=\(TestSite.app)&environment=Sandbox&id=\(id)"
      let answer = await browser.submit(
        page,
        to: target,
        [("action", "deliver"), ("commission", "15"), ("days", "30"), ("what", "dead")]
      )
      #expect(answer.status == 403, "\(path)")
    }
    #expect(try await Self.state(id, test) == .open)
  }

  @Test func nothingIsChangedByReading() async throws {
    let test = try TestSite()
    try await test.add()
    let id = try await Self.opened(test)
    let browser = TestBrowser(test)
    await browser.logIn()
    _ = await browser.get(Self.target(id) + "&action=deliver")
    #expect(await browser.get("/dashboard/logout").status == 404)
    #expect(try await Self.state(id, test) == .open)
    #expect(await browser.get("/dashboard/health").status == 200)
  }

  @Test func anotherAppIsNotThereForWhoMayNotSeeIt() async throws {
    let test = try TestSite()
    try await test.add("bob", role: .act, apps: [TestSite.otherApp])
    let id = try await Self.opened(test)
    let bought = try await test.buy("com.example.demo.lifetime")
    let browser = TestBrowser(test)
    await browser.logIn("bob")
    let own = await browser.get("/dashboard/reviews")
    #expect(own.status == 200 && !own.text.contains(TestSite.app.rawValue + " "))
    let original = bought.originalTransactionID
    for target in [
      Self.target(id), "/dashboard/overview?app=\(TestSite.app)",
      "/dashboard/customer?app=\(TestSite.app)&id=mia-1",
      "/dashboard/purchase?app=\(TestSite.app)&environment=Sandbox&original=\(original)",
      "/dashboard/audit?app=\(TestSite.app)",
    ] {
      #expect(await browser.get(target).status == 404, "\(target)")
    }
    // The same names in the own app find nothing either.
    let other = "app=\(TestSite.otherApp)&environment=Sandbox"
    #expect(await browser.get("/dashboard/review?\(other)&id=\(id)").status == 404)
    #expect(await browser.get("/dashboard/purchase?\(other)&original=\(original)").status == 404)
    let page = await browser.get("/dashboard/customer?\(other)&id=mia-1")
    #expect(page.words.contains("The ledger knows no purchase of this name"))
    let act = await browser.submit(own, to: Self.target(id), [("action", "deliver")])
    #expect(act.status == 404)
    #expect(try await Self.state(id, test) == .open)
    #expect(await browser.get("/dashboard/settings").words.contains("bob"))
  }

  @Test func whoMayOnlyLookDoesNotSeeTheWholeAddressOfAnEndpoint() async throws {
    let test = try TestSite()
    try await test.add("eve", role: .read)
    try await test.add("ada", role: .act)
    _ = await test.post("/v1/webhooks", ["url": "https://hooks.shop.com/services/s3cret?key=1"])
    for (name, isWhole) in [("eve", false), ("ada", true)] {
      let browser = TestBrowser(test)
      await browser.logIn(name)
      let page = await browser.get("/dashboard/webhooks?app=\(TestSite.app)")
      #expect(page.words.contains("https://hooks.shop.com:443/"))
      #expect(page.text.contains("s3cret") == isWhole)
    }
  }

  @Test func theCommissionOfAnAppIsKeptAndNoted() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    let target = "/dashboard/settings?app=\(TestSite.app)&environment=Sandbox"
    let page = await browser.get(target)
    #expect(await browser.submit(page, to: target, [("commission", "15")]).status == 303)
    #expect(await browser.submit(page, to: target, [("commission", "0")]).status == 400)
    let kept = try await test.ledger.read { reader throws(StorageError) in
      (
        try SettingsPage.commission(TestSite.app, reader),
        try SettingsPage.commission(TestSite.otherApp, reader)
      )
    }
    #expect(kept == (15, 30))
  }
}
