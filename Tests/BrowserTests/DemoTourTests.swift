import BrowserDriver
import IAPModel
import Testing

/// The tour, by clicks: what a person without a Mac does on the page.
@Suite(
  "web demo tour",
  .enabled(if: ChromeDriver.isInstalled, Comment(rawValue: ChromeDriver.absence))
)
struct DemoTourTests {
  @Test func aPurchaseIsConfirmedCancelledAndDeclined() async throws {
    try await DemoVisit.with { visit in
      try await visit.buy("100 Coins")
      try await visit.press("Confirm Purchase")
      try await visit.wait(coins: 100)
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.press("OK", in: ".message")

      try await visit.buy("100 Coins")
      try await visit.press("Cancel", in: ".sheet")
      try await visit.waitForOrder("Cancelled")

      try await visit.buy("100 Coins")
      try await visit.press("Card declined", in: ".sheet")
      try await visit.waitForOrder("Failed")
      try await visit.wait(coins: 100)
    }
  }

  @Test(arguments: DemoVisit.generations)
  func aParentApprovesAndTheGoodsCome(_ generation: String) async throws {
    try await DemoVisit.with(generation) { visit in
      try await visit.buy("100 Coins")
      try await visit.press("Ask a parent", in: ".sheet")
      try await visit.waitForOrder("Waiting")
      try await visit.browser.wait(forText: "Waiting for approval", in: ".phone")
      try await visit.press("Approve", in: ".question")
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.wait(coins: 100)
    }
  }

  @Test(arguments: DemoVisit.generations)
  func aKillBetweenPaymentAndDeliveryCostsNothing(_ generation: String) async throws {
    try await DemoVisit.with(generation) { visit in
      try await visit.press("after the payment", in: ".deaths")
      try await visit.buy("100 Coins")
      try await visit.press("Confirm Purchase")
      try await visit.browser.wait(forText: "The app was killed: paid", in: ".phone")
      try await visit.browser.wait(forText: "the app does not know it yet", in: ".life")
      try await visit.press("Open Tidepool")
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.wait(coins: 100)

      try await visit.press("after the goods", in: ".deaths")
      try await visit.buy("100 Coins")
      try await visit.press("Confirm Purchase")
      try await visit.browser.wait(forText: "goods handed over, the store not told", in: ".phone")
      try await visit.press("Open Tidepool")
      try await visit.browser.wait(forText: "The App Store was told: done.", in: ".life")
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.wait(coins: 200)
    }
  }

  @Test(arguments: DemoVisit.generations)
  func aServerThatIsDownDelaysAndLosesNothing(_ generation: String) async throws {
    try await DemoVisit.with(generation) { visit in
      try await visit.press("Stop the server")
      try await visit.browser.wait(forText: "Server down", in: ".panel.network")
      try await visit.buy("100 Coins")
      try await visit.press("Confirm Purchase")
      try await visit.browser.wait(forText: "No answer from the server", in: ".life")
      try await visit.waitForOrder("Paid")
      try await visit.wait(coins: 0)
      try await visit.press("Start the server")
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.wait(coins: 100)
    }
  }

  @Test(arguments: DemoVisit.generations)
  func aRefundTakesAccessAway(_ generation: String) async throws {
    try await DemoVisit.with(generation) { visit in
      try await visit.browser.click(.link, "Plus")
      try await visit.press("Subscribe: Plus, monthly")
      try await visit.press("Confirm Subscription")
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.browser.wait(forText: "Subscribed", in: ".cards")
      try await visit.press("Refund it", in: ".life")
      try await visit.browser.wait(forText: "Paid back $4.99", in: ".life")
      try await visit.browser.wait(forNoText: "Subscribed", in: ".cards")
    }
  }

  @Test(arguments: DemoVisit.generations)
  func aRenewalComesWithTime(_ generation: String) async throws {
    try await DemoVisit.with(generation) { visit in
      try await visit.browser.click(.link, "Plus")
      try await visit.press("Subscribe: Plus, monthly")
      try await visit.press("Confirm Subscription")
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.press("+1 month")
      try await visit.browser.wait(forText: "Renewed and charged $4.99", in: ".life")
      try await visit.browser.wait(forText: "DID_RENEW", in: ".life")
      try await visit.waitForOrder("Delivered", "2 periods handed over, each once")
      try await visit.browser.wait(forText: "Subscribed", in: ".cards")
    }
  }

  @Test(arguments: DemoVisit.generations)
  func aSecondPhoneRestores(_ generation: String) async throws {
    try await DemoVisit.with(generation) { visit in
      try await visit.buy("Lifetime")
      try await visit.press("Confirm Purchase")
      try await visit.waitForOrder("Delivered", "handed over once")
      try await visit.press("Give her a second phone")
      try await visit.browser.wait(
        for: "the second phone",
        "document.querySelector('.switch [aria-current]')?.textContent === 'Her second phone'"
      )
      try await visit.browser.click(.link, "Plus")
      try await visit.press("Restore Purchases")
      try await visit.browser.wait(forText: "Restored: 1", in: ".message")
      try await visit.browser.wait(forText: "on both phones", in: ".life")
      try await visit.waitForOrder("Delivered", "handed over once")
    }
  }

  @Test func anOrderLeadsToItsPageInTheDashboard() async throws {
    try await DemoVisit.with { visit in
      try await visit.buy("100 Coins")
      try await visit.press("Confirm Purchase")
      try await visit.waitForOrder("Delivered", "handed over once")
      let browser = visit.browser
      let target = try await browser.wait(
        for: "the link",
        "page.find('link', 'See it in the dashboard', '.life')[0]?.href"
      )
      let page = try #require(target.stringValue)
      let password = try await browser.run(
        "return Array.from(document.querySelectorAll('.panel.network code')).pop().innerText"
      )
      try await browser.open(page)
      try await browser.write("demo", intoFieldNamed: "Name")
      try await browser.write(try #require(password.stringValue), intoFieldNamed: "Password")
      try await browser.click(.button, "Log in")
      _ = try await browser.find(.navigation)
      try await browser.open(page)
      let number = try #require(page.split(separator: "/").last)
      try await browser.wait(forText: String(number.prefix(8)), in: "main")
      try await browser.wait(forText: "com.example.demo.coins", in: "main")
    }
  }

  @Test func withoutNetworkTheStoreIsNotReached() async throws {
    try await DemoVisit.with { visit in
      try await visit.press("Cut the network")
      try await visit.browser.wait(forText: "Phone offline", in: ".panel.network")
      try await visit.press("Buy: 100 Coins")
      try await visit.waitForOrder("Failed")
      try await visit.press("Network back")
      try await visit.buy("100 Coins")
      try await visit.press("Leave the app", in: ".sheet")
      try await visit.browser.wait(forText: "The app is in the background", in: ".phone")
      try await visit.press("Return to Tidepool")
      try await visit.press("Confirm Purchase")
      try await visit.wait(coins: 100)
    }
  }
}

/// A visit to the page.
struct DemoVisit {
  let browser: Browser
  let address: String

  /// Both of Apple's APIs.
  static let generations = ["StoreKit 2", "StoreKit 1"]

  /// Opens the page; in the end, nobody complained on the console.
  static func with(
    _ generation: String = "StoreKit 2",
    look: BrowserLook = BrowserLook(),
    _ body: (DemoVisit) async throws -> Void
  ) async throws {
    try await DemoProcess.with { demo in
      try await Browser.use(look) { browser in
        let visit = DemoVisit(browser: browser, address: demo.address)
        try await browser.open(demo.address + "/")
        if generation == "StoreKit 1" {
          try await visit.press("Relaunch with StoreKit 1")
          try await browser.wait(forText: "Running with StoreKit 1", in: ".panel.app")
        }
        try await body(visit)
        let errors = try await browser.consoleErrors()
        #expect(errors == [])
      }
    }
  }

  func press(_ name: String, in place: String = "html") async throws {
    try await browser.click(.button, name, in: place)
  }

  /// Taps a product's button and waits for the sheet.
  func buy(_ product: String) async throws {
    try await press("Buy: " + product)
    try await browser.wait(forText: product, in: ".sheet-product")
  }

  /// Waits until the purse holds so much.
  func wait(
    coins: Int,
    pausing: (() async throws(BrowserError) -> Void)? = nil
  ) async throws {
    try await browser.wait(
      for: "\(coins) coins",
      "document.querySelector('[data-coins]')?.textContent === arguments[0]",
      [.string("\(coins)")],
      pausing: pausing
    )
  }

  /// Looks again as a person does whose page does not change by itself.
  func lookAgain() async throws(BrowserError) { try await browser.click(.link, "Look again") }

  /// Waits until the newest order is in a state, and says how often its goods were handed over.
  func waitForOrder(_ state: String, _ given: String? = nil) async throws {
    try await browser.wait(
      for: "an order that is \(state) and \(given ?? "anything")",
      """
      (() => {
        const life = document.querySelector('.life');
        if (!life) return false;
        const given = life.querySelector('.granted');
        return life.querySelector('.pill').innerText.startsWith(arguments[0])
          && (arguments[1] === null || (given !== null && given.innerText === arguments[1]));
      }).apply(null, arguments)
      """,
      [.string(state), given.map { .string($0) } ?? .null]
    )
  }
}
