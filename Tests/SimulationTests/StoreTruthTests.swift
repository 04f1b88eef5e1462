import AppStoreSimulator
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

@testable import Simulation

@Suite("What the store's books say of users who share a telephone")
struct StoreTruthTests {
  private let world: SimulatedWorld

  init() throws {
    let kit = try SimulationKit(
      signing: QuickSignatures(digests: try OpenSSLPrimitives()),
      signatures: "quick",
      bug: nil,
      makeCache: { BoundedChainCache() }
    )
    let plan = try #require(
      (0..<1000).lazy.map { RunPlan(seed: $0, profile: .accounts) }
        .first { $0.cast.customers[0].userCount == 2 && !$0.cast.customers[0].isInFamily }
    )
    world = try SimulatedWorld(plan, kit: kit, trace: RunTrace(isOn: false))
    // No server runs: nothing is sent to it behind a test's end.
    world.store.setNotificationSender(nil)
  }

  private func buy(_ product: ProductID, by user: Int) throws -> StoreTransactionRecord {
    let token = try #require(world.userTokens[Cast.user(0, user)])
    let device: DeviceID = "phone-0"
    let outcome = try world.store.purchase(
      PurchaseRequest(
        device: device,
        productID: product,
        appAccountToken: AppAccountToken(token)
      )
    )
    guard case .purchased(let record) = outcome else {
      throw SimulatorError(.unknownProduct, "not bought: \(outcome)")
    }
    return record
  }

  @Test("is who paid for it")
  func one() throws {
    let monthly = try buy(DemoCatalog.monthly, by: 1)
    let coins = try buy(DemoCatalog.coins, by: 0)
    let truth = StoreTruth(world: world)
    #expect(truth.user(of: monthly) == Cast.user(0, 1))
    #expect(truth.user(of: coins) == Cast.user(0, 0))
    #expect(truth.sharedSubscriptionCount == 0)
  }

  @Test("is left open for a plan that both of them paid for, and for nothing else")
  func both() throws {
    let yearly = try buy(DemoCatalog.yearly, by: 0)
    world.store.clock.advance(by: 1)
    try world.store.refund(yearly.transactionID)
    world.store.clock.advance(by: 1)
    let again = try buy(DemoCatalog.yearly, by: 1)
    let coins = try buy(DemoCatalog.coins, by: 1)
    #expect(again.originalTransactionID == yearly.originalTransactionID)
    let truth = StoreTruth(world: world)
    #expect(truth.user(of: yearly) == nil)
    #expect(truth.user(of: again) == nil)
    #expect(truth.user(of: coins) == Cast.user(0, 1))
    #expect(truth.sharedSubscriptionCount == 1)
    let (yes, unsure) = truth.access(of: Cast.user(0, 0))
    #expect(yes == [])
    #expect(unsure == [DemoCatalog.yearly])
  }
}
