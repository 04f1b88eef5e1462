import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

/// A body that the server has to turn down, by a short name.
struct BadBody: CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  let status: Int
  let code: String

  init(_ name: String, _ bytes: [UInt8], _ status: Int, _ code: String) {
    testDescription = name
    self.bytes = bytes
    self.status = status
    self.code = code
  }

  init(_ name: String, _ text: String, _ status: Int, _ code: String) {
    self.init(name, Array(text.utf8), status, code)
  }

  static let all = [
    BadBody("empty", [], 400, "bodyEmpty"),
    BadBody("not UTF-8", [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 400, "bodyNotJSON"),
    BadBody("byte order mark", [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], 400, "bodyNotJSON"),
    BadBody("not JSON", "hello", 400, "bodyNotJSON"),
    BadBody("truncated", #"{"receipt":"abc"#, 400, "bodyNotJSON"),
    BadBody("a list", "[1]", 400, "bodyNotJSON"),
    BadBody("twice the same member", #"{"receipt":"a","receipt":"b"}"#, 400, "bodyNotJSON"),
    BadBody("nine levels deep", #"{"a":[[[[[[[[1]]]]]]]]}"#, 400, "bodyNotJSON"),
    BadBody("nothing behind it", #"{"receipt":"YQ=="} x"#, 400, "bodyNotJSON"),
    BadBody("nothing in it", "{}", 400, "parameterMissing"),
    BadBody("a number for a text", #"{"signedTransaction":1}"#, 400, "parameterInvalid"),
    BadBody(
      "an acknowledgement of nobody",
      #"{"signedTransaction":"a.b.c","acknowledged":true}"#,
      400,
      "parameterMissing"
    ),
    BadBody(
      "an acknowledgement without a proof",
      #"{"transactionId":"1","installation":"one","acknowledged":true}"#,
      400,
      "parameterMissing"
    ),
    BadBody("a text for a truth value", #"{"sandbox":"yes"}"#, 400, "parameterInvalid"),
    BadBody(
      "an order that is no UUID",
      #"{"transactionId":"1","orderNumber":"7"}"#,
      400,
      "parameterInvalid"
    ),
  ]
}

@Suite struct RoutingTests {
  @Test(arguments: BadBody.all)
  func aBodyThatCannotBeReadIsNamed(bad: BadBody) async throws {
    let test = try TestServer()
    let answer = try await test.send(
      HTTPRequest(method: .post, target: "/v1/verify", body: bad.bytes)
    )
    #expect(answer.status == bad.status)
    #expect(answer.errorCode == bad.code)
    #expect(answer.body["simulated"] == true)
  }

  @Test func bodiesAreBoundedAtTheLimit() async throws {
    let limits = ServerLimits(bodyBytesMax: 100, notificationBytesMax: 50)
    let test = try TestServer(limits: limits)
    func padded(_ count: Int) -> [UInt8] {
      Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x78, count: count - 8) + Array(#""}"#.utf8)
    }
    for (path, limit) in [("/v1/verify", 100), ("/v1/notifications/apple", 50)] {
      let taken = try await test.send(
        HTTPRequest(method: .post, target: path, body: padded(limit))
      )
      #expect(taken.errorCode == "parameterMissing")
      let refused = try await test.send(
        HTTPRequest(method: .post, target: path, body: padded(limit + 1))
      )
      #expect(refused.status == 413)
      #expect(refused.errorCode == "bodyTooLarge")
    }
  }

  @Test(arguments: [
    ("account", ServerLimits.standard.accountBytesMax),
    ("installation", ServerLimits.standard.installationBytesMax),
    ("productId", ServerLimits.standard.productIDBytesMax),
    ("transactionId", ServerLimits.standard.transactionIDBytesMax),
  ])
  func identifiersAreBoundedAtTheLimit(name: String, limit: Int) async throws {
    let test = try TestServer()
    for (count, isTaken) in [(limit, true), (limit + 1, false)] {
      var body: JSONObject = ["signedTransaction": "a.b.c"]
      body[name] = .string(String(repeating: "x", count: count))
      let answer = try await test.verify(body)
      #expect((answer.errorParameter == name) == !isTaken)
    }
  }

  @Test(arguments: [
    "/", "/v1", "/v1/verify/x", "/v2/verify", "/v1/customers", "/v1/customers/a/b", "/v1/order",
    "/%2e%2e/etc", "//",
  ])
  func aRouteThatIsNotThereIsNotFound(target: String) async throws {
    let answer = try await TestServer().get(target)
    #expect(answer.status == 404)
    #expect(answer.errorCode == "routeUnknown")
  }

  @Test(arguments: [
    (HTTPMethod.get, "/v1/verify", "POST"), (.put, "/v1/verify", "POST"),
    (.get, "/v1/notifications/apple", "POST"), (.post, "/v1/customers/mia", "GET, HEAD, DELETE"),
    (.delete, "/healthz", "GET, HEAD"), (HTTPMethod("BREW"), "/metrics", "GET, HEAD"),
  ])
  func aMethodThatIsNotKnownIsNotAllowed(
    method: HTTPMethod,
    target: String,
    allowed: String
  ) async throws {
    let answer = try await TestServer().send(HTTPRequest(method: method, target: target))
    #expect(answer.status == 405)
    #expect(answer.headers["Allow"] == allowed)
  }

  @Test func somethingElseThanJSONIsNotTaken() async throws {
    let test = try TestServer()
    for (type, status) in [
      ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
      ("application/json; charset=utf-8", 400), ("application/cloudevents+json", 400),
    ] {
      let answer = try await test.send(
        HTTPRequest(
          method: .post,
          target: "/v1/verify",
          headers: ["Content-Type": type],
          body: Array("{}".utf8)
        )
      )
      #expect(answer.status == status)
    }
  }

  @Test func healthFollowsTheLedger() async throws {
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger)
    #expect(try await test.get("/healthz").body["status"] == "ok")
    await ledger.close()
    #expect(try await test.get("/healthz").status == 503)
    #expect(try await test.get("/metrics").status == 503)
  }

  @Test func metricsCountWhatHappened() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins)
    _ = try await test.verify(coins, ["productId": "x"])
    _ = try await test.get("/nowhere")
    let response = await test.server.answer(HTTPRequest(method: .get, target: "/metrics"))
    let text = String(decoding: response.body, as: UTF8.self)
    for line in [
      #"iap_http_requests_total{route="/v1/verify",status="200"} 2"#,
      #"iap_http_requests_total{route="unknown",status="404"} 1"#,
      #"iap_verdicts_total{verdict="accepted"} 1"#, #"iap_verdicts_total{verdict="rejected"} 1"#,
      #"iap_rule_failures_total{part="transaction",rule="matchingProduct"} 1"#,
      #"iap_unit_entries_total{kind="grant"} 1"#, "iap_ledger_facts 1", "iap_simulated 1",
      #"iap_http_request_seconds_count{route="/v1/verify"} 2"#,
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }

  @Test func refusalsOfTheHTTPServerLookLikeTheAPI() async throws {
    let test = try TestServer()
    for status in [400, 413, 431, 503] {
      let response = test.server.refusal(status)
      #expect(response.status == status)
      let body = try JSONParser.parseObject(response.body)
      #expect(body["error"]?.objectValue?["code"] != nil)
    }
  }

  @Test func anEmptyCustomerIsNoError() async throws {
    let answer = try await TestServer().get("/v1/customers/nobody")
    #expect(answer.status == 200)
    #expect(answer.entitlements == [])
    let long = String(repeating: "x", count: ServerLimits.standard.accountBytesMax + 1)
    #expect(try await TestServer().get("/v1/customers/\(long)").errorParameter == "id")
    #expect(
      try await TestServer().get("/v1/customers/a?environment=Moon").errorParameter
        == "environment"
    )
    #expect(try await TestServer().get("/v1/customers/a?app=x").errorParameter == "app")
  }

  @Test func nothingPersonalIsLogged() async throws {
    let test = try TestServer()
    let coins = try test.buy(DemoCatalog.coins)
    let text = try test.store.signedTransaction(coins.transactionID)
    let secrets = [
      text, "account-of-mia", "installation-of-mia", coins.transactionID.rawValue,
    ]
    _ = try await test.verify([
      "signedTransaction": .string(text), "account": "account-of-mia",
      "installation": "installation-of-mia", "productId": "com.example.demo.coins",
    ])
    _ = try await test.verify([
      "signedTransaction": .string(text + "A"), "account": "account-of-mia", "orderNumber": "7",
    ])
    _ = try await test.verify(["transactionId": .string(coins.transactionID.rawValue + "9")])
    _ = try await test.get("/v1/customers/account-of-mia?app=installation-of-mia")
    await test.store.drainNotifications()
    let metrics = await test.server.answer(HTTPRequest(method: .get, target: "/metrics"))
    let written =
      test.logged.map(\.description).joined() + String(decoding: metrics.body, as: UTF8.self)
    #expect(!test.logged.isEmpty)
    for secret in secrets { #expect(!written.contains(secret)) }
  }
}
