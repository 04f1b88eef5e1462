/// Sells over StoreKit 2 only: the same as ``IAPManager``, with the generation pinned.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
public final class SK2PurchaseService: IAPService {
  private let manager: IAPManager

  /// Makes a service in the real world, which begins to work at once.
  ///
  /// - Parameter config: How the app sells.
  public init(config: IAPConfiguration) {
    var config = config
    config.forceStoreKit1 = false
    manager = IAPManager(configuration: config)
  }

  /// Loads products.
  ///
  /// - Parameter ids: Product ids, in any number; a repeated one counts once.
  /// - Returns: The products that the store knows, in the order asked for.
  /// - Throws: ``IAPError/productLoadFailed(underlying:)`` when the store did not answer.
  public func loadProducts(ids: [String]) async throws -> [IAPProduct] {
    try await manager.loadProducts(ids: ids)
  }

  /// Buys one of a product.
  ///
  /// - Parameter productId: The product's id.
  /// - Returns: The transaction, when it was accepted and handed over.
  /// - Throws: ``IAPError``.
  public func purchase(productId: String) async throws -> IAPTransactionResult {
    try await manager.purchase(productId: productId)
  }

  /// Restores what the customer owns; call it on the user's tap only.
  ///
  /// - Returns: What the customer owns and may use.
  /// - Throws: ``IAPError``.
  public func restore() async throws -> [IAPTransactionResult] { try await manager.restore() }

  /// Everything that becomes ready for the app from now on; any number of consumers.
  public var transactionStream: AsyncStream<IAPTransactionResult> { manager.transactionStream }
}
