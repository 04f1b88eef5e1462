package import IAPModel

/// What the client needs of StoreKit to show products.
///
/// `StoreKit1/` and `StoreKit2/` conform.
package protocol ProductSource: StorefrontSource, AppTransactionSource {
  /// Asks the store for one batch of products.
  ///
  /// - Parameter ids: At most ``ProductRequest/idsPerBatchMax`` ids.
  /// - Returns: The products that the store knows, in any order.
  /// - Throws: ``IAPError/productLoadFailed(underlying:)`` when the store did not answer.
  func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct]

  /// Forgets StoreKit's own products: they are those of another storefront.
  func forgetProducts()

  /// Takes the types that the app's configuration names, where StoreKit does not tell them.
  func use(types: [String: ProductType])
}

extension ProductSource {
  package func forgetProducts() {}

  package func use(types: [String: ProductType]) {}
}
