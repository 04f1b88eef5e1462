import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct WebhookRouteTests {
  private static let url: JSONObject = ["url": "https://hooks.shop.com/in"]

  @Test func endpointsAreForSecretKeysAndTheirOwnApp() async throws {
    let test = try TestServer(WebhookReceiver(), requiresKeys: true)
    let secret = try await test.key(.secret)
    let publicKey = try await test.key(.public)
    let made = try await test.send(.post, "/v1/webhooks", key: secret, Self.url)
    let id = try #require(made.text("id"))
    let routes: [(HTTPMethod, String, JSONObject?)] = [
      (.get, "/v1/webhooks", nil), (.post, "/v1/webhooks", Self.url),
      (.get, "/v1/webhooks/\(id)", nil), (.patch, "/v1/webhooks/\(id)", ["enabled": false]),
      (.delete, "/v1/webhooks/\(id)", nil), (.post, "/v1/webhooks/\(id)/secret", [:]),
      (.post, "/v1/webhooks/\(id)/replay", ["after": 0]),
      (.get, "/v1/webhooks/\(id)/deliveries", nil), (.get, "/v1/events", nil),
    ]
    for (method, target, body) in routes {
      #expect(try await test.send(method, target, key: publicKey, body).status == 403, "\(target)")
      #expect(try await test.send(method, target, body).status == 401, "\(target)")
    }
    #expect(try await test.send(.get, "/v1/webhooks/\(id)", key: secret).status == 200)
  }

  @Test func anotherAppsEndpointsAreNotThere() async throws {
    let receiver = WebhookReceiver()
    let test = try TestServer(otherApp: true, webhooks: receiver.world())
    let path = "/v1/webhooks?app=\(DemoCatalog.bundleID)"
    let id = try #require(try await test.post(path, Self.url).text("id"))
    let other = "app=\(TestServer.appB)"
    #expect(try await test.get("/v1/webhooks/\(id)?\(other)").status == 404)
    #expect(try await test.get("/v1/webhooks?\(other)").body["webhooks"] == [])
    let gone = try await test.send(.delete, "/v1/webhooks/\(id)?\(other)")
    #expect(gone.body["deleted"] == false)
  }

  @Test func aSecretIsShownOnceAndNeverInListsOrTheAudit() async throws {
    let test = try TestServer(WebhookReceiver())
    let made = try await test.post("/v1/webhooks", ["url": "https://hooks.shop.com/tagged-path"])
    let secret = try #require(made.text("secret"))
    #expect(secret.hasPrefix("whsec_"))
    #expect(Data(base64Encoded: String(secret.dropFirst(6)))?.count == 32)
    let id = try #require(made.text("id"))
    for target in ["/v1/webhooks", "/v1/webhooks/\(id)", "/v1/export?kind=audit"] {
      let text = JSONValue.object(try await test.get(target).body).serializedText
      #expect(!text.contains(secret.dropFirst(6)))
    }
    let audit = JSONValue.object(try await test.get("/v1/export?kind=audit").body).serializedText
    #expect(audit.contains("webhook.created"))
    #expect(!audit.contains("tagged-path"))
  }

  @Test func aRequestThatIsSentAgainMakesOneEndpoint() async throws {
    let test = try TestServer(WebhookReceiver())
    let headers = ["Idempotency-Key": "make-it"]
    let first = try await test.send(.post, "/v1/webhooks", headers: headers, Self.url)
    let second = try await test.send(.post, "/v1/webhooks", headers: headers, Self.url)
    #expect(first.text("id") == second.text("id"))
    #expect(first.text("secret") != nil)
    #expect(second.text("secret") == nil)
    #expect(try await test.get("/v1/webhooks").body["webhooks"]?.arrayValue?.count == 1)
  }

  @Test func aRotationThatIsSentAgainGivesTheSameSecret() async throws {
    let test = try TestServer(WebhookReceiver())
    let id = try #require(try await test.post("/v1/webhooks", Self.url).text("id"))
    let path = "/v1/webhooks/\(id)/secret"
    let first = try await test.send(.post, path, headers: ["Idempotency-Key": "one"], [:])
    let again = try await test.send(.post, path, headers: ["Idempotency-Key": "one"], [:])
    let other = try await test.send(.post, path, headers: ["Idempotency-Key": "two"], [:])
    let late = try await test.send(.post, path, headers: ["Idempotency-Key": "one"], [:])
    #expect(first.text("secret")?.hasPrefix("whsec_") == true)
    #expect(again.text("secret") == first.text("secret"))
    #expect(other.text("secret") != first.text("secret"))
    #expect(late.text("secret") == first.text("secret"))
  }

  @Test func endpointsAreBoundedAtTheLimit() async throws {
    let test = try TestServer(WebhookReceiver())
    for _ in 0..<ServerLimits.standard.webhooks.endpointsMax {
      #expect(try await test.post("/v1/webhooks", Self.url).status == 200)
    }
    let refused = try await test.post("/v1/webhooks", Self.url)
    #expect(refused.status == 409)
    #expect(refused.errorCode == "tooManyThere")
    let first = try #require(
      try await test.get("/v1/webhooks").body["webhooks"]?.arrayValue?.first?.objectValue?["id"]?
        .stringValue
    )
    _ = try await test.send(.delete, "/v1/webhooks/\(first)")
    #expect(try await test.post("/v1/webhooks", Self.url).status == 200)
  }

  @Test(
    arguments: [
      ["url": "http://hooks.shop.com/"], ["url": "https://10.0.0.1/"], ["url": 5], [:],
      ["url": "https://hooks.shop.com/", "types": ["no.such"]],
      ["url": "https://hooks.shop.com/", "types": "purchase.granted"],
      ["url": "https://hooks.shop.com/", "more": true],
      ["url": "https://hooks.shop.com/", "note": ""],
    ] as [JSONObject]
  )
  func whatIsWrongIsNamed(body: JSONObject) async throws {
    let test = try TestServer(WebhookReceiver())
    let answer = try await test.post("/v1/webhooks", body)
    #expect(answer.status == 400)
    #expect(answer.errorParameter != nil)
    #expect(try await test.get("/v1/webhooks").body["webhooks"] == [])
  }

  @Test func textsAndOverlapsAreBoundedAtTheLimit() async throws {
    let limits = ServerLimits.standard.webhooks
    let test = try TestServer(WebhookReceiver())
    var body = Self.url
    body["note"] = .string(String(repeating: "n", count: limits.noteBytesMax))
    let id = try #require(try await test.post("/v1/webhooks", body).text("id"))
    body["note"] = .string(String(repeating: "n", count: limits.noteBytesMax + 1))
    #expect(try await test.post("/v1/webhooks", body).status == 400)
    let path = "/v1/webhooks/\(id)/secret"
    let most = Int64(limits.overlapSecondsMax)
    #expect(try await test.post(path, ["overlapSeconds": .integer(most)]).status == 200)
    #expect(try await test.post(path, ["overlapSeconds": .integer(most + 1)]).status == 400)
    for _ in 0..<3 { _ = try await test.post(path, [:]) }
    let secrets = try await test.get("/v1/webhooks/\(id)").body["secrets"]?.arrayValue
    #expect(secrets?.count == limits.secretsMax)
    body["note"] = nil
    body["types"] = .array([JSONValue](repeating: "purchase.granted", count: limits.typesMax))
    #expect(try await test.post("/v1/webhooks", body).status == 200)
    body["types"] = .array([JSONValue](repeating: "purchase.granted", count: limits.typesMax + 1))
    #expect(try await test.post("/v1/webhooks", body).status == 400)
  }

  @Test func aForgottenEndpointGetsNothingMore() async throws {
    let receiver = WebhookReceiver { _, _ in .broken }
    let test = try TestServer(receiver)
    let id = try await test.addEndpoint(receiver)
    try await test.buy(DemoCatalog.coins, as: "mia")
    await test.sendAll()
    #expect(try await test.send(.delete, "/v1/webhooks/\(id)").body["deleted"] == true)
    receiver.advance(1000)
    await test.sendAll()
    #expect(receiver.received.count == 1)
    #expect(try await test.get("/v1/webhooks/\(id)/deliveries").status == 404)
  }

  @Test func aServerThatSendsNothingSaysSoByItsBacklog() async throws {
    let test = try TestServer()
    _ = try await test.post("/v1/webhooks", Self.url)
    try await test.buy(DemoCatalog.coins, as: "mia")
    #expect(await test.server.sendWebhooks() == 0)
    #expect(try await test.get("/readyz").text("webhooks") == "ok")
    await test.store.advance(by: 901)
    #expect(try await test.get("/readyz").text("webhooks") == "behind")
    let shown = try await test.get("/v1/webhooks").body["webhooks"]?.arrayValue?.first
    #expect(shown?.objectValue?["pending"] == 1)
  }
}
