import Foundation
import IAPModel

/// Sells, over StoreKit 2 where there is one and over StoreKit 1 elsewhere.
///
/// Make one at the start of the app, before any screen, and keep it: it begins to listen and to
/// recover what an earlier run left behind when it is made. Orders are written before the payment
/// sheet opens; a transaction is finished only after it was saved, accepted and handed over.
///
/// - **Concurrency:** everything may be called from any thread; nothing here waits on the main one.
public final class IAPManager: IAPService {
  /// What it was made with.
  public let configuration: IAPConfiguration
  /// What the user may use.
  public let entitlements: EntitlementManager
  /// The orders and transactions on the disk.
  public let store: TransactionStore

  package let world: IAPWorld
  let adapter: any StoreAdapter & ProductSource
  package let funnel: DeliveryFunnel
  let refresh: EntitlementRefresh
  let journal: EventJournal
  let readReceipt: @Sendable () -> [UInt8]?
  let states = PurchaseStates()
  let cache = ProductCache()
  let remoteCatalog: RemoteCatalog
  let storefronts = Broadcast<IAPStorefront>()
  /// The environment that signed data named last.
  let environmentSeen = Locked<StoreEnvironment?>(nil)
  let messages = StoreMessages()
  let promoted: PromotedPurchases
  let answeredPromoted = Locked(0)
  let analytics: AnalyticsFeed
  /// Subscription groups whose introductory offer was used in this process.
  let groupsWithUsedOffer = Locked<Set<String>>([])
  private let listening = Locked<Task<Void, Never>?>(nil)
  /// How many events of the funnel were followed.
  let followed = Locked(0)
  /// The start line and the first look at what the user may use.
  let greeting = Locked<Task<Void, Never>?>(nil)
  private let lifetime = Locked<[Task<Void, Never>]>([])

  /// Makes a manager in the real world, which begins to work at once.
  ///
  /// - Parameter configuration: How the app sells.
  public convenience init(configuration: IAPConfiguration) {
    self.init(
      configuration: configuration,
      world: LiveWorld.make(directory: configuration.storeDirectory, log: configuration.log),
      readReceipt: LiveWorld.receipt
    )
  }

  /// Makes a manager in any world, over the generation that the system and the configuration say.
  ///
  /// - Parameters:
  ///   - configuration: How the app sells.
  ///   - world: Time, chance, disk and network.
  ///   - readReceipt: Reads the app receipt as it is now; nil when there is none.
  package convenience init(
    configuration: IAPConfiguration,
    world: IAPWorld,
    readReceipt: @escaping @Sendable () -> [UInt8]?
  ) {
    let readReceipt = configuration.receiptReader(readReceipt)
    let world = world.naming()
    // Read first: StoreKit 1's observer needs the types of the products from its first moment on.
    let catalog = RemoteCatalog(configuration, world: world)
    self.init(
      configuration: configuration,
      world: world,
      adapter: Self.makeAdapter(
        configuration.applying(catalog.current),
        readReceipt: readReceipt
      ),
      readReceipt: readReceipt,
      catalog: catalog
    )
  }

  package convenience init(
    configuration: IAPConfiguration,
    world: IAPWorld,
    adapter: any StoreAdapter & ProductSource,
    readReceipt: @escaping @Sendable () -> [UInt8]?
  ) {
    let world = world.naming()
    self.init(
      configuration: configuration,
      world: world,
      adapter: adapter,
      readReceipt: readReceipt,
      catalog: RemoteCatalog(configuration, world: world)
    )
  }

  private init(
    configuration: IAPConfiguration,
    world: IAPWorld,
    adapter: any StoreAdapter & ProductSource,
    readReceipt: @escaping @Sendable () -> [UInt8]?,
    catalog: RemoteCatalog
  ) {
    self.configuration = configuration
    self.world = world
    self.adapter = adapter
    self.readReceipt = readReceipt
    remoteCatalog = catalog
    promoted = PromotedPurchases(world: world)
    var effective = configuration.applying(catalog.current)
    effective.validator = configuration.judge(world)
    store = TransactionStore(
      storage: configuration.storage ?? JournalStorage(files: world.files),
      now: world.now,
      uuid: world.uuid
    )
    journal = EventJournal(configuration, world, store, adapter.generation)
    analytics = AnalyticsFeed(hook: configuration.analytics, store: store)
    entitlements = EntitlementManager(configuration: effective, world: world)
    let entitlements = entitlements
    let account = SignedInAccount(
      effective.account.map { CustomerID($0) },
      userToken: effective.orders.userToken
    )
    let validator = effective.validator.map {
      WatchedValidator(
        validator: $0,
        entitlements: entitlements,
        account: account,
        world: world
      )
    }
    funnel = DeliveryFunnel(
      configuration: FunnelConfiguration(configuration, account: account),
      world: world,
      adapter: adapter,
      store: store,
      validator: validator,
      handler: configuration.delivery.map { entitlements.applying($0) },
      witness: world.keepsEvents ? journal : nil
    )
    refresh = EntitlementRefresh(
      configuration: configuration,
      validator: validator,
      store: store,
      adapter: adapter,
      funnel: funnel,
      entitlements: entitlements,
      readReceipt: readReceipt,
      trust: world.trust
    )
    letEntitlementsAsk(for: account)
    adapter.use(types: effective.productTypes)
    start()
  }

  /// Lets the entitlements have the store's list read again, and see what is not judged yet.
  private func letEntitlementsAsk(for account: SignedInAccount) {
    entitlements.relist.withLock { relist in
      relist = { [weak refresh] in await refresh?.list() }
    }
    entitlements.recall { [store] in
      store.openRecords().filter { $0.state == .received && !$0.isAnothers }
        .filter { account.owns($0.transaction, order: $0.order.flatMap { store.order($0) }) }
        .map(\.transaction)
    }
  }

  deinit {
    funnel.stop()
    for task in lifetime.withLock({ $0 }) { task.cancel() }
  }

  private static func makeAdapter(
    _ configuration: IAPConfiguration,
    readReceipt: @escaping @Sendable () -> [UInt8]?
  ) -> any StoreAdapter & ProductSource {
    if #available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *),
      !configuration.forceStoreKit1
    {
      return SK2StoreAdapter(usesQueueForPromoted: configuration.usesQueueForPromoted)
    }
    return SK1StoreAdapter(types: configuration.productTypes, readReceipt: readReceipt)
  }

  private func start() {
    // Subscribed first, so that nothing of the recovery is missed.
    let events = funnel.events.subscribe()
    let account = funnel.account
    let following = Task {
      [entitlements, states, store, followed, environmentSeen, analytics, groupsWithUsedOffer] in
      states.recall(store.waitingOrders)
      for await event in events {
        if account.isConcerned(by: event, store) { entitlements.follow(event) }
        states.follow(event)
        if let environment = event.environment { environmentSeen.withLock { $0 = environment } }
        analytics.follow(event)
        if case .ready(_, let result) = event, result.offerType == .introductory,
          let group = result.subscriptionGroupId
        {
          _ = groupsWithUsedOffer.withLock { $0.insert(group) }
        }
        followed.withLock { $0 += 1 }
      }
    }
    let arriving = listenToStore()
    funnel.start()
    let changes = adapter.storefrontUpdates()
    let storefrontWatch = Task { [cache, adapter, storefronts] in
      for await storefront in changes {
        if cache.note(storefront: storefront.id) { adapter.forgetProducts() }
        storefronts.send(storefront)
      }
    }
    // Nothing here keeps the manager alive while somebody is asked.
    let greeting = Task { [weak self, refresh, remoteCatalog] in
      await self?.greet()
      if await remoteCatalog.refreshIfDue()?.isUpdate == true { self?.applyCatalog() }
      await refresh.run()
    }
    // Apart from those who follow, so that nobody waits for the disk.
    let noted = funnel.events.subscribe()
    let noting = Task { [journal] in
      for await _ in noted { journal.flush() }
    }
    let watching = Task { [refresh] in await refresh.watch() }
    self.greeting.withLock { $0 = greeting }
    let returns = world.networkReturns()
    let reaching = Task { [weak self] in
      for await _ in returns { await self?.resume(.networkBack) }
    }
    lifetime.withLock { tasks in
      tasks = [following, noting, greeting, watching, storefrontWatch, reaching] + arriving
    }
  }

  private func greet() async {
    let pending = store.pendingRecords()
    noteEnvironment(pending.last?.transaction.environment)
    let line = StartLine(
      productIds: effectiveConfiguration.productIds,
      surroundings: await surroundings(),
      openOrders: store.openOrders.count { $0.state == .opened || $0.state == .pending },
      unfinishedRecords: pending.count
    )
    world.log(LogLine(.info, line.text))
  }

  /// Which of Apple's two purchase APIs is in use.
  public var generation: StoreGeneration { adapter.generation }

  /// Whether this device and account may pay.
  public var canMakePayments: Bool { adapter.canMakePayments() }

  // MARK: Products

  /// Loads products.
  ///
  /// - Parameter ids: Product ids, in any number; a repeated one counts once.
  /// - Returns: The products that the store knows, in the order asked for.
  /// - Throws: ``IAPError/productLoadFailed(underlying:)`` when the store did not answer.
  public func loadProducts(ids: [String]) async throws -> [IAPProduct] {
    try await products(ids: ids).products
  }

  // MARK: Listening

  /// Everything that becomes ready for the app from now on; any number of consumers.
  ///
  /// A purchase that was taken back comes again, with ``IAPTransactionResult/revocationDate``.
  public var transactionStream: AsyncStream<IAPTransactionResult> {
    transactionStream(replayingMissed: false)
  }

  /// Everything that becomes ready for the app, also what a late consumer has missed.
  ///
  /// - Parameter replayingMissed: Whether the stream begins with what came since the manager was
  ///   made, at most the newest of it.
  /// - Returns: A stream of its own.
  public func transactionStream(replayingMissed: Bool) -> AsyncStream<IAPTransactionResult> {
    let events = funnel.events.subscribe(replaying: replayingMissed)
    return AsyncStream { continuation in
      let task = Task { [entitlements] in
        for await event in events {
          guard case .ready(_, let result) = event else { continue }
          entitlements.apply(result)
          continuation.yield(result)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Tells the closure of everything that becomes ready, and of what waited for it.
  ///
  /// Without a delivery handler, its return says that the app has the goods.
  ///
  /// - Parameter handler: Called in order, off the main thread.
  public func startTransactionListener(
    _ handler: @escaping @Sendable (IAPTransactionResult) -> Void
  ) {
    attach { [entitlements] _, result in
      entitlements.apply(result)
      handler(result)
    }
  }

  /// Ends what ``startTransactionListener(_:)`` began; it can be started again.
  public func stopTransactionListener() { attach(nil) }

  private func attach(
    _ listener: (@Sendable (Delivery.Kind, IAPTransactionResult) -> Void)?
  ) {
    listening.withLock { [funnel] listening in
      let earlier = listening
      listening = Task {
        await earlier?.value
        await funnel.attachListener(listener)
      }
    }
  }

  /// Hands over what waited for the app, when the configuration holds delivery back.
  public func openDelivery() {
    Task { [funnel] in await funnel.openDelivery() }
  }
}
