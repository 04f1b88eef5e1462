import IAPModel
import IAPSignatures

extension IAPManager {
  /// Loads products, and says which ids the store does not know and why that may be.
  ///
  /// - Parameters:
  ///   - ids: Product ids; nil for those of the catalog or the configuration.
  ///   - policy: Whether products that were loaded before are used again; nil for what the
  ///     configuration says. Those of another storefront never are.
  /// - Returns: The products in the order asked for, and the ids that are missing.
  /// - Throws: ``IAPError/productLoadFailed(underlying:)`` when the store did not answer.
  public func products(
    ids: [String]? = nil,
    cache policy: ProductCachePolicy? = nil
  ) async throws(IAPError) -> ProductAnswer {
    if ids == nil, remoteCatalog.isUnknown { _ = await refreshCatalog() }
    let request = ProductRequest(ids ?? effectiveConfiguration.productIds)
    let surroundings = await surroundings()
    var answer: ProductAnswer
    do {
      answer = request.answer(try await load(request, policy ?? configuration.productCache))
    } catch {
      throw error as? IAPError ?? .productLoadFailed(underlying: error)
    }
    if !answer.missing.isEmpty {
      let report = MissingProductsReport(answer, in: surroundings)
      world.log(LogLine(report.impossibleIds.isEmpty ? .warning : .error, report.text(.english)))
      answer.report = report
    }
    return answer
  }

  /// A product that was loaded before, from whatever call; nil when there is none.
  package func loadedProduct(_ id: String) -> IAPProduct? {
    cache.products([id], .use, at: world.now()).products.first
  }

  /// Every product that was loaded so far, by id.
  package var loadedProducts: [IAPProduct] { cache.all }

  /// How often products are asked for again because the storefront changed meanwhile.
  static let storefrontChangesBorne = 2

  private func load(
    _ request: ProductRequest,
    _ policy: ProductCachePolicy
  ) async throws -> [IAPProduct] {
    var loaded: [IAPProduct] = []
    for _ in 0...Self.storefrontChangesBorne {
      let kept = cache.products(request.ids, policy, at: world.now())
      let names = Set(kept.products.map(\.id))
      loaded = try await ProductRequest(request.ids.filter { !names.contains($0) })
        .load { [adapter] in try await adapter.loadProducts($0) }
      noteStorefront(await adapter.storefront())
      let isGood = cache.keep(loaded, epoch: kept.epoch, at: world.now())
      loaded += kept.products
      // Prices of two storefronts are never mixed.
      if isGood { break }
    }
    return loaded
  }

  /// Where purchases are made here, as far as an app can see it.
  ///
  /// The kind of account (sandbox tester or customer) cannot be read.
  ///
  /// - Returns: What is known now.
  public func surroundings() async -> StoreSurroundings {
    let storefront = await adapter.storefront()
    noteStorefront(storefront)
    return StoreSurroundings(
      environment: environmentSeen.withLock { $0 },
      isSandboxHint: configuration.isSandbox,
      isLocalBuild: configuration.isLocalBuild,
      storefront: storefront?.countryCode,
      generation: generation
    )
  }

  // MARK: Storefront

  /// The storefront of the account that is signed in; nil while the device does not say it.
  ///
  /// See ``IAPStorefront`` for what its country may be used for.
  ///
  /// - Returns: The storefront.
  public func storefront() async -> IAPStorefront? {
    let storefront = await adapter.storefront()
    noteStorefront(storefront)
    return storefront
  }

  /// The storefront each time it changes: load products anew, prices and what is sold are others.
  public var storefrontStream: AsyncStream<IAPStorefront> { storefronts.stream() }

  /// Takes note of the storefront; products of another one are forgotten.
  func noteStorefront(_ storefront: IAPStorefront?) {
    guard cache.note(storefront: storefront?.id) else { return }
    adapter.forgetProducts()
  }

  // MARK: The download of the app

  /// How and when the customer got the app, as the App Store signed it.
  ///
  /// On StoreKit 1, and on systems before iOS 16, it is read from the receipt.
  ///
  /// - Returns: The app transaction; look at its integrity first.
  /// - Throws: ``IAPError``; `verificationFailed` when there is no signed text and no receipt.
  public func appTransaction() async throws(IAPError) -> IAPAppTransaction {
    try await appTransaction(refreshing: false)
  }

  /// Asks the App Store for it anew; call it on the user's tap only: the system may ask for a
  /// password.
  ///
  /// - Returns: The app transaction.
  /// - Throws: ``IAPError``, `userCancelled` when the customer does not sign in.
  public func refreshAppTransaction() async throws(IAPError) -> IAPAppTransaction {
    try await appTransaction(refreshing: true)
  }

  private func appTransaction(refreshing: Bool) async throws(IAPError) -> IAPAppTransaction {
    let found: IAPAppTransaction?
    if let signed = try await adapter.appTransaction(refreshing: refreshing) {
      found = signed
    } else {
      let refreshed = refreshing ? await adapter.refreshedReceipt() : nil
      found = (refreshed ?? readReceipt()).flatMap { download(in: $0) }
    }
    guard let found else {
      throw .verificationFailed(
        underlying: ServerAnswer.problem("there is no receipt", status: 0)
      )
    }
    noteEnvironment(found.environment)
    return found
  }

  /// What a receipt says, as far as the device can check it.
  private func download(in receipt: [UInt8]) -> IAPAppTransaction? {
    guard let payload = ReceiptPayload(unverified: receipt) else { return nil }
    // A receipt of another version of the app is genuine too: it is not checked further here.
    guard let verdict = try? world.trust?.verdict(on: receipt) else {
      return IAPAppTransaction(receipt: payload, integrity: .unchecked)
    }
    let rules = verdict.failures.map(\.rule.rawValue).joined(separator: " ")
    return IAPAppTransaction(
      receipt: verdict.accepted?.payload ?? payload,
      integrity: verdict.accepted == nil ? .unverified(reason: rules) : .verified
    )
  }

  /// Takes note of what signed data name.
  func noteEnvironment(_ environment: StoreEnvironment?) {
    if let environment { environmentSeen.withLock { $0 = environment } }
  }
}

extension FunnelEvent {
  /// The environment that a signed transaction names.
  var environment: StoreEnvironment? {
    switch self {
    case .saved(let record), .accepted(let record, _): record.transaction.environment
    case .ready, .held, .rejected, .retryScheduled, .finished, .quarantined, .purchaseFailed,
      .order, .restoreEnded, .storageFailed, .journalRepaired:
      nil
    }
  }
}
