import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import ServerStorage
import Testing

@Suite struct OrderTests {
  private static let number = "0f4d2e3a-9b1c-4d5e-8f60-718293a4b5c6"

  @Test(arguments: Backend.allCases)
  func aPurchaseThatCarriesTheNumberPaysTheOrder(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let opened = try await test.post(
        "/v1/orders",
        [
          "productId": .string(DemoCatalog.coins.rawValue), "account": "mia",
          "context": ["cart": 7],
        ]
      )
      #expect(opened.status == 200)
      #expect(opened.text("state") == "open")
      let number = try #require(opened.text("orderNumber"))
      let coins = try test.buy(DemoCatalog.coins, token: AppAccountToken(number))
      // Nobody called the server: the notification is enough.
      await test.store.drainNotifications()
      let shown = try await test.get("/v1/orders/\(number)")
      #expect(shown.text("state") == "paid")
      #expect(shown.body["context"] == ["cart": 7])
      #expect(shown.text("account") == "mia")
      let transaction = shown.body["transactions"]?.arrayValue?.first?.objectValue
      #expect(transaction?["transactionId"] == .string(coins.transactionID.rawValue))
      try test.store.refund(coins.transactionID)
      await test.store.drainNotifications()
      #expect(try await test.get("/v1/orders/\(number)").text("state") == "refunded")
    }
  }

  @Test(arguments: Backend.allCases)
  func aPurchaseWithoutTheNumberIsTiedByTheVerification(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      _ = try await test.post(
        "/v1/orders",
        [
          "orderNumber": .string(Self.number), "productId": .string(DemoCatalog.coins.rawValue),
          "account": "mia",
        ]
      )
      let coins = try test.buy(DemoCatalog.coins)
      // The first StoreKit: no token, no account, only the order's number.
      _ = try await test.verify(coins, ["orderNumber": .string(Self.number)])
      #expect(try await test.get("/v1/orders/\(Self.number)").text("state") == "paid")
      let customer = try await test.customer("mia")
      #expect(customer["orders"]?.arrayValue?.first?.objectValue?["state"] == "paid")
      #expect(customer["purchases"]?.arrayValue?.count == 1)
      // A transaction belongs to the order that named it first.
      let other = "1f4d2e3a-9b1c-4d5e-8f60-718293a4b5c6"
      _ = try await test.verify(coins, ["orderNumber": .string(other)])
      #expect(try await test.get("/v1/orders/\(other)").text("state") == "open")
    }
  }

  @Test func anOrderOfAnotherProductIsNotPaid() async throws {
    let test = try TestServer()
    _ = try await test.post(
      "/v1/orders",
      ["orderNumber": .string(Self.number), "productId": .string(DemoCatalog.lifetime.rawValue)]
    )
    let coins = try test.buy(DemoCatalog.coins)
    _ = try await test.verify(coins, ["orderNumber": .string(Self.number)])
    #expect(try await test.get("/v1/orders/\(Self.number)").text("state") == "open")
  }

  @Test func anOrderIsOpenedOnceAndStaysAsItWas() async throws {
    let test = try TestServer()
    let body: JSONObject = [
      "orderNumber": .string(Self.number.uppercased()), "productId": "p", "account": "mia",
    ]
    let first = try await test.post("/v1/orders", body)
    #expect(first.text("orderNumber") == Self.number)
    #expect(try await test.post("/v1/orders", body).withoutRequestID == first.withoutRequestID)
    for (name, value) in [("productId", "q"), ("account", "eve"), ("quantity", 2)]
      as [(String, JSONValue)]
    {
      var other = body
      other[name] = value
      let answer = try await test.post("/v1/orders", other)
      #expect(answer.status == 409)
      #expect(answer.errorCode == "nameTaken")
    }
  }

  @Test(arguments: Backend.allCases)
  func aNamedRequestOpensOneOrderAndAnotherBodyIsNoticed(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let named = ["Idempotency-Key": "one"]
      let body: JSONObject = ["productId": "p"]
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for _ in 0..<10 {
          group.addTask { try await test.send(.post, "/v1/orders", headers: named, body) }
        }
        return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
      }
      #expect(Set(answers.map { $0.text("orderNumber") }).count == 1)
      #expect(try await ledger.counts().orders == 1)
      let other = try await test.send(.post, "/v1/orders", headers: named, ["productId": "q"])
      #expect(other.status == 409)
      #expect(other.errorCode == "idempotencyKeyReused")
      #expect(other.errorParameter == "Idempotency-Key")
      // Without a name each request is another order.
      _ = try await test.send(.post, "/v1/orders", body)
      _ = try await test.send(.post, "/v1/orders", body)
      #expect(try await ledger.counts().orders == 3)
      for bad in ["", String(repeating: "x", count: 256)] {
        let answer = try await test.send(
          .post,
          "/v1/orders",
          headers: ["Idempotency-Key": bad],
          body
        )
        #expect(answer.status == 400)
      }
      let longest = ["Idempotency-Key": String(repeating: "x", count: 255)]
      #expect(try await test.send(.post, "/v1/orders", headers: longest, body).status == 200)
    }
  }

  @Test func aNameIsForgottenAfterAWeek() async throws {
    let test = try TestServer()
    let named = ["Idempotency-Key": "one"]
    _ = try await test.send(.post, "/v1/orders", headers: named, ["productId": "p"])
    await test.store.advance(by: 7 * 86_400 + 1)
    _ = try await test.send(
      .post,
      "/v1/orders",
      headers: ["Idempotency-Key": "two"],
      [
        "productId": "p"
      ]
    )
    let again = try await test.send(.post, "/v1/orders", headers: named, ["productId": "q"])
    #expect(again.errorCode == "nameTaken")
  }

  @Test func namesOfDifferentKeysDoNotMeet() async throws {
    let test = try TestServer(requiresKeys: true)
    let named = ["Idempotency-Key": "one"]
    for product in ["p", "q"] {
      let key = try await test.key(.public)
      let answer = try await test.send(
        .post,
        "/v1/orders",
        key: key,
        headers: named,
        ["productId": .string(product)]
      )
      #expect(answer.status == 200)
    }
  }

  @Test func whatIsNotThereIsNotFound() async throws {
    let test = try TestServer()
    #expect(try await test.get("/v1/orders/\(Self.number)").status == 404)
    #expect(try await test.get("/v1/orders/seven").errorParameter == "number")
    #expect(try await test.get("/v1/orders/lookup").errorParameter == "appStoreOrderId")
    let lookup = try await test.get("/v1/orders/lookup?appStoreOrderId=MK5TYWHT8V")
    #expect(lookup.status == 501)
  }

  /// Asks the simulated store as its server interface would be asked.
  private struct Lookup: StoreLookup {
    let answer: StoreLookupAnswer
    func transactions(of order: AppStoreOrderID, app: BundleID) async -> StoreLookupAnswer {
      order == "MK5TYWHT8V" && app == DemoCatalog.bundleID ? answer : .unknown
    }
  }

  @Test func theCustomersOrderNumberFindsALostOrder() async throws {
    let store = try TestServer().store
    let outcome = try store.purchase(
      PurchaseRequest(
        device: "phone",
        productID: DemoCatalog.coins,
        appAccountToken: AppAccountToken(Self.number)
      )
    )
    guard case .purchased(let record) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let text = Array(try store.signedTransaction(record.transactionID).utf8)
    let test = try TestServer(
      lookup: Lookup(answer: .found([text, Array("forged.a.b".utf8)]))
    )
    _ = try await test.post(
      "/v1/orders",
      ["orderNumber": .string(Self.number), "productId": .string(DemoCatalog.coins.rawValue)]
    )
    let found = try await test.get("/v1/orders/lookup?appStoreOrderId=MK5TYWHT8V")
    #expect(found.status == 200)
    #expect(found.body["transactions"]?.arrayValue?.count == 1)
    let order = found.body["orders"]?.arrayValue?.first?.objectValue
    #expect(order?["orderNumber"] == .string(Self.number))
    #expect(order?["state"] == "paid")
    #expect(try await test.ledger.counts().entries == 1)
    #expect(try await test.get("/v1/orders/lookup?appStoreOrderId=X").status == 404)
    let busy = try TestServer(lookup: Lookup(answer: .unavailable(retryAfterSeconds: 7)))
    let later = try await busy.get("/v1/orders/lookup?appStoreOrderId=MK5TYWHT8V")
    #expect(later.status == 503)
    #expect(later.headers["Retry-After"] == "7")
  }
}
