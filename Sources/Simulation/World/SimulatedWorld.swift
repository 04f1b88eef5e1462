import AppStoreSimulator
import EntitlementServer
import Foundation
import HTTPValues
import IAPKit
import IAPModel
import IAPSignatures
import SimulatedApp
import SimulatedDevice
import Synchronization

/// A store, its customers with their telephones, and the app's servers, in one process.
final class SimulatedWorld: Sendable {
  /// A call of an app's delivery handler.
  struct Handover: Hashable, Sendable {
    let device: Int
    let key: String
    /// Who was signed in; two, when they changed places in that instant.
    let users: Set<String>
    /// The API that the app uses.
    let generation: StoreGeneration
  }

  /// The goods that an app never takes.
  struct Postponement: Hashable, Sendable {
    let transactionID: TransactionID
    /// The telephone whose app was the first to be asked, and the API that it uses.
    let device: Int
    let generation: StoreGeneration
  }

  private struct State {
    var users: [Int]
    /// Who was signed in when the app was started.
    var starters: [Int: Int] = [:]
    /// When another user signed in last, and who was there before.
    var switches: [Int: (date: Date, user: Int)] = [:]
    var handovers: [Handover] = []
    var taps = 0
    var postponement: Postponement?
    var hasRefused = false
  }

  /// After how many seconds family members get what one of them bought, at most.
  static let familySecondsMax: TimeInterval = 600
  /// The longest wait between two attempts of a patient app.
  static let patientSeconds: TimeInterval = 6 * 3600
  static let start = Date(timeIntervalSince1970: 1_750_000_000)
  private static let base = "http://server.test"

  let kit: SimulationKit
  let cast: Cast
  let store: SimulatedAppStore
  let farm: ServerFarm
  let path: NetworkPath
  let apps: [SimulatedApp]
  let trace: RunTrace
  let userTokens: [String: UUID]
  private let state: Mutex<State>

  init(_ plan: RunPlan, kit: SimulationKit, trace: RunTrace) throws {
    self.kit = kit
    self.trace = trace
    cast = plan.cast
    var generator = SeededGenerator.of(2, seed: plan.seed)
    store = try Self.makeStore(plan, kit, &generator)
    let anchors = try TrustAnchors.simulated([
      store.jwsRootCertificate, try store.receiptRootCertificate(),
    ])
    farm = Self.makeFarm(plan, kit, store.clock, anchors, trace)
    path = NetworkPath(seed: generator.next(), clock: store.clock, farm: farm)
    var tokens: [String: UUID] = [:]
    for (index, customer) in plan.cast.customers.enumerated() {
      for user in 0..<customer.userCount { tokens[Cast.user(index, user)] = generator.nextUUID() }
    }
    userTokens = tokens
    state = Mutex(State(users: plan.cast.handsets.map { _ in 0 }))
    let trust = DeviceTrust(
      anchors: anchors,
      origin: ExpectedOrigin(
        apps: [ExpectedOrigin.App(bundleID: DemoCatalog.bundleID, appAppleID: nil)],
        environments: [.sandbox]
      ),
      crypto: kit.signing
    )
    let store = store
    apps = try plan.cast.handsets.enumerated().map { index, handset in
      let app = SimulatedApp(
        device: try SimulatedDevice(
          store: store,
          account: Self.account(handset.customer),
          id: DeviceID("phone-\(index)")
        ),
        setup: AppSetup(
          generation: handset.generation,
          productIds: SimulationKit.products.map(\.id),
          productTypes: Dictionary(
            uniqueKeysWithValues: SimulationKit.products.map { ($0.id, $0.type) }
          ),
          seed: generator.next()
        )
      )
      app.update { setup in
        setup.trust = trust
        setup.keepsEvents = plan.cast.keepsEvents
      }
      #if PLANTED_BUGS
      app.update { $0.planted = kit.bug.flatMap { PlantedBug(rawValue: $0) } }
      #endif
      return app
    }
    connect()
  }

  static func account(_ customer: Int) -> AccountID { AccountID("account-\(customer)") }

  // MARK: Building

  private static func makeStore(
    _ plan: RunPlan,
    _ kit: SimulationKit,
    _ generator: inout SeededGenerator
  ) throws -> SimulatedAppStore {
    var options = StoreOptions(environment: .sandbox)
    options.retryTimetable = .production
    options.sendsNotificationsAtOnce = true
    options.gracePeriod = generator.percent(60) ? 16 * 24 * 3600 : nil
    options.familyDelay = generator.percent(30) ? familySecondsMax : 0
    options.refundKeepsAutoRenew = generator.percent(50)
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: kit.catalog,
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        seed: plan.seed,
        start: start,
        options: options
      ),
      signing: kit.signing
    )
    for (index, customer) in plan.cast.customers.enumerated() {
      try store.addAccount(account(index))
      try store.setAsksToBuy(customer.asksToBuy, of: account(index))
      guard customer.isInFamily else { continue }
      if index == 0 {
        try store.addFamily(family, organizer: account(0))
      } else {
        try store.joinFamily(family, account(index))
      }
    }
    return store
  }

  static let family = FamilyID("family")

  private static func makeFarm(
    _ plan: RunPlan,
    _ kit: SimulationKit,
    _ clock: VirtualClock,
    _ anchors: TrustAnchors,
    _ trace: RunTrace
  ) -> ServerFarm {
    let configuration = ServerConfiguration(
      apps: [ServerApp(bundleID: DemoCatalog.bundleID, appAppleID: DemoCatalog.appAppleID)],
      isSimulated: true
    )
    let verifiers = ServerVerifiers(
      anchors: anchors,
      configuration: configuration,
      crypto: kit.signing,
      cache: kit.makeCache()
    )
    let chance = Mutex(SeededGenerator.of(3, seed: plan.seed))
    var world = ServerWorld(
      requestID: { "req_\(chance.withLock { $0.next() })" },
      uptime: { .zero },
      random: { count in
        chance.withLock { chance in
          (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        }
      },
      log: { event in trace.note(clock.now, "server \(event)") }
    )
    #if PLANTED_BUGS
    world.planted = kit.bug.flatMap { PlantedBug(rawValue: $0) }
    #endif
    let disk = ServerDisk(
      hidesFailures: kit.bug == "acknowledgesFailedWrites",
      flushesLate: kit.bug == "acknowledgesBeforeCommit"
    )
    return ServerFarm(count: plan.cast.serverCount, disk: disk) { [world] ledger in
      EntitlementServer(
        configuration: configuration,
        ledger: ledger,
        verifiers: verifiers,
        clock: ClosureClock { clock.now },
        world: world
      )
    }
  }

  /// Lets the apps ask the servers, and the store tell them.
  private func connect() {
    guard let endpoint = URL(string: Self.base + "/v1/verify"),
      let hook = URL(string: Self.base + "/v1/notifications/apple")
    else { return }
    for (index, app) in apps.enumerated() {
      app.update { setup in
        setup.judge = .server(endpoint: endpoint) { [unowned self] in try await ask($0) }
        setup.hears = { [unowned self] delivery in
          guard !postpones(delivery, on: index) else { return }
          noteHandover(
            Handover(
              device: index,
              key: delivery.idempotencyKey,
              users: usersNow(of: index),
              generation: delivery.transaction.generation
            )
          )
        }
        setup.handle = { [unowned self] delivery in
          if postpones(delivery, on: index) { return .retryLater }
          return refuses(delivery) ? .refuse(reason: "not today") : nil
        }
        setup.configure = { [unowned self] configuration in
          state.withLock { $0.starters[index] = $0.users[index] }
          let name = user(of: index)
          if cast.isPatient { configuration.retry.longestDelay = Self.patientSeconds }
          configuration.account = name
          if cast.usesUserTokens { configuration.orders.userToken = userTokens[name] }
        }
      }
    }
    try? store.setNotificationURL(hook)
    store.setNotificationSender { [unowned self] _, body in
      let request = HTTPRequest(method: .post, target: "/v1/notifications/apple", body: body)
      guard let response = await path.carry(request, isFromApp: false) else {
        return .failed(.noResponse)
      }
      noteAcknowledgement(body, response)
      return .answered(response.status)
    }
  }

  private func ask(_ request: ClientRequest) async throws -> ClientResponse {
    var headers = HTTPHeaders()
    for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) { headers[name] = value }
    let query = request.url.query.map { "?" + $0 } ?? ""
    let response = await path.carry(
      HTTPRequest(
        method: HTTPMethod(rawValue: request.method),
        target: request.url.path + query,
        headers: headers,
        body: request.body
      ),
      isFromApp: true
    )
    trace.note(
      store.clock.now,
      "app asked \(request.url.path): \(response?.status ?? 0) "
        + String(decoding: response?.body ?? [], as: UTF8.self)
    )
    guard let response else { throw IAPError.network(underlying: URLError(.timedOut)) }
    return ClientResponse(status: response.status, body: response.body)
  }

  private func noteAcknowledgement(_ body: [UInt8], _ response: HTTPResponse) {
    trace.note(store.clock.now, "notification answered \(response.status)")
  }

  // MARK: Who uses what

  /// The user who is signed in to the app of a device.
  func user(of device: Int) -> String {
    Cast.user(cast.handsets[device].customer, state.withLock { $0.users[device] })
  }

  func signIn(_ user: Int, on device: Int) {
    let now = store.clock.now
    state.withLock { state in
      if state.users[device] != user { state.switches[device] = (now, state.users[device]) }
      state.users[device] = user
    }
  }

  /// Starts an app; whoever signed in while it started is signed in then.
  func start(_ device: Int) async {
    let app = apps[device]
    do { try await app.launch() } catch { return }
    let (now, before) = state.withLock { ($0.users[device], $0.starters[device]) }
    guard now != before else { return }
    try? await app.perform { [unowned self] in await signIn(now, on: device, in: $0) }
  }

  /// Lets another user sign in to an app that runs, in one step: nobody finds the app and the world
  /// of two minds.
  func signIn(_ user: Int, on device: Int, in manager: IAPManager) async {
    signIn(user, on: device)
    let name = self.user(of: device)
    await manager.setAccount(name, userToken: cast.usesUserTokens ? userTokens[name] : nil)
  }

  /// Fetches the notifications that the App Store has given up, as an operator does after a long
  /// outage (decision 0334).
  ///
  /// - Returns: How many.
  func fetchMissedNotifications() async -> Int {
    let missed = store.notifications.filter { !$0.isDelivered && $0.nextAttemptDate == nil }
    for record in missed {
      guard let text = try? store.signedNotification(record) else { continue }
      let body: JSONObject = ["signedPayload": .string(text)]
      let target = "/v1/notifications/apple"
      let request = HTTPRequest(method: .post, target: target, body: body.serialized)
      _ = await farm.answer(request, isFromApp: false)
    }
    return missed.count
  }

  /// The users who are signed in at this instant; a call that was decided on just before a switch
  /// reaches the app just behind it.
  private func usersNow(of device: Int) -> Set<String> {
    let now = store.clock.now
    let before = state.withLock { $0.switches[device] }.flatMap { $0.date == now ? $0.user : nil }
    let customer = cast.handsets[device].customer
    return Set([user(of: device)] + (before.map { [Cast.user(customer, $0)] } ?? []))
  }

  /// A name for a tap, which travels in the order's context.
  func nextTap() -> Int {
    state.withLock { state in
      state.taps += 1
      return state.taps
    }
  }

  /// Whether the app never takes these goods.
  private func postpones(_ delivery: Delivery, on device: Int) -> Bool {
    let transaction = delivery.transaction
    guard cast.postponesFirst, transaction.productId == DemoCatalog.coins.rawValue else {
      return false
    }
    let asked = Postponement(
      transactionID: TransactionID(transaction.transactionId),
      device: device,
      generation: transaction.generation
    )
    return state.withLock { state in
      let first = state.postponement ?? asked
      state.postponement = first
      return first.transactionID == asked.transactionID
    }
  }

  /// Whether the app refuses these goods: the first of all, once.
  private func refuses(_ delivery: Delivery) -> Bool {
    guard cast.refusesFirst, delivery.kind == .grant else { return false }
    return state.withLock { state in
      defer { state.hasRefused = true }
      return !state.hasRefused
    }
  }

  /// The transaction whose goods the app never takes.
  var postponed: String? { postponement?.transactionID.rawValue }

  /// The goods that the app never takes, and who was asked first.
  var postponement: Postponement? { state.withLock { $0.postponement } }

  var handovers: [Handover] { state.withLock { $0.handovers } }

  private func noteHandover(_ handover: Handover) {
    state.withLock { $0.handovers.append(handover) }
    trace.note(store.clock.now, "phone-\(handover.device) hands over \(handover.key)")
  }
}
