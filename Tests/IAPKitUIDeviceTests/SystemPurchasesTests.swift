import AppStoreSimulator
import Foundation
import IAPKit
import IAPKitUI
import IAPModel
import OpenSSLCrypto
import SimulatedApp
import SimulatedDevice
import StoreKit
import Testing

/// What SwiftUI's store views do with the callbacks, without the views: ask for options, buy, tell.
@Suite("System purchases", .timeLimit(.minutes(1)))
struct SystemPurchasesTests {
  private static let crypto = Result { try OpenSSLPrimitives() }
  private static let ids = [DemoCatalog.coins, DemoCatalog.lifetime, DemoCatalog.monthly]

  let store: SimulatedAppStore
  let app: SimulatedApp

  init() throws {
    store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        start: Date(timeIntervalSince1970: 1_750_000_000)
      ),
      signing: try Self.crypto.get()
    )
    try store.addAccount("ada")
    app = SimulatedApp(
      device: try SimulatedDevice(store: store, account: "ada", id: "phone"),
      setup: AppSetup(generation: .storekit2, productIds: Self.ids)
    )
  }

  /// A tap on the button of a system view.
  private func tap(
    _ product: ProductID,
    order: SystemPurchases.Order = SystemPurchases.Order(),
    betweenOptionsAndSheet: @escaping @MainActor (IAPManager) async -> Void = { _ in }
  ) async throws -> IAPKit.PurchaseOutcome {
    try await app.perform { @MainActor manager in
      let purchases = SystemPurchases(manager: manager) { _ in order }
      let product = try #require(try await Product.products(for: [product.rawValue]).first)
      let options = await purchases.options(for: product)
      await betweenOptionsAndSheet(manager)
      let result: Result<Product.PurchaseResult, any Error>
      do {
        result = .success(try await product.purchase(options: options))
      } catch {
        result = .failure(error)
      }
      return await purchases.completed(product, result)
    }
  }

  private var orders: [Order] { app.manager.store.orders }

  @Test func writeAnOrderBeforeTheSheetAndDeliverThroughTheFunnel() async throws {
    try await app.launch()
    let open = EventLog<[Order.State]>()
    let outcome = try await tap(
      DemoCatalog.coins,
      order: SystemPurchases.Order(reference: "cart-7", context: ["screen": "store"])
    ) { manager in
      open.append(manager.store.orders.map(\.state))
    }
    #expect(open.elements == [[.opened]])
    guard case .delivered(let result) = outcome else {
      Issue.record("not delivered: \(outcome)")
      return
    }
    let order = try #require(orders.first)
    #expect(orders.count == 1)
    #expect(order.state == .delivered)
    #expect(order.merchantNumber == "cart-7")
    #expect(result.orderNumber == "cart-7")
    #expect(result.context == ["screen": "store"])
    #expect(result.appAccountToken == order.accountToken.rawValue)
    #expect(app.count(of: DemoCatalog.coins) == 1)
    await app.waitUntilQueueIsEmpty()
    #expect(app.manager.purchaseState(DemoCatalog.coins.rawValue) == .complete)
  }

  @Test func closeTheOrderOfASheetThatWasClosed() async throws {
    try await app.launch()
    app.device.person.willAnswer(.cancel)
    #expect(try await tap(DemoCatalog.coins) == .cancelled)
    #expect(orders.map(\.state) == [.cancelled])
    #expect(app.manager.purchaseState(DemoCatalog.coins.rawValue) == .cancelled)
    #expect(app.effects == [])
  }

  @Test func keepAnOrderThatWaitsForAParent() async throws {
    try await app.launch()
    app.device.person.willAnswer(.askParent)
    let outcome = try await tap(DemoCatalog.lifetime)
    #expect(outcome == .pending(orderNumber: try #require(orders.first).displayNumber))
    _ = try store.approve(try #require(store.pendingPurchases.first).id)
    await app.waitUntil(1, of: DemoCatalog.lifetime)
    await app.waitUntilQueueIsEmpty()
    #expect(orders.map(\.state) == [.delivered])
  }

  @Test func joinTheOrderOfASheetThatIsAskedForTwice() async throws {
    try await app.launch()
    let coins = DemoCatalog.coins.rawValue
    let tokens = try await app.perform { @MainActor manager in
      let product = try #require(try await Product.products(for: [coins]).first)
      let first = await SystemPurchases(manager: manager).options(for: product)
      let second = await SystemPurchases(manager: manager).options(for: product)
      return (first, second)
    }
    #expect(tokens.0 == tokens.1)
    #expect(orders.map(\.state) == [.opened])
  }

  @Test func findTheOrderOfAViewThatWasDrawnAnew() async throws {
    try await app.launch()
    let coins = DemoCatalog.coins.rawValue
    let outcome = try await app.perform { @MainActor manager in
      let product = try #require(try await Product.products(for: [coins]).first)
      let options = await SystemPurchases(manager: manager).options(for: product)
      let result = try await product.purchase(options: options)
      return await SystemPurchases(manager: manager).completed(product, .success(result))
    }
    guard case .delivered = outcome else {
      Issue.record("not delivered: \(outcome)")
      return
    }
    #expect(orders.map(\.state) == [.delivered])
  }

  @Test func loseNothingWhenTheAppDiesBehindTheSheet() async throws {
    try await app.launch()
    let coins = DemoCatalog.coins.rawValue
    _ = try await app.perform { @MainActor manager in
      let product = try #require(try await Product.products(for: [coins]).first)
      let options = await SystemPurchases(manager: manager).options(for: product)
      return try await product.purchase(options: options)
    }
    app.kill()
    try await app.launch()
    await app.waitUntilQueueIsEmpty()
    #expect(orders.map(\.state) == [.delivered])
    #expect(app.count(of: DemoCatalog.coins) == 1)
  }

  @Test func sellNothingWhileStoreKit1IsForced() async throws {
    app.update { $0.generation = .storekit1 }
    try await app.launch()
    let coins = DemoCatalog.coins.rawValue
    let (isAvailable, options) = try await app.perform { @MainActor manager in
      let purchases = SystemPurchases(manager: manager)
      let product = try #require(try await Product.products(for: [coins]).first)
      return (purchases.isAvailable, await purchases.options(for: product))
    }
    #expect(!isAvailable)
    #expect(options == [])
    #expect(orders == [])
    #expect(app.lines.elements.contains { $0.message.contains("StoreKit 1 is forced") })
  }

  @Test func answerUnknownForWhatNobodyHasSigned() async throws {
    try await app.launch()
    _ = try await tap(DemoCatalog.lifetime)
    let answers = try await app.perform { manager -> [Access] in
      let latest = await StoreKit.Transaction.latest(for: DemoCatalog.lifetime.rawValue)
      let transaction = try #require(latest)
      let unsigned = VerificationResult.unverified(
        transaction.unsafePayloadValue,
        VerificationResult<StoreKit.Transaction>.VerificationError.invalidSignature
      )
      return [
        manager.systemAccess(nil), manager.systemAccess(transaction),
        manager.systemAccess(unsigned),
      ]
    }
    #expect(answers == [.no, .yes(until: nil, source: .device, provisional: false), .unknown])
  }
}
