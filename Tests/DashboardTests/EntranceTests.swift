import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@testable import Dashboard

/// Who gets in, and how those fail who try to get in otherwise.
struct EntranceTests {
  @Test func everyPageSendsStrangersToTheDoor() async throws {
    let test = try TestSite()
    for path in DashboardSite.pages.keys.sorted() {
      let page = await TestBrowser(test).get(path)
      #expect(page.status == 303 && page.location?.hasPrefix("/dashboard/login") == true, "\(path)")
    }
    for path in DashboardSite.acts.keys.sorted() {
      let page = await TestBrowser(test).send(.post, path, form: [("token", "x")])
      #expect(page.status == 303, "\(path)")
    }
  }

  @Test func theRightPasswordOpensEveryPage() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    let entered = await browser.logIn()
    #expect(entered.status == 303 && entered.location == "/dashboard/overview")
    for section in Section.allCases {
      let page = await browser.get(section.path.description)
      #expect(page.status == 200, "\(section): \(page.words)")
    }
  }

  @Test func aWrongPasswordAndAnUnknownNameAreAnsweredAlike() async throws {
    let test = try TestSite()
    try await test.add()
    let wrong = await TestBrowser(test).logIn("ada", password: "correct horse batterx")
    let unknown = await TestBrowser(test).logIn("nobody", password: TestSite.password)
    #expect(wrong.status == 401 && unknown.status == 401)
    #expect(wrong.words == unknown.words)
  }

  @Test func guessingUnderOneNameStopsAfterFiveTries() async throws {
    let test = try TestSite()
    try await test.add()
    for number in 0..<SessionBook.triesMax {
      let page = await TestBrowser(test, address: "192.0.2.\(number)").logIn(password: "wrong pass")
      #expect(page.status == 401)
    }
    // Even the right one, and from elsewhere.
    let page = await TestBrowser(test, address: "198.51.100.1").logIn()
    #expect(page.status == 429)
    #expect(page.response.headers["Retry-After"] == "900")
    await test.store.advance(by: SessionBook.tryWindow)
    let later = await TestBrowser(test).logIn()
    #expect(later.status == 303)
  }

  @Test func guessingAtTheSameMomentIsCountedToo() async throws {
    let test = try TestSite()
    try await test.add()
    let statuses = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
      for number in 0..<20 {
        group.addTask {
          await TestBrowser(test, address: "192.0.2.\(number)").logIn(password: "wrong pass").status
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 401 } <= Int(SessionBook.triesMax))
    #expect(statuses.count { $0 == 429 } >= 20 - Int(SessionBook.triesMax))
  }

  @Test func oneAddressCannotTryManyNames() async throws {
    let test = try TestSite()
    let browser = TestBrowser(test)
    var statuses: [Int] = []
    for number in 0...DashboardSite.triesPerMinuteMax {
      statuses.append(await browser.logIn("name\(number)", password: "password-\(number)").status)
    }
    #expect(statuses.dropLast().allSatisfy { $0 == 401 })
    #expect(statuses.last == 429)
  }

  @Test func aSessionThatWasPlantedBeforeIsNotTheOneThatLogsIn() async throws {
    let test = try TestSite()
    try await test.add()
    let planted = String(repeating: "ab", count: SessionBook.idBytes)
    let victim = TestBrowser(test)
    victim.setCookie("iap_session", planted)
    let entered = await victim.logIn()
    #expect(entered.status == 303)
    #expect(victim.cookies["iap_session"] != planted)
    let attacker = TestBrowser(test)
    attacker.setCookie("iap_session", planted)
    #expect(await attacker.get("/dashboard/overview").status == 303)
  }

  @Test func loggingInAgainEndsTheSessionBefore() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    let first = try #require(browser.cookies["iap_session"])
    await browser.logIn()
    #expect(browser.cookies["iap_session"] != first)
    let thief = TestBrowser(test)
    thief.setCookie("iap_session", first)
    #expect(await thief.get("/dashboard/overview").status == 303)
  }

  @Test func loggingOutEndsTheSessionOnTheServer() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    let secret = try #require(browser.cookies["iap_session"])
    let page = await browser.get("/dashboard/health")
    #expect(await browser.submit(page, to: "/dashboard/logout").status == 303)
    browser.setCookie("iap_session", secret)
    #expect(await browser.get("/dashboard/health").status == 303)
  }

  @Test(arguments: [SessionBook.idleSeconds - 1, SessionBook.idleSeconds])
  func aSessionThatIsNotUsedEnds(_ seconds: TimeInterval) async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    await test.store.advance(by: seconds)
    let page = await browser.get("/dashboard/health")
    #expect(page.status == (seconds < SessionBook.idleSeconds ? 200 : 303))
  }

  @Test func aSessionEndsAfterTwelveHoursHoweverMuchItIsUsed() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    for _ in 0..<23 {
      await test.store.advance(by: SessionBook.idleSeconds / 2)
      #expect(await browser.get("/dashboard/health").status == 200)
    }
    await test.store.advance(by: SessionBook.idleSeconds / 2)
    #expect(await browser.get("/dashboard/health").status == 303)
  }

  @Test func anotherPasswordOrNoAccountEndsSessionsAtOnce() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    try await test.add()
    #expect(await browser.get("/dashboard/health").status == 303)
    await browser.logIn()
    #expect(try await test.site.accounts.remove("ada", at: test.store.clock.now))
    #expect(await browser.get("/dashboard/health").status == 303)
  }

  @Test func nothingThatIsKeptOpensTheDoor() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    await browser.logIn()
    let secret = try #require(browser.cookies["iap_session"])
    let (sessions, people) = try await test.ledger.read { reader throws(StorageError) in
      (
        try reader.documents(.dashboardSession, app: nil, shelf: nil, after: 0, limit: 10),
        try reader.documents(.dashboardOperator, app: nil, shelf: nil, after: 0, limit: 10)
      )
    }
    #expect(sessions.count == 1 && people.count == 1)
    for document in sessions + people {
      let kept = document.key.name + JSONValue.object(document.body).serializedText
      #expect(!kept.contains(secret) && !kept.contains(TestSite.password))
    }
    // The name of the kept session is no session.
    browser.setCookie("iap_session", sessions[0].key.name)
    #expect(await browser.get("/dashboard/health").status == 303)
  }

  @Test func cookiesCannotBeReadByScriptsOrSentFromElsewhere() async throws {
    let test = try TestSite()
    try await test.add()
    let browser = TestBrowser(test)
    let entered = await browser.logIn()
    let plain = entered.response.headers.filter { $0.name == "Set-Cookie" }.map(\.value)
    #expect(
      plain.contains { $0.hasPrefix("iap_session=") && $0.contains("; HttpOnly; SameSite=Lax") }
    )
    #expect(plain.allSatisfy { !$0.contains("Secure") })
    // On any other host a cookie is for encrypted connections only, whatever a proxy says.
    let page = await browser.send(.get, "/dashboard/login", headers: ["Host": "iap.example.com"])
    let secure = page.response.headers.filter { $0.name == "Set-Cookie" }.map(\.value)
    #expect(!secure.isEmpty && secure.allSatisfy { $0.contains("; Secure") })
  }

  @Test func aPasswordThatIsTooShortIsNone() async throws {
    let test = try TestSite()
    let short = String(repeating: "a", count: StoredPassword.charactersMin - 1)
    await #expect(throws: DashboardError(.unusable, "")) {
      try await test.site.accounts.put("ada", password: short, at: TestSite.start)
    }
    #expect(try await test.site.accounts.put("ada", password: short + "a", at: TestSite.start))
  }

  @Test(arguments: ["", "a b", "<b>", "ä", String(repeating: "a", count: 65)])
  func aNameThatReadsOtherwiseInALogIsNone(_ name: String) {
    #expect(!OperatorName(name).isUsable)
  }

  @Test func theWayBackLeadsToOurPagesOnly() {
    #expect(
      DashboardSite.next("/dashboard/customer?id=a%26b")?.text == "/dashboard/customer?id=a%26b"
    )
    for bad in [
      "https://evil.example/", "//evil.example/dashboard", "/\\evil.example", "javascript:alert(1)",
      "/dashboard/../v1/customers", "/dashboard/overview\r\nSet-Cookie: a=b", "",
    ] {
      #expect(DashboardSite.next(bad) == nil, "\(bad)")
    }
  }
}
