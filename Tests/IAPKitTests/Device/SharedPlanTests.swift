import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import Testing

@Suite("A plan that another user of the telephone has changed", .timeLimit(.minutes(1)))
struct SharedPlanTests {
  private let ada = UUID()
  private let bob = UUID()

  @Test("stays open to its owner, whose order the newest period is not")
  func owner() async throws {
    let served = try ServedShop(.storekit1, catalog: PlanCatalog.text)
    let app = try served.installServed { [ada] configuration in
      configuration.productTypes = PlanCatalog.types
      configuration.account = "ada"
      configuration.orders.userToken = ada
    }
    try await app.launch()
    _ = try await app.buy(PlanCatalog.gold)
    await app.waitUntilQueueIsEmpty()
    try await app.perform { [bob] in await $0.setAccount("bob", userToken: bob) }
    guard case .scheduled = try await app.buy(PlanCatalog.silver) else {
      Issue.record("the change is not for the next period")
      return
    }
    app.kill()
    served.store.clock.advance(by: 32 * 86_400)
    try await app.launch()
    await app.rest()
    // Nobody has a token that opens what the server knows of a customer.
    app.kill()
    app.device.disk.place(nil, as: "customer-token.secret")
    try await app.launch()
    try await app.perform { [ada] in await $0.setAccount("ada", userToken: ada) }
    try await app.enterForeground()
    await app.rest()
    guard case .yes(_, source: .server, provisional: false) = app.access(to: PlanCatalog.silver)
    else {
      Issue.record("\(app.access(to: PlanCatalog.silver))")
      return
    }
    let newest = try #require(served.store.transactions(of: Shop.account).last)
    #expect(newest.productID == PlanCatalog.silver)
    #expect(
      app.manager.ordersNeedingAttention.map(\.transactionId) == [newest.transactionID.rawValue]
    )
  }
}
