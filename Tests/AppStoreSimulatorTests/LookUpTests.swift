import AppStoreSimulator
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import Testing

struct LookUpTests {
  @Test func anOrderOfProductionIsFoundByItsNumber() async throws {
    let world = try ServerWorld(environment: .production)
    let bought = try world.test.buy(DemoCatalog.coins)
    try world.test.buy(DemoCatalog.coins)
    let order = try world.test.store.orderID(of: bought.transactionID)
    #expect(order.rawValue.count == 10)
    let found = try await world.client.json(.get, "/inApps/v1/lookup/\(order)")
    #expect(found["status"] == 0)
    #expect(try world.transactions(found) == [bought.transactionID.rawValue])
    let unknown = try await world.client.json(.get, "/inApps/v1/lookup/MK00000000")
    #expect(unknown == ["status": 1])
    let long = String(repeating: "M", count: 65)
    #expect(try await world.code(.get, "/inApps/v1/lookup/\(long)") == 4_000_000)
    #expect(try await world.code(.get, "/inApps/v1/lookup/%21") == 4_000_000)
  }

  @Test func theSandboxLooksUpNoOrdersUnlessItShall() async throws {
    for (isOn, status): (Bool, JSONValue) in [(false, 1), (true, 0)] {
      let world = try ServerWorld { $0.sandboxLooksUpOrders = isOn }
      let bought = try world.test.buy(DemoCatalog.coins)
      let order = try world.test.store.orderID(of: bought.transactionID)
      let answer = try await world.client.json(.get, "/inApps/v1/lookup/\(order)")
      #expect(answer["status"] == status)
    }
  }

  @Test func refundsArePagedInTheirOrder() async throws {
    let world = try ServerWorld()
    let test = world.test
    let bought = try (0..<21).map { _ in try test.buy(DemoCatalog.coins).transactionID }
    let path = "/inApps/v2/refund/lookup/\(bought[0])"
    #expect(try await world.client.json(.get, path)["signedTransactions"] == [])
    for id in bought.reversed() {
      test.store.clock.advance(by: 60)
      try test.store.refund(id)
    }
    let page = try await world.client.json(.get, path)
    #expect(page["hasMore"] == true)
    let refunded = bought.reversed().map(\.rawValue)
    #expect(try world.transactions(page) == Array(refunded.prefix(20)))
    let revision = try #require(page["revision"]?.stringValue)
    let rest = try await world.client.json(.get, "\(path)?revision=\(revision)")
    #expect(rest["hasMore"] == false)
    #expect(try world.transactions(rest) == [refunded[20]])
    let last = try #require(rest["revision"]?.stringValue)
    let none = try await world.client.json(.get, "\(path)?revision=\(last)")
    #expect(none["signedTransactions"] == [] && none["revision"]?.stringValue == last)
    let old = try await world.client.json(.get, "/inApps/v1/refund/lookup/\(bought[0])")
    #expect(try world.transactions(old) == refunded)
    #expect(try await world.code(.get, "/inApps/v1/refund/lookup/x") == 4_000_008)
    #expect(try await world.code(.get, "/inApps/v1/refund/lookup/9") == 4_040_005)
    #expect(try await world.code(.get, "\(path)?revision=x") == 4_000_005)
  }

  @Test(arguments: ["", "x", "%21", "aGlzdG9yeQ", "aGlzdG9yeS54Lnk", "cmVmdW5kLjEuMg"])
  func aRevisionThatIsNoneOfOursIsRefused(_ revision: String) async throws {
    let world = try ServerWorld()
    let bought = try world.test.buy(DemoCatalog.coins)
    let path = "/inApps/v2/history/\(bought.transactionID)?revision=\(revision)"
    #expect(try await world.code(.get, path) == 4_000_005)
    let long = String(repeating: "A", count: 513)
    let other = "/inApps/v2/history/\(bought.transactionID)?revision=\(long)"
    #expect(try await world.code(.get, other) == 4_000_005)
  }

  @Test func version1OfTheHistoryLeavesFinishedConsumablesOut() async throws {
    let world = try ServerWorld()
    let coins = try world.test.buy(DemoCatalog.coins).transactionID
    let more = try world.test.buy(DemoCatalog.coins).transactionID
    for id in [coins, more] { try world.test.store.finish(id, on: world.test.phone) }
    try world.test.store.refund(more)
    let old = try await world.client.json(.get, "/inApps/v1/history/\(coins)")
    #expect(try world.transactions(old) == [more.rawValue])
    let new = try await world.client.json(.get, "/inApps/v2/history/\(coins)")
    #expect(try world.transactions(new) == [coins.rawValue, more.rawValue])
    let python = "/inApps/v2/history/\(coins)?revoked=True"
    #expect(try world.transactions(try await world.client.json(.get, python)) == [more.rawValue])
  }

  @Test(arguments: [
    ("startDate=253402300800000", Int64(4_000_015)), ("endDate=99999999999999999999", 4_000_016),
    ("startDate=253402300799999", 200), ("startDate=5&endDate=5", 4_000_016),
    ("startDate=4&endDate=5", 200), ("productId=", 4_000_023),
    ("subscriptionGroupIdentifier=", 4_000_024), ("excludeRevoked=x", 4_000_025),
    ("excludeRevoked=true", 200),
  ])
  func rangesAndFiltersAreChecked(_ query: String, _ code: Int64) async throws {
    let world = try ServerWorld()
    let bought = try world.test.buy(DemoCatalog.coins)
    let path = "/inApps/v2/history/\(bought.transactionID)?\(query)"
    #expect(try await world.code(.get, path) == code)
  }

  @Test func anAppTransactionOfTheServerBelongsToNoDevice() async throws {
    let world = try ServerWorld()
    let bought = try world.test.buy(DemoCatalog.coins)
    let app = try #require(
      try world.test.store.appTransaction(on: world.test.phone).appTransactionID
    )
    for id in [bought.transactionID.rawValue, app.rawValue] {
      let path = "/inApps/v1/transactions/appTransactions/\(id)"
      let answer = try await world.client.json(.get, path)
      let signed = try #require(answer["signedAppTransactionInfo"]?.stringValue)
      let payload = try Signed.payload(of: signed)
      #expect(payload["appTransactionId"]?.stringValue == app.rawValue)
      #expect(payload["deviceVerification"] == nil && payload["applicationVersion"] == nil)
    }
    let unknown = "/inApps/v1/transactions/appTransactions/9"
    #expect(try await world.code(.get, unknown) == 4_040_010)
  }

  @Test func anotherAddressAndAnotherAppKnowNothing() async throws {
    let world = try ServerWorld()
    let store = world.test.store
    let bought = try world.test.buy(DemoCatalog.coins)
    let path = "/inApps/v1/transactions/\(bought.transactionID)"
    #expect(try await world.code(.get, "/sandbox" + path) == 200)
    #expect(try await world.code(.get, "/production" + path) == 4_040_010)
    let hosts = [
      ("api.storekit.apple.com", 404), ("api.storekit-sandbox.itunes.apple.com:443", 200),
      ("127.0.0.1:8080", 200),
    ]
    for (host, status) in hosts {
      let response = await world.client.send(
        .get,
        path,
        headers: ["Authorization": "Bearer \(world.client.token)", "Host": host]
      )
      #expect(response.status == status, "\(host)")
    }
    try store.addApp("com.example.two", appAppleID: AppAppleID(2), catalog: try DemoCatalog.load())
    let token = try DeveloperTokens(store).token { $0["bid"] = "com.example.two" }
    let other = FaceClient(face: world.face, token: token)
    #expect(await other.send(.get, path).status == 404)
  }

  @Test func advancedCommerceIsNotThere() async throws {
    let world = try ServerWorld()
    let path = "/advancedCommerce/v1/subscription/cancel/1"
    #expect(await world.client.send(.post, path, [:]).status == 404)
    let bought = try world.test.buy(DemoCatalog.monthly)
    _ = await world.client.send(
      .post,
      "/control/notifications/emit",
      [
        "notificationType": "METADATA_UPDATE",
        "transactionId": .string(bought.transactionID.rawValue),
      ]
    )
    #expect(world.test.announced.last == "METADATA_UPDATE")
  }
}
