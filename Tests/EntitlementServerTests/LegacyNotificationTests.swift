import AppStoreServerAPI
import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

@Suite struct LegacyNotificationTests {
  private let path = "/v1/notifications/apple"

  private func body(_ test: TestServer, _ more: JSONObject = [:]) throws -> JSONObject {
    let receipt = try #require(try test.store.receipt(on: test.phone))
    var body: JSONObject = [
      "notification_type": "INITIAL_BUY", "environment": "Sandbox",
      "password": .string(try test.store.sharedSecret(of: DemoCatalog.bundleID)),
      "bid": .string(DemoCatalog.bundleID.rawValue), "auto_renew_status": "true",
      "unified_receipt": ["latest_receipt": .string(Base64.encode(receipt, .standard))],
    ]
    for member in more.members { body[member.name] = member.value }
    return body
  }

  @Test func theStoresOwnAreTaken() async throws {
    let apple = StandInApple(secret: true, receipts: true)
    let test = try TestServer(receipts: true, apple: apple)
    try test.store.setNotificationVersion(.version1, app: DemoCatalog.bundleID)
    let monthly = try test.buy(DemoCatalog.monthly)
    await test.store.drainNotifications()
    let answer = try await test.verify(["transactionId": .string(monthly.transactionID.rawValue)])
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.body["grant"]?.objectValue?["count"] == 1)
    #expect(!apple.sent.contains { $0.contains("/inApps/") })
    #expect(try await test.ledger.counts().entries == 1)
  }

  @Test func whatTheReceiptInsideShowsIsRecordedOnce() async throws {
    let test = try TestServer(receipts: true, apple: StandInApple(secret: true))
    let monthly = try test.buy(DemoCatalog.monthly)
    let body = try body(test)
    let first = try await test.post(path, body)
    #expect(first.status == 200)
    #expect(first.text("outcome") == "recorded")
    #expect(try await test.post(path, body).text("outcome") == "known")
    #expect(try await test.ledger.counts().entries == 1)
    let known = try await test.verify(["transactionId": .string(monthly.transactionID.rawValue)])
    #expect(known.text("verdict") == "accepted")
  }

  @Test(arguments: ["", "wrong", "0123456789abcdef0123456789abcdee"])
  func whoDoesNotKnowTheSecretIsRefused(secret: String) async throws {
    let test = try TestServer(receipts: true, apple: StandInApple(secret: true))
    _ = try test.buy(DemoCatalog.monthly)
    let answer = try await test.post(path, try body(test, ["password": .string(secret)]))
    #expect(answer.status == 400)
    #expect(answer.errorCode == "notificationRefused")
    #expect(try await test.ledger.counts().facts == 0)
    #expect(test.logged.contains { $0.description.contains("notification.sharedSecret") })
  }

  @Test func whatIsNotSignedDecidesNothing() async throws {
    let test = try TestServer(receipts: true, apple: StandInApple(secret: true))
    let answer = try await test.post(
      path,
      [
        "notification_type": "CANCEL", "bid": .string(DemoCatalog.bundleID.rawValue),
        "password": .string(try test.store.sharedSecret(of: DemoCatalog.bundleID)),
        "original_transaction_id": 7,
        "latest_receipt_info": ["transaction_id": "7", "product_id": "com.example.demo.lifetime"],
      ]
    )
    #expect(answer.status == 200)
    #expect(answer.text("outcome") == "unverified")
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func anUnknownTypeIsKeptWithoutItsSecrets() async throws {
    let test = try TestServer(receipts: true, apple: StandInApple(secret: true))
    _ = try test.buy(DemoCatalog.monthly)
    let answer = try await test.post(
      path,
      try body(
        test,
        [
          "notification_type": "SOMETHING_NEW",
          "long": .string(String(repeating: "x", count: 2000)),
        ]
      )
    )
    #expect(answer.status == 200)
    #expect(answer.text("notificationType") == "SOMETHING_NEW")
    let kept = try await test.ledger.read { reader throws(StorageError) in
      try reader.documents(
        DocumentKind(rawValue: "legacyNotification"),
        app: DemoCatalog.bundleID,
        shelf: "SOMETHING_NEW",
        after: 0,
        limit: 10
      )
    }
    let members = kept.first?.body["members"]?.objectValue
    #expect(
      members?.members.map(\.name)
        == ["notification_type", "environment", "bid", "auto_renew_status"]
    )
    let metrics = await test.server.answer(HTTPRequest(method: .get, target: "/metrics"))
    #expect(String(decoding: metrics.body, as: UTF8.self).contains("type=\"V1.other\""))
  }

  @Test func aForgedReceiptAndAnotherAppAreRefused() async throws {
    let test = try TestServer(receipts: true, apple: StandInApple(secret: true))
    _ = try test.buy(DemoCatalog.monthly)
    var receipt = try #require(try test.store.receipt(on: test.phone))
    receipt[receipt.count / 2] ^= 1
    let forged: JSONObject = ["latest_receipt": .string(Base64.encode(receipt, .standard))]
    let answer = try await test.post(path, try body(test, ["unified_receipt": .object(forged)]))
    #expect(answer.status == 400)
    let stranger = try await test.post(path, try body(test, ["bid": "com.example.stranger"]))
    #expect(stranger.status == 400)
    let text = try await test.post(path, try body(test, ["unified_receipt": ["latest_receipt": 7]]))
    #expect(text.errorCode == "parameterInvalid")
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func withoutApplesOldServiceItIsNotAcknowledgedWhenThatIsAway() async throws {
    let apple = StandInApple(secret: true, receipts: true)
    let test = try TestServer(receipts: true, apple: apple)
    _ = try test.buy(DemoCatalog.monthly)
    let body = try body(test)
    apple.goDown()
    #expect(try await test.post(path, body).status == 503)
    #expect(try await test.ledger.counts().entries == 1)
    apple.goDown(false)
    #expect(try await test.post(path, body).status == 200)
    #expect(try await test.ledger.counts().entries == 1)
  }
}
