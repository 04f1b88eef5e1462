import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct ReviewTests {
  private static let report: JSONObject = [
    "transactionId": "77", "productId": "com.example.demo.coins", "reason": "rejected",
    "attempts": 5, "lastError": "matchingProduct", "account": "mia", "installation": "one",
    "signedTransaction": "a.b.c",
  ]

  @Test(arguments: Backend.allCases)
  func equalReportsAreOneCase(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for _ in 0..<20 { group.addTask { try await test.post("/v1/reviews", Self.report) } }
        return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
      }
      #expect(answers.allSatisfy { $0.status == 200 })
      #expect(Set(answers.map(\.withoutRequestID)).count == 1)
      #expect(answers[0].text("state") == "open")
      let listed = try await test.get("/v1/reviews?state=open")
      #expect(names(listed.body["reviews"]) == [try #require(answers[0].text("id"))])
    }
  }

  @Test func aListLeavesTheEvidenceOutAndACaseShowsIt() async throws {
    let test = try TestServer()
    let id = try #require(try await test.post("/v1/reviews", Self.report).text("id"))
    let listed = try await test.get("/v1/reviews").body["reviews"]?.arrayValue?.first?.objectValue
    #expect(listed?["signedTransaction"] == nil)
    #expect(listed?["lastError"] == "matchingProduct")
    let shown = try await test.get("/v1/reviews/\(id)")
    #expect(shown.text("signedTransaction") == "a.b.c")
    #expect(shown.text("account") == "mia")
    #expect(try await test.get("/v1/reviews/none").status == 404)
    #expect(try await test.get("/v1/reviews?state=gone").errorParameter == "state")
  }

  @Test func aLaterReportBringsTheCaseUpToDateWhileItIsOpen() async throws {
    let test = try TestServer()
    let id = try #require(try await test.post("/v1/reviews", Self.report).text("id"))
    var later = Self.report
    later["attempts"] = 6
    #expect(try await test.post("/v1/reviews", later).text("id") == id)
    #expect(try await test.get("/v1/reviews/\(id)").body["attempts"] == 6)
    _ = try await test.post("/v1/reviews/\(id)/resolve", ["action": "refuse", "note": "stolen"])
    #expect(try await test.post("/v1/reviews", Self.report).text("state") == "refused")
    #expect(try await test.get("/v1/reviews/\(id)").body["attempts"] == 6)
  }

  @Test func listsGoOnBehindTheirEnd() async throws {
    let test = try TestServer()
    for number in 0..<5 {
      var report = Self.report
      report["transactionId"] = .string("\(number)")
      _ = try await test.post("/v1/reviews", report)
    }
    var seen: [String] = []
    var next = "0"
    for _ in 0..<3 {
      let page = try await test.get("/v1/reviews?limit=2&after=\(next)")
      seen += names(page.body["reviews"])
      next = page.body["next"]?.integerValue.map { "\($0)" } ?? "end"
    }
    #expect(Set(seen).count == 5)
    #expect(next == "end")
    for bad in ["limit=0", "limit=1001", "limit=x", "after=-1"] {
      #expect(try await test.get("/v1/reviews?\(bad)").status == 400)
    }
  }

  @Test(arguments: Backend.allCases)
  func aDeliveredCaseIsAcceptedAtTheNextVerification(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let coins = try test.buy(DemoCatalog.coins)
      // A proof that this server cannot take: it says another product.
      let body: JSONObject = ["productId": "com.example.demo.lifetime", "installation": "one"]
      let refused = try await test.verify(coins, body)
      #expect(refused.text("verdict") == "rejected")
      var report = Self.report
      report["transactionId"] = .string(coins.transactionID.rawValue)
      let id = try #require(try await test.post("/v1/reviews", report).text("id"))
      #expect(try await test.verify(coins, body).text("verdict") == "rejected")
      let decided = try await test.post("/v1/reviews/\(id)/resolve", ["action": "deliver"])
      #expect(decided.text("state") == "delivered")
      let accepted = try await test.verify(coins, body)
      #expect(accepted.text("verdict") == "accepted")
      #expect(accepted.text("review") == id)
      #expect(accepted.text("claimedBy") == "one")
      #expect(accepted.body["grant"]?.objectValue?["count"] == 1)
      // One installation hands it over, whoever asks.
      let other = try await test.verify(coins, ["productId": "x", "installation": "two"])
      #expect(other.text("claimedBy") == "one")
      // What was decided to be handed over stays so.
      let late = try await test.post("/v1/reviews/\(id)/resolve", ["action": "refuse"])
      #expect(late.status == 409)
      #expect(late.errorCode == "alreadyDecided")
      let again = try await test.post("/v1/reviews/\(id)/resolve", ["action": "deliver"])
      #expect(again.status == 200)
    }
  }

  @Test func aRefusedCaseNamesItsRule() async throws {
    let test = try TestServer()
    let id = try #require(try await test.post("/v1/reviews", Self.report).text("id"))
    _ = try await test.post("/v1/reviews/\(id)/resolve", ["action": "refuse"])
    let answer = try await test.verify(["signedTransaction": "a.b.c", "transactionId": "77"])
    #expect(answer.text("verdict") == "rejected")
    #expect(answer.rules.contains("review"))
  }

  @Test func everyActionIsWrittenDown() async throws {
    let test = try TestServer(requiresKeys: true)
    let app = try await test.key(.public)
    let backend = try await test.key(.secret)
    let reported = try await test.send(.post, "/v1/reviews", key: app, Self.report)
    let id = try #require(reported.text("id"))
    let target = "/v1/reviews/\(id)/resolve"
    #expect(try await test.send(.post, target, key: app, ["action": "deliver"]).status == 403)
    #expect(try await test.send(.post, target, key: backend, ["action": "resolve"]).status == 200)
    let audit = try await test.ledger.read { reader throws(StorageError) in
      try reader.audit(after: 0, limit: 100)
    }
    #expect(audit.map(\.action) == ["review.opened", "review.resolved"])
    #expect(audit.last?.details["by"]?.stringValue == backend.split(separator: "_")[2].description)
  }

  @Test(arguments: Backend.allCases)
  func aPurchaseOfAnotherEntersTheQueueAndSupportCanMoveIt(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let lifetime = try test.buy(DemoCatalog.lifetime)
      _ = try await test.verify(lifetime, ["account": "mia"])
      for _ in 0..<3 {
        let answer = try await test.verify(lifetime, ["account": "eve"])
        #expect(answer.body["belongsToAnother"] == true)
      }
      let listed = try await test.get("/v1/reviews")
      let review = try #require(listed.body["reviews"]?.arrayValue?.first?.objectValue)
      #expect(listed.body["reviews"]?.arrayValue?.count == 1)
      #expect(review["kind"] == "ownership")
      #expect(review["account"] == "eve")
      let id = try #require(review["id"]?.stringValue)
      _ = try await test.post("/v1/reviews/\(id)/resolve", ["action": "deliver"])
      #expect(try await test.verify(lifetime, ["account": "eve"]).body["belongsToAnother"] == nil)
      #expect(try await test.verify(lifetime, ["account": "mia"]).body["belongsToAnother"] == true)
    }
  }

  @Test(
    arguments: [
      ("transactionId", nil), ("productId", nil), ("reason", nil), ("attempts", nil),
      ("transactionId", .string(String(repeating: "1", count: 65))), ("attempts", -1),
      ("attempts", "5"), ("orderNumber", "seven"), ("lastError", 1),
      ("reason", .string(String(repeating: "x", count: 2001))),
    ] as [(String, JSONValue?)]
  )
  func whatAReportLacksIsNamed(name: String, value: JSONValue?) async throws {
    var report = Self.report
    report[name] = value
    let answer = try await TestServer().post("/v1/reviews", report)
    #expect(answer.status == 400)
    #expect(answer.errorParameter == name)
  }
}
