import Foundation
import IAPModel

extension IAPManager {
  /// Buys one of a product.
  ///
  /// - Parameter productId: The product's id.
  /// - Returns: The transaction, when it was accepted and handed over.
  /// - Throws: ``IAPError``; `userCancelled` needs no message, and after `pending` the goods come
  ///   by themselves.
  public func purchase(productId: String) async throws -> IAPTransactionResult {
    try await buy(productId).get()
  }

  /// Buys one of a product, with options.
  ///
  /// - Parameters:
  ///   - productId: The product's id.
  ///   - options: What the app says beside it.
  /// - Returns: The transaction, when it was accepted and handed over.
  /// - Throws: ``IAPError``.
  public func purchase(
    productId: String,
    options: PurchaseOptions
  ) async throws(IAPError) -> IAPTransactionResult {
    try await buy(productId, options: options).get()
  }

  /// Buys, and tells apart every way in which that can end.
  ///
  /// - Parameters:
  ///   - productId: The product's id; one that was not loaded yet is loaded first.
  ///   - options: What the app says beside it.
  /// - Returns: How it ended.
  public func buy(
    _ productId: String,
    options: PurchaseOptions = PurchaseOptions()
  ) async -> PurchaseOutcome {
    guard states.begin(productId) else { return await join(productId, options) }
    if let error = await refusal(productId, options) {
      analytics.refused(productId, options.origin, error)
      states.end(productId, .failed(error))
      return .failed(error)
    }
    let outcome = await open(productId, options)
    if case .delivered(let result) = outcome { entitlements.apply(result) }
    states.end(productId, outcome)
    return outcome
  }

  /// A second tap while the first purchase is under way.
  private func join(_ productId: String, _ options: PurchaseOptions) async -> PurchaseOutcome {
    guard configuration.orders.secondTap == .join else { return .failed(.purchaseInProgress) }
    return await open(productId, options)
  }

  /// Why a purchase cannot begin.
  private func refusal(_ productId: String, _ options: PurchaseOptions) async -> IAPError? {
    guard adapter.canMakePayments() else { return .paymentsNotAllowed }
    if let objection = adapter.objection(to: options.unsigned) { return objection }
    guard options.accountToken == nil || options.accountText == nil else {
      return .invalidOrder(reason: "the account token is given twice")
    }
    do throws(IAPError) {
      // What was not loaded is loaded first, and what was loaded for another storefront again.
      let isKnown = try await products(ids: [productId], cache: .use).missing.isEmpty
      return isKnown ? nil : .productNotFound(id: productId)
    } catch {
      return error
    }
  }

  private func open(_ productId: String, _ options: PurchaseOptions) async -> PurchaseOutcome {
    await funnel.buy(draft(productId, options)) { [signer] order throws(IAPError) in
      try await options.signed(for: order, by: signer)
    }
  }

  /// Signs offers, when somebody can.
  var signer: (any OfferSigner)? {
    if let signer = configuration.offerSigner {
      return WatchedSigner(signer: world.calls?.watching(signer) ?? signer, world: world)
    }
    return configuration.server.map { ServerOfferSigner(server: $0, http: world.http) }
  }

  func draft(_ productId: String, _ options: PurchaseOptions) -> OrderDraft {
    var draft = OrderDraft(
      productID: ProductID(productId),
      quantity: options.quantity,
      number: options.orderReference,
      account: funnel.account.id,
      accountToken: options.accountToken?.uuidString ?? options.accountText
        ?? funnel.account.userToken?.uuidString,
      context: options.context
    )
    draft.origin = options.origin
    return draft
  }

  /// Where the purchase of a product stands.
  ///
  /// - Parameter productId: The product's id.
  /// - Returns: Its state; idle when nobody has bought it since the app was started, and nothing
  ///   waits from before.
  public func purchaseState(_ productId: String) -> PurchaseState {
    let state = states.state(productId)
    guard state == .idle else { return state }
    let left = store.waitingOrders.last { $0.productId.rawValue == productId }
    return left.flatMap { PurchaseState(waiting: $0) } ?? .idle
  }

  /// Changes of where purchases stand, from now on.
  public var purchaseStateStream: AsyncStream<PurchaseStateChange> { states.changes.stream() }
}
