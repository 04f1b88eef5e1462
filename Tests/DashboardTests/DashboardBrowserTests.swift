import AppStoreSimulator
import BrowserDriver
import Dashboard
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import MicroHTTP
import ServerStorage
import Testing

/// The pages in a real browser: at phone and desktop width, in both languages and both colour
/// schemes, with scripts and without.
@Suite(
  "dashboard in a browser",
  .serialized,
  .enabled(if: ChromeDriver.isInstalled, Comment(rawValue: ChromeDriver.absence))
)
struct DashboardBrowserTests {
  private static let number = "11111111-2222-4333-8444-555555555555"
  private static let scope = "app=\(TestSite.app)&environment=Sandbox"

  /// What there is to look at.
  private struct Shown {
    let review: String
    let webhook: String
    let purchase: OriginalTransactionID
    let run: String
  }

  /// A month in the life of a shop.
  private func fill(_ test: TestSite) async throws -> Shown {
    try await test.add()
    for day in 0..<28 {
      for number in 0...(day % 4) {
        let account = "customer-\(day * 4 + number)"
        try await test.buy("com.example.demo.coins", account: account)
      }
      if day % 5 == 0 {
        try await test.buy("com.example.demo.season", account: "lasting-\(day)")
      }
      await test.store.advance(by: 86_400)
    }
    _ = await test.post(
      "/v1/orders",
      [
        "orderNumber": .string(Self.number), "account": "mia-1",
        "productId": "com.example.demo.plus.monthly", "context": ["screen": "paywall"],
      ]
    )
    let order = OrderNumber(Self.number)
    let plus = try await test.buy(
      "com.example.demo.plus.monthly",
      account: "mia-1",
      order: order
    )
    let coins = try await test.buy("com.example.demo.coins", account: "mia-1")
    await test.store.advance(by: 3600)
    try test.store.refund(coins.transactionID)
    await test.store.drainNotifications()
    let review = try await object(
      await test.post(
        "/v1/reviews",
        [
          "transactionId": "2000000000000001", "productId": "com.example.demo.coins",
          "attempts": 4, "reason": "rejected", "account": "mia-1",
          "lastError": "the server rejected the purchase",
        ]
      )
    )
    let webhook = try await object(
      await test.post("/v1/webhooks", ["url": "https://backend.shop.com/hooks", "note": "shop"])
    )
    while await test.site.count() > 0 {}
    let run = "rec_0123456789abcdef01234567"
    try await test.compare(run)
    return Shown(
      review: review["id"]?.stringValue ?? "",
      webhook: webhook["id"]?.stringValue ?? "",
      purchase: plus.originalTransactionID,
      run: run
    )
  }

  private func object(_ response: HTTPResponse) async throws -> JSONObject {
    try JSONParser.parseObject(response.body, limits: .document)
  }

  private func serving(
    _ body: (String, TestSite, Shown) async throws -> Void
  ) async throws {
    let test = try TestSite()
    let shown = try await fill(test)
    let server = try HTTPServer.start(
      host: "127.0.0.1",
      port: 0,
      handler: test.site.handler(before: test.server.handler)
    )
    do {
      try await body(server.address.url, test, shown)
      await server.stop()
    } catch {
      await server.stop()
      throw error
    }
  }

  private func logIn(_ browser: Browser, _ base: String, _ look: BrowserLook) async throws {
    try await browser.open(base + "/dashboard/login")
    let isChinese = look.languages.hasPrefix("zh")
    try await browser.write("ada", intoFieldNamed: isChinese ? "用户名" : "Name")
    try await browser.write(TestSite.password, intoFieldNamed: isChinese ? "密码" : "Password")
    try await browser.click(.button, isChinese ? "登录" : "Log in")
    try await browser.wait(forText: isChinese ? "概览" : "Overview", in: "h1")
  }

  private func pages(_ shown: Shown) -> [(name: String, path: String)] {
    let scope = Self.scope
    return [
      ("overview", "/dashboard/overview?\(scope)"),
      ("customers", "/dashboard/customers?\(scope)"),
      ("customer", "/dashboard/customer?\(scope)&id=mia-1"),
      ("orders", "/dashboard/orders?\(scope)"),
      ("order", "/dashboard/order?\(scope)&number=\(Self.number)"),
      ("purchases", "/dashboard/purchases?\(scope)"),
      ("purchase", "/dashboard/purchase?\(scope)&original=\(shown.purchase)"),
      ("notifications", "/dashboard/notifications?\(scope)"),
      ("reviews", "/dashboard/reviews?\(scope)"),
      ("review", "/dashboard/review?\(scope)&id=\(shown.review)"),
      ("webhooks", "/dashboard/webhooks?\(scope)"),
      ("webhook", "/dashboard/webhook?\(scope)&id=\(shown.webhook)"),
      ("reconciliations", "/dashboard/reconciliations?\(scope)"),
      ("reconciliation", "/dashboard/reconciliation?\(scope)&id=\(shown.run)"),
      ("audit", "/dashboard/audit?\(scope)"), ("health", "/dashboard/health?\(scope)"),
      ("settings", "/dashboard/settings?\(scope)"),
    ]
  }

  @Test func everyPageKeepsNobodyOutInEveryLook() async throws {
    try await serving { base, _, shown in
      for look in BrowserLook.all {
        try await Browser.use(look) { browser in
          try await browser.open(base + "/dashboard/login")
          try await keep(browser, "login", look)
          let language = look.languages.hasPrefix("zh") ? "zh-Hans" : "en"
          var findings = try await browser.accessibilityFindings(language: language)
          #expect(findings == [], "login, \(look)")
          try await logIn(browser, base, look)
          for page in pages(shown) {
            try await browser.open(base + page.path)
            // Before the keyboard goes through the page and scrolls it.
            try await keep(browser, page.name, look)
            findings = try await browser.accessibilityFindings(language: language)
            #expect(findings == [], "\(page.name), \(look)")
            let errors = try await browser.consoleErrors()
            #expect(errors == [], "\(page.name), \(look)")
          }
        }
      }
    }
  }

  /// What pictures are kept of.
  private static let kept: [String: Set<String>] = [
    "overview": ["desktop-en-light", "desktop-en-dark", "desktop-zh-light"],
    "customer": ["desktop-en-light", "desktop-zh-light"],
    "notifications": ["phone-en-dark", "phone-zh-light"],
  ]

  private func keep(_ browser: Browser, _ name: String, _ look: BrowserLook) async throws {
    guard Self.kept[name]?.contains(look.description) == true else { return }
    try await browser.keepPicture("dashboard-\(name)-\(look)", wholePage: true)
  }

  @Test func supportFindsACustomerByClicks() async throws {
    try await serving { base, _, _ in
      let look = BrowserLook(.desktop)
      try await Browser.use(look) { browser in
        try await logIn(browser, base, look)
        try await browser.click(.link, "Customers")
        try await browser.wait(forText: "Customers", in: "h1")
        try await browser.write(
          "mia-1",
          intoFieldNamed: "Account, order number, token, transaction or App Store order id"
        )
        try await browser.click(.button, "Search")
        try await browser.wait(forText: "Customer mia-1", in: "h1")
        try await browser.wait(forText: "Has access", in: "#access + *, .answer")
        try await browser.wait(forText: "Goods taken back", in: ".timeline")
        let errors = try await browser.consoleErrors()
        #expect(errors == [])
      }
    }
  }

  @Test func aCaseIsDecidedByClicks() async throws {
    try await serving { base, test, shown in
      let look = BrowserLook(.phone)
      try await Browser.use(look) { browser in
        try await logIn(browser, base, look)
        try await browser.open(base + "/dashboard/reviews?\(Self.scope)")
        try await browser.click(.link, "Set aside by the app")
        try await browser.wait(forText: "What was reported", in: "main")
        try await browser.write(
          "the customer sent the receipt",
          intoFieldNamed: "Note for the audit log"
        )
        try await browser.click(.button, "Deliver the goods")
        try await browser.wait(forText: "The case is decided.", in: "main")
        try await browser.wait(forText: "operator:ada", in: "main")
        let errors = try await browser.consoleErrors()
        #expect(errors == [])
      }
      let state = try await test.ledger.read { reader throws(StorageError) in
        try reader.document(ReviewRecord.key(ReviewID(shown.review), app: TestSite.app))
          .map { document throws(StorageError) in try ReviewRecord(document).state }
      }
      #expect(state == .delivered)
    }
  }

  @Test func eventsAreSentAgainByClicks() async throws {
    try await serving { base, test, shown in
      let look = BrowserLook(.desktop)
      try await Browser.use(look) { browser in
        try await logIn(browser, base, look)
        try await browser.open(base + "/dashboard/webhooks?\(Self.scope)")
        try await browser.click(.link, "https://backend.shop.com:443/hooks")
        try await browser.wait(forText: "Endpoint", in: "h1")
        try await browser.click(.button, "Send these again")
        try await browser.wait(forText: "The events will be sent again.", in: "main")
      }
      let notes = try await test.ledger.read { reader throws(StorageError) in
        try reader.audit(before: .max, limit: 1)
      }
      #expect(notes.first?.action == "webhook.replayed")
      #expect(notes.first?.details["by"] == "operator:ada")
      #expect(notes.first?.details["webhook"]?.stringValue == shown.webhook)
    }
  }

  @Test func everythingCanBeReadAndDoneWithoutScripts() async throws {
    try await serving { base, _, shown in
      let look = BrowserLook(.desktop, runsScripts: false)
      try await Browser.use(look) { browser in
        try await logIn(browser, base, look)
        for page in pages(shown) {
          try await browser.open(base + page.path)
          let text = try await browser.text(of: "main")
          #expect(!text.isEmpty, "\(page.name)")
        }
        try await browser.open(base + "/dashboard/overview?\(Self.scope)")
        try await browser.choose("com.example.other · Production", from: "App and environment")
        try await browser.click(.button, "Show")
        try await browser.wait(forText: "No revenue in this span", in: "main")
        try await browser.open(base + "/dashboard/review?\(Self.scope)&id=\(shown.review)")
        try await browser.click(.button, "Close without effect")
        try await browser.wait(forText: "The case is decided.", in: "main")
      }
    }
  }

  @Test func scriptsFilterTablesAndSendChoices() async throws {
    try await serving { base, _, _ in
      let look = BrowserLook(.desktop)
      try await Browser.use(look) { browser in
        try await logIn(browser, base, look)
        try await browser.open(base + "/dashboard/customers?\(Self.scope)")
        try await browser.write("lasting", intoFieldNamed: "Filter these rows")
        try await browser.wait(
          for: "the rows that fit",
          "[...document.querySelectorAll('tbody tr')].filter(row => !row.hidden).length < 10"
        )
        try await browser.choose("com.example.other · Sandbox", from: "App and environment")
        try await browser.wait(forText: "No customers yet", in: "main")
        let errors = try await browser.consoleErrors()
        #expect(errors == [])
      }
    }
  }
}

extension TestSite {
  /// Leaves a comparison that found something, as the server would.
  func compare(_ name: String) async throws {
    var write = LedgerWrite(date: store.clock.now)
    let now = JSONValue.integer(store.clock.now.milliseconds)
    write.documents = [
      DocumentWrite(
        DocumentKey(.comparison, app: Self.app, name: name),
        shelf: "running",
        body: [
          "id": .string(name), "state": "running", "stage": "history",
          "environment": "Sandbox", "start": now, "end": now,
          "counts": ["pages": 3, "customers": 12, "notifications": 40, "missing": 1],
          "findings": [
            [
              "kind": "missing", "id": "6f2b8f2e-1111-4222-8333-444455556666",
              "what": "notification", "type": "DID_RENEW", "sent": "TIMED_OUT",
            ]
          ],
        ],
        condition: .mustBeAbsent
      )
    ]
    _ = try await ledger.commit(write)
  }
}
