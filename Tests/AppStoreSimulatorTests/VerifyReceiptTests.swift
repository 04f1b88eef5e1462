import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import Testing

struct VerifyReceiptTests {
  private func receipt(_ world: ServerWorld, _ device: DeviceID? = nil) throws -> String {
    let bytes = try #require(try world.test.store.receipt(on: device ?? world.test.phone))
    return Base64.encode(bytes, .standard)
  }

  private func verify(
    _ world: ServerWorld,
    _ body: JSONObject,
    _ path: String = "/verifyReceipt"
  ) async throws -> JSONValue {
    let response = await world.client.send(.post, path, .object(body), headers: [:])
    #expect(response.status == 200)
    return try JSONParser.parse(response.body, limits: .document)
  }

  private func secret(_ world: ServerWorld) throws -> JSONValue {
    .string(try world.test.store.sharedSecret())
  }

  @Test func aReceiptIsAnsweredInTextsAndTriples() async throws {
    let world = try ServerWorld()
    let bought = try world.test.buy(DemoCatalog.coins, quantity: 2)
    let answer = try await verify(world, ["receipt-data": .string(try receipt(world))])
    #expect(answer["status"] == 0 && answer["environment"] == "Sandbox")
    #expect(answer["latest_receipt_info"] == nil && answer["pending_renewal_info"] == nil)
    let decoded = try #require(answer["receipt"])
    #expect(decoded["receipt_type"] == "ProductionSandbox" && decoded["adam_id"] == 0)
    #expect(decoded["bundle_id"] == "com.example.demo")
    #expect(decoded["original_application_version"] == "1.0")
    #expect(decoded["original_purchase_date"] == "2013-08-01 07:00:00 Etc/GMT")
    #expect(decoded["original_purchase_date_ms"] == "1375340400000")
    #expect(
      decoded["original_purchase_date_pst"] == "2013-08-01 00:00:00 America/Los_Angeles"
    )
    #expect(
      decoded["in_app"] == [
        [
          "quantity": "2", "product_id": "com.example.demo.coins",
          "transaction_id": .string(bought.transactionID.rawValue),
          "original_transaction_id": .string(bought.transactionID.rawValue),
          "purchase_date": "2026-01-01 12:00:00 Etc/GMT", "purchase_date_ms": "1767268800000",
          "purchase_date_pst": "2026-01-01 04:00:00 America/Los_Angeles",
          "original_purchase_date": "2026-01-01 12:00:00 Etc/GMT",
          "original_purchase_date_ms": "1767268800000",
          "original_purchase_date_pst": "2026-01-01 04:00:00 America/Los_Angeles",
          "is_trial_period": "false", "in_app_ownership_type": "PURCHASED",
        ]
      ]
    )
  }

  @Test func whatIsNewSinceTheReceiptStandsBesideIt() async throws {
    let world = try ServerWorld()
    let test = world.test
    let first = try test.buy(DemoCatalog.yearly)
    let text = try receipt(world)
    test.store.clock.advance(by: 40 * day)
    let second = try #require(test.store.transactions(of: test.account).last)
    try test.store.setAutoRenew(false, of: first.originalTransactionID)
    let body: JSONObject = ["receipt-data": .string(text), "password": try secret(world)]
    let answer = try await verify(world, body)
    #expect(answer["receipt"]?["in_app"]?.arrayValue?.count == 1)
    #expect(answer["receipt"]?["in_app"]?[0]?["is_trial_period"] == "true")
    let latest = try #require(answer["latest_receipt_info"]?.arrayValue)
    #expect(
      latest.map { $0["transaction_id"]?.stringValue }
        == [second.transactionID.rawValue, first.transactionID.rawValue]
    )
    #expect(latest[0]["subscription_group_identifier"] == "DE300020")
    #expect(latest[0]["is_in_intro_offer_period"] == "false")
    #expect(
      answer["pending_renewal_info"] == [
        [
          "auto_renew_product_id": "com.example.demo.plus.yearly", "auto_renew_status": "0",
          "product_id": "com.example.demo.plus.yearly",
          "original_transaction_id": .string(first.transactionID.rawValue),
        ]
      ]
    )
    var newest = body
    newest["receipt-data"] = answer["latest_receipt"]
    newest["exclude-old-transactions"] = true
    let again = try await verify(world, newest)
    #expect(again["receipt"]?["in_app"]?.arrayValue?.count == 2)
    #expect(again["latest_receipt_info"]?.arrayValue?.count == 1)
  }

  @Test func everyStatusHasItsCause() async throws {
    let world = try ServerWorld()
    try world.test.buy(DemoCatalog.monthly)
    let text = try receipt(world)
    var broken = try #require(Base64.decode(Array(text.utf8), .standard))
    broken[broken.count - 1] ^= 1
    let good: JSONObject = ["receipt-data": .string(text), "password": try secret(world)]
    let cases: [(JSONObject, JSONValue)] = [
      (good, 0), ([:], 21_002), (["receipt-data": ""], 21_002), (["receipt-data": 1], 21_002),
      (["receipt-data": "AAAA"], 21_002), (["receipt-data": "%"], 21_002),
      (["receipt-data": .string(Base64.encode(broken, .standard))], 21_003),
      (["receipt-data": .string(text)], 21_004),
      (["receipt-data": .string(text), "password": "0"], 21_004),
    ]
    for (body, status) in cases {
      #expect(try await verify(world, body)["status"] == status)
    }
    #expect(try await verify(world, good, "/sandbox/verifyReceipt")["status"] == 0)
    #expect(
      try await verify(world, good, "/production/verifyReceipt") == ["status": 21_007]
    )
    for (host, status): (String, JSONValue) in [
      ("buy.itunes.apple.com", 21_007), ("sandbox.itunes.apple.com", 0),
    ] {
      let response = await world.client.send(
        .post,
        "/verifyReceipt",
        .object(good),
        headers: ["Host": host]
      )
      #expect(try JSONParser.parse(response.body, limits: .document)["status"] == status)
    }
    let read = await world.client.send(.get, "/verifyReceipt")
    #expect(try JSONParser.parse(read.body) == ["status": 21_000])
    let wrong = await world.face.handle(
      HTTPRequest(method: .post, target: "/verifyReceipt", body: Array("nothing".utf8))
    )
    #expect(try JSONParser.parse(wrong.body) == ["status": 21_002])
  }

  @Test func aReceiptOfProductionBelongsToProduction() async throws {
    let world = try ServerWorld(environment: .production)
    try world.test.buy(DemoCatalog.coins)
    let body: JSONObject = ["receipt-data": .string(try receipt(world))]
    #expect(try await verify(world, body)["environment"] == "Production")
    #expect(try await verify(world, body, "/sandbox/verifyReceipt") == ["status": 21_008])
  }

  @Test func aForeignStoresReceiptIsNotAuthenticated() async throws {
    let world = try ServerWorld()
    let other = try TestStore(seed: 8)
    try other.buy(DemoCatalog.coins)
    let bytes = try #require(try other.store.receipt(on: other.phone))
    let body: JSONObject = ["receipt-data": .string(Base64.encode(bytes, .standard))]
    #expect(try await verify(world, body) == ["status": 21_003])
  }

  @Test func answersGoWrongAsTheyShall() async throws {
    let world = try ServerWorld()
    try world.test.buy(DemoCatalog.coins)
    let body: JSONObject = ["receipt-data": .string(try receipt(world))]
    let path = "/control/verify-receipt/fault"
    _ = await world.client.send(
      .put,
      path,
      ["status": 21_104, "isRetryable": true, "count": 2]
    )
    for _ in 0..<2 {
      #expect(try await verify(world, body) == ["status": 21_104, "is_retryable": true])
    }
    #expect(try await verify(world, body)["status"] == 0)
    #expect(await world.client.send(.put, path, ["count": 0]).status == 400)
  }
}

struct TroubleTests {
  private let path = "/inApps/v1/transactions/42"

  @Test func requestsBeyondTheRateComeAgainAtTheHour() async throws {
    let test = try TestStore()
    let clock = test.store.clock
    let face = StoreHTTPFace(
      store: test.store,
      limits: RateLimits(areOn: true, requestsPerHour: 2),
      wallClock: { clock.now }
    )
    func client() throws -> FaceClient {
      FaceClient(face: face, token: try DeveloperTokens(test.store).token())
    }
    let start = test.store.now
    for _ in 0..<2 { #expect(try await client().send(.get, path).status == 404) }
    let refused = try await client().send(.get, path)
    #expect(refused.status == 429)
    #expect(try JSONParser.parse(refused.body)["errorCode"] == 4_290_000)
    let again = start.addingTimeInterval(3600)
    #expect(refused.headers["Retry-After"] == String(again.milliseconds))
    // Other kinds of requests are counted by themselves.
    #expect(try await client().send(.get, "/inApps/v1/lookup/MK1").status == 200)
    clock.advance(to: again.addingTimeInterval(-1))
    #expect(try await client().send(.get, path).status == 429)
    clock.advance(to: again)
    #expect(try await client().send(.get, path).status == 404)
  }

  @Test func theSandboxAllowsATenth() async throws {
    for (environment, count) in [(StoreEnvironment.production, 3600), (.sandbox, 360)] {
      let world = try ServerWorld(environment: environment)
      _ = await world.client.send(.put, "/control/rate-limits", ["areOn": true])
      let path = "/inApps/v1/notifications/test/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
      for _ in 0..<count { _ = await world.client.send(.get, path) }
      #expect(await world.client.send(.get, path).status == 429)
      _ = await world.client.send(.put, "/control/rate-limits", ["areOn": false])
      #expect(await world.client.send(.get, path).status == 404)
    }
  }

  @Test func theInterfaceFailsAsItShall() async throws {
    let world = try ServerWorld()
    let fault = "/control/server-api/fault"
    #expect(await world.client.send(.put, fault, ["errorCode": 5_000_001]).status == 200)
    #expect(try await world.code(.get, path) == 5_000_001)
    #expect(try await world.code(.get, path) == 4_040_010)
    _ = await world.client.send(.put, fault, ["status": 503, "count": 9])
    let response = await world.client.send(.get, path)
    #expect(response.status == 503 && response.body.isEmpty)
    _ = await world.client.send(.put, fault, [:])
    #expect(try await world.code(.get, path) == 4_040_010)
    for body: JSONValue in [
      ["status": 399], ["status": 600], ["errorCode": 1], ["status": 500, "errorCode": 5_000_000],
      ["status": 500, "count": 0],
    ] {
      #expect(await world.client.send(.put, fault, body).status == 400)
    }
  }
}

struct RetentionTests {
  private let image = "/inApps/v1/messaging/image/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
  private let message = "/inApps/v1/messaging/message/3f2504e0-4f89-41d3-9a0c-0305e82c3302"
  private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private func upload(_ world: ServerWorld, _ path: String, _ body: [UInt8]) async -> Int {
    await world.face.handle(
      HTTPRequest(
        method: .put,
        target: path,
        headers: ["Authorization": "Bearer \(world.client.token)"],
        body: body
      )
    ).status
  }

  @Test func imagesAndMessagesAreKept() async throws {
    let world = try ServerWorld()
    #expect(await upload(world, image + "?imageSize=BULLET_POINT", png) == 200)
    #expect(await upload(world, image, png) == 409)
    #expect(await upload(world, image + "?imageSize=HUGE", png) == 400)
    #expect(await upload(world, image, [0x47]) == 400)
    let big = png + [UInt8](repeating: 0, count: 8 * 1024 * 1024)
    #expect(await upload(world, image, big) == 413)
    let list = try await world.client.json(.get, "/inApps/v1/messaging/image/list")
    #expect(list["imageIdentifiers"]?[0]?["imageSize"] == "BULLET_POINT")
    let body: JSONValue = [
      "header": "Stay", "body": "Please",
      "image": [
        "imageIdentifier": "3F2504E0-4F89-41D3-9A0C-0305E82C3301", "altText": "A house",
      ],
    ]
    #expect(try await world.code(.put, message, body) == 200)
    #expect(try await world.code(.put, message, body) == 4_090_001)
    #expect(try await world.code(.delete, image) == 4_030_019)
    #expect(try await world.code(.delete, message) == 200)
    #expect(try await world.code(.delete, message) == 4_040_015)
    #expect(try await world.code(.delete, image) == 200)
    #expect(try await world.code(.delete, image) == 4_040_014)
  }

  @Test(arguments: [
    ("header", 66, Int64(4_000_162)), ("body", 144, 4_000_163),
  ])
  func textsHaveLimits(_ name: String, _ most: Int, _ code: Int64) async throws {
    let world = try ServerWorld()
    for (count, answer) in [(most, Int64(200)), (most + 1, code)] {
      var body: JSONObject = ["header": "h", "body": "b"]
      body[name] = .string(String(repeating: "x", count: count))
      #expect(try await world.code(.put, message, .object(body)) == answer)
    }
  }

  @Test func addressesAndDefaultsAreChecked() async throws {
    let world = try ServerWorld()
    let url = "/inApps/v1/messaging/realtime/url"
    #expect(try await world.code(.get, url) == 4_040_021)
    for text in ["http://example.com/", "https://", "x"] {
      #expect(try await world.code(.put, url, ["realtimeURL": .string(text)]) == 4_000_215)
    }
    let base = "https://example.com/"
    for (count, code): (Int, Int64) in [(256, 200), (257, 4_000_215)] {
      let text = base + String(repeating: "x", count: count - base.count)
      #expect(try await world.code(.put, url, ["realtimeURL": .string(text)]) == code)
    }
    #expect(try await world.code(.delete, url) == 200)
    #expect(try await world.code(.delete, url) == 4_040_021)
    let path = "/inApps/v1/messaging/default"
    let body: JSONValue = ["messageIdentifier": "3f2504e0-4f89-41d3-9a0c-0305e82c3309"]
    #expect(try await world.code(.put, "\(path)/other/en", body) == 4_000_023)
    #expect(try await world.code(.put, "\(path)/\(DemoCatalog.monthly)/e", body) == 4_000_164)
    #expect(try await world.code(.put, "\(path)/\(DemoCatalog.monthly)/en", body) == 4_040_015)
    #expect(try await world.code(.get, "\(path)/\(DemoCatalog.monthly)/en") == 4_040_020)
  }
}
