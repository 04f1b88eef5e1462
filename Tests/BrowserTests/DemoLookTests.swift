import BrowserDriver
import IAPModel
import Testing

/// How the page looks, and who can use it.
@Suite(
  "web demo looks",
  .enabled(if: ChromeDriver.isInstalled, Comment(rawValue: ChromeDriver.absence))
)
struct DemoLookTests {
  /// The words of the page in both languages.
  private struct Texts {
    let language: String
    let plus, mine, subscribe, coins, confirm, pay, death: String

    init(_ look: BrowserLook) {
      if look.languages.hasPrefix("zh") {
        (language, plus, mine) = ("zh-Hans", "Plus", "我的")
        (subscribe, coins) = ("订阅: Plus 月度", "购买: 100 金币")
        (confirm, pay, death) = ("确认订阅", "确认购买", "付款之后")
      } else {
        (language, plus, mine) = ("en", "Plus", "Mine")
        (subscribe, coins) = ("Subscribe: Plus, monthly", "Buy: 100 Coins")
        (confirm, pay, death) = ("Confirm Subscription", "Confirm Purchase", "after the payment")
      }
    }
  }

  @Test(arguments: BrowserLook.all)
  func everybodyCanUseEveryScreen(_ look: BrowserLook) async throws {
    let texts = Texts(look)
    try await DemoVisit.with(look: look) { visit in
      let browser = visit.browser
      _ = try await browser.find(.button, texts.coins)
      try await check(browser, "demo-shop", look, texts)
      try await visit.press(texts.coins)
      _ = try await browser.find(.button, texts.pay)
      try await check(browser, "demo-sheet", look, texts)
      try await visit.press(texts.pay)
      try await visit.wait(coins: 100)
      try await browser.click(.link, texts.plus)
      _ = try await browser.find(.button, texts.subscribe)
      try await check(browser, "demo-paywall", look, texts)
      try await visit.press(texts.subscribe)
      try await visit.press(texts.confirm)
      try await browser.wait(for: "the goods", "document.querySelector('.life .granted')")
      try await browser.click(.link, texts.mine)
      try await browser.wait(for: "the plan", "document.querySelector('.plan.active')")
      try await check(browser, "demo-mine", look, texts)
      try await visit.press(texts.death)
      try await browser.click(.link, texts.language == "en" ? "Shop" : "商店")
      try await visit.press(texts.coins)
      try await visit.press(texts.pay)
      try await browser.wait(for: "the end", "document.querySelector('.obituary')")
      try await check(browser, "demo-killed", look, texts)
    }
  }

  /// What pictures are kept of.
  private static let keptScreens: Set = ["demo-sheet", "demo-paywall", "demo-killed"]
  private static let keptLooks: Set = [
    "desktop-en-light", "desktop-en-dark", "desktop-zh-light", "phone-en-light", "phone-zh-dark",
  ]

  private func check(
    _ browser: Browser,
    _ name: String,
    _ look: BrowserLook,
    _ texts: Texts
  ) async throws {
    if Self.keptLooks.contains(look.description), Self.keptScreens.contains(name) {
      try await browser.run("window.scrollTo(0, 0)")
      try await browser.keepPicture("\(name)-\(look)")
    }
    let findings = try await browser.accessibilityFindings(language: texts.language)
    #expect(findings == [], "\(name) \(look)")
  }

  @Test func withoutScriptsThePageIsReadAndUsed() async throws {
    let look = BrowserLook(runsScripts: false)
    try await DemoProcess.with { demo in
      try await Browser.use(look) { browser in
        try await browser.open(demo.address + "/")
        let visit = DemoVisit(browser: browser, address: demo.address)
        try await visit.press("Buy: 100 Coins")
        try await visit.press("Confirm Purchase")
        try await visit.wait(coins: 100, pausing: visit.lookAgain)
        try await browser.wait(
          forText: "The goods were handed over.",
          in: ".life",
          pausing: visit.lookAgain
        )
        try await browser.click(.link, "Plus")
        let price = try await browser.text(of: ".cards")
        #expect(price.contains("1 week free, then $49.99 per year"))
        try await browser.click(.link, "Look again")
        #expect(try await browser.consoleErrors() == [])
      }
    }
  }

  @Test func theLanguageIsChosenByALinkAndKept() async throws {
    try await DemoVisit.with { visit in
      try await visit.browser.click(.link, "中文")
      try await visit.browser.wait(forText: "每笔订单的一生", in: "h2")
      try await visit.browser.wait(forText: "100 金币", in: ".phone")
      try await visit.browser.open(visit.address + "/")
      let language = try await visit.browser.run("return document.documentElement.lang")
      #expect(language == "zh-Hans")
    }
  }

  @Test func theKeyboardBuys() async throws {
    try await DemoVisit.with { visit in
      let browser = visit.browser
      try await browser.focus(.button, "Buy: 100 Coins")
      try await browser.press(.enter)
      try await browser.wait(
        for: "the focus on the sheet",
        "document.activeElement.classList.contains('pay')"
      )
      try await browser.press(.escape)
      try await visit.waitForOrder("Cancelled")
      try await browser.wait(
        for: "the focus back on the button",
        "document.activeElement.value === 'buy:com.example.demo.coins'"
      )
      try await browser.press(.enter)
      try await browser.wait(
        for: "the focus on the sheet again",
        "document.activeElement.classList.contains('pay')"
      )
      try await browser.press(.enter)
      try await visit.wait(coins: 100)
    }
  }
}
