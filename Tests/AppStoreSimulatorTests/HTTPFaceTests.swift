import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import Synchronization
import Testing

/// Speaks to a store's face and reads what it says.
struct FaceClient {
  let face: StoreHTTPFace
  /// What requests carry that have no headers of their own.
  var token = ""

  func send(
    _ method: HTTPMethod,
    _ target: String,
    _ body: JSONValue? = nil,
    headers: HTTPHeaders? = nil
  ) async -> HTTPResponse {
    await face.handle(
      HTTPRequest(
        method: method,
        target: target,
        headers: headers ?? ["Authorization": "Bearer \(token)"],
        body: body?.serialized ?? []
      )
    )
  }

  func json(
    _ method: HTTPMethod,
    _ target: String,
    _ body: JSONValue? = nil
  ) async throws -> JSONValue {
    try JSONParser.parse(await send(method, target, body).body, limits: .document)
  }
}

extension JSONValue {
  subscript(name: String) -> JSONValue? { objectValue?[name] }
  subscript(index: Int) -> JSONValue? {
    arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
  }
}

struct ControlTests {
  let test: TestStore
  let client: FaceClient

  init() throws {
    test = try TestStore()
    client = FaceClient(face: StoreHTTPFace(store: test.store))
  }

  @Test func theClockIsReadAndMoved() async throws {
    let start = TestStore.start.milliseconds
    #expect(try await client.json(.get, "/control/clock") == ["now": .integer(start)])
    let moved = try await client.json(.post, "/control/clock/advance", ["seconds": 90])
    #expect(moved == ["now": .integer(start + 90_000)])
    let set = try await client.json(
      .post,
      "/control/clock/advance",
      ["to": .integer(start + 91_000)]
    )
    #expect(set == ["now": .integer(start + 91_000)])
  }

  @Test(arguments: [
    ("{}", 400), (#"{"seconds":-1}"#, 400), (#"{"seconds":1,"to":1}"#, 400),
    (#"{"to":1}"#, 400), (#"{"second":1}"#, 400), (#"{"seconds":"1"}"#, 400), ("{", 400),
    (#"{"seconds":1e300}"#, 400), (#"{"seconds":1577880000}"#, 200),
    (#"{"seconds":1577880001}"#, 400),
  ])
  func aMoveThatMakesNoSenseIsRefused(_ body: String, _ status: Int) async throws {
    let response = await client.face.handle(
      HTTPRequest(method: .post, target: "/control/clock/advance", body: Array(body.utf8))
    )
    #expect(response.status == status)
  }

  @Test func aClockWithoutPaceHasNoRate() async throws {
    #expect(await client.send(.put, "/control/clock/rate", ["rate": 2]).status == 409)
    let rate = Mutex(1.0)
    let paced = FaceClient(
      face: StoreHTTPFace(
        store: test.store,
        pace: ClockPace(
          rate: { rate.withLock { $0 } },
          setRate: { new in rate.withLock { $0 = new } },
          synchronize: {}
        )
      )
    )
    #expect(try await paced.json(.put, "/control/clock/rate", ["rate": 3600])["rate"] == 3600)
    #expect(await paced.send(.put, "/control/clock/rate", ["rate": -1]).status == 400)
    #expect(await paced.send(.put, "/control/clock/rate", ["rate": 100_000_000]).status == 200)
    #expect(await paced.send(.put, "/control/clock/rate", ["rate": 100_000_001]).status == 400)
  }

  @Test func appsAccountsAndDevicesAreMadeAndListed() async throws {
    let catalog = try JSONParser.parse(Array(DemoCatalog.text.utf8), limits: .document)
    let app = try await client.json(
      .post,
      "/control/apps",
      ["bundleId": "com.example.two", "appAppleId": 2, "catalog": catalog]
    )
    #expect(app[0]?["bundleId"] == "com.example.two")
    let account = try await client.json(
      .post,
      "/control/accounts",
      ["account": "zoe", "storefront": "JPN", "asksToBuy": true]
    )
    #expect(
      account == [
        "account": "zoe", "storefront": "JPN", "asksToBuy": true, "mayBuy": true,
        "paymentWorks": true,
      ]
    )
    let device = try await client.json(
      .post,
      "/control/devices",
      ["device": "zoe-phone", "account": "zoe", "bundleId": "com.example.two"]
    )
    #expect(
      device == ["device": "zoe-phone", "account": "zoe", "bundleId": "com.example.two"]
    )
    let changed = try await client.json(.patch, "/control/accounts/zoe", ["asksToBuy": false])
    #expect(changed["asksToBuy"] == false)
    #expect(try await client.json(.get, "/control/accounts").arrayValue?.count == 3)
    #expect(try await client.json(.get, "/control/devices").arrayValue?.count == 4)
    #expect(try await client.json(.get, "/control/apps").arrayValue?.count == 2)
  }

  @Test func aPurchaseIsMadeFinishedAndRefunded() async throws {
    let bought = try await client.json(
      .post,
      "/control/purchases",
      ["device": "mia-phone", "productId": "com.example.demo.coins", "quantity": 2]
    )
    #expect(bought["outcome"] == "purchased")
    let id = try #require(bought["transaction"]?["transactionId"]?.stringValue)
    let signed = try #require(bought["signedTransaction"]?.stringValue)
    #expect(try Signed.payload(of: signed)["transactionId"]?.stringValue == id)
    #expect(
      try await client.json(.get, "/control/devices/mia-pad/unfinished").arrayValue?.count == 1
    )
    let finished = try await client.json(
      .post,
      "/control/transactions/\(id)/finish",
      ["device": "mia-pad"]
    )
    #expect(finished["transaction"]?["isFinished"] == true)
    let refunded = try await client.json(
      .post,
      "/control/transactions/\(id)/refund",
      ["reason": 1]
    )
    #expect(refunded["transaction"]?["revocationReason"] == 1)
    #expect(await client.send(.post, "/control/transactions/\(id)/refund").status == 409)
    let back = try await client.json(.post, "/control/transactions/\(id)/reverse-refund")
    #expect(back["transaction"]?["revocationDate"] == nil)
    let list = try await client.json(.get, "/control/transactions?account=mia")
    #expect(list.arrayValue?.count == 1)
  }

  @Test func aParentIsAskedAndAnswers() async throws {
    let asked = try await client.json(
      .post,
      "/control/purchases",
      ["device": "mia-phone", "productId": "com.example.demo.coins", "askToBuy": true]
    )
    #expect(asked == ["outcome": "pending", "pending": "pending-1"])
    let approved = try await client.json(.post, "/control/pending/pending-1/approve")
    #expect(approved["outcome"] == "purchased")
    #expect(try await client.json(.get, "/control/pending")[0]?["answer"] == "approved")
    #expect(await client.send(.post, "/control/pending/pending-1/decline").status == 409)
    #expect(await client.send(.post, "/control/pending/pending-9/decline").status == 404)
  }

  @Test func aSubscriptionIsCancelled() async throws {
    let bought = try test.buy(DemoCatalog.monthly)
    let changed = try await client.json(
      .put,
      "/control/subscriptions/\(bought.originalTransactionID)/auto-renew",
      ["isOn": false]
    )
    #expect(changed[0]?["willAutoRenew"] == false)
    #expect(changed[0]?["status"] == 1)
  }

  @Test func faultsAreSetAsAWhole() async throws {
    let faults: JSONValue = [
      "offlineDevices": ["mia-pad", "mia-phone"], "storeUnreachable": false,
      "signature": "broken", "purchaseFailure": "paymentFailed", "interruptsPurchases": false,
      "duplicatesNotifications": true, "reordersNotifications": true,
      "notificationFailure": "TIMED_OUT", "losesNotificationAnswers": false,
      "revokesCertificate": false,
    ]
    #expect(try await client.json(.put, "/control/faults", faults) == faults)
    #expect(try await client.json(.get, "/control/faults") == faults)
    #expect(try await client.json(.put, "/control/faults", [:])["offlineDevices"] == [])
    #expect(await client.send(.put, "/control/faults", ["signature": "odd"]).status == 400)
  }

  @Test func rootsAreGivenInBothForms() async throws {
    let der = await client.send(.get, "/control/roots/jws.der")
    #expect(der.body == test.store.jwsRootCertificate)
    let pem = await client.send(.get, "/control/roots/jws.pem")
    #expect(PEM.blocks(pem.body)?.map(\.der) == [test.store.jwsRootCertificate])
    let receipt = await client.send(.get, "/control/roots/receipt.pem")
    #expect(
      PEM.blocks(receipt.body)?.map(\.der) == [try test.store.receiptRootCertificate()]
    )
    #expect(await client.send(.get, "/control/roots/other.der").status == 400)
  }

  @Test func theHistoryIsGivenFromALine() async throws {
    try test.buy(DemoCatalog.coins)
    let all = try await client.json(.get, "/control/history")
    #expect(all["count"] == 9)
    #expect(all["entries"]?[0]?["event"] == "appAdded")
    let rest = try await client.json(.get, "/control/history?from=8")
    #expect(rest["entries"]?.arrayValue?.count == 1)
    #expect(await client.send(.get, "/control/history?from=x").status == 400)
  }

  @Test func theHistoryComesInPiecesOfAThousandLines() async throws {
    for _ in 0..<400 { try test.buy(DemoCatalog.coins) }
    let count = test.store.history.count
    #expect(count > 1001)
    for (left, expected) in [(1000, 1000), (1001, 1000)] {
      let piece = try await client.json(.get, "/control/history?from=\(count - left)")
      #expect(piece["entries"]?.arrayValue?.count == expected)
    }
  }

  @Test func notificationsAreAddressedSentAndListed() async throws {
    let server = Server([])
    test.store.setNotificationTransport { _, body in server.receive(body) }
    #expect(await client.send(.put, "/control/notifications/url", ["url": "ftp://x"]).status == 400)
    let url = try await client.json(
      .put,
      "/control/notifications/url",
      ["url": "http://127.0.0.1:1/n"]
    )
    #expect(url["url"] == "http://127.0.0.1:1/n")
    _ = await client.send(.post, "/control/notifications/test")
    let sent = try await client.json(.post, "/control/notifications/drain")
    #expect(sent[0]?["sendAttempts"]?[0]?["sendAttemptResult"] == "SUCCESS")
    #expect(server.bodies.count == 1)
  }

  @Test func whatIsNotThereIsSaidSo() async throws {
    #expect(await client.send(.get, "/control/nothing").status == 404)
    #expect(await client.send(.get, "/").status == 404)
    let wrong = await client.send(.delete, "/control/faults")
    #expect(wrong.status == 405)
    #expect(wrong.headers["Allow"] == "GET, PUT")
    let words = try JSONParser.parse(wrong.body, limits: .document)["error"]?["message"]
    #expect(words == "/control/faults knows GET, PUT only")
    #expect(await client.send(.get, "/control/transactions/1").status == 404)
    #expect(await client.send(.get, "/control/transactions").status == 400)
    #expect(
      await client.send(.post, "/control/purchases", ["device": "x", "productId": "y"]).status
        == 404
    )
    #expect(await client.send(.post, "/control/accounts", ["account": "mia"]).status == 409)
    #expect(await client.send(.post, "/control/accounts", ["account": ""]).status == 400)
  }
}

struct ServerAPITests {
  let test: TestStore
  let client: FaceClient

  init() throws {
    test = try TestStore()
    client = FaceClient(
      face: StoreHTTPFace(store: test.store),
      token: try DeveloperTokens(test.store).token()
    )
  }

  @Test func withoutATokenThereIsNoAnswer() async throws {
    for headers: HTTPHeaders in [[:], ["Authorization": "Basic x"], ["Authorization": "Bearer "]] {
      let response = await client.send(.get, "/inApps/v1/transactions/1", headers: headers)
      #expect(response.status == 401)
      #expect(response.body.isEmpty)
    }
  }

  @Test func aTransactionIsFoundByItsOwnAndItsCopysIdentifier() async throws {
    let bought = try test.buy(DemoCatalog.lifetime)
    try test.store.finish(bought.transactionID, on: test.phone)
    let copy = try #require(try test.store.restore(on: test.pad).first)
    for id in [bought.transactionID, copy.transactionID] {
      let answer = try await client.json(.get, "/inApps/v1/transactions/\(id)")
      let signed = try #require(answer["signedTransactionInfo"]?.stringValue)
      let payload = try TransactionPayload(try Signed.payload(of: signed))
      #expect(payload.transactionID == bought.transactionID)
    }
  }

  @Test(arguments: [
    ("/inApps/v1/transactions/42", 404, 4_040_010),
    ("/inApps/v1/transactions/4a", 400, 4_000_006),
    ("/inApps/v1/transactions/" + String(repeating: "4", count: 64), 404, 4_040_010),
    ("/inApps/v1/transactions/" + String(repeating: "4", count: 65), 400, 4_000_006),
    ("/inApps/v2/history/42", 404, 4_040_010),
    ("/inApps/v1/subscriptions/x", 400, 4_000_006),
    ("/inApps/v1/notifications/test/zzz", 400, 4_000_020),
    ("/inApps/v1/notifications/test/3f2504e0-4f89-41d3-9a0c-0305e82c3301", 404, 4_040_008),
  ])
  func refusalsHaveApplesNumbers(_ target: String, _ status: Int, _ code: Int64) async throws {
    let response = await client.send(.get, target)
    #expect(response.status == status)
    #expect(try JSONParser.parse(response.body)["errorCode"] == .integer(code))
  }

  @Test(arguments: [
    ("sort=UP", 4_000_021), ("productType=TOY", 4_000_022), ("startDate=x", 4_000_015),
    ("endDate=-1", 4_000_016), ("revoked=maybe", 4_000_030), ("revision=%21", 4_000_005),
    ("inAppOwnershipType=MINE", 4_000_026),
  ])
  func aHistoryWithABadQuestionIsRefused(_ query: String, _ code: Int64) async throws {
    let bought = try test.buy(DemoCatalog.coins)
    let target = "/inApps/v2/history/\(bought.transactionID)?\(query)"
    #expect(try await client.json(.get, target)["errorCode"] == .integer(code))
  }

  @Test func aHistoryIsPagedAndGoesOnWhereItEnded() async throws {
    var ids: [String] = []
    for _ in 0..<21 { ids.append(try test.buy(DemoCatalog.coins).transactionID.rawValue) }
    try test.buy(DemoCatalog.coins, on: test.otherPhone)
    let app = try test.store.appTransaction(on: test.phone).appTransactionID
    for first in [ids[0], try #require(app).rawValue] {
      let page = try await client.json(.get, "/inApps/v2/history/\(first)")
      #expect(page["hasMore"] == true)
      #expect(page["environment"] == "Sandbox")
      #expect(try found(page) == Array(ids.prefix(20)))
      let revision = try #require(page["revision"]?.stringValue)
      let next = try await client.json(.get, "/inApps/v2/history/\(first)?revision=\(revision)")
      #expect(next["hasMore"] == false)
      #expect(try found(next) == [ids[20]])
    }
    // What changes comes again.
    let end = try await client.json(.get, "/inApps/v2/history/\(ids[0])?sort=DESCENDING")
    #expect(try found(end).first == ids[20])
    try test.store.refund(TransactionID(ids[3]))
    let refunded = try await client.json(.get, "/inApps/v2/history/\(ids[0])?revoked=true")
    #expect(try found(refunded) == [ids[3]])
  }

  @Test func aHistoryIsFilteredByWhatIsAskedFor() async throws {
    let coins = try test.buy(DemoCatalog.coins).transactionID.rawValue
    let monthly = try test.buy(DemoCatalog.monthly).transactionID.rawValue
    let pass = try test.buy(DemoCatalog.season).transactionID.rawValue
    for (query, ids) in [
      ("productType=CONSUMABLE", [coins]),
      ("productType=AUTO_RENEWABLE&productType=NON_RENEWABLE", [monthly, pass]),
      ("productId=com.example.demo.season", [pass]),
      ("subscriptionGroupIdentifier=DE300020", [monthly]),
      ("endDate=\(TestStore.start.milliseconds)", []),
      ("startDate=\(TestStore.start.milliseconds)&revoked=false", [coins, monthly, pass]),
    ] {
      let page = try await client.json(.get, "/inApps/v2/history/\(coins)?\(query)")
      #expect(try found(page) == ids, "\(query)")
    }
  }

  @Test func statusesAreGroupedAndFiltered() async throws {
    let coins = try test.buy(DemoCatalog.coins)
    let empty = try await client.json(.get, "/inApps/v1/subscriptions/\(coins.transactionID)")
    #expect(empty["data"] == [])
    let monthly = try test.buy(DemoCatalog.monthly)
    let target = "/inApps/v1/subscriptions/\(coins.transactionID)"
    let answer = try await client.json(.get, target)
    #expect(answer["bundleId"] == "com.example.demo")
    #expect(answer["data"]?[0]?["subscriptionGroupIdentifier"] == "DE300020")
    let last = try #require(answer["data"]?[0]?["lastTransactions"]?[0])
    #expect(last["status"] == 1)
    #expect(last["originalTransactionId"]?.stringValue == monthly.originalTransactionID.rawValue)
    #expect(try await client.json(.get, target + "?status=2&status=5")["data"] == [])
    #expect(try await client.json(.get, target + "?status=9")["errorCode"] == 4_000_031)
  }

  @Test func aTestNotificationIsAskedForAndLookedUp() async throws {
    let missing = try await client.json(.post, "/inApps/v1/notifications/test")
    #expect(missing["errorCode"] == 4_040_007)
    let server = Server([500])
    try test.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
    test.store.setNotificationTransport { _, body in server.receive(body) }
    let asked = try await client.json(.post, "/inApps/v1/notifications/test")
    let token = try #require(asked["testNotificationToken"]?.stringValue)
    let target = "/inApps/v1/notifications/test/\(token)"
    #expect(try await client.json(.get, target)["errorCode"] == 4_040_008)
    await test.store.drainNotifications()
    let answer = try await client.json(.get, target)
    #expect(
      answer["sendAttempts"]?[0]?["sendAttemptResult"] == "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    )
    let signed = try #require(answer["signedPayload"]?.stringValue)
    #expect(try Signed.signedPayload(server.bodies[0]) == signed)
  }

  private func found(_ page: JSONValue) throws -> [String] {
    try (page["signedTransactions"]?.arrayValue ?? []).map { text in
      try #require(try Signed.payload(of: text.stringValue ?? "")["transactionId"]?.stringValue)
    }
  }
}
