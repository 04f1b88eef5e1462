import Foundation
import IAPKit
import IAPModel

/// What the shared client is before the app has said how it sells: every call fails, and says why.
struct UnconfiguredStore: StoreAdapter, ProductSource {
  static let problem = IAPError.invalidOrder(
    reason: "IAPManager.shared was used before SharedClient.configure(_:)"
  )

  /// Makes a manager that sells nothing and writes nothing.
  static func makeManager() -> IAPManager {
    LiveWorld.log(LogLine(.error, "\(problem)"))
    var world = LiveWorld.make(directory: nil, log: { _ in })
    world.files = NoFiles()
    world.http = { _ in throw problem }
    return IAPManager(
      configuration: IAPConfiguration(productIds: [], isSandbox: false),
      world: world,
      adapter: UnconfiguredStore(),
      readReceipt: { nil }
    )
  }

  var generation: StoreGeneration { .storekit1 }
  // The purchase itself says what is wrong.
  func canMakePayments() -> Bool { true }

  func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
    throw .productLoadFailed(underlying: Self.problem)
  }

  func storefront() async -> IAPStorefront? { nil }

  func storefrontUpdates() -> AsyncStream<IAPStorefront> { AsyncStream { $0.finish() } }

  func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult {
    .failed(Self.problem, reference: nil)
  }

  func unfinished() async -> [StoreTransaction] { [] }
  func finish(_ reference: StoreReference) async -> StoreFinishAnswer { .notAnnounced }
  func restore() async throws(IAPError) -> [StoreTransaction] { throw Self.problem }
  func currentEntitlements() async -> [StoreTransaction] { [] }
  func receipt() -> [UInt8]? { nil }
  func refreshedReceipt() async -> [UInt8]? { nil }
  func start(_ sink: @escaping @Sendable (StoreSignal) -> Void) {}
  func stop() {}
}

/// A disk on which there is nothing and nothing stays.
private struct NoFiles: ClientFiles {
  func lock(_ name: String) throws(IAPError) -> any ClientFileLock { NoLock() }
  func read(_ name: String) throws(IAPError) -> [UInt8]? { nil }
  func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError) {}
  func replace(_ name: String, with bytes: [UInt8]) throws(IAPError) {}
}

private final class NoLock: ClientFileLock {
  func release() {}
}
