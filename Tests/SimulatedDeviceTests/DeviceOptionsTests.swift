import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct DeviceOptionsTests {
  @Test func aPurchaseIsAnnouncedAgainAfterTheDelay() async throws {
    let world = try DeviceWorld()
    let process = try world.device { $0.purchaseEchoDelay = 0.5 }.launch()
    let updates = process.listenToUpdates()
    let bought = try await process.bought(DeviceWorld.monthly)
    world.store.clock.advance(by: 0.5)
    #expect(await updates.next(1).map(\.unsafePayloadValue.id) == [bought.id])
  }

  @Test func aPurchaseOfAKilledProcessIsNotAnnouncedAgain() async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.purchaseEchoDelay = 0.5 }
    let first = device.launch()
    _ = try await first.bought(DeviceWorld.coins)
    first.kill()
    let updates = device.launch().listenToUpdates()
    #expect(await updates.next(1).count == 1)
    world.store.clock.advance(by: 1)
    #expect(await updates.rest().isEmpty)
  }

  @Test func aProcessCanDieBeforeItHearsOfItsPurchaseAgain() async throws {
    let world = try DeviceWorld()
    let process = try world.device { $0.purchaseEchoDelay = 0.5 }.launch()
    _ = try await process.bought(DeviceWorld.coins)
    process.kill(at: .beforeUpdate)
    world.store.clock.advance(by: 0.5)
    #expect(!process.isAlive)
  }

  @Test func whatWasBoughtIsListedAfterTheLag() async throws {
    let world = try DeviceWorld()
    let process = try world.device { $0.entitlementLag = 1 }.launch()
    let bought = try await process.bought(DeviceWorld.lifetime)
    #expect(try await process.list(.currentEntitlements).isEmpty)
    #expect(try await process.list(.all) == [DeviceWorld.lifetime])
    world.store.clock.advance(by: 0.999)
    #expect(try await process.list(.currentEntitlements).isEmpty)
    world.store.clock.advance(by: 0.001)
    #expect(try await process.list(.currentEntitlements) == [DeviceWorld.lifetime])
    try world.store.refund(TransactionID("\(bought.id)"))
    #expect(try await process.list(.currentEntitlements).isEmpty)
  }

  @Test func theStatusIsExpiredUntilTheLagAfterARenewalIsOver() async throws {
    let world = try DeviceWorld()
    let process = try world.device { $0.renewalStatusLag = 0.7 }.launch()
    let updates = process.listenToUpdates()
    let bought = try await process.bought(DeviceWorld.monthly)
    let state = { @Sendable () async throws -> Product.SubscriptionInfo.RenewalState? in
      try await Product.SubscriptionInfo.status(for: DeviceWorld.group).first?.state
    }
    #expect(try await process.run { try await state() } == .subscribed)
    let due = try #require(world.store.clock.nextDue)
    #expect(due <= (try #require(bought.expirationDate)))
    world.store.clock.advance(to: due)
    #expect(await updates.next(1).first?.unsafePayloadValue.reason == .renewal)
    #expect(try await process.run { try await state() } == .expired)
    world.store.clock.advance(by: 0.7)
    #expect(try await process.run { try await state() } == .subscribed)
  }

  @Test func aRefundOfAClosedAppIsAnnouncedOnceAtTheNextLaunch() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let first = device.launch()
    let bought = try await first.bought(DeviceWorld.lifetime)
    try await first.run { await bought.finish() }
    first.kill()
    try world.store.refund(TransactionID("\(bought.id)"))
    // A process that never listens does not use the news up.
    device.launch().kill()
    let second = device.launch()
    let update = try #require(await second.listenToUpdates().next(1).first).unsafePayloadValue
    #expect(update.id == bought.id)
    #expect(update.revocationDate != nil)
    second.kill()
    let third = device.launch().listenToUpdates()
    _ = try await device.launch().list(.all)
    #expect(await third.rest().isEmpty)
  }

  @Test func aRefundOfAClosedAppCanStayUnsaid() async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.announcesMissedRevocations = false }
    let first = device.launch()
    let bought = try await first.bought(DeviceWorld.lifetime)
    try await first.run { await bought.finish() }
    first.kill()
    try world.store.refund(TransactionID("\(bought.id)"))
    let process = device.launch()
    let updates = process.listenToUpdates()
    #expect(try await process.list(.currentEntitlements).isEmpty)
    #expect(await updates.rest().isEmpty)
  }

  @Test func aRefundFromBeforeTheInstallationIsNoNews() async throws {
    let world = try DeviceWorld()
    let bought = try await world.device("old").launch().bought(DeviceWorld.coins)
    try world.store.finish(TransactionID("\(bought.id)"), on: "old")
    try world.store.refund(TransactionID("\(bought.id)"))
    let process = try world.device("new").launch()
    let updates = process.listenToUpdates()
    #expect(try await process.list(.all) == [DeviceWorld.coins])
    #expect(await updates.rest().isEmpty)
  }

  @Test(arguments: [true, false])
  func missedRenewalsComeInTheOrderOfTheOption(_ newestFirst: Bool) async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.announcesUnfinishedNewestFirst = newestFirst }
    let first = device.launch()
    let bought = try await first.bought(DeviceWorld.monthly)
    try await first.run { await bought.finish() }
    first.kill()
    world.advance(days: 62)
    let dates = await device.launch().listenToUpdates().next(2)
      .map(\.unsafePayloadValue.purchaseDate)
    #expect(dates.count == 2)
    #expect((dates[0] > dates[1]) == newestFirst)
  }

  @Test(arguments: [true, false])
  func finishedConsumablesAreListedForAppsThatAskForIt(_ isAsked: Bool) async throws {
    let world = try DeviceWorld()
    let process = try world.device { $0.includesConsumableHistory = isAsked }.launch()
    let bought = try await process.bought(DeviceWorld.coins)
    try await process.run { await bought.finish() }
    #expect(try await process.list(.all) == (isAsked ? [DeviceWorld.coins] : []))
    let latest = try await process.run { await StoreKit.Transaction.latest(for: DeviceWorld.coins) }
    #expect((latest != nil) == isAsked)
  }

  @Test(arguments: [true, false])
  func everyNonRenewingPurchaseOrTheNewestIsAnEntitlement(_ every: Bool) async throws {
    let world = try DeviceWorld()
    let process = try world.device { $0.listsEveryNonRenewing = every }.launch()
    _ = try await process.bought(DeviceWorld.season)
    _ = try await process.bought(DeviceWorld.season)
    #expect(try await process.list(.currentEntitlements).count == (every ? 2 : 1))
    #expect(try await process.list(.all).count == 2)
  }

  @Test(arguments: [true, false])
  func aSubscriptionInBillingRetryIsListedWhereSystemsDoThat(_ isListed: Bool) async throws {
    let world = try DeviceWorld()
    let process = try world.device { $0.listsBillingRetry = isListed }.launch()
    _ = try await process.bought(DeviceWorld.monthly)
    try world.store.setPayment(works: false, of: DeviceWorld.account)
    world.advance(days: 40)
    let state = try await process.run {
      try await Product.SubscriptionInfo.status(for: DeviceWorld.group).first?.state
    }
    #expect(state == .inBillingRetryPeriod)
    let entitled = try await process.list(.currentEntitlements)
    #expect(entitled == (isListed ? [DeviceWorld.monthly] : []))
  }

  @Test(arguments: [true, false])
  func theFirstAnswerAboutAnOfferIsKeptForTheProcess(_ keeps: Bool) async throws {
    let world = try DeviceWorld()
    let device = try world.device { $0.keepsFirstOfferEligibility = keeps }
    let process = device.launch()
    let eligible = { @Sendable () async -> Bool in
      await Product.SubscriptionInfo.isEligibleForIntroOffer(for: DeviceWorld.group)
    }
    #expect(try await process.run { await eligible() })
    _ = try await process.bought(DeviceWorld.yearly)
    #expect(try await process.run { await eligible() } == keeps)
    #expect(try await device.launch().run { await eligible() } == false)
  }

  @Test func theAgeRatingIsWhatTheDeviceKnows() async throws {
    let world = try DeviceWorld()
    let plain = try world.device("plain").launch()
    #expect(try await plain.run { await AppStore.ageRatingCode } == nil)
    let rated = try world.device("rated") { $0.ageRatingCode = 12 }.launch()
    #expect(try await rated.run { await AppStore.ageRatingCode } == 12)
  }
}
