import Foundation
import IAPKit
import IAPModel

/// A fake store behind the client's seam, for one launch of the app.
final class FakeStoreAdapter: StoreAdapter, ProductSource, SubscriptionStatusSource {
  private let store: FakeStore
  private let process: Int

  init(store: FakeStore, process: Int) {
    self.store = store
    self.process = process
  }

  var generation: StoreGeneration { store.generation }

  func canMakePayments() -> Bool { store.canMakePayments }

  func loadProducts(_ ids: [String]) async throws(IAPError) -> [IAPProduct] {
    guard !store.isOffline else {
      throw .productLoadFailed(underlying: FakeStoreAdapter.noNetwork)
    }
    return store.books { ledger in ids.compactMap { id in ledger.products.first { $0.id == id } } }
  }

  func storefront() async -> IAPStorefront? {
    IAPStorefront(id: "143441", countryCode: "USA", currency: "USD")
  }

  func storefrontUpdates() -> AsyncStream<IAPStorefront> { AsyncStream { _ in } }

  func objection(to options: SheetOptions) -> IAPError? {
    store.generation == .storekit1 ? options.objectionOfStoreKit1 : nil
  }

  func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult {
    guard !store.isOffline else { return .failed(Self.noNetwork, reference: nil) }
    let id = request.productID
    guard store.books({ ledger in ledger.products.contains { $0.id == id.rawValue } }) else {
      return .failed(.productNotFound(id: id.rawValue), reference: nil)
    }
    var offer: IAPOffer?
    if let wish = request.sheet.offer {
      offer = store.books { ledger in (try? ledger.product(id))?.offer(for: wish) }
      let problem = store.offerProblem ?? (offer == nil ? .invalidIdentifier : nil)
      if let problem { return .failed(.offerRefused(problem), reference: nil) }
    }
    let answer = await store.sheet.ask()
    guard store.isRunning(process) else { return .failed(.unknown, reference: nil) }
    var sale = FakeSale(
      productID: id,
      quantity: request.quantity,
      token: request.accountToken,
      offer: offer,
      isIntroductory: request.sheet.introductoryEligibilityJWS.flatMap {
        FakeOfferSigner.isAllowed(by: $0)
      }
    )
    switch answer {
    case .cancel: return .failed(.userCancelled, reference: nil)
    case .fail(let error): return .failed(error, reference: nil)
    case .askParent:
      store.books { ledger in
        ledger.ask(
          FakeLedger.Question(productID: id, quantity: sale.quantity, token: sale.token)
        )
      }
      return .pending
    case .buyUnverified: sale.isVerified = false
    case .buy, .later: break
    }
    let now = store.now
    do throws(FakeStoreError) {
      return try store.books { (ledger) throws(FakeStoreError) in
        try ledger.sell(sale, at: now)
      }
    } catch {
      return .failed(.productNotFound(id: id.rawValue), reference: nil)
    }
  }

  func unfinished() async -> [StoreTransaction] {
    store.books { $0.waiting(source: .unfinished) }
  }

  func finish(_ reference: StoreReference) async -> StoreFinishAnswer {
    guard store.isRunning(process) else { return .notAnnounced }
    store.noteFinished(TransactionID(reference.rawValue))
    return .finished
  }

  func restore() async throws(IAPError) -> [StoreTransaction] {
    guard !store.isOffline else { throw Self.noNetwork }
    return await currentEntitlements()
  }

  func currentEntitlements() async -> [StoreTransaction] {
    let now = store.now
    return store.books { ledger in ledger.owned(at: now).map { $0.from(.restore) } }
  }

  func receipt() -> [UInt8]? {
    store.generation == .storekit1 ? Array("a fake receipt".utf8) : nil
  }

  func refreshedReceipt() async -> [UInt8]? { receipt() }

  func start(_ sink: @escaping @Sendable (StoreSignal) -> Void) {
    store.listen(process, sink)
  }

  func stop() { store.listen(process, nil) }

  static var noNetwork: IAPError {
    .network(underlying: URLError(.notConnectedToInternet))
  }
}

// MARK: Beside purchases

extension FakeStoreAdapter {
  func subscriptionStatuses(
    in groups: Set<SubscriptionGroupID>
  ) async -> [StoreSubscriptionStatus] {
    let now = store.now
    return store.books { $0.statuses(at: now) }
  }

  func statusUpdates() -> AsyncStream<StoreSubscriptionStatus> { store.sheets.statuses.stream }

  func messages() -> AsyncStream<HeldMessage>? {
    store.generation == .storekit2 ? store.sheets.messages.stream : nil
  }

  func introductoryEligibility(of product: ProductID, at now: Date) async -> OfferEligibility {
    store.books { $0.introductoryEligibility(of: product) }
  }

  func winBackOffers(of product: ProductID) async throws(IAPError) -> [OfferID] {
    try needsStoreKit2("win-back offers")
    let now = store.now
    return store.books { $0.winBackOffers(of: product, at: now) }
  }

  func requestRefund(
    of transaction: TransactionID,
    in anchor: StoreAnchor?
  ) async throws(IAPError) -> RefundOutcome {
    try needsStoreKit2("sheet for refunds")
    guard store.books({ (try? $0.transaction(transaction)) != nil }) else { return .failed }
    return store.sheets.answerRefundRequest(for: transaction.rawValue)
  }

  func manageSubscriptions(
    _ group: SubscriptionGroupID?,
    in anchor: StoreAnchor?
  ) async throws(IAPError) {
    try needsStoreKit2("sheet for subscriptions")
    store.sheets.state.withLock { $0.managedGroups.append(group?.rawValue) }
  }

  func redeemCode(in anchor: StoreAnchor?) async throws(IAPError) {
    let code = store.sheets.state.withLock { $0.codes.isEmpty ? nil : $0.codes.removeFirst() }
    guard let code else { return }
    let now = store.now
    let result = store.books { ledger in try? ledger.sell(code, at: now) }
    if case .transaction(let sold)? = result { store.send(.transaction(sold)) }
  }

  private func needsStoreKit2(_ what: String) throws(IAPError) {
    guard store.generation == .storekit2 else {
      throw .unsupported(reason: "StoreKit 1 has no \(what)")
    }
  }
}

extension IAPProduct {
  /// The offer that a purchase wants; nil when the product has no such offer.
  fileprivate func offer(for wish: PurchaseOffer) -> IAPOffer? {
    switch wish {
    case .promotional(let id), .signed(let id, _), .promotionalJWS(let id, _):
      promotionalOffers.first { $0.id == id }
    case .winBack(let id): winBackOffers.first { $0.id == id }
    }
  }
}
