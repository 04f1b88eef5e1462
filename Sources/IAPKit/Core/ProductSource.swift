/// What the client needs of StoreKit to show products.
///
/// `StoreKit1/` and `StoreKit2/` conform.
package protocol ProductSource: Sendable {
  /// Asks the store for one batch of products.
  ///
  /// - Parameter ids: At most ``ProductRequest/idsPerBatchMax`` ids.
  /// - Returns: The products that the store knows, in any order.
  /// - Throws: ``IAPError/productLoadFailed(underlying:)`` when the store did not answer.
  func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct]

  /// The storefront's three-letter country code, when the store says it.
  func storefrontCode() async -> String?
}
