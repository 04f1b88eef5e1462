import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@testable import Dashboard

/// What pages must never do: run what somebody stored, or let themselves be framed.
struct SafetyTests {
  private static let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`${7*7}"

  @Test func everyResponseForbidsFramesScriptsAndGuessing() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    let login = await browser.get("/dashboard/login")
    await browser.logIn()
    let pages = [
      login, await browser.get("/dashboard/overview"), await browser.get("/dashboard/nothing"),
      await browser.get("/dashboard/style.css"), await browser.get("/dashboard"),
    ]
    #expect(pages.map(\.status) == [200, 200, 404, 200, 303])
    for page in pages {
      let policy = page.response.headers["Content-Security-Policy"] ?? ""
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(page.response.headers["X-Frame-Options"] == "DENY")
      #expect(page.response.headers["X-Content-Type-Options"] == "nosniff")
      #expect(page.response.headers["Referrer-Policy"] == "same-origin")
    }
    #expect(pages[1].response.headers["Cache-Control"] == "no-store")
    #expect(!pages[1].text.contains("style=") && !pages[1].text.contains("onclick"))
  }

  @Test func scriptsStoredInEveryFieldComeOutInert() async throws {
    let test = try TestSite()
    try await test.add()
    let evil = Self.evil
    let number = try #require(OrderNumber("11111111-2222-4333-8444-555555555555"))
    let opened = await test.post(
      "/v1/orders",
      [
        "orderNumber": .string(number.description), "productId": .string(evil),
        "account": .string(evil), "context": [evil: .string(evil)],
      ]
    )
    #expect(opened.status == 200)
    try await test.buy("com.example.demo.lifetime", account: evil, order: nil)
    let review = await test.post(
      "/v1/reviews",
      [
        "transactionId": "2000000000000009", "productId": .string(evil),
        "reason": .string(evil), "lastError": .string(evil), "attempts": 4,
        "account": .string(evil), "installation": .string(evil),
        "contactReference": "<b>x</b>", "context": [evil: .string(evil)],
      ]
    )
    #expect(review.status == 200)
    let id = try #require(
      try JSONParser.parseObject(review.body, limits: .document)["id"]?.stringValue
    )
    let browser = TestBrowser(test)
    await browser.logIn()
    let scope = "app=\(TestSite.app)&environment=Sandbox"
    let name = PercentCoding.encode(evil)
    var seen = 0
    for target in [
      "/dashboard/overview?\(scope)", "/dashboard/customers?\(scope)",
      "/dashboard/customers?\(scope)&q=%3Cscript%3Ealert(1)%3C/script%3E",
      "/dashboard/customer?\(scope)&id=\(name)", "/dashboard/orders?\(scope)",
      "/dashboard/order?\(scope)&number=\(number)", "/dashboard/purchases?\(scope)",
      "/dashboard/reviews?\(scope)", "/dashboard/review?\(scope)&id=\(id)",
      "/dashboard/audit?\(scope)", "/dashboard/notifications?\(scope)&uuid=\(name)",
      "/dashboard/customer?\(scope)&id=\(name)&done=\(name)&days=\(name)&before=\(name)",
    ] {
      let page = await browser.get(target)
      #expect(page.status == 200, "\(target)")
      #expect(
        !page.text.contains("<script>alert") && !page.text.contains("<img src=x"),
        "\(target)"
      )
      #expect(!page.text.contains("<b>x</b>"), "\(target)")
      seen += page.text.contains("&lt;script&gt;alert(1)") ? 1 : 0
    }
    // What somebody wrote is shown, as text.
    #expect(seen >= 8)
  }

  @Test func filesAreKnownByTheirContent() async throws {
    let test = try TestSite()
    let browser = TestBrowser(test)
    let login = await browser.get("/dashboard/login")
    for name in ["style.css", "script.js", "icon.svg"] {
      let start = try #require(login.text.range(of: "/dashboard/\(name)?v="))
      let target = String(login.text[start.lowerBound...].prefix { $0 != "\"" })
      let file = await browser.get(target)
      #expect(file.status == 200)
      #expect(file.response.headers["Cache-Control"]?.contains("immutable") == true)
      let tag = try #require(file.response.headers["ETag"])
      let again = await browser.send(.get, target, headers: ["If-None-Match": tag])
      #expect(again.status == 304 && again.response.body.isEmpty)
      let old = await browser.get("/dashboard/\(name)?v=old")
      #expect(old.response.headers["Cache-Control"] == "no-cache")
    }
  }

  @Test func headersThatLieAreNotBelieved() async throws {
    let test = try TestSite()
    for host in ["127.0.0.1.evil.example", "evil.example", "localhost.evil.example", ""] {
      let request = HTTPRequest(method: .get, target: "/", headers: ["Host": host])
      #expect(!DashboardSite.isPlain(request), "\(host)")
    }
    for host in ["127.0.0.1:8080", "localhost", "[::1]:80", "127.1.2.3"] {
      let request = HTTPRequest(method: .get, target: "/", headers: ["Host": host])
      #expect(DashboardSite.isPlain(request), "\(host)")
    }
    _ = test
  }
}
