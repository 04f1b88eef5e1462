import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import Testing

/// A store, its face, and a server of the developer.
struct ServerWorld {
  let test: TestStore
  let face: StoreHTTPFace
  let client: FaceClient

  init(
    environment: StoreEnvironment = .sandbox,
    options: (inout StoreOptions) -> Void = { _ in }
  ) throws {
    test = try TestStore(environment: environment, options: options)
    let start = test.store.now
    // The developer's server lives in real time, which does not move here.
    face = StoreHTTPFace(store: test.store, wallClock: { start })
    client = FaceClient(face: face, token: try DeveloperTokens(test.store).token())
  }

  /// The number of a refusal, or the HTTP status of anything else.
  func code(
    _ method: HTTPMethod,
    _ path: String,
    _ body: JSONValue? = nil
  ) async throws -> Int64 {
    let response = await client.send(method, path, body)
    let answer = try? JSONParser.parse(response.body, limits: .document)
    guard let code = answer?["errorCode"]?.integerValue else { return Int64(response.status) }
    #expect(Int64(response.status) == code / 10_000)
    return code
  }

  func transactions(_ page: JSONValue) throws -> [String] {
    try (page["signedTransactions"]?.arrayValue ?? []).map { text in
      try #require(try Signed.payload(of: text.stringValue ?? "")["transactionId"]?.stringValue)
    }
  }
}

struct RenewalExtensionTests {
  let world: ServerWorld
  let test: TestStore

  init() throws {
    world = try ServerWorld()
    test = world.test
  }

  private func body(_ request: String = "r1", days: Int64 = 10, reason: Int64 = 3) -> JSONValue {
    [
      "extendByDays": .integer(days), "extendReasonCode": .integer(reason),
      "requestIdentifier": .string(request),
    ]
  }

  private func extend(
    _ record: StoreTransactionRecord,
    _ body: JSONValue
  ) async throws -> Int64 {
    try await world.code(.put, "/inApps/v1/subscriptions/extend/\(record.transactionID)", body)
  }

  @Test func anExtensionMovesTheExpiryAndAllRenewals() async throws {
    let bought = try test.buy(DemoCatalog.monthly)
    let expiry = try #require(bought.expiresDate)
    let answer = try await world.client.json(
      .put,
      "/inApps/v1/subscriptions/extend/\(bought.transactionID)",
      body()
    )
    let moved = expiry.addingTimeInterval(10 * day)
    #expect(
      answer == [
        "originalTransactionId": .string(bought.transactionID.rawValue),
        "webOrderLineItemId": .string(try #require(bought.webOrderLineItemID).rawValue),
        "success": true, "effectiveDate": .integer(moved.milliseconds),
      ]
    )
    #expect(test.store.transaction(bought.transactionID)?.expiresDate == moved)
    #expect(test.announced == ["SUBSCRIBED/INITIAL_BUY", "RENEWAL_EXTENDED"])
    test.store.clock.advance(to: expiry.addingTimeInterval(day))
    #expect(test.store.transactions(of: test.account).count == 1)
    test.store.clock.advance(to: moved.addingTimeInterval(day))
    let renewal = try #require(test.store.transactions(of: test.account).last)
    #expect(renewal.purchaseDate == moved)
    #expect(renewal.expiresDate == BillingCalendar().end(from: moved, of: .init(1, .month)))
  }

  @Test func anExtensionOfTheSameNameIsDoneOnce() async throws {
    let bought = try test.buy(DemoCatalog.monthly)
    #expect(try await extend(bought, body()) == 200)
    let once = test.store.transaction(bought.transactionID)?.expiresDate
    #expect(try await extend(bought, body(days: 90)) == 200)
    #expect(test.store.transaction(bought.transactionID)?.expiresDate == once)
    #expect(test.store.renewalExtensions.count == 1)
  }

  @Test func twoExtensionsAYearAreTheMost() async throws {
    let bought = try test.buy(DemoCatalog.monthly)
    #expect(try await extend(bought, body("1")) == 200)
    #expect(try await extend(bought, body("2")) == 200)
    #expect(try await extend(bought, body("3")) == 4_030_005)
    test.store.clock.advance(by: 365 * day + 1)
    #expect(try await extend(bought, body("3")) == 200)
  }

  @Test func onlyWhoPaysNowIsGivenDays() async throws {
    let coins = try test.buy(DemoCatalog.coins)
    #expect(try await extend(coins, body()) == 4_040_005)
    let trial = try test.buy(DemoCatalog.yearly, on: test.otherPhone)
    #expect(try await extend(trial, body()) == 4_030_004)
    let bought = try test.buy(DemoCatalog.monthly)
    try test.store.setAutoRenew(false, of: bought.originalTransactionID)
    test.store.clock.advance(by: 60 * day)
    #expect(try await extend(bought, body()) == 4_030_004)
    let renewed = try #require(test.store.transactions(of: test.other).last)
    #expect(renewed.transactionID != trial.transactionID)
    #expect(try await extend(renewed, body()) == 4_040_005)
    #expect(try await extend(trial, body()) == 200)
    try test.store.refund(renewed.transactionID)
    #expect(try await extend(trial, body("2")) == 4_030_004)
  }

  @Test(arguments: [
    (Int64(0), Int64(0), "r", Int64(4_000_009)), (91, 0, "r", 4_000_009), (1, -1, "r", 4_000_010),
    (1, 4, "r", 4_000_010), (1, 0, "", 4_000_011), (1, 0, "r", 200), (90, 3, "r", 200),
  ])
  func termsOutOfRangeAreRefused(
    _ days: Int64,
    _ reason: Int64,
    _ request: String,
    _ code: Int64
  ) async throws {
    let bought = try test.buy(DemoCatalog.monthly)
    #expect(try await extend(bought, body(request, days: days, reason: reason)) == code)
  }

  @Test func theNameOfARequestHasALimit() async throws {
    let bought = try test.buy(DemoCatalog.monthly)
    #expect(try await extend(bought, body(String(repeating: "r", count: 129))) == 4_000_011)
    #expect(try await extend(bought, body(String(repeating: "r", count: 128))) == 200)
  }

  private func mass(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> Int64 {
    var object: JSONObject = [
      "extendByDays": 5, "extendReasonCode": 0, "requestIdentifier": "m1",
      "productId": .string(DemoCatalog.monthly.rawValue),
    ]
    change(&object)
    return try await world.code(.post, "/inApps/v1/subscriptions/extend/mass", .object(object))
  }

  @Test func aMassExtensionIsCarriedOutLaterAndCounted() async throws {
    try test.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
    let server = Server([])
    test.store.setNotificationTransport { _, body in server.receive(body) }
    let first = try test.buy(DemoCatalog.monthly)
    try test.buy(DemoCatalog.monthly, on: test.otherPhone)
    for request in ["1", "2"] { #expect(try await extend(first, body(request)) == 200) }
    #expect(try await mass() == 200)
    #expect(try await mass { $0["extendByDays"] = 90 } == 200)
    let path = "/inApps/v1/subscriptions/extend/mass/\(DemoCatalog.monthly)/m1"
    let waiting = try await world.client.json(.get, path)
    #expect(waiting == ["requestIdentifier": "m1", "complete": false])
    let due = test.store.now.addingTimeInterval(3600)
    await test.store.advance(by: 3600)
    #expect(
      try await world.client.json(.get, path) == [
        "requestIdentifier": "m1", "complete": true, "completeDate": .integer(due.milliseconds),
        "succeededCount": 1, "failedCount": 1,
      ]
    )
    #expect(
      test.announced.suffix(3) == [
        "RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION/SUMMARY",
      ]
    )
    let sent = try Signed.payload(of: Signed.signedPayload(try #require(server.bodies.last)))
    #expect(sent["data"] == nil)
    let summary = try #require(sent["summary"])
    #expect(summary["requestIdentifier"] == "m1" && summary["succeededCount"] == 1)
    #expect(summary["failedCount"] == 1 && summary["productId"] != nil)
    #expect(summary["bundleId"] == "com.example.demo" && summary["environment"] == "Sandbox")
  }

  @Test func onlyTheCountriesAskedForAreMeant() async throws {
    try test.buy(DemoCatalog.monthly)
    #expect(try await mass { $0["storefrontCountryCodes"] = ["JPN"] } == 200)
    await test.store.advance(by: 3600)
    #expect(test.store.massExtensions.map(\.succeededCount) == [0])
    #expect(test.store.renewalExtensions.isEmpty)
  }

  @Test func aMassExtensionThatMakesNoSenseIsRefused() async throws {
    #expect(try await mass { $0["productId"] = nil } == 4_000_023)
    #expect(try await mass { $0["productId"] = "other" } == 4_000_023)
    #expect(try await mass { $0["storefrontCountryCodes"] = [] } == 4_000_027)
    #expect(try await mass { $0["storefrontCountryCodes"] = ["US"] } == 4_000_028)
    #expect(try await mass { $0["storefrontCountryCodes"] = [1] } == 4_000_028)
    #expect(try await mass { $0["extendByDays"] = 91 } == 4_000_009)
    let base = "/inApps/v1/subscriptions/extend/mass"
    #expect(try await world.code(.get, base + "/other/m1") == 4_000_023)
    let unknown = base + "/\(DemoCatalog.monthly)/m1"
    #expect(try await world.code(.get, unknown) == 4_040_009)
    #expect(test.store.massExtensions.isEmpty)
  }
}

struct PurchaseCallTests {
  let world: ServerWorld
  let test: TestStore

  init() throws {
    world = try ServerWorld()
    test = world.test
  }

  @Test func aPurchaseIsFinishedByTheServer() async throws {
    let bought = try test.buy(DemoCatalog.coins)
    let path = "/inApps/v1/transactions/\(bought.transactionID)/finish"
    for _ in 0..<2 {
      let response = await world.client.send(.post, path)
      #expect(response.status == 200 && response.body.isEmpty)
    }
    #expect(try test.store.unfinished(on: test.phone) == [])
    let app = try test.store.appTransaction(on: test.phone).appTransactionID
    let shared = "/inApps/v1/transactions/\(try #require(app))/finish"
    #expect(try await world.code(.post, shared) == 4_000_048)
    #expect(try await world.code(.post, "/inApps/v1/transactions/9/finish") == 4_040_010)
    #expect(try await world.code(.post, "/inApps/v1/transactions/x/finish") == 4_000_006)
  }

  @Test func anAccountTokenIsSetForThePresentAndLaterPeriods() async throws {
    let first = try test.buy(DemoCatalog.monthly)
    test.store.clock.advance(by: 40 * day)
    let second = try #require(test.store.transactions(of: test.account).last)
    let token = "3F2504E0-4f89-41d3-9a0c-0305e82c3301"
    let path = "/inApps/v1/transactions/\(first.transactionID)/appAccountToken"
    #expect(try await world.code(.put, path, ["appAccountToken": .string(token)]) == 200)
    test.store.clock.advance(by: 31 * day)
    let tokens = test.store.transactions(of: test.account).map(\.appAccountToken?.description)
    #expect(tokens == [nil, token.lowercased(), token.lowercased()])
    #expect(try await world.code(.put, path, ["appAccountToken": "x"]) == 4_000_183)
    #expect(try await world.code(.put, path, [:]) == 4_000_183)
    #expect(try await world.code(.put, path) == 4_000_000)
    let renewal = "/inApps/v1/transactions/\(second.transactionID)/appAccountToken"
    let body: JSONValue = ["appAccountToken": .string(token)]
    #expect(try await world.code(.put, renewal, body) == 4_000_187)
    #expect(
      try await world.code(.put, "/inApps/v1/transactions/9/appAccountToken", body)
        == 4_040_005
    )
  }

  private func consumption(
    _ version: Int,
    _ record: StoreTransactionRecord,
    _ body: JSONObject
  ) async throws -> Int64 {
    try await world.code(
      .put,
      "/inApps/v\(version)/transactions/consumption/\(record.transactionID)",
      .object(body)
    )
  }

  private let version2: JSONObject = [
    "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
  ]

  @Test func consumptionIsKeptAsItWasSent() async throws {
    let coins = try test.buy(DemoCatalog.coins)
    var body = version2
    body["consumptionPercentage"] = 50_000
    body["refundPreference"] = "GRANT_PRORATED"
    let response = await world.client.send(
      .put,
      "/inApps/v2/transactions/consumption/\(coins.transactionID)",
      .object(body)
    )
    #expect(response.status == 202 && response.body.isEmpty)
    let kept = test.store.consumptionRecords
    #expect(kept.map(\.content) == [body] && kept.map(\.isInTime) == [false])
  }

  @Test func whatIsSignedDoesNotHangOnWhenAServerSpeaksOfConsumption() async throws {
    /// What the store signs of four purchases when a server speaks of one of them.
    func signed(speaking place: Int?) async throws -> [JSONObject] {
      let world = try ServerWorld()
      let store = world.test.store
      var texts: [String] = []
      for turn in 0..<4 {
        let coins = try world.test.buy(DemoCatalog.coins)
        try store.requestRefund(coins.transactionID)
        texts.append(try store.signedTransaction(coins.transactionID))
        guard turn == place else { continue }
        let path = "/inApps/v2/transactions/consumption/\(coins.transactionID)"
        #expect(try await world.code(.put, path, .object(version2)) == 202)
      }
      #expect(store.consumptionRecords.count == (place == nil ? 0 : 1))
      for record in store.notifications { texts.append(try store.signedNotification(record)) }
      return try texts.map(Signed.payload)
    }
    /// Without the texts within, whose signatures are new each time.
    func dates(_ payloads: [JSONObject]) -> [JSONValue?] {
      payloads.flatMap { [$0["signedDate"], $0["notificationUUID"], $0["transactionId"]] }
    }
    let silent = dates(try await signed(speaking: nil))
    #expect(silent.count >= 3 * 12)
    for place in 0..<4 { #expect(dates(try await signed(speaking: place)) == silent) }
  }

  @Test func consumptionThatMakesNoSenseIsRefused() async throws {
    let coins = try test.buy(DemoCatalog.coins)
    let monthly = try test.buy(DemoCatalog.monthly)
    let cases: [(StoreTransactionRecord, String, JSONValue?, Int64)] = [
      (coins, "customerConsented", false, 4_000_035), (coins, "customerConsented", nil, 4_000_035),
      (coins, "deliveryStatus", "LOST", 4_000_036), (coins, "deliveryStatus", 0, 4_000_036),
      (coins, "sampleContentProvided", "no", 4_000_041),
      (coins, "consumptionPercentage", 100_001, 4_000_000),
      (coins, "consumptionPercentage", -1, 4_000_000),
      (coins, "consumptionPercentage", 100_000, 202),
      (coins, "consumptionPercentage", 0, 202),
      (monthly, "consumptionPercentage", 0, 4_000_209),
      (coins, "refundPreference", "MAYBE", 4_000_044),
      (coins, "refundPreference", "GRANT_PRORATED", 4_000_044),
      (coins, "refundPreference", "DECLINE", 202), (monthly, "refundPreference", "GRANT_FULL", 202),
    ]
    for (record, name, value, code) in cases {
      var body = version2
      body[name] = value
      #expect(try await consumption(2, record, body) == code, "\(name)")
    }
    #expect(
      try await world.code(.put, "/inApps/v2/transactions/consumption/9", .object(version2))
        == 4_040_010
    )
  }

  @Test func consumptionOfVersion1HasItsOwnNumbers() async throws {
    let coins = try test.buy(DemoCatalog.coins)
    let lifetime = try test.buy(DemoCatalog.lifetime)
    let good: JSONObject = [
      "customerConsented": true, "accountTenure": 7, "appAccountToken": "",
      "consumptionStatus": 3, "deliveryStatus": 5, "lifetimeDollarsPurchased": 7,
      "lifetimeDollarsRefunded": 7, "platform": 2, "playTime": 7,
      "sampleContentProvided": true, "userStatus": 4, "refundPreference": 3,
    ]
    #expect(try await consumption(1, coins, good) == 202)
    #expect(try await consumption(1, lifetime, good) == 4_000_047)
    for (name, value, code): (String, JSONValue, Int64) in [
      ("accountTenure", 8, 4_000_032), ("appAccountToken", "x", 4_000_033),
      ("consumptionStatus", 4, 4_000_034), ("customerConsented", false, 4_000_035),
      ("deliveryStatus", 6, 4_000_036), ("lifetimeDollarsPurchased", 8, 4_000_037),
      ("lifetimeDollarsRefunded", -1, 4_000_038), ("platform", 3, 4_000_039),
      ("playTime", 8, 4_000_040), ("sampleContentProvided", 1, 4_000_041),
      ("userStatus", 5, 4_000_042), ("refundPreference", 4, 4_000_044),
    ] {
      var body = good
      body[name] = value
      #expect(try await consumption(1, coins, body) == code, "\(name)")
    }
  }

  @Test func aBodyIsReadUpToItsLimit() async throws {
    let bought = try test.buy(DemoCatalog.coins)
    let path = "/inApps/v1/transactions/\(bought.transactionID)/appAccountToken"
    let token = #"{"appAccountToken":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"}"#
    for (count, status) in [(64 * 1024, 200), (64 * 1024 + 1, 413)] {
      let padded = token + String(repeating: " ", count: count - token.utf8.count)
      let response = await world.face.handle(
        HTTPRequest(
          method: .put,
          target: path,
          headers: ["Authorization": "Bearer \(world.client.token)"],
          body: Array(padded.utf8)
        )
      )
      #expect(response.status == status)
    }
  }
}
