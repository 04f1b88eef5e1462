import StoreKit

/// Asks StoreKit 2 for products and remembers them for the purchase.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
final class SK2ProductLoader: Sendable {
  private let known = Locked<[String: Product]>([:])

  func load(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
    guard !ids.isEmpty else { return [] }
    let products: [Product]
    do {
      products = try await Product.products(for: ids)
    } catch {
      throw .productLoadFailed(underlying: error)
    }
    known.withLock { known in
      for product in products { known[product.id] = product }
    }
    return products.map(IAPProduct.init)
  }

  /// Keeps a product that came without being asked for.
  func remember(_ product: Product) { known.withLock { $0[product.id] = product } }

  /// The product as StoreKit has it; asked for when it was not loaded before.
  func product(_ id: String) async throws(IAPError) -> Product? {
    if let product = known.withLock({ $0[id] }) { return product }
    _ = try await load([id])
    return known.withLock { $0[id] }
  }

  /// Forgets the products: they are those of another storefront.
  func forget() { known.withLock { $0 = [:] } }
}
