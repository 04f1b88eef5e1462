import AppStoreSimulator
import Foundation
import IAPModel
import Synchronization
import Testing

struct NotificationTests {
  let url = URL(string: "http://127.0.0.1:9/v1/notifications/apple")!

  /// A server that answers with the statuses of a list, then with 200.
  private func connect(_ test: TestStore, _ statuses: [Int?] = []) throws -> Server {
    let server = Server(statuses)
    try test.store.setNotificationURL(url)
    test.store.setNotificationTransport { _, body in server.receive(body) }
    return server
  }

  @Test func aPurchaseIsPostedOnceAndTheAttemptIsRecorded() async throws {
    let test = try TestStore()
    let server = try connect(test)
    try test.buy(DemoCatalog.coins)
    #expect(server.bodies.isEmpty)
    await test.store.drainNotifications()
    await test.store.drainNotifications()
    #expect(server.bodies.count == 1)
    let record = try #require(test.store.notifications.first)
    #expect(record.attempts == [NotificationAttempt(date: TestStore.start, status: 200)])
    #expect(record.isDelivered)
    #expect(record.nextAttemptDate == nil)
  }

  @Test func productionTriesSixTimesByTheTimetableThenGivesUp() async throws {
    let test = try TestStore { $0.retryTimetable = .production }
    let server = try connect(test, Array(repeating: 503, count: 20))
    try test.buy(DemoCatalog.coins)
    await test.store.advance(by: 30 * day)
    let record = try #require(test.store.notifications.first)
    let hours = record.attempts.map { $0.date.timeIntervalSince(TestStore.start) / 3600 }
    #expect(hours == [0, 1, 13, 37, 85, 157])
    #expect(record.attempts.allSatisfy { $0.status == 503 })
    #expect(!record.isDelivered)
    #expect(Set(server.bodies).count == 1)
    #expect(server.bodies.count == 6)
  }

  @Test func aRetryThatSucceedsIsTheLast() async throws {
    let test = try TestStore { $0.retryTimetable = .production }
    let server = try connect(test, [nil, 301])
    try test.buy(DemoCatalog.coins)
    await test.store.advance(by: 30 * day)
    let record = try #require(test.store.notifications.first)
    #expect(record.attempts.map(\.status) == [nil, 301, 200])
    #expect(
      record.attempts.map(\.result.rawValue) == [
        "NO_RESPONSE", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "SUCCESS",
      ]
    )
    #expect(server.bodies.count == 3)
  }

  @Test func theSandboxTriesOnce() async throws {
    let test = try TestStore()
    let server = try connect(test, [500])
    try test.buy(DemoCatalog.coins)
    await test.store.advance(by: 30 * day)
    #expect(server.bodies.count == 1)
    #expect(test.store.notifications.first?.isDelivered == false)
  }

  @Test func duplicatesAreTheSameBytesAndOrderCanBeTurned() async throws {
    let test = try TestStore()
    let server = try connect(test)
    test.store.changeFaults { $0.duplicatesNotifications = true }
    try test.buy(DemoCatalog.coins)
    await test.store.drainNotifications()
    #expect(server.bodies.count == 2)
    #expect(Set(server.bodies).count == 1)
    test.store.changeFaults { faults in
      faults.duplicatesNotifications = false
      faults.reordersNotifications = true
    }
    try test.buy(DemoCatalog.lifetime)
    try test.buy(DemoCatalog.season)
    await test.store.drainNotifications()
    let products = try server.bodies.suffix(2).map { try Signed.notification($0).productID }
    #expect(products == [DemoCatalog.season, DemoCatalog.lifetime])
  }

  @Test func aTestNotificationNeedsAnAddress() async throws {
    let test = try TestStore()
    #expect(throws: SimulatorError(.notAllowed, "")) { try test.store.requestTestNotification() }
    let server = try connect(test)
    let uuid = try test.store.requestTestNotification()
    await test.store.drainNotifications()
    let body = try #require(server.bodies.first)
    let payload = try Signed.payload(of: Signed.signedPayload(body))
    #expect(payload["notificationType"]?.stringValue == "TEST")
    #expect(payload["notificationUUID"]?.stringValue == uuid.rawValue)
    #expect(payload["data"]?.objectValue?["bundleVersion"] == nil)
  }

  @Test func aNotificationCarriesTheSignedTransactionAndRenewalInfoOfItsMoment() async throws {
    let test = try TestStore()
    let server = try connect(test)
    let bought = try test.buy(DemoCatalog.monthly)
    try test.store.refund(bought.transactionID)
    await test.store.drainNotifications()
    let first = try Signed.notification(server.bodies[0])
    let second = try Signed.notification(server.bodies[1])
    #expect(first.revocationDate == nil)
    #expect(second.revocationDate == test.store.now)
    #expect(first.transactionID == bought.transactionID)
    #expect(first.appAccountToken == nil)
    let outer = try NotificationPayload(
      try Signed.payload(of: Signed.signedPayload(server.bodies[1]))
    )
    #expect(outer.type == .refund)
    #expect(outer.version == "2.0")
    #expect(outer.data?.status == .revoked)
    #expect(outer.data?.environment == .sandbox)
    #expect(outer.data?.bundleID == DemoCatalog.bundleID)
    #expect(outer.data?.appAppleID == DemoCatalog.appAppleID)
    let renewal = try RenewalInfoPayload(
      try Signed.payload(of: try #require(outer.data?.signedRenewalInfo))
    )
    #expect(renewal.willAutoRenew == false)
    #expect(renewal.originalTransactionID == bought.originalTransactionID)
  }

  @Test func whatHappensOnTheWayIsPostedInTheOrderOfTime() async throws {
    let test = try TestStore()
    let server = try connect(test)
    try test.buy(DemoCatalog.monthly)
    try test.buy(DemoCatalog.yearly, on: test.otherPhone)
    await test.store.advance(by: 65 * day)
    let dates = try server.bodies.map { body in
      try NotificationPayload(try Signed.payload(of: Signed.signedPayload(body))).signedDate
    }
    #expect(dates.count == 5)
    #expect(dates.compactMap { $0 } == dates.compactMap { $0 }.sorted())
  }
}

/// Answers posts and keeps what came.
final class Server: Sendable {
  private let state: Mutex<(statuses: [Int?], bodies: [[UInt8]])>

  init(_ statuses: [Int?]) { state = Mutex((statuses, [])) }

  var bodies: [[UInt8]] { state.withLock { $0.bodies } }

  func receive(_ body: [UInt8]) -> Int? {
    state.withLock { state in
      state.bodies.append(body)
      return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
    }
  }
}
