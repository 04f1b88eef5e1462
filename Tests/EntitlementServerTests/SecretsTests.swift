import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

/// Plants a tag in everything that comes in, and searches everything that people read.
@Suite struct SecretsTests {
  private static let tag = "zqxSECRETzqx"

  private func body(_ response: HTTPResponse) -> String {
    String(decoding: response.body, as: UTF8.self)
  }

  /// Bodies with the tag in every member, good and bad ones.
  private func bodies(_ test: TestServer) throws -> [(path: String, body: JSONObject)] {
    let tag = Self.tag
    let coins = try test.buy(DemoCatalog.coins)
    let genuine = try test.store.signedTransaction(coins.transactionID)
    let forged = genuine.split(separator: ".").dropLast().joined(separator: ".") + ".\(tag)"
    let more: [(String, JSONObject)] = [
      ("/v1/verify", ["signedTransaction": .string(genuine)]),
      ("/v1/verify", ["signedTransaction": .string(forged)]),
      ("/v1/verify", ["signedTransaction": .string(tag)]),
      ("/v1/verify", ["receipt": .string(Data(tag.utf8).base64EncodedString())]),
      ("/v1/verify", ["receipt": .string(tag + "!")]),
      ("/v1/verify", ["transactionId": .string(tag)]),
      ("/v1/verify", ["orderNumber": .string(tag), "transactionId": "1"]),
      ("/v1/notifications/apple", ["signedPayload": .string(tag)]),
      ("/v1/notifications/apple", ["signedPayload": .string(forged)]),
      ("/v1/orders", ["productId": .string(tag)]),
      ("/v1/orders", ["productId": .string(tag), "quantity": .string(tag)]),
      (
        "/v1/reviews",
        ["transactionId": "1", "productId": "p", "attempts": 1, "signedTransaction": .string(tag)]
      ),
      ("/v1/reviews", ["transactionId": .string(tag), "attempts": .string(tag)]),
      ("/v1/offers/signature", ["format": .string(tag), "productId": .string(tag)]),
      ("/v1/customers/\(tag)/debits", ["balance": .string(tag), "amount": 1]),
      ("/v1/customers/\(tag)/aliases", ["accountToken": .string(tag)]),
      ("/v1/reviews/\(tag)/resolve", ["action": "refuse", "note": .string(tag)]),
      ("/v1/\(tag)", [:]),
    ]
    return more.map { path, members in
      var body: JSONObject = [
        "account": .string(tag), "installation": .string(tag), "lastError": .string(tag),
        "reason": .string(tag), "context": ["note": .string(tag)],
      ]
      for member in members.members { body[member.name] = member.value }
      return (path, body)
    }
  }

  /// Sends requests with the tag in every place, and returns the errors.
  private func plant(_ test: TestServer, _ key: String) async throws -> [String] {
    let tag = Self.tag
    var errors: [String] = []
    func note(_ request: HTTPRequest) async {
      let response = await test.server.answer(request)
      if response.status >= 400 { errors.append(body(response)) }
    }
    for (path, object) in try bodies(test) {
      for shownKey in [key, tag, "iap_sk_000000000000_" + tag] {
        for target in [path, path + "?app=\(tag)&x=\(tag)"] {
          await note(
            HTTPRequest(
              method: .post,
              target: target,
              headers: [
                "Authorization": "Bearer \(shownKey)", "Customer-Token": "iap_ct_\(tag).\(tag)",
                "Idempotency-Key": tag, "If-Match": tag, "User-Agent": tag, "X-Other": tag,
              ],
              body: object.serialized,
              remote: "203.0.113.7"
            )
          )
        }
      }
    }
    let shown: HTTPHeaders = ["Authorization": "Bearer \(key)", "Content-Type": tag]
    for target in ["/v1/customers/\(tag)", "/v1/orders/\(tag)", "/v1/reviews/\(tag)?after=\(tag)"] {
      for method in [HTTPMethod.get, .put, .delete, HTTPMethod(tag)] {
        await note(HTTPRequest(method: method, target: target, headers: shown))
      }
    }
    let broken = Array("{\"\(tag)".utf8)
    await note(HTTPRequest(method: .post, target: "/v1/verify", headers: shown, body: broken))
    return errors
  }

  @Test func noSecretReachesALogAnErrorOrAMetric() async throws {
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger, requiresKeys: true)
    let key = try await test.key(.secret)
    var errors = try await plant(test, key)
    // The same once more while the disk is in trouble: what the inside knows is logged then.
    ledger.refuseCommits(with: StorageError(.full, "no space left"))
    errors += try await plant(test, key)
    ledger.refuseCommits(with: nil)
    #expect(errors.count > 60)
    let secret = String(key.suffix(43))
    for text in errors {
      #expect(!text.contains(Self.tag) && !text.contains(secret), "\(text)")
    }
    let logged = test.logged
    #expect(logged.contains { $0.level == .error })
    for event in logged {
      for line in [event.description, event.json(at: test.store.clock.now)] {
        #expect(!line.contains(Self.tag) && !line.contains(secret), "\(line)")
        #expect(!line.contains("203.0.113.7") && !line.contains("eyJ"), "\(line)")
      }
    }
    let metrics = await test.server.answer(
      HTTPRequest(method: .get, target: "/metrics", headers: ["Authorization": "Bearer \(key)"])
    )
    #expect(metrics.status == 200)
    #expect(!body(metrics).contains(Self.tag))
    let audit = try await ledger.read { reader throws(StorageError) in
      try reader.audit(after: 0, limit: 1000)
    }
    for record in audit {
      let text = JSONValue.object(record.details).serializedText
      #expect(!text.contains(Self.tag) && !text.contains(secret), "\(record.action)")
    }
  }

  @Test func aLineOfTheLogNamesItsRequest() async throws {
    let test = try TestServer()
    _ = try await test.get("/v1/customers/mia")
    let event = try #require(test.logged.last)
    var line = try JSONParser.parseObject(Array(event.json(at: TestServer.start).utf8))
    #expect(line["trace_id"]?.stringValue?.utf8.count == 32)
    line["trace_id"] = nil
    #expect(
      line
        == [
          "time": .integer(TestServer.start.milliseconds), "level": "info", "event": "request",
          "request_id": "req_1", "route": "/v1/customers/{id}", "status": "200",
          "microseconds": "0",
        ]
    )
  }

  @Test func aRefusedNotificationIsLoggedWithItsRules() async throws {
    let test = try TestServer()
    _ = try await test.post("/v1/notifications/apple", ["signedPayload": "a.b.c"])
    let event = try #require(test.logged.first { $0.name == "failure" })
    let rules = event.fields.first { $0.name == "rules" }?.value
    #expect(rules?.hasPrefix("notification.") == true)
  }
}
