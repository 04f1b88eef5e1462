import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@testable import IAPKit

@Suite("A subscription on a device", .timeLimit(.minutes(1)))
struct SubscriptionTests {
  private static let grace = GraceSettings(length: 16 * 86_400)

  private func subscribed(
    _ shop: Shop,
    judge: AppSetup.Judge? = nil,
    configure: @escaping @Sendable (inout IAPConfiguration) -> Void = { _ in }
  ) async throws -> SimulatedApp {
    let app = try shop.install(configure: configure)
    if let judge { app.update { $0.judge = judge } }
    try await app.launch()
    guard case .delivered = try await app.buy(Shop.monthly) else {
      throw IAPError.unknown
    }
    await app.waitUntilQueueIsEmpty()
    return app
  }

  private func only(_ app: SimulatedApp) throws -> IAPSubscription {
    try #require(app.manager.entitlements.subscriptions.first)
  }

  private func original(_ shop: Shop) throws -> OriginalTransactionID {
    try #require(shop.store.subscriptions.first?.originalTransactionID)
  }

  /// Waits until the stream shows it.
  private func wait(
    _ app: SimulatedApp,
    until isSo: @Sendable (IAPSubscription) -> Bool
  ) async -> IAPSubscription? {
    for await list in app.manager.entitlements.subscriptionStream {
      if let found = list.first, isSo(found) { return found }
    }
    return nil
  }

  @Test("keeps access in grace and loses it in billing retry, by StoreKit 2 alone")
  func graceAndRetry() async throws {
    let shop = try Shop(.storekit2)
    try shop.store.setGracePeriod(Self.grace)
    let app = try await subscribed(shop, judge: .device)
    let bought = try only(app)
    #expect(bought.state == .subscribed)
    #expect(bought.willAutoRenew == true)
    #expect(bought.renewalDate == bought.expiresDate)
    #expect(bought.pendingProductID == nil)
    let end = try #require(bought.expiresDate)
    try shop.store.setPayment(works: false, of: Shop.account)
    await shop.store.advance(to: end.addingTimeInterval(3600))
    let inGrace = await wait(app) { $0.state == .inGracePeriod }
    #expect(inGrace?.accessUntil.map { $0 > end } == true)
    #expect(app.access(to: Shop.monthly).isGranted)
    await shop.store.advance(to: end.addingTimeInterval(20 * 86_400))
    try await app.enterForeground()
    #expect(try only(app).state == .inBillingRetry)
    #expect(try only(app).accessUntil == nil)
    #expect(app.access(to: Shop.monthly) == .no)
    #expect(app.manager.entitlements.purchasedProductIDs == [])
    try shop.store.setPayment(works: true, of: Shop.account)
    await shop.store.advance(by: 7 * 86_400)
    let recovered = await wait(app) { $0.state == .subscribed }
    #expect(recovered?.accessUntil.map { $0 > shop.store.clock.now } == true)
    try await app.enterForeground()
    #expect(app.access(to: Shop.monthly).isGranted)
  }

  @Test("keeps access in grace by the server's word, on both generations", arguments: generations)
  func graceByTheServer(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    try shop.store.setGracePeriod(Self.grace)
    let app = try await subscribed(shop)
    let end = try #require(shop.store.subscriptions.first?.period.end)
    try shop.store.setPayment(works: false, of: Shop.account)
    await shop.store.advance(to: end.addingTimeInterval(3600))
    try await app.enterForeground()
    guard case .yes(let until, .server, false) = app.access(to: Shop.monthly) else {
      Issue.record("\(app.access(to: Shop.monthly))")
      return
    }
    #expect(until.map { $0 > end } == true)
    await shop.store.advance(to: end.addingTimeInterval(20 * 86_400))
    try await app.enterForeground()
    #expect(app.access(to: Shop.monthly) == .no)
  }

  @Test("is known on StoreKit 1 as far as the receipt goes")
  func receiptOnly() async throws {
    let shop = try Shop(.storekit1)
    let app = try await subscribed(shop, judge: .device)
    try await app.enterForeground()
    let bought = try only(app)
    let end = try #require(bought.expiresDate)
    #expect(bought.state == .subscribed)
    #expect(bought.accessUntil == end)
    #expect(bought.willAutoRenew == nil)
    #expect(bought.renewalDate == nil)
    #expect(bought.source == .device)
    #expect(app.access(to: Shop.monthly) == .yes(until: end, source: .device, provisional: false))
    try shop.store.setAutoRenew(false, of: try original(shop))
    await shop.store.advance(to: end)
    #expect(try only(app).state == .expired)
    #expect(app.access(to: Shop.monthly) == .no)
  }

  @Test("tells of a renewal that was switched off, and of the plan that comes next")
  func pendingPlan() async throws {
    let shop = try Shop(.storekit2)
    let app = try await subscribed(shop, judge: .device) {
      $0.serviceLevels = [Shop.monthly.rawValue: 1, DemoCatalog.yearly.rawValue: 2]
      $0.productIds.append(DemoCatalog.yearly.rawValue)
    }
    try shop.store.setAutoRenew(false, of: try original(shop))
    #expect(await wait(app) { $0.willAutoRenew == false }?.state == .subscribed)
    try shop.store.setAutoRenew(true, of: try original(shop))
    _ = try await app.buy(DemoCatalog.yearly)
    let scheduled = await wait(app) { $0.pendingProductID == DemoCatalog.yearly }
    #expect(scheduled?.productID == Shop.monthly)
    #expect(scheduled?.planChange == .downgrade)
    #expect(app.manager.entitlements.purchasedProductIDs == [Shop.monthly.rawValue])
  }

  @Test("tells of a price that waits for consent")
  func priceIncrease() async throws {
    let shop = try Shop(.storekit2)
    let app = try await subscribed(shop, judge: .device)
    try shop.store.raisePrice(to: 19_990, of: try original(shop), needsConsent: true)
    #expect(await wait(app) { $0.priceIncreaseStatus == .pending }?.state == .subscribed)
    try shop.store.answerPriceIncrease(true, of: try original(shop))
    #expect(await wait(app) { $0.priceIncreaseStatus == .agreed } != nil)
  }

  @Test("ends at once when it is refunded", arguments: generations)
  func refunded(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await subscribed(shop)
    #expect(app.access(to: Shop.monthly).isGranted)
    let bought = try #require(shop.store.transactions(of: Shop.account).last)
    try shop.store.refund(bought.transactionID)
    if generation == .storekit2 {
      #expect(await wait(app) { $0.state == .revoked } != nil)
      // What it is worth follows when the server was asked about the refunded transaction.
      let access = app.manager.entitlements.accessStream(to: Shop.monthly.rawValue)
      for await access in access where access == .no { break }
    } else {
      // The queue of StoreKit 1 does not tell: the server does, at the next occasion.
      try await app.enterForeground()
    }
    #expect(app.access(to: Shop.monthly) == .no)
    #expect(app.manager.entitlements.purchasedProductIDs == [])
  }

  @Test("for a season gives access for as long as the app says", arguments: generations)
  func season(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try shop.install {
      $0.accessPeriods = [DemoCatalog.season.rawValue: IAPModel.SubscriptionPeriod(30, .day)]
    }
    app.update { $0.judge = .device }
    try await app.launch()
    _ = try await app.buy(DemoCatalog.season)
    await app.waitUntilQueueIsEmpty()
    let end = shop.store.clock.now.addingTimeInterval(30 * 86_400)
    guard case .yes(let until?, .device, false) = app.access(to: DemoCatalog.season) else {
      Issue.record("\(app.access(to: DemoCatalog.season))")
      return
    }
    #expect(abs(until.timeIntervalSince(end)) < 60)
    await shop.store.advance(to: until.addingTimeInterval(-1))
    #expect(app.access(to: DemoCatalog.season).isGranted)
    await shop.store.advance(to: until)
    try await app.enterForeground()
    #expect(app.access(to: DemoCatalog.season) == .no)
  }

  @Test("in a state that Apple adds one day keeps its number")
  func strangeState() {
    let manager = EntitlementManager()
    let now = Date(milliseconds: 1_700_000_000_000)
    var transaction = StoreTransaction(
      transactionID: "1",
      originalTransactionID: "1",
      productID: "plus",
      purchaseDate: now,
      proof: .jws("a.b.c"),
      verification: .verified,
      source: .updates,
      generation: .storekit2
    )
    transaction.type = .autoRenewable
    transaction.signedDate = now
    transaction.expiresDate = .distantFuture
    transaction.webOrderLineItemID = "1"
    manager.apply([
      StoreSubscriptionStatus(
        status: IAPModel.SubscriptionStatus(rawValue: 9),
        transaction: transaction,
        renewal: nil
      )
    ])
    #expect(manager.subscriptions.map(\.state.rawValue) == ["status 9"])
    manager.apply([
      StoreSubscriptionStatus(status: .active, transaction: transaction, renewal: nil)
    ])
    #expect(manager.subscriptions.map(\.state) == [.subscribed])
  }
}
