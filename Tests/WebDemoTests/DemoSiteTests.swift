import AppStoreSimulator
import HTTPValues
import IAPKit
import IAPKitUI
import SimulatedApp
import Testing

@testable import WebDemo

@Suite("demo site")
@MainActor
struct DemoSiteTests {
  @Test func thePageLetsNothingFromElsewhereIn() async throws {
    try await DemoStage.with { stage in
      let response = await stage.get("/")
      #expect(response.status == 200)
      let policy = response.headers["Content-Security-Policy"] ?? ""
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(response.headers["X-Content-Type-Options"] == "nosniff")
      #expect(response.headers["Cache-Control"] == "no-store")
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(!text.contains("style="))
      #expect(!text.contains("<style"))
      #expect(!text.contains(" onclick"))
      #expect(text.contains("<script src=\"/demo.js\" defer></script>"))
    }
  }

  @Test(arguments: [
    "evil.example", "evil.example:8787", "127.0.0.1.evil.example", "localhost.evil", "", "[::2]",
    "127.0.0.1:80x", "[::1",
  ])
  func whoeverComesByAnotherNameIsTurnedAway(_ host: String) async throws {
    try await DemoStage.with { stage in
      #expect(await stage.get("/", ["Host": host]).status == 421)
      #expect(await stage.press("kill", ["Host": host]).status == 421)
      #expect(stage.demo.phones[0].app.isAlive)
    }
  }

  @Test(arguments: ["127.0.0.1", "127.0.0.1:8787", "localhost:1", "LOCALHOST", "[::1]:8787"])
  func thisMachineIsLetIn(_ host: String) {
    #expect(DemoSite.isLocal(host))
  }

  @Test func aFormFromElsewhereDoesNothing() async throws {
    try await DemoStage.with { stage in
      let answers = [
        await stage.press("kill", token: "guess"),
        await stage.press("kill", token: ""),
        await stage.post("do=kill"),
        await stage.press("kill", ["Sec-Fetch-Site": "cross-site"]),
        await stage.press("kill", ["Sec-Fetch-Site": "same-site"]),
        await stage.press("kill", ["Origin": "http://evil.example"]),
        await stage.press("kill", ["Origin": "null"]),
        await stage.press("kill", ["Origin": "http://127.0.0.1:9999"]),
      ]
      #expect(answers.map(\.status) == Array(repeating: 403, count: 8))
      #expect(stage.demo.phones[0].app.isAlive)
      let own = await stage.press(
        "kill",
        ["Origin": "http://127.0.0.1:8787", "Sec-Fetch-Site": "same-origin"]
      )
      #expect(own.status == 303)
      #expect(own.headers["Location"] == "/?on=phone&tab=shop")
      #expect(!stage.demo.phones[0].app.isAlive)
    }
  }

  @Test func whatIsNoFormOfThePageIsRefused() async throws {
    try await DemoStage.with { stage in
      let json = await stage.post("{}", ["Content-Type": "application/json"])
      #expect(json.status == 415)
      let size = DemoSite.formBytesMax
      let fits = "token=\(stage.token)&do=nothing&x="
      let full = await stage.post(fits + String(repeating: "a", count: size - fits.utf8.count))
      #expect(full.status == 400)
      let long = await stage.post(fits + String(repeating: "a", count: size - fits.utf8.count + 1))
      #expect(long.status == 413)
      #expect(await stage.press("nothing").status == 400)
      #expect(await stage.get("/act").status == 405)
      #expect(await stage.get("/secret").status == 404)
    }
  }

  @Test func scriptsInNamesOfProductsAreText() async throws {
    let text = DemoCatalog.text.replacing(
      "100 Coins",
      with: "<script>alert(1)</script>'\\\" onload=x"
    )
    try await DemoStage.with(catalog: text) { stage in
      try await stage.wait { $0.phones[0].screens?.shop.rows.count == 2 }
      let page = await stage.page()
      #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
      #expect(!page.contains("<script>"))
      #expect(!page.contains("\" onload"))
    }
  }

  @Test(arguments: [
    ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"), ("en-US,en;q=0.9,zh;q=0.8", "en"),
    ("fr, zh-Hans;q=0.5, en;q=0.4", "zh-Hans"), ("zh-Hant-TW", "en"), ("", "en"), (";;;,q=", "en"),
    ("en;q=0, zh", "zh-Hans"),
  ])
  func theBrowserSaysTheLanguage(_ field: String, _ language: String) async throws {
    #expect(IAPError.Language.best(of: DemoSite.wanted(field)).rawValue == language)
  }

  @Test func theChosenLanguageIsKeptInACookie() async throws {
    try await DemoStage.with { stage in
      let chosen = await stage.get("/?lang=zh-Hans")
      let cookie = try #require(chosen.headers["Set-Cookie"])
      #expect(cookie.hasPrefix("lang=zh-Hans; "))
      #expect(cookie.contains("SameSite=Strict"))
      let next = await stage.page("/", ["Cookie": "lang=zh-Hans"])
      #expect(next.contains("<html lang=\"zh-Hans\">"))
      #expect(stage.demo.language == .simplifiedChinese)
      let other = await stage.get("/?lang=klingon")
      #expect(other.headers["Content-Language"] == "en")
    }
  }

  @Test func aPageThatWaitsHearsOfAChange() async throws {
    try await DemoStage.with { stage in
      async let answer = stage.get("/state?since=\(stage.demo.version)")
      _ = await stage.press("kill")
      let response = await answer
      #expect(response.status == 200)
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(text.contains("\"version\":"))
    }
  }
}
