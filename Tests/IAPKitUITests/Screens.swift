import Foundation
import IAPKit
import IAPKitTesting
import IAPModel

/// A fake store, and an app of two plans and two other products.
@MainActor
struct Screens {
  nonisolated static let coins = "com.example.coins"
  nonisolated static let lifetime = "com.example.lifetime"
  nonisolated static let monthly = "com.example.monthly"
  nonisolated static let yearly = "com.example.yearly"
  nonisolated static let utc = TimeZone(identifier: "UTC") ?? .current

  let store = FakeStore(products: [
    .fake(coins, .consumable, price: 0.99), .fake(lifetime, .nonConsumable, price: 9.99),
    .fakeSubscription(monthly, group: "pro", level: 2, price: 4.99, offers: [.fake(.introductory)]),
    .fakeSubscription(
      yearly,
      group: "pro",
      period: SubscriptionPeriod(1, .year),
      price: 49.99
    ),
  ])

  func launch(_ change: (inout IAPConfiguration) -> Void = { _ in }) -> IAPManager {
    var configuration = IAPConfiguration(
      productIds: [Self.coins, Self.lifetime, Self.monthly, Self.yearly],
      validator: store.validator,
      delivery: { _ in .delivered }
    )
    configuration.entitlements = [Self.monthly: ["pro"], Self.yearly: ["pro"]]
    change(&configuration)
    return store.launch(configuration)
  }
}

/// Waits until a model's states meet a condition.
@MainActor
func wait<State>(_ states: AsyncStream<State>, until isMet: (State) -> Bool) async -> State? {
  for await state in states where isMet(state) { return state }
  return nil
}
