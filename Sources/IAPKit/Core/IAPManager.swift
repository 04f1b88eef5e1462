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
  let funnel: DeliveryFunnel
  let refresh: EntitlementRefresh
  let readReceipt: @Sendable () -> [UInt8]?
  let states = PurchaseStates()
  let known = Locked<Set<String>>([])
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
    self.init(
      configuration: configuration,
      world: world,
      adapter: Self.makeAdapter(configuration, readReceipt: readReceipt),
      readReceipt: readReceipt
    )
  }

  package init(
    configuration: IAPConfiguration,
    world: IAPWorld,
    adapter: any StoreAdapter & ProductSource,
    readReceipt: @escaping @Sendable () -> [UInt8]?
  ) {
    self.configuration = configuration
    self.world = world
    self.adapter = adapter
    store = TransactionStore(
      storage: JournalStorage(files: world.files),
      now: world.now,
      uuid: world.uuid
    )
    self.readReceipt = readReceipt
    entitlements = EntitlementManager(configuration: configuration, world: world)
    let entitlements = entitlements
    let validator = configuration.validator.map {
      WatchedValidator(validator: $0, entitlements: entitlements)
    }
    funnel = DeliveryFunnel(
      configuration: FunnelConfiguration(
        isSandbox: configuration.isSandbox,
        retry: configuration.retry,
        quarantine: configuration.quarantine,
        orders: configuration.orders,
        holdsDelivery: configuration.holdsDelivery
      ),
      world: world,
      adapter: adapter,
      store: store,
      validator: validator,
      handler: configuration.delivery.map { entitlements.applying($0) }
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
    start()
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
      return SK2StoreAdapter()
    }
    return SK1StoreAdapter(types: configuration.productTypes, readReceipt: readReceipt)
  }

  private func start() {
    // Subscribed first, so that nothing of the recovery is missed.
    let events = funnel.events.subscribe()
    let following = Task { [entitlements, states, followed] in
      for await event in events {
        entitlements.follow(event)
        states.follow(event)
        followed.withLock { $0 += 1 }
      }
    }
    funnel.start()
    let greeting = Task { [refresh, adapter, store, configuration, log = world.log] in
      await StartLine(configuration: configuration, adapter: adapter, store: store).write(to: log)
      await refresh.run()
    }
    let watching = Task { [refresh] in await refresh.watch() }
    self.greeting.withLock { $0 = greeting }
    lifetime.withLock { $0 = [following, greeting, watching] }
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

  /// Loads products, and says which ids the store does not know.
  ///
  /// - Parameter ids: Product ids; nil for those of the configuration.
  /// - Returns: The products in the order asked for, and the ids that are missing.
  /// - Throws: ``IAPError/productLoadFailed(underlying:)`` when the store did not answer.
  public func products(ids: [String]? = nil) async throws(IAPError) -> ProductAnswer {
    let request = ProductRequest(ids ?? configuration.productIds)
    let answer: ProductAnswer
    do {
      answer = try await request.load { [adapter] in try await adapter.loadProducts($0) }
    } catch {
      throw error as? IAPError ?? .productLoadFailed(underlying: error)
    }
    known.withLock { $0.formUnion(answer.products.map(\.id)) }
    if !answer.missing.isEmpty { world.log(StartLine.missing(answer)) }
    return answer
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
