import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import ServerStorage
import Testing

@Suite struct ConsumptionTests {
  private func asked(_ apple: StandInApple) async throws -> TestServer {
    let test = try TestServer(apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins, ["installation": "one"])
    _ = try await test.verify(coins, ["installation": "one", "acknowledged": true])
    try test.store.requestRefund(coins.transactionID, reason: .unintendedPurchase)
    await test.store.drainNotifications()
    return test
  }

  @Test func aQuestionIsAnsweredOnce() async throws {
    let test = try await asked(StandInApple(consent: true))
    #expect(await test.server.work() == 1)
    #expect(await test.server.work() == 0)
    let records = test.store.consumptionRecords
    #expect(records.count == 1)
  }

  @Test func withoutConsentNothingIsSaid() async throws {
    let apple = StandInApple()
    let test = try await asked(apple)
    #expect(await test.server.work() == 0)
    #expect(test.store.consumptionRecords.isEmpty)
    #expect(!apple.sent.contains { $0.contains("consumption") })
  }

  @Test func anAwayAppleIsAskedAgainInTime() async throws {
    let apple = StandInApple(consent: true)
    let test = try await asked(apple)
    apple.goDown()
    _ = await test.server.work()
    #expect(test.store.consumptionRecords.isEmpty)
    apple.goDown(false)
    #expect(await test.server.work() == 0)
    await test.store.advance(by: 120)
    #expect(await test.server.work() == 1)
    #expect(test.store.consumptionRecords.count == 1)
  }

  @Test func afterTwelveHoursItIsTooLate() async throws {
    let apple = StandInApple(consent: true)
    let test = try await asked(apple)
    // The question is signed a moment after it was asked.
    await test.store.advance(by: 12 * 3600 + 1)
    #expect(await test.server.work() == 1)
    #expect(await test.server.work() == 0)
    #expect(test.store.consumptionRecords.isEmpty)
    #expect(
      test.logged.contains { $0.description == "consumption app=com.example.demo state=late" }
    )
  }

  @Test func manyWorkersAnswerOnce() async throws {
    let test = try await asked(StandInApple(consent: true))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = await test.server.work() } }
    }
    #expect(test.store.consumptionRecords.count == 1)
  }

  @Test func anAnswerThatMayHaveBeenSentIsTheSameWhenItIsSentAgain() async throws {
    let apple = StandInApple(consent: true)
    let test = try TestServer(apple: apple)
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins, ["installation": "one"])
    try test.store.requestRefund(coins.transactionID, reason: .unintendedPurchase)
    await test.store.drainNotifications()
    // The answer arrives, and what says so does not: as after a kill.
    apple.plan(.loseAnswer, .loseAnswer)
    _ = await test.server.work()
    // What would be said now is something else.
    _ = try await test.verify(coins, ["installation": "one", "acknowledged": true])
    await test.store.advance(by: 700)
    _ = await test.server.work()
    #expect(await test.server.work() == 0)
    let bodies = apple.bodies { $0.contains("/consumption/") }
    #expect(bodies.count == 3)
    #expect(Set(bodies).count == 1)
    #expect(Set(test.store.consumptionRecords.map(\.content)).count == 1)
  }

  @Test func aServerThatStopsWhileItAnswersLeavesTheQuestionToTheNext() async throws {
    let apple = StandInApple(consent: true)
    let test = try await asked(apple)
    apple.plan(.giveUp)
    // The server that stops does no more; the next one need not wait.
    #expect(await test.server.work() == 2)
    #expect(test.store.consumptionRecords.count == 1)
    #expect(
      test.logged.filter { $0.name == "consumption" }.map(\.description)
        == ["consumption app=com.example.demo state=sent"]
    )
  }

  @Test func whatTheAppStoreRefusesIsNotSaidAgain() async throws {
    let apple = StandInApple(consent: true)
    let test = try await asked(apple)
    apple.plan(.answer(400, #"{"errorCode":4000000,"errorMessage":"Bad request."}"#))
    #expect(await test.server.work() == 1)
    await test.store.advance(by: 700)
    #expect(await test.server.work() == 0)
    #expect(test.store.consumptionRecords.isEmpty)
    #expect(
      test.logged.contains { $0.description == "consumption app=com.example.demo state=refused" }
    )
  }

  @Test func aTokenThatIsNotAcceptedIsNoRefusal() async throws {
    let apple = StandInApple(consent: true)
    let test = try await asked(apple)
    apple.plan(.answer(401, ""))
    #expect(await test.server.work() == 1)
    #expect(await test.server.work() == 0)
    await test.store.advance(by: 61)
    #expect(await test.server.work() == 1)
    #expect(test.store.consumptionRecords.count == 1)
  }
}
