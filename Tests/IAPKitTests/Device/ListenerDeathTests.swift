import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice
import StoreKit
import Testing

/// A listener outlives every kind of element: what comes after it still arrives.
@Suite("A listener", .timeLimit(.minutes(1)))
struct ListenerDeathTests {
  enum Element: String, CaseIterable, CustomTestStringConvertible {
    case unverified, revoked, expired, upgraded, malformed
    var testDescription: String { rawValue }
  }

  /// Makes the element arrive at the app by itself.
  private func send(_ element: Element, to app: SimulatedApp, _ shop: Shop) async throws {
    let store = shop.store
    switch element {
    case .unverified:
      store.changeFaults { $0.signature = .broken }
      try await buyElsewhere(Shop.lifetime, app, shop)
      store.changeFaults { $0.signature = .genuine }
    case .revoked:
      _ = try await app.buy(Shop.lifetime)
      let bought = try #require(store.transactions(of: Shop.account).first)
      try store.refund(bought.transactionID)
    case .expired:
      _ = try await app.buy(Shop.monthly)
      store.clock.advance(by: 400 * 86_400)
    case .upgraded:
      _ = try await app.buy(Shop.monthly)
      _ = try await app.buy(DemoCatalog.yearly)
    case .malformed: try await sendMalformed(to: app, shop)
    }
  }

  /// An entry of StoreKit 1 that says nothing of itself; a transaction of the funnel without a
  /// name, product or proof for StoreKit 2, whose values always have some.
  private func sendMalformed(to app: SimulatedApp, _ shop: Shop) async throws {
    guard shop.generation == .storekit1 else {
      return try await app.perform { manager in
        await manager.funnel.receive(
          .transaction(
            StoreTransaction(
              transactionID: "",
              originalTransactionID: "",
              productID: "",
              purchaseDate: Date(timeIntervalSince1970: -1),
              proof: .jws(""),
              verification: .verified,
              source: .updates,
              generation: .storekit2
            )
          )
        )
      }
    }
    try await app.perform { _ in
      let queue = SKPaymentQueue.default()
      for state in [SKPaymentTransactionState.purchased, .restored, .failed, .deferred] {
        let entry = SKPaymentTransaction(.init(payment: PaymentValue(), state: state))
        for observer in queue.transactionObservers {
          observer.paymentQueue(queue, updatedTransactions: [entry])
        }
      }
    }
  }

  private func buyElsewhere(
    _ product: ProductID,
    _ app: SimulatedApp,
    _ shop: Shop
  ) async throws {
    app.device.person.willAnswer(.askParent)
    _ = try await app.buy(product)
    _ = try shop.store.approve(try #require(shop.store.pendingPurchases.last).id)
  }

  @Test("goes on after every kind of element", arguments: Element.allCases)
  func outlives(_ element: Element) async throws {
    for generation in generations {
      let shop = try Shop(generation)
      let app = try await shop.launch()
      try await send(element, to: app, shop)
      // Two more, so that an end after the next one would be seen as well.
      for count in 1...2 {
        try await buyElsewhere(Shop.coins, app, shop)
        await app.waitUntil(count, of: Shop.coins)
      }
    }
  }
}
