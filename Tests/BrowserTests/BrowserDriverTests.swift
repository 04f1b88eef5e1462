import BrowserDriver
import Testing

@Suite(
  "browser driver",
  .enabled(if: ChromeDriver.isInstalled, Comment(rawValue: ChromeDriver.absence))
)
struct BrowserDriverTests {
  private static let good = """
    <!doctype html><html lang="en"><head><title>Good</title>
    <meta name="viewport" content="width=device-width"><style>
    body { background: #fff; color: #222; font-size: 16px }
    button, input { min-height: 32px; min-width: 60px }
    :focus-visible { outline: 3px solid #05c }
    @media (prefers-color-scheme: dark) { body { background: #111; color: #eee } a { color: #8cf } }
    </style></head><body><main><h1>Shop</h1><h2>Coins</h2><p id="said">nothing yet</p>
    <label>Name <input name="name"></label> <button type="button">Buy</button>
    <a href="/other">Elsewhere</a></main>
    <script>document.querySelector('button').onclick = () => {
      document.getElementById('said').textContent =
        'hello ' + document.querySelector('input').value; };</script></body></html>
    """

  private static let bad = """
    <!doctype html><html><head></head><body><h1>One</h1><h3>Three</h3>
    <style>:focus { outline: none }</style>
    <p style="color:#aaa;background:#fff">pale</p><input name="q"><img src="data:,">
    <button style="width:10px;height:10px;padding:0"></button>
    <a href="#" tabindex="5">later</a><div style="width:5000px">wide</div>
    <script>throw new Error('broken')</script></body></html>
    """

  @Test func aPageIsReadWrittenAndClickedByRolesAndNames() async throws {
    try await PageServer.with(["/": Self.good, "/other": "<title>Other</title>"]) { base in
      try await Browser.use { browser in
        try await browser.open(base + "/")
        #expect(try await browser.names(.heading) == ["Shop", "Coins"])
        try await browser.write("Mia", intoFieldNamed: "Name")
        try await browser.click(.button, "Buy")
        try await browser.wait(forText: "hello Mia", in: "#said")
        #expect(try await browser.has(.button, "Sell") == false)
        try await browser.click(.link, "Elsewhere")
        try await browser.wait(for: "the other page", "document.title === 'Other'")
        #expect(try await browser.address == base + "/other")
        #expect(try await browser.consoleErrors() == [])
      }
    }
  }

  @Test func aGoodPageHasNoFindingsInEitherColourScheme() async throws {
    try await PageServer.with(["/": Self.good]) { base in
      try await Browser.use { browser in
        for scheme in BrowserLook.Scheme.allCases {
          try await browser.look(BrowserLook(.phone, scheme: scheme))
          try await browser.open(base + "/")
          let findings = try await browser.accessibilityFindings(language: "en")
          #expect(findings == [])
        }
      }
    }
  }

  @Test func everythingThatKeepsSomebodyOutIsFound() async throws {
    try await PageServer.with(["/": Self.bad]) { base in
      try await Browser.use { browser in
        try await browser.open(base + "/")
        let findings = try await browser.accessibilityFindings(language: "en")
        let rules = Set(findings.map(\.rule))
        #expect(
          rules == [
            "language", "title", "main", "headings", "contrast", "labels", "alternatives", "focus",
            "target", "reflow", "name",
          ],
          "\(findings)"
        )
        #expect(try await browser.consoleErrors().contains { $0.contains("broken") })
      }
    }
  }

  @Test func theLookReachesThePage() async throws {
    let page = """
      <meta name="viewport" content="width=device-width"><title>t</title>
      <p id="a"></p><noscript><p id="b">without scripts</p></noscript><script>
      document.getElementById('a').textContent = [innerWidth, navigator.languages.join(),
        matchMedia('(prefers-color-scheme: dark)').matches].join(' ');</script>
      """
    try await PageServer.with(["/": page]) { base in
      let phone = BrowserLook(.phone, languages: "zh-CN,zh", scheme: .dark)
      try await Browser.use(phone) { browser in
        try await browser.open(base + "/")
        let said = try await browser.text(of: "#a")
        #expect(said == "390 zh-CN,zh true")
        try await browser.look(BrowserLook(runsScripts: false))
        try await browser.open(base + "/")
        #expect(try await browser.text(of: "#a") == "")
        #expect(try await browser.text(of: "#b") == "without scripts")
      }
    }
  }

  @Test(arguments: [true, false])
  func aPageThatGoesOnByItselfIsWaitedFor(runsScripts: Bool) async throws {
    let first = """
      <!doctype html><title>First</title><meta http-equiv="refresh" content="1;url=/second">
      <p id="a">not yet</p>
      """
    let second = "<!doctype html><p id=\"a\">here</p><a href=\"/\">back</a>"
    try await PageServer.with(["/": first, "/second": second]) { base in
      try await Browser.use(BrowserLook(runsScripts: runsScripts)) { browser in
        for _ in 0..<2 {
          try await browser.open(base + "/")
          #expect(try await browser.text(of: "#a") == "not yet")
          try await browser.wait(forText: "here", in: "#a")
          try await browser.click(.link, "back")
          try await browser.wait(forText: "not yet", in: "#a")
        }
        let error = await #expect(throws: BrowserError.self) {
          try await browser.run("null.answer")
        }
        #expect(error?.code == BrowserError.script)
      }
    }
  }

  @Test func aPictureIsAPNG() async throws {
    try await PageServer.with(["/": Self.good]) { base in
      try await Browser.use(BrowserLook(.phone)) { browser in
        try await browser.open(base + "/")
        let picture = try await browser.picture(wholePage: true)
        #expect(Array(picture.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
      }
    }
  }

  @Test func whatDoesNotComeAboutSaysWhatThePageShowed() async throws {
    try await PageServer.with(["/": Self.good]) { base in
      try await Browser.use { browser in
        try await browser.open(base + "/")
        let error = await #expect(throws: BrowserError.self) {
          try await browser.wait(for: "a miracle", "false", seconds: 1)
        }
        #expect(error?.code == BrowserError.timeout)
        #expect(error?.reason.contains("a miracle") == true)
        #expect(error?.reason.contains("nothing yet") == true)
      }
    }
  }
}
