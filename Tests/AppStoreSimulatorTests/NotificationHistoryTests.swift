import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import Testing

struct NotificationHistoryTests {
  let world: ServerWorld
  let test: TestStore
  private let path = "/inApps/v1/notifications/history"

  init() throws {
    world = try ServerWorld { $0.retryTimetable = .production }
    test = world.test
    try test.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
  }

  private func answer(_ statuses: [Int?]) -> Server {
    let server = Server(statuses)
    test.store.setNotificationTransport { _, body in server.receive(body) }
    return server
  }

  private func question(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
    var object: JSONObject = [
      "startDate": .integer(test.store.now.milliseconds - 1000),
      "endDate": .integer(test.store.now.milliseconds + 1_000_000),
    ]
    change(&object)
    return .object(object)
  }

  private func ask(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> Int64 {
    try await world.code(.post, path, question(change))
  }

  @Test func everyAttemptIsListed() async throws {
    let server = answer([500, nil, 200])
    let start = test.store.now
    try test.buy(DemoCatalog.coins)
    await test.store.advance(by: 14 * 3600)
    let found = try await world.client.json(
      .post,
      path,
      question { $0["startDate"] = .integer(start.milliseconds) }
    )
    let item = try #require(found["notificationHistory"]?[0])
    let results = item["sendAttempts"]?.arrayValue?.map { $0["sendAttemptResult"]?.stringValue }
    #expect(results == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE", "NO_RESPONSE", "SUCCESS"])
    let dates = item["sendAttempts"]?.arrayValue?.map { $0["attemptDate"]?.integerValue }
    let hours: [Double] = [0, 1, 13]
    #expect(dates == hours.map { start.addingTimeInterval($0 * 3600).milliseconds })
    #expect(item["signedPayload"]?.stringValue == (try Signed.signedPayload(server.bodies[0])))
    #expect(found["hasMore"] == false && found["paginationToken"] == nil)
  }

  @Test func pagesFollowTheSameQuestionOnly() async throws {
    _ = answer([])
    for _ in 0..<41 { try test.buy(DemoCatalog.coins) }
    await test.store.drainNotifications()
    var counts: [Int] = []
    var token: String?
    var tokens: [String] = []
    repeat {
      let target = token.map { "\(path)?paginationToken=\($0)" } ?? path
      let page = try await world.client.json(.post, target, question())
      counts.append(page["notificationHistory"]?.arrayValue?.count ?? 0)
      token = page["paginationToken"]?.stringValue
      if let token { tokens.append(token) }
    } while token != nil && counts.count < 9
    #expect(counts == [20, 20, 1])
    let target = "\(path)?paginationToken=\(tokens[0])"
    let other = question { $0["onlyFailures"] = true }
    #expect(try await world.code(.post, target, other) == 4_000_014)
    for token in ["x", "", "aGlzdG9yeS4xLjI"] {
      let code = try await world.code(.post, "\(path)?paginationToken=\(token)", question())
      #expect(code == 4_000_014)
    }
    let body = question()
    test.store.clock.advance(by: day)
    #expect(try await world.code(.post, target, body) == 200)
    test.store.clock.advance(by: 1)
    #expect(try await world.code(.post, target, body) == 4_000_017)
  }

  @Test func questionsOutOfRangeAreRefused() async throws {
    let now = test.store.now.milliseconds
    let reach: Int64 = 180 * 24 * 3600 * 1000
    #expect(try await ask { $0["startDate"] = .integer(now - reach) } == 200)
    #expect(try await ask { $0["startDate"] = .integer(now - reach - 1) } == 4_000_012)
    #expect(try await ask { $0["endDate"] = .integer(now - 1000) } == 4_000_013)
    #expect(try await ask { $0["endDate"] = .integer(now - 999) } == 200)
    #expect(try await ask { $0["startDate"] = nil } == 4_000_015)
    #expect(try await ask { $0["startDate"] = "x" } == 4_000_015)
    #expect(try await ask { $0["endDate"] = nil } == 4_000_016)
    #expect(try await ask { $0["endDate"] = 253_402_300_800_000 } == 4_000_016)
    #expect(try await ask { $0["endDate"] = 253_402_300_799_999 } == 200)
    #expect(try await ask { $0["notificationType"] = "OTHER" } == 4_000_018)
    #expect(try await ask { $0["notificationSubtype"] = "UPGRADE" } == 4_000_018)
    #expect(try await ask { $0["transactionId"] = "42" } == 4_040_010)
    #expect(try await ask { $0["transactionId"] = "x" } == 4_000_006)
    let both = try await ask { object in
      object["transactionId"] = "42"
      object["notificationType"] = "TEST"
    }
    #expect(both == 4_000_019)
    #expect(try await world.code(.post, path) == 4_000_000)
  }

  @Test func filtersChoose() async throws {
    _ = answer([200, 500])
    let coins = try test.buy(DemoCatalog.coins)
    try test.buy(DemoCatalog.monthly)
    try test.buy(DemoCatalog.coins, on: test.otherPhone)
    await test.store.drainNotifications()
    func count(_ change: (inout JSONObject) -> Void) async throws -> Int? {
      let page = try await world.client.json(.post, path, question(change))
      return page["notificationHistory"]?.arrayValue?.count
    }
    #expect(try await count { _ in } == 3)
    #expect(try await count { $0["notificationType"] = "SUBSCRIBED" } == 1)
    #expect(try await count { $0["onlyFailures"] = true } == 1)
    let id = JSONValue.string(coins.transactionID.rawValue)
    #expect(try await count { $0["transactionId"] = id } == 2)
  }
}

struct LegacyNotificationTests {
  private func world(_ environment: StoreEnvironment) throws -> (ServerWorld, Server) {
    let world = try ServerWorld(environment: environment)
    let server = Server([])
    try world.test.store.setNotificationURL(URL(string: "http://127.0.0.1:9/"))
    try world.test.store.setNotificationVersion(.version1)
    world.test.store.setNotificationTransport { _, body in server.receive(body) }
    return (world, server)
  }

  private func bodies(_ server: Server) throws -> [JSONObject] {
    try server.bodies.map { try JSONParser.parseObject($0, limits: .document) }
  }

  @Test func version1SaysItInItsOwnWords() async throws {
    let (world, server) = try world(.production)
    let test = world.test
    try test.buy(DemoCatalog.coins)
    let bought = try test.buy(DemoCatalog.monthly)
    try test.store.setAutoRenew(false, of: bought.originalTransactionID)
    try test.store.setAutoRenew(true, of: bought.originalTransactionID)
    let change = PurchaseRequest(device: test.phone, productID: DemoCatalog.yearly)
    try test.store.purchase(change)
    try test.store.refund(bought.transactionID)
    await test.store.drainNotifications()
    let found = try bodies(server)
    #expect(
      found.map { $0["notification_type"]?.stringValue } == [
        "INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS", "DID_CHANGE_RENEWAL_STATUS",
        "DID_CHANGE_RENEWAL_PREF", "CANCEL", "DID_CHANGE_RENEWAL_STATUS",
      ]
    )
    let first = try #require(found.first)
    #expect(first["environment"] == "PROD" && first["bid"] == "com.example.demo")
    #expect(first["password"]?.stringValue == (try test.store.sharedSecret()))
    #expect(first["auto_renew_status"] == "true")
    #expect(
      first["original_transaction_id"]
        == .integer(try #require(Int64(bought.transactionID.rawValue)))
    )
    let receipt = try #require(first["unified_receipt"])
    #expect(receipt["environment"] == "Production" && receipt["status"] == 0)
    #expect(receipt["pending_renewal_info"]?.arrayValue?.count == 1)
    let body: JSONValue = [
      "receipt-data": try #require(receipt["latest_receipt"]),
      "password": .string(try test.store.sharedSecret()),
    ]
    #expect(try await world.client.json(.post, "/verifyReceipt", body)["status"] == 0)
  }

  @Test func version1IsSentAgainThreeTimesInProduction() async throws {
    let (world, _) = try world(.production)
    let server = Server([500, 500, 500, 500])
    world.test.store.setNotificationTransport { _, body in server.receive(body) }
    let start = world.test.store.now
    try world.test.buy(DemoCatalog.monthly)
    await world.test.store.advance(by: 20 * day)
    let record = try #require(world.test.store.notifications.first)
    let hours: [Double] = [0, 6, 30, 78]
    #expect(record.attempts.map(\.date) == hours.map { start.addingTimeInterval($0 * 3600) })
    #expect(server.bodies.count == 4)
  }

  @Test func theSandboxSendsLessAndOnce() async throws {
    let (world, server) = try world(.sandbox)
    let test = world.test
    try test.buy(DemoCatalog.monthly)
    try test.store.setPayment(works: false, of: test.account)
    await test.store.advance(by: 40 * day)
    #expect(try bodies(server).map { $0["notification_type"]?.stringValue } == ["INITIAL_BUY"])
  }

  @Test func testsAndTheirHistoryAreVersion2() async throws {
    let (world, server) = try world(.sandbox)
    try world.test.buy(DemoCatalog.monthly)
    let answer = try await world.client.json(.post, "/inApps/v1/notifications/test")
    #expect(answer["testNotificationToken"] != nil)
    await world.test.store.drainNotifications()
    #expect(try bodies(server).map { $0["signedPayload"] != nil } == [false, true])
    let history = try await world.client.json(
      .post,
      "/inApps/v1/notifications/history",
      [
        "startDate": .integer(TestStore.start.milliseconds - 1),
        "endDate": .integer(TestStore.start.milliseconds + 1),
      ]
    )
    #expect(history["notificationHistory"]?.arrayValue?.count == 1)
  }

  @Test func theVersionIsSetWithTheAddress() async throws {
    let world = try ServerWorld()
    let path = "/control/notifications/url"
    let url: JSONValue = "http://127.0.0.1:9/"
    let answer = try await world.client.json(.put, path, ["url": url, "version": 1])
    #expect(answer == ["url": url, "version": 1])
    try world.test.buy(DemoCatalog.monthly)
    #expect(world.test.store.notifications.map(\.form.version) == [.version1])
    #expect(await world.client.send(.put, path, ["url": url, "version": 3]).status == 400)
  }
}
