import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import ServerStorage
import SimulatedApp
import SimulatedDevice
import Synchronization
import Testing

@Suite("A consumable, and who hands it over", .timeLimit(.minutes(1)))
struct ReinstallTests {
  private static let lease: TimeInterval = 24 * 3600

  private func lastPurchase(_ served: ServedShop) throws -> StoreTransactionRecord {
    try #require(served.store.transactions(of: Shop.account).last)
  }

  /// Buys coins in a process that is killed at a step.
  private func buyAndDie(_ app: SimulatedApp, at step: KillStep) async throws {
    app.kill(at: step)
    await #expect(throws: DeviceError(.processKilled, "")) { _ = try await app.buy(Shop.coins) }
  }

  @Test("is handed over once by a reinstalled app, after the lease", arguments: generations)
  func undeliveredBeforeTheReinstall(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let app = try served.install()
    try await app.launch()
    try await buyAndDie(app, at: .beforeDelivery)
    let bought = try lastPurchase(served)
    let claim = try #require(try await served.claim(to: bought.transactionID))
    try await app.reinstall()
    #expect(await app.letTimePass { app.count(of: Shop.coins) == 1 })
    let waited = served.store.clock.now.timeIntervalSince(claim.date)
    #expect(waited > Self.lease, "not before the lease has run out")
    // The clock is moved to the latest deadline there is, which may be the one of the next day.
    #expect(waited < 2 * Self.lease + 2 * 3600, "and soon afterwards")
    await app.waitUntilQueueIsEmpty()
    #expect(app.deliveries.elements.map(\.idempotencyKey) == ["grant:tx:\(bought.transactionID)"])
    let after = try #require(try await served.claim(to: bought.transactionID))
    #expect(after.installation != claim.installation)
    #expect(after.acknowledgedDate != nil)
  }

  @Test("that was handed over before a reinstall is only finished", arguments: generations)
  func deliveredBeforeTheReinstall(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let app = try served.install()
    try await app.launch()
    try await buyAndDie(app, at: .beforeFinish)
    #expect(app.count(of: Shop.coins) == 1)
    #expect(served.acknowledgementCount == 1)
    #expect(!app.isQueueEmpty)
    try await app.reinstall()
    await app.waitUntilQueueIsEmpty()
    #expect(app.count(of: Shop.coins) == 0, "the new installation hands nothing over")
    #expect(app.deliveries.elements.count == 1)
    let bought = try lastPurchase(served)
    await app.events.wait { event in
      if case .finished = event { true } else { false }
    }
    #expect(app.manager.store.record(bought.transactionID.rawValue)?.state == .finished)
    #expect(app.manager.store.pendingRecords() == [])
    #expect(served.acknowledgementCount == 1)
  }

  @Test("is handed over by its claimer only", arguments: generations)
  func twoDevices(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let ready = Readiness()
    let phone = try served.install { _ in ready.isReady ? nil : .retryLater }
    try await phone.launch()
    guard case .processing = try await phone.buy(Shop.coins) else {
      Issue.record("the handler is not ready")
      return
    }
    let tablet = try served.install(on: "tablet")
    try await tablet.launch()
    await tablet.events.wait { event in
      if case .retryScheduled = event { true } else { false }
    }
    #expect(tablet.deliveries.elements == [])
    ready.isReady = true
    #expect(await phone.letTimePass { phone.isQueueEmpty })
    #expect(phone.count(of: Shop.coins) == 1)
    #expect(await tablet.letTimePass { tablet.manager.store.pendingRecords().isEmpty })
    #expect(tablet.deliveries.elements == [])
    #expect(tablet.manager.store.records().map(\.state).allSatisfy { $0 != .accepted })
    #expect(served.acknowledgementCount == 1)
  }

  @Test("of a telephone that slept through its lease is not handed over twice")
  func sleepingClaimer() async throws {
    let served = try ServedShop(.storekit2)
    let ready = Readiness()
    let phone = try served.install { _ in ready.isReady ? nil : .retryLater }
    try await phone.launch()
    _ = try await phone.buy(Shop.coins)
    phone.kill()
    let tablet = try served.install(on: "tablet")
    try await tablet.launch()
    #expect(await tablet.letTimePass { tablet.isQueueEmpty })
    #expect(tablet.count(of: Shop.coins) == 1)
    ready.isReady = true
    try await phone.launch()
    await phone.events.wait { event in
      if case .finished = event { true } else { false }
    }
    #expect(phone.count(of: Shop.coins) == 0)
  }

  @Test("is acknowledged later when the server does not hear it", arguments: generations)
  func lostAcknowledgement(generation: StoreGeneration) async throws {
    let served = try ServedShop(generation)
    let app = try served.install()
    try await app.launch()
    served.isDeafToAcknowledgements = true
    guard case .delivered = try await app.buy(Shop.coins) else {
      Issue.record("silence holds nothing up")
      return
    }
    await app.waitUntilQueueIsEmpty()
    let bought = try lastPurchase(served)
    #expect(try await served.claim(to: bought.transactionID)?.acknowledgedDate == nil)
    served.isDeafToAcknowledgements = false
    try await app.enterForeground()
    while served.acknowledgementCount == 0 { await Task.yield() }
    #expect(app.count(of: Shop.coins) == 1)
  }
}

/// Whether an app's handler is ready.
private final class Readiness: Sendable {
  private let flag = Mutex(false)
  var isReady: Bool {
    get { flag.withLock { $0 } }
    set { flag.withLock { $0 = newValue } }
  }
}

@Suite("A receipt that lags behind", .timeLimit(.minutes(1)))
struct StaleReceiptTests {
  enum Judge: String, CaseIterable { case server, device }

  @Test("for a day delays the goods and never loses them", arguments: Judge.allCases)
  func staleForADay(judge: Judge) async throws {
    let served = try ServedShop(.storekit1)
    let app = try served.install()
    if judge == .device {
      let validator = try LocalReceiptValidator.trusting(served.shop)
      app.update { $0.judge = .validator(validator) }
    }
    let stale = OldReceipt(until: Shop.start + 2 * 86_400)
    app.update { $0.receipt = { stale.read($0) } }
    try await app.launch()
    guard case .delivered = try await app.buy(Shop.lifetime) else {
      Issue.record("the receipt is up to date")
      return
    }
    await app.waitUntilQueueIsEmpty()
    served.store.clock.advance(to: Shop.start + 86_400)
    stale.keep(app.device.receipt)
    guard case .processing = try await app.buy(Shop.coins) else {
      Issue.record("a stale receipt is no verdict")
      return
    }
    #expect(app.count(of: Shop.coins) == 0)
    #expect(await app.letTimePass { app.count(of: Shop.coins) == 1 })
    await app.waitUntilQueueIsEmpty()
    #expect(served.store.clock.now >= Shop.start + 2 * 86_400)
    #expect(app.deliveries.elements.count { $0.transaction.productId == Shop.coins.rawValue } == 1)
    #expect(app.manager.store.records().map(\.rejections) == [0, 0])
    #expect(app.manager.store.pendingRecords() == [])
  }
}

/// The receipt of a device that is not brought up to date for a while.
private final class OldReceipt: Sendable {
  private let old = Mutex<[UInt8]?>(nil)
  private let end: Date

  init(until end: Date) { self.end = end }

  func keep(_ receipt: [UInt8]?) { old.withLock { $0 = receipt } }

  func read(_ device: SimulatedDevice) -> [UInt8]? {
    let kept = old.withLock { $0 }
    return device.store.clock.now < end ? kept ?? device.receipt : device.receipt
  }
}
