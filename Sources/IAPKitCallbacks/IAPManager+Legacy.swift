public import IAPKit

// Spellings that code for other facades uses. New code has better names in `IAPKit`.
extension IAPManager {
  /// Loads products and keeps them; ask ``SharedClient/requests`` for one later.
  ///
  /// - Parameters:
  ///   - productIds: The ids.
  ///   - completion: Called on the main thread with the products that were found; nil when nobody
  ///     waits.
  public func fetchProducts(
    productIds: Set<String>,
    completion: (@MainActor @Sendable (Result<[IAPProduct], IAPError>) -> Void)? = nil
  ) {
    loadProducts(ids: productIds.sorted()) { completion?($0) }
  }

  /// Loads products.
  ///
  /// - Parameter productIds: The ids.
  /// - Returns: The products in the order asked for; nil when the store did not answer.
  public func requestProducts(productIds: [String]) async -> [IAPProduct]? {
    try? await products(ids: productIds).products
  }

  /// Begins to listen.
  ///
  /// A manager listens from the moment at which it is made, so there is nothing left to do: the
  /// call marks the place at which the shared client is made at the latest.
  public func startObserving() {}

  /// Restores what the customer owns; for the user's tap only.
  ///
  /// - Parameter completion: Called on the main thread with what is owned; nil when nobody waits.
  public func restorePurchases(
    completion: (@MainActor @Sendable (Result<[IAPTransactionResult], IAPError>) -> Void)? = nil
  ) {
    restore { (summary: RestoreSummary) in
      guard let completion else { return }
      if summary.isCancelled { return completion(.failure(.userCancelled)) }
      if let error = summary.error { return completion(.failure(error)) }
      completion(.success(summary.restored + summary.alreadyHad))
    }
  }

  /// Tells of everything that becomes ready from now on.
  ///
  /// - Parameter completion: Called on the main thread, in order.
  /// - Returns: The request; cancel it to hear no more.
  @discardableResult
  public func listenForTransaction(
    completion: @escaping @MainActor @Sendable (IAPTransactionResult) -> Void
  ) -> IAPRequest {
    listen(completion)
  }

  /// The products that give access now.
  public var purchasedProductIDs: Set<String> { entitlements.purchasedProductIDs }

  /// Asks the device and the server again what the user may use.
  public func updateEntitlements() async { await resume(.foreground) }

  /// Whether a subscription of a group gives access.
  ///
  /// - Parameter groupID: The subscription group.
  /// - Returns: Whether one of its products does, after everybody was asked again.
  /// - Throws: `IAPError.productLoadFailed` when the store did not say which
  ///   products the group has.
  public func checkSubscriptionActive(groupID: String) async throws(IAPError) -> Bool {
    let owned = { (ids: Set<String>) in !ids.isDisjoint(with: self.purchasedProductIDs) }
    await updateEntitlements()
    let bought = store.records().filter { $0.transaction.subscriptionGroupID?.rawValue == groupID }
      .map(\.productId)
    if owned(Set(bought)) { return true }
    let products = try await products().products
    return owned(Set(products.filter { $0.subscriptionGroupID == groupID }.map(\.id)))
  }
}

extension EntitlementManager {
  /// Asks the device and the server again what the user may use.
  ///
  /// Only the shared one can: any other is told by whoever made it.
  public func updateEntitlements() async {
    let manager = IAPManager.shared
    guard manager.entitlements === self else { return }
    await manager.updateEntitlements()
  }

  /// Whether a subscription of a group gives access.
  ///
  /// Only the shared one can ask; any other answers no.
  ///
  /// - Parameter groupID: The subscription group.
  /// - Returns: Whether one of its products does.
  /// - Throws: `IAPError.productLoadFailed`.
  public func checkSubscriptionActive(groupID: String) async throws(IAPError) -> Bool {
    let manager = IAPManager.shared
    guard manager.entitlements === self else { return false }
    return try await manager.checkSubscriptionActive(groupID: groupID)
  }
}
