import AppStoreSimulator
import Foundation
import IAPKit
import IAPKitCallbacks
import IAPModel
import SimulatedApp
import SimulatedDevice
import StoreKit
import Testing

// The shared instances are the process's: one test at a time.
@Suite("Legacy spellings", .serialized, .timeLimit(.minutes(1)))
struct LegacyTests {
  /// Runs code of an app of the usual kind, with the shared instances in its process.
  private func inApp<Value: Sendable>(
    _ counter: Counter,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    SharedClient.use(counter.app.manager)
    defer { SharedClient.use(nil) }
    return try await counter.app.perform { _ in try await body() }
  }

  @Test("sell and restore through the shared manager", arguments: generations)
  func sharedManager(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let heard = EventLog<String>()
    let owned = try await inApp(counter) {
      IAPManager.shared.startObserving()
      IAPManager.shared.listenForTransaction { result in heard.append("heard \(result.productId)") }
      IAPManager.shared.fetchProducts(productIds: [Counter.coins.rawValue]) { result in
        heard.append("fetched \((try? result.get())?.count ?? 0)")
      }
      await heard.wait(until: { $0.contains("fetched 1") })
      #expect(SharedClient.requests.product(Counter.coins.rawValue) != nil)
      _ = try await IAPManager.shared.purchase(productId: Counter.lifetime.rawValue)
      await heard.wait(until: { $0.contains("heard \(Counter.lifetime)") })
      IAPManager.shared.restorePurchases { result in
        heard.append("restored \((try? result.get())?.map(\.productId) ?? [])")
      }
      await heard.waitFor(3)
      return EntitlementManager.shared.purchasedProductIDs
    }
    #expect(owned == [Counter.lifetime.rawValue])
    #expect(heard.elements.last == #"restored ["\#(Counter.lifetime)"]"#)
  }

  @Test("answer with values and without", arguments: generations)
  func values(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    let answers = try await inApp(counter) {
      let manager = IAPManager.shared
      let products: [IAPProduct]? = await manager.requestProducts(
        productIds: [Counter.monthly.rawValue]
      )
      let before = try await manager.checkSubscriptionActive(groupID: DemoCatalog.group.rawValue)
      _ = try await manager.purchase(productId: Counter.monthly.rawValue)
      await EntitlementManager.shared.updateEntitlements()
      let after = try await EntitlementManager.shared.checkSubscriptionActive(
        groupID: DemoCatalog.group.rawValue
      )
      let pending = TransactionStore.shared.pendingRecords().count
      let ids: Set<String> = manager.purchasedProductIDs
      return (products?.map(\.id), before, after, pending, ids)
    }
    #expect(answers.0 == [Counter.monthly.rawValue])
    #expect(answers.1 == false)
    #expect(answers.2 == true)
    #expect(answers.3 == 0)
    #expect(answers.4 == [Counter.monthly.rawValue])
  }

  @Test("requestProducts is nil when the store does not answer", arguments: generations)
  func offline(generation: StoreGeneration) async throws {
    let counter = try await Counter(generation)
    counter.app.device.isInAirplaneMode = true
    let products = try await inApp(counter) {
      await IAPManager.shared.requestProducts(productIds: [Counter.coins.rawValue])
    }
    #expect(products == nil)
  }

  @Test("before the app was configured are errors that say so, and no trap")
  func unconfigured() async {
    SharedClient.use(nil)
    #expect(!SharedClient.isConfigured)
    let manager = IAPManager.shared
    #expect(await manager.requestProducts(productIds: ["a"]) == nil)
    guard case .failed(.productLoadFailed(let underlying)) = await manager.buy("a") else {
      Issue.record("no error")
      return
    }
    #expect("\(underlying)".contains("SharedClient.configure"))
    #expect(await manager.restoreSummary().error == .invalidOrder(reason: ""))
    #expect(TransactionStore.shared.pendingRecords() == [])
    #expect(EntitlementManager.shared.purchasedProductIDs == [])
    #expect(await manager.refundRequest(for: 1, scene: nil) == nil)
    #expect(IAPManager.shared === manager)
  }

  @Test("are configured once")
  func configuredOnce() async throws {
    let counter = try await Counter(.storekit2)
    let directory = URL(fileURLWithPath: NSTemporaryDirectory())
      .appendingPathComponent("iapkit-shared-\(UUID().uuidString)")
    defer {
      SharedClient.use(nil)
      try? FileManager.default.removeItem(at: directory)
    }
    SharedClient.use(nil)
    let (first, second, isShared) = try await counter.app.perform { _ in
      var configuration = IAPConfiguration(productIds: [Counter.coins.rawValue])
      configuration.storeDirectory = directory
      configuration.logHandler = { _ in }
      let first = SharedClient.configure(configuration)
      let manager = IAPManager.shared
      let second = SharedClient.configure(
        productIdentifiers: [],
        verifyURL: nil,
        deliver: { _, _ in true }
      )
      return (first, second, IAPManager.shared === manager && SharedClient.isConfigured)
    }
    #expect(first)
    #expect(!second)
    #expect(isShared)
  }

  @Test("SKProduct.localizedPrice is in the store's locale")
  func localizedPrice() async throws {
    let counter = try await Counter(.storekit1)
    let heard = EventLog<[String?]>()
    try await counter.app.perform { _ in
      let request = SKProductsRequest(productIdentifiers: [Counter.monthly.rawValue])
      let listener = PriceListener(heard)
      request.delegate = listener
      request.start()
      await heard.waitFor(1)
      withExtendedLifetime(listener) {}
    }
    #expect(heard.elements == [["$4.99"]])
  }
}

private final class PriceListener: NSObject, SKProductsRequestDelegate {
  let heard: EventLog<[String?]>
  init(_ heard: EventLog<[String?]>) { self.heard = heard }
  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    heard.append(response.products.map(\.localizedPrice))
  }
}
