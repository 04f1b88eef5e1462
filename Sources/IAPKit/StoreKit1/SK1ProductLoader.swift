import Foundation
import StoreKit

/// Asks StoreKit 1 for products and remembers them for the purchase.
final class SK1ProductLoader: Sendable {
  private let known = Locked<[String: SKProduct]>([:])
  /// The types that the app's configuration names, for what StoreKit 1 does not say.
  private let types: Locked<[String: ProductType]>

  init(types: [String: ProductType] = [:]) { self.types = Locked(types) }

  /// Takes other types.
  func use(types: [String: ProductType]) { self.types.withLock { $0 = types } }

  /// Forgets the products: they are those of another storefront.
  func forget() { known.withLock { $0 = [:] } }

  func load(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
    guard !ids.isEmpty else { return [] }
    let response: SKProductsResponse
    do {
      response = try await SK1ProductsRun.response(to: ids)
    } catch {
      throw .productLoadFailed(underlying: error)
    }
    known.withLock { known in
      for product in response.products { known[product.productIdentifier] = product }
    }
    let types = types.withLock { $0 }
    return response.products.map { IAPProduct($0, configuredType: types[$0.productIdentifier]) }
  }

  /// The product as StoreKit has it; asked for when it was not loaded before.
  func product(_ id: String) async throws(IAPError) -> SKProduct? {
    if let product = known.withLock({ $0[id] }) { return product }
    _ = try await load([id])
    return known.withLock { $0[id] }
  }

  /// The product's type, as far as the configuration or the loaded product says it.
  func type(_ id: String) -> ProductType? {
    if let type = types.withLock({ $0[id] }) { return type }
    guard let product = known.withLock({ $0[id] }) else { return nil }
    return product.isAutoRenewable ? .autoRenewable : nil
  }

  /// The subscription group of a loaded product.
  func group(_ id: String) -> String? {
    known.withLock { $0[id]?.subscriptionGroupIdentifier }
  }
}

/// One products request, alive from its start to its answer.
private final class SK1ProductsRun: NSObject, SKProductsRequestDelegate {
  private let request: SKProductsRequest
  private let waiting: Locked<CheckedContinuation<SKProductsResponse, any Error>?>
  /// StoreKit holds the delegate weakly: the run keeps itself until it has answered.
  private var itself: SK1ProductsRun?

  private init(
    _ ids: [String],
    _ continuation: CheckedContinuation<SKProductsResponse, any Error>
  ) {
    request = SKProductsRequest(productIdentifiers: Set(ids))
    waiting = Locked(continuation)
    super.init()
    request.delegate = self
    itself = self
  }

  static func response(to ids: [String]) async throws -> SKProductsResponse {
    try await withCheckedThrowingContinuation { continuation in
      SK1ProductsRun(ids, continuation).request.start()
    }
  }

  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    answer(.success(response))
  }

  func request(_ request: SKRequest, didFailWithError error: any Error) {
    answer(.failure(error))
  }

  private func answer(_ result: Result<SKProductsResponse, any Error>) {
    let continuation = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(with: result)
    itself = nil
  }
}
