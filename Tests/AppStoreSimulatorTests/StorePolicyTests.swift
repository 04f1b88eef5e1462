import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import Testing

@testable import AppStoreSimulator

/// What accounts may do, and what families wait for.
struct StorePolicyTests {
  @Test(arguments: [true, false])
  func whoIsSubscribedMayBeRefusedToMove(_ refuses: Bool) throws {
    let test = try TestStore.rules { $0.refusesMoveWhileSubscribed = refuses }
    let france = try Storefront.of(countryCode: "FRA")
    let original = try test.buy(RulesCatalog.silver).originalTransactionID
    let count = test.store.history.count
    guard refuses else {
      try test.store.setStorefront(france, of: test.account)
      return
    }
    #expect(throws: SimulatorError(.notAllowed, "")) {
      try test.store.setStorefront(france, of: test.account)
    }
    #expect(test.store.history.count == count)
    try test.store.setStorefront(france, of: test.other)
    try test.store.setAutoRenew(false, of: original)
    test.store.clock.advance(by: 8 * day)
    try test.store.setStorefront(france, of: test.account)
    #expect(test.store.accounts.first?.storefront == france)
  }

  @Test func whoMayNotBuyIsRefused() async throws {
    let test = try TestStore.rules()
    let client = FaceClient(face: StoreHTTPFace(store: test.store))
    let answer = try await client.json(.patch, "/control/accounts/mia", ["mayBuy": false])
    #expect(answer["mayBuy"] == false)
    let request = PurchaseRequest(device: test.phone, productID: RulesCatalog.coins)
    #expect(try test.store.purchase(request) == .failed(.paymentNotAllowed))
    #expect(test.store.transactions(of: test.account) == [])
    try test.store.setMayBuy(true, of: test.account)
    try test.buy(RulesCatalog.coins)
    #expect(throws: SimulatorError(.unknownAccount, "")) {
      try test.store.setMayBuy(true, of: "nobody")
    }
  }

  private func family() throws -> TestStore {
    let test = try TestStore.rules { $0.familyDelay = 3600 }
    try test.store.addFamily("home", organizer: test.account)
    try test.store.joinFamily("home", test.other)
    return test
  }

  private func shared(_ test: TestStore) -> [ProductID] {
    test.store.transactions(of: test.other).map(\.productID)
  }

  @Test func aFamilyGetsItsCopiesLater() throws {
    let test = try family()
    let bought = try test.buy(RulesCatalog.silver)
    try test.buy(RulesCatalog.book)
    test.store.clock.advance(by: 3599)
    #expect(shared(test) == [])
    test.store.clock.advance(by: 1)
    #expect(shared(test) == [RulesCatalog.silver, RulesCatalog.book])
    #expect(test.store.transactions(of: test.other).first?.purchaseDate == bought.purchaseDate)
    // What is there already is renewed at once.
    let expiry = try #require(bought.expiresDate)
    test.store.clock.advance(to: expiry)
    #expect(shared(test) == [RulesCatalog.silver, RulesCatalog.book, RulesCatalog.silver])
  }

  @Test func whatIsGoneBeforeTheCopyIsNotShared() throws {
    let test = try family()
    let book = try test.buy(RulesCatalog.book)
    try test.buy(RulesCatalog.silver)
    try test.store.refund(book.transactionID)
    try test.store.leaveFamily("home", test.other)
    test.store.clock.advance(by: 2 * 3600)
    #expect(shared(test) == [])
    try test.store.joinFamily("home", test.other)
    #expect(shared(test) == [RulesCatalog.silver])
    test.store.clock.advance(by: 2 * 3600)
    #expect(shared(test) == [RulesCatalog.silver])
  }
}

/// What becomes of attempts to send a notification.
struct SendAttemptTests {
  private func store(
    _ reply: NotificationReply,
    _ faults: (inout StoreFaults) -> Void = { _ in }
  ) async throws -> (NotificationRecord, received: Int) {
    let test = try TestStore { $0.retryTimetable = .production }
    let server = Server([])
    try test.store.setNotificationURL(URL(string: "https://example.com/"))
    test.store.setNotificationSender { _, body in
      _ = server.receive(body)
      return reply
    }
    test.store.changeFaults(faults)
    try test.buy(DemoCatalog.coins)
    await test.store.advance(by: 2 * 3600)
    return (try #require(test.store.notifications.first), server.bodies.count)
  }

  @Test(arguments: SendAttemptResult.allCases)
  func everyWordOfApplesIsWrittenDown(_ result: SendAttemptResult) async throws {
    let reply: NotificationReply =
      switch result {
      case .success: .answered(206)
      case .unsuccessfulStatus: .answered(207)
      default: .failed(result)
      }
    let (record, received) = try await store(reply)
    #expect(record.attempts.first?.result == result)
    #expect(record.isDelivered == (result == .success))
    #expect(received == (result == .success ? 1 : 2))
    #expect(record.json["sendAttempts"]?[0]?["sendAttemptResult"] == .string(result.rawValue))
  }

  @Test func aFailureThatIsOrderedSendsNothing() async throws {
    let (record, received) = try await store(.answered(200)) { $0.notificationFailure = .timedOut }
    #expect(record.attempts.map(\.result) == [.timedOut, .timedOut])
    #expect(received == 0)
  }

  @Test func anAnswerThatIsLostIsAskedForAgain() async throws {
    let (record, received) = try await store(.answered(200)) { $0.losesNotificationAnswers = true }
    #expect(record.attempts.map(\.result) == [.prematureClose, .prematureClose])
    #expect(received == 2)
  }

  @Test func faultsOfNotificationsAreSetOverHTTP() async throws {
    let test = try TestStore()
    let client = FaceClient(face: StoreHTTPFace(store: test.store))
    let set = try await client.json(
      .put,
      "/control/faults",
      ["notificationFailure": "TLS_ISSUE", "losesNotificationAnswers": true]
    )
    #expect(set["notificationFailure"] == "TLS_ISSUE")
    #expect(test.store.faults.losesNotificationAnswers)
    for word in ["SUCCESS", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "x"] {
      let body: JSONValue = ["notificationFailure": .string(word)]
      #expect(await client.send(.put, "/control/faults", body).status == 400)
    }
  }

  @Test func retentionMessagesAreInTheHistory() async throws {
    let world = try ServerWorld()
    let path = "/inApps/v1/messaging"
    let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    let url: JSONValue = ["realtimeURL": "https://example.com/"]
    #expect(try await world.code(.put, "\(path)/realtime/url", url) == 200)
    let body: JSONValue = ["header": "h", "body": "b"]
    #expect(try await world.code(.put, "\(path)/message/\(id)", body) == 200)
    let other: JSONValue = ["header": "h"]
    #expect(try await world.code(.put, "\(path)/message/\(id)", other) == 4_000_000)
    #expect(try await world.code(.delete, "\(path)/message/\(id)") == 200)
    let lines = world.test.store.history.map(\.json).filter { $0["event"] == "retentionChanged" }
    #expect(
      lines.map { $0["what"] } == ["realtimeURLSet", "messageAdded", "messageRemoved"]
    )
    #expect(lines[1]["message"] == body)
    var folded = StoreState(terms: StoreOptions(environment: .sandbox).terms)
    for entry in world.test.store.history { folded.apply(entry) }
    #expect(folded.server.shelves[DemoCatalog.bundleID]?.messages == [])
  }
}

/// Receipts of single transactions, as iOS 6 had them.
struct TransactionReceiptTests {
  private func verify(
    _ world: ServerWorld,
    _ bytes: [UInt8],
    secret: Bool = true,
    _ path: String = "/verifyReceipt"
  ) async throws -> JSONValue {
    var body: JSONObject = ["receipt-data": .string(Base64.encode(bytes, .standard))]
    if secret { body["password"] = .string(try world.test.store.sharedSecret()) }
    return try await world.client.json(.post, path, .object(body))
  }

  @Test func aSubscriptionIsAnsweredUntilItIsOver() async throws {
    let world = try ServerWorld()
    let store = world.test.store
    let bought = try world.test.buy(DemoCatalog.monthly)
    let receipt = try store.transactionReceipt(bought.transactionID)
    let answer = try await verify(world, receipt)
    #expect(answer["status"] == 0)
    #expect(answer["receipt"]?["transaction_id"]?.stringValue == bought.transactionID.rawValue)
    #expect(
      answer["receipt"]?["expires_date"]?.stringValue
        == bought.expiresDate.map { String($0.milliseconds) }
    )
    #expect(
      answer["latest_receipt_info"]?["product_id"]?.stringValue == DemoCatalog.monthly.rawValue
    )
    let latest = try #require(answer["latest_receipt"]?.stringValue)
    let again = try #require(Base64.decode(latest.utf8, .standard))
    #expect(try await verify(world, again)["status"] == 0)
    try store.setAutoRenew(false, of: bought.originalTransactionID)
    store.clock.advance(by: 60 * day)
    let over = try await verify(world, receipt)
    #expect(over["status"] == 21_006)
    #expect(over["expiration_intent"] == "1")
    #expect(over["auto_renew_status"] == 0)
    #expect(
      over["latest_expired_receipt_info"]?["original_transaction_id"]?.stringValue
        == bought.originalTransactionID.rawValue
    )
    #expect(over["latest_receipt_info"] == nil)
  }

  @Test func whatIsWrongHasItsStatus() async throws {
    let world = try ServerWorld()
    let store = world.test.store
    let bought = try world.test.buy(DemoCatalog.monthly)
    let coins = try world.test.buy(DemoCatalog.coins)
    let receipt = try store.transactionReceipt(bought.transactionID)
    #expect(try await verify(world, receipt, secret: false) == ["status": 21_004])
    #expect(
      try await verify(world, receipt, "/production/verifyReceipt") == ["status": 21_007]
    )
    let other = try store.transactionReceipt(coins.transactionID)
    #expect(try await verify(world, other, secret: false)["status"] == 0)
    let foreign = try TestStore(seed: 8)
    let strange = try foreign.store.transactionReceipt(
      try foreign.buy(DemoCatalog.coins).transactionID
    )
    #expect(try await verify(world, strange) == ["status": 21_003])
    let text = String(decoding: receipt, as: UTF8.self)
    #expect(text.hasPrefix("{\n\t\"signature\" = \""))
    let unsigned = text.split(separator: "\n").filter { !$0.contains("signature") }
      .joined(separator: "\n")
    #expect(try await verify(world, Array(unsigned.utf8)) == ["status": 21_003])
    for cut in ["{", "{}", String(text.dropLast(1)), "{\"a\" = b;}"] {
      #expect(try await verify(world, Array(cut.utf8)) == ["status": 21_002])
    }
    #expect(throws: SimulatorError(.unknownTransaction, "")) {
      try store.transactionReceipt("42")
    }
  }

  @Test(.enabled(if: Vectors.folder != nil, "set IAP_VECTORS to the folder of vectors"))
  func applesSampleIsReadAndNotTrusted() async throws {
    let file = try #require(Vectors.folder).deletingLastPathComponent()
      .appending(path: "apple-app-store-server-library/mock_signed_data/legacyTransaction")
    let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    let bytes = try #require(
      Base64.decode(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8, .standard)
    )
    #expect(TransactionReceipt(bytes)?.info == ["transaction-id": "33993399"])
    let world = try ServerWorld()
    #expect(try await verify(world, bytes) == ["status": 21_003])
  }
}
