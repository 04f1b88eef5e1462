import AppStoreSimulator
import Foundation
import IAPModel
import SimulatedApp
import Synchronization
import Testing

@testable import IAPKit

@Suite("The products that are kept", .timeLimit(.minutes(1)))
struct ProductCacheTests {
  private let now = Date(timeIntervalSince1970: 1_750_000_000)

  private func product(_ id: String) -> IAPProduct {
    IAPProduct(
      id: id,
      type: .consumable,
      displayName: id,
      description: "",
      price: 1,
      currency: "USD",
      displayPrice: "$1"
    )
  }

  @Test("are so many at most; one more, and all are forgotten", arguments: [0, 1])
  func bound(over: Int) {
    let cache = ProductCache()
    let many = (0..<ProductCache.productsMax).map { product("p\($0)") }
    #expect(cache.keep(many, epoch: 0, at: now))
    let more = (0..<over).map { product("more\($0)") }
    #expect(cache.keep(more, epoch: 0, at: now))
    #expect(cache.all.count == (over == 0 ? ProductCache.productsMax : over))
  }

  @Test("are everybody's, and those of another storefront nobody's")
  func storefront() {
    let cache = ProductCache()
    #expect(cache.note(storefront: "USA"))
    #expect(cache.keep([product("b"), product("a")], epoch: 1, at: now))
    #expect(cache.all.map(\.id) == ["a", "b"])
    #expect(cache.note(storefront: "JPN"))
    #expect(cache.all == [])
    #expect(!cache.keep([product("a")], epoch: 1, at: now), "they were asked for before")
  }

  /// A storefront that changes with each request, so many times.
  private final class ShiftyStore: StoreAdapter, ProductSource {
    private let loads = Mutex(0)
    private let shifts: Int
    private let make: @Sendable (String) -> IAPProduct

    init(shifts: Int, make: @escaping @Sendable (String) -> IAPProduct) {
      self.shifts = shifts
      self.make = make
    }

    var loadCount: Int { loads.withLock { $0 } }

    func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
      loads.withLock { $0 += 1 }
      return ids.map(make)
    }

    func storefront() async -> IAPStorefront? {
      let number = min(loadCount, shifts)
      return IAPStorefront(id: "\(number)", countryCode: "C\(number)", currency: "USD")
    }

    var generation: StoreGeneration { .storekit2 }
    func storefrontUpdates() -> AsyncStream<IAPStorefront> { AsyncStream { _ in } }
    func canMakePayments() -> Bool { true }
    func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult {
      .failed(.unknown, reference: nil)
    }
    func unfinished() async -> [StoreTransaction] { [] }
    func finish(_ reference: StoreReference) async -> StoreFinishAnswer { .finished }
    func restore() async throws(IAPError) -> [StoreTransaction] { [] }
    func currentEntitlements() async -> [StoreTransaction] { [] }
    func receipt() -> [UInt8]? { nil }
    func refreshedReceipt() async -> [UInt8]? { nil }
    func start(_ sink: @escaping @Sendable (StoreSignal) -> Void) {}
    func stop() {}
  }

  @Test(
    "are asked for again while the storefront changes, not for ever",
    arguments: [(0, 1), (1, 2), (2, 3), (3, 3), (100, 3)]
  )
  func changes(row: (shifts: Int, loads: Int)) async throws {
    let world = ScriptedWorld()
    let adapter = ShiftyStore(shifts: row.shifts) { [self] id in product(id) }
    let manager = IAPManager(
      configuration: IAPConfiguration(productIds: ["a"], isSandbox: true),
      world: world.world(),
      adapter: adapter,
      readReceipt: { nil }
    )
    #expect(try await manager.products(ids: ["a"], cache: .reload).products.map(\.id) == ["a"])
    #expect(adapter.loadCount == row.loads)
    #expect(IAPManager.storefrontChangesBorne == 2)
  }
}
