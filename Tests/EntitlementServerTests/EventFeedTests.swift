import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Synchronization
import Testing

@Suite struct EventFeedTests {
  private func page(_ answer: TestAnswer) -> (numbers: [Int64], next: Int64?) {
    let events = answer.body["events"]?.arrayValue?.compactMap(\.objectValue) ?? []
    return (
      events.compactMap { $0["cursor"]?.integerValue }, answer.body["next"]?.integerValue
    )
  }

  @Test(arguments: Backend.allCases)
  func pagesGoOnBehindTheirEndWithoutGapOrRepetition(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      for number in 0..<7 { try await test.buy(DemoCatalog.coins, as: "c\(number % 2)") }
      var seen: [Int64] = []
      var after: Int64 = 0
      for _ in 0..<5 {
        let found = page(try await test.get("/v1/events?limit=2&after=\(after)"))
        seen += found.numbers
        after = try #require(found.next)
      }
      #expect(seen.count == 7)
      #expect(seen == seen.sorted())
      #expect(Set(seen).count == 7)
      try await test.buy(DemoCatalog.coins, as: "late")
      let late = page(try await test.get("/v1/events?after=\(after)"))
      #expect(late.numbers.count == 1)
      #expect(late.numbers.allSatisfy { $0 > after })
    }
  }

  @Test func whatIsNotWantedIsPassedOver() async throws {
    let test = try TestServer()
    for _ in 0..<5 { try await test.buy(DemoCatalog.coins, as: "mia") }
    try await test.buy(DemoCatalog.lifetime, as: "mia")
    let found = try await test.get("/v1/events?types=entitlements.changed&limit=1")
    #expect(page(found).numbers.count == 1)
    let none = try await test.get("/v1/events?types=refund.declined")
    #expect(page(none).numbers.isEmpty)
    #expect(page(none).next == page(try await test.get("/v1/events")).next)
  }

  @Test func whoWaitsIsAnsweredWhenSomethingHappens() async throws {
    let test = try TestServer()
    test.uptime.isStill.withLock { $0 = true }
    async let answer = test.get("/v1/events?wait=25")
    try await test.buy(DemoCatalog.coins, as: "mia")
    #expect(page(try await answer).numbers.count == 1)
  }

  @Test func whoWaitsInVainIsAnsweredWhenTheTimeIsUp() async throws {
    let test = try TestServer()
    let before = test.uptime.now.withLock { $0 }
    let answer = try await test.get("/v1/events?wait=7&after=3")
    #expect(page(answer).numbers.isEmpty)
    #expect(page(answer).next == 3)
    #expect(test.uptime.now.withLock { $0 } - before == .seconds(7))
  }

  @Test func whoWaitsIsAnsweredWhenTheServerStops() async throws {
    let test = try TestServer()
    test.server.endWaiting()
    let before = test.uptime.now.withLock { $0 }
    #expect(try await test.get("/v1/events?wait=25").status == 200)
    #expect(test.uptime.now.withLock { $0 } == before)
  }

  @Test func aStreamHasCursorsAndComesAgain() async throws {
    let test = try TestServer()
    try await test.buy(DemoCatalog.coins, as: "mia")
    var request = HTTPRequest(method: .get, target: "/v1/events?wait=1")
    request.headers["Accept"] = "text/event-stream"
    let first = await test.server.answer(request)
    #expect(first.headers["Content-Type"] == "text/event-stream; charset=utf-8")
    let text = String(decoding: first.body, as: UTF8.self)
    #expect(text.hasPrefix("retry: 1000\n\nid: "))
    #expect(text.contains("\nevent: purchase.granted\ndata: {\"type\":\"purchase.granted\""))
    let id = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4)
    )
    request.headers["Last-Event-ID"] = String(id)
    let second = String(decoding: await test.server.answer(request).body, as: UTF8.self)
    #expect(second.contains(": nothing yet"))
    #expect(!second.contains("data:"))
  }

  @Test(arguments: [
    ("wait=25", 200), ("wait=26", 400), ("wait=-1", 400), ("wait=x", 400), ("limit=1000", 200),
    ("limit=1001", 400), ("limit=0", 400), ("after=-1", 400), ("types=", 400),
    ("types=purchase.granted,refund.completed", 200), ("types=purchase.granted,no.such", 400),
    ("customer=", 400), ("customer=a%00b", 400),
  ])
  func parametersAreBoundedAtTheLimit(query: String, status: Int) async throws {
    let test = try TestServer()
    try await test.buy(DemoCatalog.coins, as: "mia")
    #expect(try await test.get("/v1/events?\(query)").status == status)
  }
}
