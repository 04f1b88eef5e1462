import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@testable import Dashboard

/// What support sees: customers found by anything, answers in words, every fact in its place.
struct SupportTests {
  private static let scope = "app=\(TestSite.app)&environment=Sandbox"

  private func browser(_ test: TestSite) async throws -> TestBrowser {
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    return browser
  }

  private func search(_ text: String, _ browser: TestBrowser) async -> String? {
    let page = await browser.get(
      "/dashboard/customers?\(Self.scope)&q=\(PercentCoding.encode(text))"
    )
    return page.location
  }

  @Test func aCustomerIsFoundByWhateverSupportWasGiven() async throws {
    let test = try TestSite()
    let number = try #require(OrderNumber("11111111-2222-4333-8444-555555555555"))
    _ = await test.post(
      "/v1/orders",
      [
        "orderNumber": .string(number.description), "account": "mia-1",
        "productId": "com.example.demo.lifetime",
      ]
    )
    let bought = try await test.buy("com.example.demo.lifetime", order: number)
    let browser = try await browser(test)
    #expect(await search("mia-1", browser) == "/dashboard/customer?\(Self.scope)&id=mia-1")
    #expect(
      await search(bought.transactionID.rawValue, browser)
        == "/dashboard/purchase?\(Self.scope)&original=\(bought.originalTransactionID)"
    )
    let page = await browser.get("/dashboard/customers?\(Self.scope)&q=\(number)")
    #expect(page.text.contains("/dashboard/order?") && page.text.contains("/dashboard/purchase?"))
    #expect(await search(" nobody ", browser) == nil)
  }

  @Test func shortAddressesOfOtherProgramsLeadToThePages() async throws {
    let test = try TestSite()
    let number = "11111111-2222-4333-8444-555555555555"
    _ = await test.post(
      "/v1/orders",
      ["orderNumber": .string(number), "productId": "com.example.demo.coins"]
    )
    let browser = try await browser(test)
    #expect(
      await browser.get("/dashboard/orders/\(number)").location
        == "/dashboard/order?app=\(TestSite.app)&number=\(number)"
    )
    #expect(
      await browser.get("/dashboard/customers/a%2Fb?environment=Sandbox").location
        == "/dashboard/customer?environment=Sandbox&id=a%2Fb"
    )
    #expect(await browser.get("/dashboard").location == "/dashboard/overview")
  }

  @Test func whyThereIsAccessIsSaidInWords() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.plus.monthly")
    let browser = try await browser(test)
    let page = await browser.get("/dashboard/customer?\(Self.scope)&id=mia-1&language=en")
    #expect(page.words.contains("Has access"))
    #expect(page.words.contains("com.example.demo.plus.monthly: subscribed, until"))
    #expect(page.words.contains("The App Store says: bought"))
    #expect(page.words.contains("Notification: Subscribed"))
    #expect(page.words.contains("Goods granted"))
  }

  @Test func whyThereIsNoneIsSaidInWordsToo() async throws {
    let test = try TestSite()
    let bought = try await test.buy("com.example.demo.lifetime")
    await test.store.advance(by: 60)
    _ = try test.store.refund(bought.transactionID)
    await test.store.drainNotifications()
    let browser = try await browser(test)
    let target = "/dashboard/customer?\(Self.scope)&id=mia-1&language="
    let page = await browser.get(target + "en")
    #expect(page.words.contains("Why is there no access?"))
    #expect(page.words.contains("the App Store took it back"))
    #expect(page.words.contains("Goods taken back"))
    let chinese = await browser.get(target + "zh-Hans")
    #expect(chinese.words.contains("为什么没有权益？") && chinese.words.contains("已被 App Store 收回"))
  }

  @Test func anOrderWithoutAPaymentSaysWhatMayHaveHappened() async throws {
    let test = try TestSite()
    let number = "11111111-2222-4333-8444-555555555555"
    _ = await test.post(
      "/v1/orders",
      [
        "orderNumber": .string(number), "productId": "com.example.demo.coins", "account": "mia-1",
        "context": ["level": "7"],
      ]
    )
    let browser = try await browser(test)
    let order = await browser.get("/dashboard/order?\(Self.scope)&number=\(number)")
    #expect(order.words.contains("No transaction carries this number"))
    #expect(order.words.contains("level: 7"))
    await test.store.advance(by: 7200)
    await browser.logIn()
    let customer = await browser.get("/dashboard/customer?\(Self.scope)&id=mia-1")
    #expect(customer.words.contains("it was cancelled, waits for a parent or a bank"))
  }

  @Test func anotherLanguageIsChosenOnTheSamePage() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.lifetime")
    let browser = try await browser(test)
    let page = await browser.get("/dashboard/customer?\(Self.scope)&id=mia-1")
    let target = "/dashboard/customer?\(Self.scope)&id=mia-1&language=zh-Hans"
    #expect(page.text.contains("href=\"\(target.replacing("&", with: "&amp;"))\""))
    _ = await browser.get(target)
    // The choice stays.
    #expect(await browser.get("/dashboard/customers?\(Self.scope)").words.contains("客户"))
  }

  @Test func purchasesInAnotherEnvironmentAreMentioned() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.lifetime")
    let browser = try await browser(test)
    let page = await browser.get(
      "/dashboard/customer?app=\(TestSite.app)&environment=Production&id=mia-1"
    )
    #expect(page.words.contains("There are purchases in another environment (Sandbox)"))
  }

  @Test func whereNobodyChoseTheEnvironmentThatIsUsedIsShown() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.lifetime")
    let browser = try await browser(test)
    let page = await browser.get("/dashboard/overview")
    #expect(page.text.contains("selected>com.example.demo · Sandbox"), "\(page.words.prefix(400))")
  }

  @Test func listsGoOnByPlaceAndShowEverybodyOnce() async throws {
    let test = try TestSite()
    for number in 0..<(CustomersPage.rowsMax + 5) {
      try await test.buy("com.example.demo.coins", account: "customer-\(number)")
    }
    let browser = try await browser(test)
    var seen: [Substring] = []
    var target: String? = "/dashboard/customers?\(Self.scope)"
    while let next = target, seen.count < 200 {
      let page = await browser.get(next)
      seen += page.text.split(separator: "id=customer-").dropFirst().map {
        $0.prefix { $0.isNumber }
      }
      // Links that switch the language lead to the same page: only the one marked "next" goes on.
      let parts = page.text.split(separator: "\"", omittingEmptySubsequences: false)
      target = parts.indices.dropLast(2).first {
        parts[$0].contains("before=") && parts[$0 + 1].hasSuffix(" rel=") && parts[$0 + 2] == "next"
      }.map { String(parts[$0]).replacing("&amp;", with: "&") }
    }
    #expect(seen.count == CustomersPage.rowsMax + 5)
    #expect(Set(seen).count == seen.count)
  }
}
