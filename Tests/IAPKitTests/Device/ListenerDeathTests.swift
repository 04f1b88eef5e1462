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
      let count = heldCount(app)
      try await buyElsewhere(Shop.lifetime, app, shop)
      // StoreKit 1 verifies nothing itself: its receipt is for the server to judge.
      if shop.generation == .storekit2 {
        await app.events.wait(until: { Self.held($0).count > count })
      }
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

  /// An entry of StoreKit 1 that says nothing of itself; on StoreKit 2 a transaction in its own
  /// sequence whose signed text is cut off.
  private func sendMalformed(to app: SimulatedApp, _ shop: Shop) async throws {
    guard shop.generation == .storekit1 else {
      try app.device.setFailure(.verification(.invalidEncoding), of: .verification)
      let count = heldCount(app)
      try await buyElsewhere(Shop.lifetime, app, shop)
      await app.events.wait(until: { Self.held($0).count > count })
      let held = try #require(Self.held(app.events.elements).last?.transaction)
      guard case .jws(let text) = held.proof else {
        Issue.record("no signed text")
        return
      }
      #expect(text.split(separator: ".").count < 3, "nobody can read it")
      #expect(held.verification.isUnverified)
      return try app.device.setFailure(nil, of: .verification)
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

  private static func held(_ events: [FunnelEvent]) -> [TransactionRecord] {
    events.compactMap { if case .held(let record) = $0 { record } else { nil } }
  }

  private func heldCount(_ app: SimulatedApp) -> Int { Self.held(app.events.elements).count }

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

  @Test("goes on after all of them, one after the other", arguments: generations)
  func outlivesAll(generation: StoreGeneration) async throws {
    let shop = try Shop(generation)
    let app = try await shop.launch()
    for element in Element.allCases { try await send(element, to: app, shop) }
    for count in 1...2 {
      try await buyElsewhere(DemoCatalog.season, app, shop)
      await app.waitUntil(count, of: DemoCatalog.season)
    }
  }
}
