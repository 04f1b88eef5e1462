import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage
import Synchronization
import Testing

@Suite struct NotificationTests {
  /// Everything that a busy store announces in two months.
  private func announcements(_ test: TestServer) async throws -> [[UInt8]] {
    let bodies = Mutex<[[UInt8]]>([])
    test.store.setNotificationTransport { _, body in
      bodies.withLock { $0.append(body) }
      return 200
    }
    let lifetime = try test.buy(DemoCatalog.lifetime)
    _ = try test.buy(DemoCatalog.coins)
    let monthly = try test.buy(DemoCatalog.monthly)
    await test.store.advance(by: 35 * 24 * 3600)
    try test.store.refund(lifetime.transactionID)
    try test.store.setAutoRenew(false, of: monthly.originalTransactionID)
    await test.store.advance(by: 35 * 24 * 3600)
    try test.store.reverseRefund(lifetime.transactionID)
    try test.store.requestTestNotification()
    await test.store.drainNotifications()
    return bodies.withLock { $0 }
  }

  private func post(_ test: TestServer, _ body: [UInt8]) async throws -> TestAnswer {
    try await test.send(
      HTTPRequest(method: .post, target: "/v1/notifications/apple", body: body)
    )
  }

  @Test(arguments: Backend.allCases)
  func everyNotificationIsRecordedOnce(backend: Backend) async throws {
    try await withLedger(backend) { ledger in
      let test = try TestServer(ledger: ledger)
      let bodies = try await announcements(test)
      #expect(bodies.count >= 8)
      for body in bodies {
        let answer = try await post(test, body)
        #expect(answer.status == 200)
        #expect(answer.text("outcome") == "recorded")
      }
      let before = try await ledger.counts()
      for body in bodies { #expect(try await post(test, body).text("outcome") == "known") }
      #expect(try await ledger.counts() == before)
      #expect(before.facts == bodies.count)
    }
  }

  @Test func orderAndMultiplicityDoNotMatter() async throws {
    let source = try TestServer()
    let bodies = try await announcements(source)
    var states: Set<JSONObject> = []
    var orders = [bodies, bodies.reversed(), bodies + bodies.reversed() + bodies]
    orders.append(bodies.sorted { $0.count < $1.count })
    for order in orders {
      let test = try TestServer()
      await test.store.advance(to: source.store.now)
      for body in order { #expect(try await post(test, body).status == 200) }
      let ids = source.store.transactions(of: "mia").map(\.transactionID.rawValue)
      var state: JSONObject = [:]
      for id in ids {
        let answer = try await test.verify(["transactionId": .string(id)])
        state[id] = .object(answer.withoutRequestID)
      }
      states.insert(state)
    }
    #expect(states.count == 1)
  }

  @Test func aStoreThatPostsTwentyTimesAtOnceIsRecordedOnce() async throws {
    let test = try TestServer()
    let body = try #require(try await announcements(test).first)
    let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { try await post(test, body).text("outcome") } }
      return try await group.reduce(into: [String]()) { $0.append($1 ?? "none") }
    }
    #expect(outcomes.count { $0 == "recorded" } == 1)
    #expect(outcomes.count { $0 == "known" } == 19)
  }

  @Test func nothingIsAcknowledgedThatIsNotStored() async throws {
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger)
    let body = try #require(try await announcements(test).first)
    ledger.refuseCommits(with: StorageError(.full, "no room"))
    let refused = try await post(test, body)
    #expect(refused.status == 503)
    #expect(refused.errorCode == "storageUnavailable")
    #expect(refused.headers["Retry-After"] == "1")
    #expect(test.logged.contains { $0.level == .error })
    ledger.refuseCommits(with: nil)
    #expect(try await post(test, body).text("outcome") == "recorded")
  }

  @Test func aForgedNotificationIsRefused() async throws {
    let test = try TestServer()
    let body = try #require(try await announcements(test).first)
    var text = String(decoding: body, as: UTF8.self)
    let index = text.index(text.endIndex, offsetBy: -4)
    text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
    let answer = try await post(test, Array(text.utf8))
    #expect(answer.status == 400)
    #expect(answer.errorCode == "notificationRefused")
    #expect(try await test.ledger.counts().facts == 0)
  }

  @Test func sandboxNotificationsAreRefusedByAProductionServer() async throws {
    let test = try TestServer(serverEnvironments: [.production])
    let body = try #require(try await announcements(test).first)
    #expect(try await post(test, body).errorCode == "notificationRefused")
  }

  @Test func aTypeThatIsNotKnownIsRecordedAndCounted() async throws {
    let chain = try SigningChain(
      shape: .transactions(
        validity: TestServer.start.addingTimeInterval(-1)...TestServer.start.addingTimeInterval(9e6)
      ),
      seed: [1],
      signing: TestServer.sharedCrypto
    )
    let test = try TestServer(root: chain.root)
    var payload = NotificationPayload(type: NotificationType(rawValue: "NEW_THING"), uuid: "u-1")
    payload.version = "2.0"
    payload.signedDate = TestServer.start
    var data = NotificationPayload.Data()
    data.bundleID = DemoCatalog.bundleID
    data.environment = .sandbox
    data.appAppleID = DemoCatalog.appAppleID
    payload.data = data
    let text = try CompactJWSWriter(chain: chain).sign(payload.object)
    let answer = try await test.post(
      "/v1/notifications/apple",
      ["signedPayload": .string(text)]
    )
    #expect(answer.text("outcome") == "recorded")
    let metrics = await test.server.answer(HTTPRequest(method: .get, target: "/metrics"))
    let line = #"iap_notifications_total{type="NEW_THING",subtype="",outcome="recorded"} 1"#
    #expect(String(decoding: metrics.body, as: UTF8.self).contains(line))
  }

  @Test func whatIsNoNotificationIsNamed() async throws {
    let test = try TestServer()
    #expect(try await post(test, Array("{}".utf8)).errorCode == "parameterMissing")
    #expect(
      try await post(test, Array(#"{"signedPayload":7}"#.utf8)).errorCode == "parameterInvalid"
    )
    #expect(
      try await post(test, Array(#"{"signedPayload":"x"}"#.utf8)).errorCode
        == "notificationRefused"
    )
    let old = try await post(
      test,
      Array(#"{"notification_type":"DID_RENEW","password":"x"}"#.utf8)
    )
    #expect(old.errorCode == "notificationRefused")
  }

  @Test func theStoreCarriesOnUntilTheServerIsBack() async throws {
    let ledger = InMemoryLedger()
    let test = try TestServer(ledger: ledger, storeEnvironment: .production)
    ledger.refuseCommits(with: StorageError(.unavailable, "away"))
    let lifetime = try test.buy(DemoCatalog.lifetime)
    await test.store.drainNotifications()
    #expect(try await ledger.counts().facts == 0)
    ledger.refuseCommits(with: nil)
    await test.store.advance(by: 2 * 3600)
    let answer = try await test.verify([
      "transactionId": .string(lifetime.transactionID.rawValue)
    ])
    #expect(answer.text("verdict") == "accepted")
    #expect(answer.text("environment") == "Production")
  }
}
