import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage
import Testing

@Suite struct VerifyReceiptEndpointTests {
  private func ask(
    _ test: TestServer,
    _ receipt: [UInt8]?,
    path: String = "/sandbox/verifyReceipt",
    _ more: JSONObject = [:]
  ) async throws -> JSONObject {
    var body: JSONObject = [:]
    if let receipt { body["receipt-data"] = .string(Base64.encode(receipt, .standard)) }
    for member in more.members { body[member.name] = member.value }
    let answer = try await test.post(path, body)
    #expect(answer.status == 200)
    return answer.body
  }

  private func status(_ object: JSONObject) -> Int64? { object["status"]?.integerValue }

  @Test func aGenuineReceiptIsAnsweredInTheOldWords() async throws {
    let test = try TestServer(receipts: true)
    let monthly = try test.buy(DemoCatalog.monthly)
    await test.store.drainNotifications()
    let receipt = try #require(try test.store.receipt(on: test.phone))
    let answer = try await ask(test, receipt)
    #expect(status(answer) == 0)
    #expect(answer["environment"] == "Sandbox")
    let inner = answer["receipt"]?.objectValue
    #expect(inner?["bundle_id"]?.stringValue == DemoCatalog.bundleID.rawValue)
    #expect(inner?["receipt_type"] == "ProductionSandbox")
    let line = answer["latest_receipt_info"]?.arrayValue?.first?.objectValue
    #expect(line?["transaction_id"]?.stringValue == monthly.transactionID.rawValue)
    #expect(
      line?["expires_date_ms"]?.stringValue == monthly.expiresDate.map { "\($0.milliseconds)" }
    )
    #expect(line?["purchase_date"] == "2026-01-01 12:00:00 Etc/GMT")
    #expect(line?["purchase_date_pst"] == "2026-01-01 04:00:00 America/Los_Angeles")
    let pending = answer["pending_renewal_info"]?.arrayValue?.first?.objectValue
    #expect(pending?["auto_renew_status"] == "1")
    #expect(try await test.ledger.counts().entries == 1)
  }

  @Test func whatIsWrongHasANumber() async throws {
    let test = try TestServer(receipts: true)
    _ = try test.buy(DemoCatalog.coins)
    let receipt = try #require(try test.store.receipt(on: test.phone))
    #expect(status(try await ask(test, receipt, path: "/verifyReceipt")) == 21007)
    #expect(status(try await ask(test, nil)) == 21002)
    #expect(status(try await ask(test, nil, ["receipt-data": 7])) == 21002)
    #expect(status(try await ask(test, nil, ["receipt-data": "no base64!"])) == 21002)
    #expect(status(try await ask(test, Array("garbage".utf8))) == 21002)
    var forged = receipt
    forged[receipt.count - 10] ^= 1
    #expect(status(try await ask(test, forged)) == 21003)
    let get = try await test.get("/verifyReceipt")
    #expect(status(get.body) == 21000)
    let text = await test.server.answer(
      HTTPRequest(method: .post, target: "/verifyReceipt", body: Array("{".utf8))
    )
    #expect(text.status == 200)
    #expect(String(decoding: text.body, as: UTF8.self).contains("21002"))
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func aReceiptOfProductionIsNotForTheSandbox() async throws {
    let test = try TestServer(storeEnvironment: .production, receipts: true)
    _ = try test.buy(DemoCatalog.coins)
    let receipt = try #require(try test.store.receipt(on: test.phone))
    #expect(status(try await ask(test, receipt)) == 21008)
    #expect(status(try await ask(test, receipt, path: "/verifyReceipt")) == 0)
  }

  @Test func theSecretIsAskedFor() async throws {
    let test = try TestServer(receipts: true, apple: StandInApple(secret: true))
    _ = try test.buy(DemoCatalog.monthly)
    let receipt = try #require(try test.store.receipt(on: test.phone))
    #expect(status(try await ask(test, receipt)) == 21004)
    #expect(status(try await ask(test, receipt, ["password": "wrong"])) == 21004)
    let secret = try test.store.sharedSecret(of: DemoCatalog.bundleID)
    #expect(status(try await ask(test, receipt, ["password": .string(secret)])) == 0)
    let guarded = try TestServer(receipts: true, requiresKeys: true)
    _ = try guarded.buy(DemoCatalog.monthly)
    let other = try #require(try guarded.store.receipt(on: guarded.phone))
    #expect(status(try await ask(guarded, other)) == 21004)
  }

  @Test func anAddressMayAskSoOftenInAMinute() async throws {
    let test = try TestServer(limits: ServerLimits(receiptsPerMinuteMax: 3), receipts: true)
    func ask(_ remote: String?, path: String = "/verifyReceipt") async -> HTTPResponse {
      await test.server.answer(
        HTTPRequest(method: .post, target: path, body: Array("{}".utf8), remote: remote)
      )
    }
    for _ in 0..<3 { #expect(await ask("192.0.2.1").status == 200) }
    let refused = await ask("192.0.2.1")
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "20")
    // The two addresses of the old service are one.
    #expect(await ask("192.0.2.1", path: "/sandbox/verifyReceipt").status == 429)
    #expect(await ask("192.0.2.2").status == 200)
    #expect(await ask(nil).status == 200)
    test.uptime.advance(.seconds(20))
    #expect(await ask("192.0.2.1").status == 200)
    #expect(await ask("192.0.2.1").status == 429)
    // Other routes are not concerned, and nothing names the address.
    #expect(try await test.verify(try test.buy(DemoCatalog.coins)).status == 200)
    #expect(!test.logged.contains { $0.description.contains("192.0.2") })
  }
}
