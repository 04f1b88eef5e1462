import AppStoreSimulator
package import IAPKit
package import IAPModel
package import SimulatedDevice
package import Foundation
import StoreKit
import Synchronization

/// An app on a simulated device: it sells through the client that ships to telephones, and puts
/// what it hands over on a shelf on the device's disk.
///
/// It outlives its processes: kill it, launch it again, and read what the user has.
///
/// - **Concurrency:** safe from any thread.
package final class SimulatedApp: Sendable {
  /// The telephone.
  package let device: SimulatedDevice
  /// What the clients of all processes told, in order.
  package let events = EventLog<FunnelEvent>()
  /// What the clients of all processes gave to the stream of transactions.
  package let results = EventLog<IAPTransactionResult>()
  /// Every call of the delivery handler.
  package let deliveries = EventLog<Delivery>()
  /// The log.
  package let lines = EventLog<LogLine>()
  /// When the clients wanted to be woken, in the order in which they went to sleep.
  package let naps = EventLog<Date>()
  /// Where processes died, by the name of the step.
  package let deaths = EventLog<String>()
  /// When effects were put on the shelf, by their keys; the first of a key is the effect.
  package let shelved = EventLog<(key: String, date: Date)>()
  /// Every action of the funnels of all processes, before it was performed.
  package let steps = EventLog<DeliveryStep>()

  private struct Run {
    let process: AppProcess
    let manager: IAPManager
  }

  /// What was read of the shelf last: it is asked for much more often than it changes.
  private struct ReadShelf {
    var bytes: [UInt8] = []
    var effects: [GoodsEffect] = []
  }

  private let setup: Mutex<AppSetup>
  private let readShelf = Mutex(ReadShelf())
  /// The names of all actions that the funnels of all processes came to.
  private let knownSteps = Mutex<Set<String>>([])
  private let run = Mutex<Run?>(nil)
  private let chance: Mutex<SeededGenerator>

  /// Installs the app; it does not run before ``launch()``.
  ///
  /// - Parameters:
  ///   - device: The telephone.
  ///   - setup: How the app is built.
  package init(device: SimulatedDevice, setup: AppSetup) {
    self.device = device
    self.setup = Mutex(setup)
    chance = Mutex(SeededGenerator(seed: setup.seed))
  }

  /// Changes how the app is built, from the next launch on.
  package func update(_ change: (inout AppSetup) -> Void) { setup.withLock { change(&$0) } }

  // MARK: Life

  /// Starts the app; a process that was running is killed.
  package func launch() async throws {
    let process = device.launch()
    if let step = setup.withLock({ $0.dies }) { process.kill(at: step) }
    Task { [events] in
      await process.waitUntilKilled()
      events.lookAgain()
    }
    process.onKill { [steps, deaths] step in
      guard let step else { return }
      // The last action that was about to be performed is the one before which it died.
      let isInFunnel = step == Self.funnelStep || step == Self.newFunnelStep
      let name = isInFunnel ? steps.elements.last?.name : step.rawValue
      if let name { deaths.append(name) }
    }
    let configuration = configuration(for: process)
    let world = world(of: process)
    let device = device
    let receipt = setup.withLock { $0.receipt }
    let (manager, told, results) = try await process.run {
      let manager = IAPManager(
        configuration: configuration,
        world: world,
        readReceipt: { receipt(device) }
      )
      return (
        manager, manager.events(replaying: true), manager.transactionStream(replayingMissed: true)
      )
    }
    run.withLock { $0 = Run(process: process, manager: manager) }
    process.start { [events] in
      for await event in told where process.isAlive { events.append(event) }
    }
    process.start { [log = self.results] in
      for await result in results where process.isAlive { log.append(result) }
    }
  }

  /// Kills the app's process: nothing of it happens any more.
  package func kill() { current?.process.kill() }

  /// Plans the kill for when the process passes a step.
  ///
  /// - Parameters:
  ///   - step: Where.
  ///   - occurrence: At which passing from now on; 1 is the next.
  package func kill(at step: KillStep, occurrence: Int = 1) {
    current?.process.kill(at: step, occurrence: occurrence)
  }

  /// Waits until the process is dead.
  package func waitUntilKilled() async { await current?.process.waitUntilKilled() }

  /// The person comes back to the app.
  package func enterForeground() async throws {
    device.enterForeground()
    try await perform { await $0.resume(.foreground) }
  }

  /// The network is back, and the system tells the app.
  package func networkReturns() async throws {
    try await perform { await $0.resume(.networkBack) }
  }

  private var current: Run? { run.withLock { $0 } }

  /// The client of the process that runs, or ran last.
  ///
  /// Reading from it is safe anywhere; what reaches the store goes through ``perform(_:)``.
  package var manager: IAPManager {
    guard let current else { preconditionFailure("the app was not launched") }
    return current.manager
  }

  /// Whether the app runs.
  package var isAlive: Bool { current?.process.isAlive ?? false }

  /// The step that is passed before each action of the funnel.
  package static let funnelStep: KillStep = "funnel"

  /// The step that is passed before an action of the funnel that this telephone never came to.
  package static let newFunnelStep: KillStep = "newFunnelAction"

  /// The step at which a process dies before an action of its funnel.
  package static func death(at step: String) -> KillStep { KillStep(rawValue: "funnel:" + step) }

  /// Waits until the process has nothing more to do for now, or is dead.
  package func rest() async {
    for _ in 0..<100 {
      guard (try? await perform({ await $0.funnel.whenIdle() })) != nil else { return }
      await Task.yield()
    }
  }

  /// Runs code of the app in its process.
  ///
  /// - Parameter body: Gets the client.
  /// - Returns: What the code returns.
  /// - Throws: What the code throws, or `DeviceError` with `processKilled`.
  package func perform<Value: Sendable>(
    _ body: @escaping @Sendable (IAPManager) async throws -> Value
  ) async throws -> Value {
    guard let current else { preconditionFailure("the app was not launched") }
    return try await current.process.run { try await body(current.manager) }
  }

  // MARK: What a user does

  /// Loads products; nil for all that the app sells.
  package func products(_ ids: [ProductID]? = nil) async throws -> ProductAnswer {
    try await perform { try await $0.products(ids: ids?.map(\.rawValue)) }
  }

  /// Taps "buy".
  package func buy(
    _ product: ProductID,
    options: PurchaseOptions = PurchaseOptions()
  ) async throws -> IAPKit.PurchaseOutcome {
    try await perform { await $0.buy(product.rawValue, options: options) }
  }

  /// Taps "restore".
  package func restore() async throws -> RestoreSummary {
    try await perform { await $0.restoreSummary() }
  }

  // MARK: What can be seen

  /// Whether the user may use the feature; a product opens one of its own name.
  package func access(to product: ProductID) -> Access {
    manager.entitlements.access(to: product.rawValue)
  }

  /// What is on the shelf, as a restarted telephone would find it, oldest first.
  package var effects: [GoodsEffect] {
    let bytes = device.disk.flushedBytes(of: GoodsShelf.fileName) ?? []
    return readShelf.withLock { shelf in
      guard bytes != shelf.bytes else { return shelf.effects }
      shelf = ReadShelf(bytes: bytes, effects: GoodsShelf.effects(in: bytes))
      return shelf.effects
    }
  }

  /// How many effects of the kind a product had.
  package func count(_ kind: Delivery.Kind = .grant, of product: ProductID) -> Int {
    effects.count { $0.kind == kind && $0.productId == product.rawValue }
  }

  /// Whether the store waits for nothing to be finished on this device.
  package var isQueueEmpty: Bool {
    guard let unfinished = try? device.store.unfinished(on: device.id),
      let copies = try? device.store.unfinishedCopies(on: device.id)
    else { return false }
    return unfinished.isEmpty && copies.isEmpty
  }

  /// How many transactions StoreKit shows as waiting: the queue, or the unfinished ones.
  package func waitingCount() async throws -> Int {
    let generation = manager.generation
    return try await perform { _ in
      switch generation {
      case .storekit1: return SKPaymentQueue.default().transactions.count
      case .storekit2:
        var count = 0
        for await _ in StoreKit.Transaction.unfinished { count += 1 }
        return count
      }
    }
  }

  /// Waits until the store waits for nothing on this device.
  package func waitUntilQueueIsEmpty() async {
    await events.wait(until: { [self] _ in isQueueEmpty })
  }

  /// Waits until a product has had so many effects of the kind.
  package func waitUntil(
    _ count: Int,
    _ kind: Delivery.Kind = .grant,
    of product: ProductID
  ) async {
    await events.wait(until: { [self] _ in self.count(kind, of: product) >= count })
  }
}

extension SimulatedApp {
  /// How often ``letTimePass(until:)`` wakes the app before it gives up.
  package static let wakesMax = 200

  /// Lets the store's clock run whenever the app sleeps, until something is so.
  ///
  /// What is under way comes to its end first, however slow the machine is: a question that the
  /// clock overtakes is one that nobody answered, and one that wakes with it would be next.
  ///
  /// - Parameter isSo: The condition; looked at after everything that the app tells.
  /// - Returns: Whether it is so; false when the app was woken ``wakesMax`` times in vain.
  package func letTimePass(until isSo: @escaping @Sendable () -> Bool) async -> Bool {
    var seen = 0
    for _ in 0..<Self.wakesMax {
      let known = seen
      await events.wait(until: { [naps] _ in isSo() || naps.elements.count > known })
      if isSo() { return true }
      _ = try? await perform { await $0.funnel.whenIdle() }
      if isSo() { return true }
      let naps = naps.elements
      seen = naps.count
      if let due = naps.max() { device.store.clock.advance(to: due) }
    }
    return isSo()
  }
}

// MARK: Building the client

extension SimulatedApp {
  private func configuration(for process: AppProcess) -> IAPConfiguration {
    let setup = setup.withLock { $0 }
    let shelf = GoodsShelf(disk: process.disk)
    var configuration = IAPConfiguration(
      productIds: setup.productIds.map(\.rawValue),
      validator: validator(setup.judge, process),
      isSandbox: device.store.configuration.environment != .production,
      delivery: { [deliveries, shelved, clock = device.store.clock] delivery in
        setup.hears(delivery)
        await process.pass(.beforeDelivery)
        deliveries.append(delivery)
        if let answer = setup.handle(delivery) { return answer }
        do {
          try shelf.put(GoodsEffect(delivery))
          shelved.append((delivery.idempotencyKey, clock.now))
        } catch {
          return .retryLater
        }
        await process.pass(.afterDelivery)
        return .delivered
      },
      forceStoreKit1: setup.generation == .storekit1
    )
    configuration.productTypes = Dictionary(
      uniqueKeysWithValues: setup.productTypes.map { ($0.key.rawValue, $0.value) }
    )
    configuration.logLevel = .debug
    setup.configure(&configuration)
    return configuration
  }

  private func validator(
    _ judge: AppSetup.Judge,
    _ process: AppProcess
  ) -> (any ReceiptValidator)? {
    switch judge {
    case .device: nil
    case .server(let endpoint, let transport):
      ServerReceiptValidator(endpoint: endpoint, http: network(process, transport))
    case .validator(let validator):
      ScriptedValidator(process: process, note: { try await validator.acknowledge($0) }) {
        try await validator.validate($0)
      }
    case .script(let script): ScriptedValidator(process: process, note: { _ in }, script: script)
    }
  }

  private func network(_ process: AppProcess, _ transport: @escaping AppTransport) -> AppTransport {
    let device = device
    return { request in
      try await process.guarded(before: .beforeRequest, after: .afterResponse) {
        guard !device.isInAirplaneMode else {
          throw IAPError.network(underlying: URLError(.notConnectedToInternet))
        }
        return try await transport(request)
      }
    }
  }

  private func world(of process: AppProcess) -> IAPWorld {
    let clock = device.store.clock
    let trust = setup.withLock { $0.trust }
    var world = IAPWorld(
      now: { [self] in clock.now.addingTimeInterval(setup.withLock { $0.clockOffset }) },
      sleep: { [naps, events] seconds in
        let due = clock.now.addingTimeInterval(seconds)
        naps.append(due)
        events.lookAgain()
        try await process.guarded { try await clock.sleep(until: due) }
      },
      uuid: { [self] in chance.withLock { $0.nextUUID() } },
      random: { [self] in chance.withLock { Double($0.next() >> 11) / 9_007_199_254_740_992 } },
      files: DeviceFiles(disk: process.disk),
      http: network(process, setup.withLock { $0.serverTransport }),
      log: { [lines] in lines.append($0) },
      trust: trust
    )
    // No nap: who waits for an answer does not want the clock to run.
    world.lateness = { [now = world.now] date in
      let due = clock.now.addingTimeInterval(max(0, date.timeIntervalSince(now())))
      try await process.guarded { try await clock.sleep(until: due) }
    }
    (world.keepsEvents, world.trace) = setup.withLock { ($0.keepsEvents, $0.trace) }
    #if PLANTED_BUGS
    world.planted = setup.withLock { $0.planted }
    world.files = MistakenFiles(files: DeviceFiles(disk: process.disk), planted: world.planted)
    #endif
    world.atStep = { [self] step in
      steps.append(step)
      events.lookAgain()
      let name = step.name
      await process.pass(Self.funnelStep)
      await process.pass(Self.death(at: name))
      if knownSteps.withLock({ $0.insert(name).inserted }) {
        await process.pass(Self.newFunnelStep)
      }
    }
    return world
  }
}

/// Plays the server's part, with the same places to be killed at.
private struct ScriptedValidator: ReceiptValidator {
  let process: AppProcess
  let note: @Sendable (TransactionEvidence) async throws -> Void
  let script: @Sendable (TransactionEvidence) async throws -> ReceiptValidationResult

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    throw IAPError.unknown
  }

  func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    try await process.guarded(before: .beforeRequest, after: .afterResponse) {
      try await script(evidence)
    }
  }
  func acknowledge(_ evidence: TransactionEvidence) async throws {
    try await process.guarded(before: .beforeRequest, after: .afterResponse) {
      try await note(evidence)
    }
  }
}
