import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedDevice
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct StoreKit2SubscriptionTests {
  @Test func aRenewalArrivesAsAnUpdateAndMovesTheExpiry() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let updates = process.listenToUpdates()
    let first = try await process.bought(DeviceWorld.monthly)
    try await process.run { await first.finish() }
    let end = try #require(first.expirationDate)
    world.advance(days: 31)
    let renewal = try #require(await updates.next(1).first).payloadValue
    #expect(renewal.reason == .renewal)
    #expect(renewal.originalID == first.id)
    #expect(renewal.id != first.id)
    #expect(renewal.purchaseDate == end)
    #expect(try #require(renewal.expirationDate) > end)
    #expect(renewal.webOrderLineItemID != first.webOrderLineItemID)
    let entitled = try await process.run {
      var ids: [UInt64] = []
      for await result in StoreKit.Transaction.currentEntitlements {
        ids.append(result.unsafePayloadValue.id)
      }
      return ids
    }
    #expect(entitled == [renewal.id])
  }

  @Test func renewalsOfAClosedAppAreUpdatesOnceAtTheNextLaunch() async throws {
    let world = try DeviceWorld()
    let device = try world.device()
    let first = device.launch()
    let bought = try await first.bought(DeviceWorld.monthly)
    try await first.run { await bought.finish() }
    first.kill()
    world.advance(days: 62)
    let renewals = world.transactions.dropFirst().map { UInt64($0.transactionID.rawValue) }
    #expect(renewals.count == 2)
    let second = device.launch()
    let early = second.listenToUpdates()
    let heard = await early.next(2).map { Optional($0.unsafePayloadValue.id) }
    #expect(heard == renewals.reversed())
    let late = second.listenToUpdates()
    #expect(try await second.list(.unfinished).count == 2)
    #expect(await late.rest().isEmpty)
    #expect(await early.rest().isEmpty)
  }

  @Test func theStatusTellsStateAndRenewal() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let before = try await process.run {
      try await Product.SubscriptionInfo.status(for: DeviceWorld.group)
    }
    #expect(before.isEmpty)
    let bought = try await process.bought(DeviceWorld.monthly)
    let status = try await process.run { await bought.subscriptionStatus }
    #expect(status?.state == .subscribed)
    #expect(try status?.renewalInfo.payloadValue.willAutoRenew == true)
    #expect(try status?.renewalInfo.payloadValue.currentProductID == DeviceWorld.monthly)
    #expect(try status?.renewalInfo.payloadValue.renewalDate == bought.expirationDate)
    let groups = try await process.run {
      var found: [String: Int] = [:]
      for await (group, statuses) in Product.SubscriptionInfo.Status.all {
        found[group] = statuses.count
      }
      return found
    }
    #expect(groups == [DeviceWorld.group: 1])
  }

  @Test func turningRenewalOffIsAStatusUpdateAndThenTheAccessEnds() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let bought = try await process.bought(DeviceWorld.monthly)
    let heard = Heard<Product.SubscriptionInfo.Status>()
    process.start {
      for await status in Product.SubscriptionInfo.Status.updates { heard.add(status) }
    }
    // The purchase itself was a change of the subscription.
    try Self.turnOff(bought, in: world)
    while let status = await heard.next(1).first {
      if try status.renewalInfo.payloadValue.willAutoRenew == false { break }
    }
    world.advance(days: 40)
    while let status = await heard.next(1).first {
      if status.state == .expired { break }
    }
    #expect(try await process.list(.currentEntitlements).isEmpty)
    #expect(try await process.list(.all) == [DeviceWorld.monthly])
  }

  private static func turnOff(_ transaction: StoreKit.Transaction, in world: DeviceWorld) throws {
    try world.store.setAutoRenew(false, of: OriginalTransactionID("\(transaction.originalID)"))
  }

  @Test func aRefundIsAnUpdateWithARevocation() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let bought = try await process.bought(DeviceWorld.lifetime)
    try await process.run { await bought.finish() }
    let updates = process.listenToUpdates()
    try world.store.refund(TransactionID("\(bought.id)"))
    let update = try #require(await updates.next(1).first).payloadValue
    #expect(update.id == bought.id)
    #expect(update.revocationDate == world.store.clock.now)
    #expect(update.revocationReason == .other)
    #expect(try await process.list(.currentEntitlements).isEmpty)
    #expect(try await process.list(.unfinished).isEmpty)
  }

  @Test func aRefundedConsumableIsListedAgain() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let bought = try await process.bought(DeviceWorld.coins)
    try await process.run { await bought.finish() }
    #expect(try await process.list(.all).isEmpty)
    try world.store.refund(TransactionID("\(bought.id)"))
    #expect(try await process.list(.all) == [DeviceWorld.coins])
    let latest = try await process.run { await StoreKit.Transaction.latest(for: DeviceWorld.coins) }
    #expect(latest?.unsafePayloadValue.revocationDate != nil)
  }

  @Test func anotherDeviceOfTheAccountOwnsTheSame() async throws {
    let world = try DeviceWorld()
    let phone = try world.device("phone").launch()
    let pad = try world.device("pad").launch()
    let updates = pad.listenToUpdates()
    let bought = try await phone.bought(DeviceWorld.lifetime)
    #expect(await updates.next(1).map(\.unsafePayloadValue.id) == [bought.id])
    #expect(try await pad.list(.unfinished) == [DeviceWorld.lifetime])
    try await phone.run { await bought.finish() }
    #expect(try await pad.list(.unfinished).isEmpty)
    let late = try world.device("watch").launch()
    #expect(try await late.list(.currentEntitlements) == [DeviceWorld.lifetime])
  }

  @Test func whatHappensInAirplaneModeArrivesAfterIt() async throws {
    let world = try DeviceWorld()
    let phone = try world.device("phone")
    let process = phone.launch()
    let updates = process.listenToUpdates()
    let unsold = try await process.bought(DeviceWorld.coins)
    phone.isInAirplaneMode = true
    try await process.run { await unsold.finish() }
    _ = try await world.device("pad").launch().bought(DeviceWorld.lifetime)
    #expect(try await process.list(.unfinished).isEmpty)
    #expect(world.transactions.first?.isFinished == false)
    phone.isInAirplaneMode = false
    #expect(await updates.next(1).map(\.unsafePayloadValue.productID) == [DeviceWorld.lifetime])
    #expect(world.transactions.first?.isFinished == true)
  }

  @Test func anIntroductoryOfferIsForThoseWhoNeverHadOne() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let eligible = { @Sendable () async -> Bool in
      await Product.SubscriptionInfo.isEligibleForIntroOffer(for: DeviceWorld.group)
    }
    #expect(try await process.run { await eligible() })
    let trial = try await process.bought(DeviceWorld.yearly)
    #expect(trial.offer?.type == .introductory)
    #expect(trial.offer?.paymentMode == .freeTrial)
    #expect(trial.price == 0)
    #expect(try await process.run { await eligible() } == false)
  }

  @Test func movingToAnotherCountryIsAStorefrontUpdate() async throws {
    let world = try DeviceWorld()
    let process = try world.device().launch()
    let heard = Heard<StoreKit.Storefront>()
    process.start { for await storefront in StoreKit.Storefront.updates { heard.add(storefront) } }
    let product = try await process.run {
      try #require(try await Product.products(for: [DeviceWorld.coins]).first)
    }
    try world.store.setStorefront(.of(countryCode: "JPN"), of: DeviceWorld.account)
    #expect(await heard.next(1).map(\.countryCode) == ["JPN"])
    #expect(try await process.run { await StoreKit.Storefront.current?.countryCode } == "JPN")
    let error = await #expect(throws: StoreKitError.self) {
      try await process.run {
        _ = try await product.purchase(options: [.onStorefrontChange { _ in false }])
      }
    }
    #expect("\(try #require(error))" == "notAvailableInStorefront")
    guard case .success = try await process.run({ try await product.purchase() }) else {
      return #expect(Bool(false), "not bought")
    }
  }
}
