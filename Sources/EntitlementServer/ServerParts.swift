import AppStoreServerAPI
import HTTPValues
import IAPModel
import IAPSignatures
import ServerStorage

/// What the use cases are made of.
struct ServerParts: Sendable {
  let configuration: ServerConfiguration
  let verifiers: ServerVerifiers
  let ledger: any Ledger
  let clock: any ServerClock
  let world: ServerWorld
  let metrics: ServerMetrics
  let tokens: CustomerTokens
  let catalogs: CatalogShelf
  let offerKeys: [BundleID: AppStoreServerKey]
  let lookup: (any StoreLookup)?
  /// How the App Store is reached, by app.
  let apple: [BundleID: AppleAccess]
  /// How webhooks are sent; nil where none are.
  let webhooks: WebhookWorld?
  /// Rings when events were filed.
  let bell = EventBell()
  /// How long other servers' leases have stood still.
  let watch = LeaseWatch()
  /// The leases that this server has.
  let held = HeldLeases()
  /// When the logs were looked after last.
  let logsKept = LogTurn()
  /// The servers that share the ledger.
  let servers = KnownServers()
  /// Requests that wait for events.
  let waiters = EventWaiters()
  /// What was folded lately.
  let histories = FoldedHistories()
  /// What was answered lately.
  let pictures = CustomerPictures()

  init(
    configuration: ServerConfiguration,
    verifiers: ServerVerifiers,
    ledger: any Ledger,
    clock: any ServerClock,
    world: ServerWorld,
    offerKeys: [BundleID: AppStoreServerKey],
    lookup: (any StoreLookup)?,
    apple: [BundleID: AppleAccess] = [:],
    webhooks: WebhookWorld? = nil
  ) {
    self.configuration = configuration
    let metrics = ServerMetrics()
    self.metrics = metrics
    let ledger = MeasuredLedger(
      ledger: ledger,
      metrics: metrics,
      world: world,
      slow: configuration.limits.slowQuery
    )
    self.ledger = ledger
    var verifiers = verifiers
    verifiers.watch = VerificationWatch(metrics: metrics, uptime: world.uptime)
    self.verifiers = verifiers
    self.clock = clock
    self.world = world
    self.offerKeys = offerKeys
    self.apple = apple
    for client in apple.values.flatMap({ [$0.client, $0.background] }).compactMap({ $0 }) {
      client.watch { metrics.note($0) }
    }
    for client in apple.values.compactMap(\.receipts) { client.watch { metrics.note($0) } }
    self.webhooks = webhooks
    self.lookup =
      lookup
      ?? (apple.values.contains { $0.client != nil }
        ? AppleLookup(configuration: configuration, access: apple, clock: clock) : nil)
    catalogs = CatalogShelf(configuration: configuration)
    tokens = CustomerTokens(
      ledger: ledger,
      authenticator: MessageAuthenticator(digest: { [verifiers] in verifiers.digest($0) }),
      random: world.random
    )
  }

  /// Looks things up in the ledger.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any LedgerReading) throws(StorageError) -> Value
  ) async throws(ServerError) -> Value {
    try await stored { () async throws(StorageError) in try await ledger.read(body) }
  }

  /// Records a write.
  func commit(_ write: LedgerWrite) async throws(ServerError) -> WriteOutcome {
    var write = write
    write.digest = { [verifiers] in verifiers.digest($0) }
    if let trace = RequestTrace.current, trace.isCallers { write.trace = trace.context.trace }
    write.catalog = { [catalogs] app, reader throws(StorageError) in
      try catalogs.rules(app, reader)
    }
    let complete = write
    let outcome = try await stored { () async throws(StorageError) in
      try await ledger.commit(complete)
    }
    if outcome.eventsFiled > 0 { bell.ring() }
    return outcome
  }

  /// Names a customer in the audit log, where no personal name may stand.
  func mark(_ customer: CustomerID) -> String {
    tokens.mark(customer)
  }

  /// A note for people about what a caller did.
  func audit(_ action: String, _ call: Call, _ app: BundleID, _ details: JSONObject) -> AuditRecord
  {
    var details = details
    details["by"] = .string(call.caller.auditName)
    return AuditRecord(app: app, action: action, details: details, date: call.now)
  }
}
