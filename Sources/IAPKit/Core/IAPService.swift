/// What an app needs to sell: the same over both generations of StoreKit.
public protocol IAPService: Sendable {
  /// Loads products.
  ///
  /// - Parameter ids: Product ids, in any number; a repeated one counts once.
  /// - Returns: The products that the store knows, in the order asked for.
  /// - Throws: ``IAPError/productLoadFailed(underlying:)`` when the store did not answer.
  func loadProducts(ids: [String]) async throws -> [IAPProduct]

  /// Buys one of a product.
  ///
  /// - Parameter productId: The product's id.
  /// - Returns: The transaction, when it was accepted and handed over.
  /// - Throws: ``IAPError``; `userCancelled` needs no message, and after `pending` the goods come
  ///   by themselves.
  func purchase(productId: String) async throws -> IAPTransactionResult

  /// Restores what the customer owns; call it on the user's tap only.
  ///
  /// - Returns: What the customer owns and may use.
  /// - Throws: ``IAPError``, when the store could not be asked or the user closed the sign-in.
  func restore() async throws -> [IAPTransactionResult]

  /// Everything that becomes ready for the app from now on; any number of consumers.
  var transactionStream: AsyncStream<IAPTransactionResult> { get }
}
