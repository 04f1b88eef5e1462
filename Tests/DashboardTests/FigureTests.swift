import AppStoreSimulator
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

@testable import Dashboard

/// The numbers of the charts follow from the facts, each entry once.
struct FigureTests {
  private static let scope = LedgerScope(app: TestSite.app, environment: .sandbox)

  private func figures(_ test: TestSite, days count: Int64 = 30) async throws -> Figures {
    while await test.site.count() > 0 {}
    let today = CountingDay(test.store.clock.now)
    let days = (0..<count).reversed().map { CountingDay(number: today.number - $0) }
    return try await test.ledger.read { reader throws(StorageError) in
      try Figures(Self.scope, days: days, reader)
    }
  }

  @Test func moneyIsAddedUpByDayProductAndCurrency() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.coins")
    try await test.buy("com.example.demo.coins")
    await test.store.advance(by: 86_400)
    try await test.buy("com.example.demo.lifetime")
    let money = try await figures(test).money
    #expect(money.map(\.currency) == ["USD"])
    #expect(money[0].sold == 3)
    #expect(money[0].paid == 990 * 2 + 29_990)
    #expect(money[0].products["com.example.demo.coins"]?.suffix(2) == [1980, 0])
    #expect(money[0].products["com.example.demo.lifetime"]?.suffix(2) == [0, 29_990])
    #expect(money[0].proceeds(commission: 30) == 22_379)
    #expect(money[0].proceeds(commission: 15) == 27_174)
  }

  @Test func countingAgainCountsNothingTwice() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.coins")
    let first = try await figures(test).money
    let counts = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
      for _ in 0..<8 { group.addTask { await test.site.count() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts.allSatisfy { $0 == 0 })
    let again = try await figures(test).money
    #expect(again.map(\.paid) == first.map(\.paid) && again.map(\.sold) == [1])
  }

  @Test func serversThatCountAtTheSameMomentCountOnce() async throws {
    let test = try TestSite()
    for _ in 0..<20 { try await test.buy("com.example.demo.coins") }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { while await test.site.count() > 0 {} } }
    }
    let money = try await figures(test).money
    #expect(money.map(\.sold) == [20] && money.map(\.paid) == [20 * 990])
  }

  @Test func aRefundIsSubtractedAndItsReversalCountsAgain() async throws {
    let test = try TestSite()
    let bought = try await test.buy("com.example.demo.lifetime")
    await test.store.advance(by: 3600)
    _ = try test.store.refund(bought.transactionID)
    await test.store.drainNotifications()
    let money = try await figures(test).money
    #expect(money[0].refunded == 1 && money[0].returned == 29_990)
    #expect(money[0].net == 0 && money[0].proceeds(commission: 30) == 0)
  }

  @Test func aSubscriptionRunsUntilItIsOverAndIsLostThen() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.plus.monthly")
    let running = try await figures(test)
    #expect(running.active.suffix(2) == [0, 1])
    #expect(running.sum(.started) == 1)
    // Three renewals, in real time: nothing ends in between.
    await test.store.advance(by: 86_400 * 95)
    let later = try await figures(test, days: 120)
    #expect(later.active.last == 1)
    #expect(later.sum(.started) == 1)
    #expect(later.active.filter { $0 == 1 }.count == 96)
    #expect(later.active.allSatisfy { $0 <= 1 })
    let cohort = try #require(later.cohorts.first)
    #expect(cohort.tally[.size] == 1)
    #expect((0...3).map { cohort.tally[.running($0)] } == [1, 1, 1, 1])
  }

  @Test func aTrialThatIsPaidForIsAConversion() async throws {
    let test = try TestSite()
    try await test.buy("com.example.demo.plus.yearly")
    let trying = try await figures(test)
    #expect(trying.sum(.trials) == 1 && trying.sum(.converted) == 0)
    #expect(trying.money.map(\.paid) == [0] || trying.money.isEmpty)
    await test.store.advance(by: 86_400 * 9)
    let paid = try await figures(test)
    #expect(paid.sum(.trials) == 1 && paid.sum(.trialsOver) == 1 && paid.sum(.converted) == 1)
    #expect(paid.money[0].paid == 49_990)
    #expect(paid.active.last == 1 && paid.sum(.started) == 1)
  }

  @Test func whatHasNoPriceIsUnknownUntilThePriceIsKnown() async throws {
    let test = try TestSite()
    let number: TransactionID = "2000000099999999"
    var payload = TransactionPayload.plain(number, at: test.store.clock.now)
    try await test.record(payload)
    let unknown = try await figures(test).money
    #expect(unknown.map(\.currency) == [""] && unknown[0].sold == 1 && unknown[0].paid == 0)
    // The same purchase in signed data, a moment later.
    payload.priceMilliunits = 4990
    payload.currency = "EUR"
    payload.signedDate = test.store.clock.now.addingTimeInterval(1)
    try await test.record(payload)
    await test.store.advance(by: 61)
    let known = try await figures(test).money
    #expect(known.map(\.currency) == ["EUR"] && known[0].sold == 1 && known[0].paid == 4990)
  }

  @Test func whatNeverGetsAPriceIsLetGoAfterADay() async throws {
    let test = try TestSite()
    try await test.record(.plain("2000000099999998", at: test.store.clock.now))
    for seconds in [61, 86_400, 86_400] as [TimeInterval] {
      _ = try await figures(test)
      await test.store.advance(by: seconds)
    }
    let money = try await figures(test).money
    #expect(money.map(\.currency) == [""] && money[0].sold == 1)
    let left = try await test.ledger.read { reader throws(StorageError) in
      try reader.documents(.dashboardUnpriced, app: TestSite.app, shelf: nil, after: 0, limit: 9)
    }
    #expect(left.isEmpty)
  }

  @Test(arguments: [(120, 1, 120), (121, 7, 18), (365, 7, 53)])
  func longSpansAreShownByWeeksThatEndToday(_ days: Int64, _ step: Int, _ bars: Int) async throws {
    let span = try await figures(try TestSite(), days: days)
    #expect(span.daysPerBar == step && span.barDays.count == bars)
    let numbers = Array(1...days)
    #expect(span.barSums(numbers).reduce(0, +) == numbers.reduce(0, +))
    #expect(span.barEnds(numbers).last == days)
    #expect(span.barDays.first == span.days.first)
  }

  @Test func theOverviewShowsTheNumbersAndATableOfThem() async throws {
    let test = try TestSite()
    try await test.add()
    try await test.buy("com.example.demo.lifetime")
    _ = try await figures(test)
    let browser = TestBrowser(test)
    await browser.logIn()
    let page = await browser.get(
      "/dashboard/overview?app=\(TestSite.app)&environment=Sandbox&language=en"
    )
    #expect(page.words.contains("Gross in USD") && page.words.contains("US$29.99"))
    #expect(page.words.contains("estimated proceeds US$20.99"))
    #expect(page.text.contains("<svg class=\"chart\"") && page.words.contains("As a table"))
    let chinese = await browser.get(
      "/dashboard/overview?app=\(TestSite.app)&environment=Sandbox&language=zh-Hans"
    )
    #expect(chinese.text.contains("<html lang=\"zh-Hans\"") && chinese.words.contains("概览"))
    let empty = await browser.get("/dashboard/overview?app=\(TestSite.otherApp)")
    #expect(empty.words.contains("此期间没有收入"))
  }
}

extension TransactionPayload {
  /// A purchase of a consumable without a price.
  static func plain(_ id: TransactionID, at date: Date) -> TransactionPayload {
    var payload = TransactionPayload(
      transactionID: id,
      originalTransactionID: OriginalTransactionID(id.rawValue),
      bundleID: TestSite.app,
      productID: "com.example.demo.coins",
      purchaseDate: date
    )
    payload.type = .consumable
    payload.environment = .sandbox
    payload.signedDate = date
    payload.quantity = 1
    return payload
  }
}

extension TestSite {
  /// Records a transaction as if it had been verified.
  func record(_ payload: TransactionPayload) async throws {
    let scope = LedgerScope(app: Self.app, environment: .sandbox)
    let record = FactRecord(
      key: .transaction(payload),
      scope: scope,
      bytes: payload.object.serialized,
      signedDate: payload.signedDate,
      receivedDate: store.clock.now,
      facts: [.transaction(payload)]
    )
    _ = try await ledger.commit(LedgerWrite(date: store.clock.now, facts: [record]))
  }
}
