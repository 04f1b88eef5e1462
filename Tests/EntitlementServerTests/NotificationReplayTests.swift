import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import ServerStorage
import Testing

@Suite struct NotificationReplayTests {
  private static let path = "/v1/notifications/replays"

  private func replay(_ test: TestServer, _ body: JSONObject = [:]) async throws -> TestAnswer {
    let begun = try await test.post(Self.path + "?environment=Sandbox", body)
    #expect(begun.status == 200)
    while await test.server.work() > 0 {}
    return try await test.get("\(Self.path)/\(try #require(begun.text("id")))")
  }

  private func lose(_ test: TestServer) { test.store.setNotificationTransport { _, _ in 503 } }

  private func count(_ answer: TestAnswer, _ name: String) -> Int64? {
    answer.body["counts"]?.objectValue?[name]?.integerValue
  }

  private func found(_ answer: TestAnswer) -> [String] {
    (answer.body["findings"]?.arrayValue ?? []).compactMap(\.objectValue).map { finding in
      ["kind", "type", "subtype", "sent"].compactMap { finding[$0]?.stringValue }
        .joined(separator: " ")
    }
  }

  /// One notification arrives and two are lost.
  private func server(_ apple: StandInApple = StandInApple()) async throws -> TestServer {
    let test = try TestServer(apple: apple)
    _ = try test.buy(DemoCatalog.lifetime)
    await test.store.drainNotifications()
    lose(test)
    _ = try test.buy(DemoCatalog.monthly)
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    #expect(try await test.ledger.counts().entries == 1)
    return test
  }

  @Test func whatWasLostIsRecordedOnce() async throws {
    let test = try await server()
    let answer = try await replay(test)
    #expect(answer.text("state") == "done")
    #expect(count(answer, "notifications") == 3)
    #expect(count(answer, "known") == 1)
    #expect(count(answer, "undelivered") == 2)
    #expect(
      found(answer) == [
        "missing SUBSCRIBED INITIAL_BUY UNSUCCESSFUL_HTTP_RESPONSE_CODE",
        "missing ONE_TIME_CHARGE UNSUCCESSFUL_HTTP_RESPONSE_CODE",
      ]
    )
    #expect(try await test.ledger.counts().entries == 3)
    let again = try await replay(test)
    #expect(found(again) == [])
    #expect(count(again, "known") == 3)
    #expect(try await test.ledger.counts().entries == 3)
  }

  @Test func aDryRunOnlyLists() async throws {
    let test = try await server()
    let before = try await test.ledger.counts()
    let answer = try await replay(test, ["dryRun": true])
    #expect(count(answer, "missing") == 2)
    #expect(answer.body["replay"]?.objectValue?["dryRun"] == true)
    #expect(try await test.ledger.counts() == before)
  }

  @Test func oneTypeOrOnlyFailuresCanBeAskedFor() async throws {
    let test = try await server()
    let failures = try await replay(test, ["onlyFailures": true, "dryRun": true])
    #expect(count(failures, "notifications") == 2)
    let type = try await replay(
      test,
      ["type": "SUBSCRIBED", "subtype": "INITIAL_BUY", "dryRun": true]
    )
    #expect(found(type).map { $0.prefix(18) } == ["missing SUBSCRIBED"])
    let none = try await replay(test, ["type": "REFUND"])
    #expect(count(none, "notifications") == 0)
    #expect(try await test.ledger.counts().entries == 1)
  }

  @Test func aPeriodBoundsIt() async throws {
    let test = try await server()
    await test.store.advance(by: 10 * 86_400)
    _ = try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    let start = test.store.clock.now.addingTimeInterval(-86_400).milliseconds
    let answer = try await replay(test, ["start": .integer(start)])
    #expect(count(answer, "notifications") == 1)
    let early = try await replay(
      test,
      ["end": .integer(start), "dryRun": true]
    )
    #expect(count(early, "notifications").map { $0 >= 3 } == true)
  }

  @Test(
    arguments: [
      ["subtype": "INITIAL_BUY"], ["type": "SUBSCRIBED", "originalTransactionId": "1"],
      ["start": 4_000_000_000_000], ["start": 1_767_200_000_000, "end": 1_767_100_000_000],
      ["onlyFailures": "yes"], ["type": ""],
    ] as [JSONObject]
  )
  func whatAppleWouldRefuseIsRefused(body: JSONObject) async throws {
    let test = try TestServer(apple: StandInApple())
    let answer = try await test.post(Self.path + "?environment=Sandbox", body)
    #expect(answer.status == 400)
    #expect(answer.errorParameter != nil)
  }

  @Test func withoutAKeyThereIsNone() async throws {
    let test = try TestServer(apple: StandInApple(receipts: true, client: false))
    #expect(try await test.post(Self.path + "?environment=Sandbox", [:]).status == 501)
  }
}
