public import Foundation
import IAPModel
public import IAPSignatures
import Synchronization

/// A simulated App Store: apps, accounts, devices, purchases, renewals, refunds, notifications.
///
/// Its history is a function of the configuration and the calls: the same seed and the same calls
/// give the same bytes, signatures included.
///
/// - **Concurrency:** safe from any thread. Calls are answered at once; what takes time happens
///   when ``clock`` moves. Observers are called in order, outside of the lock, before the call that
///   caused them returns (or by the thread that is telling others already).
public final class SimulatedAppStore: Sendable {
  /// What the store is made of.
  public let configuration: StoreConfiguration
  /// The store's time.
  public let clock: VirtualClock
  let signer: StoreSigner
  let developerKeys = DeveloperKeys()
  private let core: Mutex<StoreCore>
  private let outside = Mutex(Outside())
  private let courier = NotificationCourier()

  private struct Outside {
    var observers: [(observation: StoreObservation, observer: StoreObserver)] = []
    var numberNext = 0
    var effects: [StoreEffect] = []
    var isFlushing = false
    var sender: NotificationSender?
  }

  /// Opens a store with its first app.
  ///
  /// - Parameters:
  ///   - configuration: What the store is made of.
  ///   - signing: Makes the keys that it signs with.
  ///   - clock: Its time, for stores that share one; nil for a clock of its own.
  /// - Throws: ``SimulatorError`` with `signingFailed` when keys cannot be made.
  public init(
    configuration: StoreConfiguration,
    signing: any SigningPrimitives,
    clock: VirtualClock? = nil
  ) throws(SimulatorError) {
    self.configuration = configuration
    self.clock = clock ?? VirtualClock(start: configuration.start)
    signer = try StoreSigner(
      signing: signing,
      seed: configuration.seed,
      start: configuration.start,
      responder: configuration.responder
    )
    var options = configuration.options
    if configuration.catalog.settings.hasGracePeriod, options.gracePeriod == nil {
      options.gracePeriod = StoreOptions.usualGracePeriod
    }
    if configuration.environment == .xcode, options.pace == nil {
      options.pace = .xcode(timeRate: configuration.catalog.settings.timeRate)
    }
    var core = StoreCore(
      environment: configuration.environment,
      options: options,
      seed: configuration.seed
    )
    let first = AppRecord(
      bundleID: configuration.bundleID,
      appAppleID: configuration.appAppleID,
      catalog: configuration.catalog,
      version: "1.0",
      build: "1"
    )
    try core.addApp(first, at: self.clock.now)
    self.core = Mutex(core)
    adoptKeyPair(of: configuration.catalog, app: first.bundleID)
  }

  /// The store's time.
  public var now: Date { clock.now }

  /// Everything that happened, oldest first.
  public var history: [LedgerEntry] { read { $0.history } }

  /// The DER of the certificate that signed texts lead to.
  public var jwsRootCertificate: [UInt8] { signer.transactionChain.root }

  /// The DER of the certificate that receipts lead to.
  ///
  /// The first call makes RSA keys, which takes a while.
  ///
  /// - Returns: The certificate.
  /// - Throws: ``SimulatorError`` with `signingFailed`.
  public func receiptRootCertificate() throws(SimulatorError) -> [UInt8] {
    try signer.receiptChain().root
  }
}

// MARK: Inside

extension SimulatedAppStore {
  func read<Value: Sendable>(_ body: (StoreCore) -> Value) -> Value {
    core.withLock { body($0) }
  }

  func tryRead<Value: Sendable>(
    _ body: (StoreCore) throws(SimulatorError) -> Value
  ) throws(SimulatorError) -> Value {
    try core.withLock { core throws(SimulatorError) in try body(core) }
  }

  /// Runs a command, then does what it asks for.
  func command<Value: Sendable>(
    _ body: (inout StoreCore, Date) throws(SimulatorError) -> Value
  ) throws(SimulatorError) -> Value {
    defer { flush() }
    return try core.withLock { core throws(SimulatorError) in
      defer { collect(core.takeEffects()) }
      return try body(&core, clock.now)
    }
  }

  /// Plans what the clock has to do while the lock is held, so that no move of it comes between.
  private func collect(_ effects: [StoreEffect]) {
    for effect in effects {
      guard case .wake(let date, let wake) = effect else { continue }
      clock.schedule(at: date) { [weak self] now in self?.wake(wake, at: now) }
    }
    outside.withLock { $0.effects.append(contentsOf: effects) }
  }

  private func flush() {
    let isMine = outside.withLock { outside in
      defer { outside.isFlushing = true }
      return !outside.isFlushing
    }
    guard isMine else { return }
    while let effect = takeEffect() {
      switch effect {
      case .wake: break
      case .tell(let device, let event): tell(device, event)
      case .attemptDue:
        if configuration.options.sendsNotificationsAtOnce { Task { await drainNotifications() } }
      }
    }
  }

  private func takeEffect() -> StoreEffect? {
    outside.withLock { outside in
      guard outside.effects.isEmpty else { return outside.effects.removeFirst() }
      outside.isFlushing = false
      return nil
    }
  }

  private func tell(_ device: DeviceID, _ event: StoreEvent) {
    let observers = outside.withLock { outside in
      outside.observers.filter { $0.observation.device == device }.map(\.observer)
    }
    for observer in observers { observer(event) }
  }

  private func wake(_ wake: StoreEffect.Wake, at now: Date) {
    // A thing that is not there any more needs no waking.
    try? command { core, _ throws(SimulatorError) in
      switch wake {
      case .subscription(let id): try core.wakeSubscription(id, at: now)
      case .pending(let id): core.lapse(id, at: now)
      case .notification(let uuid): core.wakeNotification(uuid, at: now)
      case .massExtension(let request): try core.performMassExtension(request, at: now)
      case .familyCopy(let id, let member): try core.shareLate(id, with: member, at: now)
      }
    }
  }
}

// MARK: Observing

extension SimulatedAppStore {
  /// Tells about every event of a device from now on.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - observer: Told about every event, in order.
  /// - Returns: What ends it.
  /// - Throws: ``SimulatorError`` with `unknownDevice`.
  @discardableResult
  public func observe(
    _ device: DeviceID,
    _ observer: @escaping StoreObserver
  ) throws(SimulatorError) -> StoreObservation {
    _ = try tryRead { core throws(SimulatorError) in try core.device(device) }
    return outside.withLock { outside in
      let observation = StoreObservation(device: device, number: outside.numberNext)
      outside.numberNext += 1
      outside.observers.append((observation, observer))
      return observation
    }
  }

  /// Ends an observation; events that are on their way may still arrive.
  public func endObservation(_ observation: StoreObservation) {
    outside.withLock { outside in
      outside.observers.removeAll { $0.observation == observation }
    }
  }
}

// MARK: Sending notifications

extension SimulatedAppStore {
  /// Sets what posts notifications; due ones wait until there is something.
  public func setNotificationTransport(_ transport: NotificationTransport?) {
    guard let transport else { return setNotificationSender(nil) }
    setNotificationSender { url, body in
      guard let status = await transport(url, body) else { return .failed(.noResponse) }
      return .answered(status)
    }
  }

  /// Sets what posts notifications and says in Apple's words why there is no answer.
  public func setNotificationSender(_ sender: NotificationSender?) {
    outside.withLock { $0.sender = sender }
    if configuration.options.sendsNotificationsAtOnce { Task { await drainNotifications() } }
  }

  /// Sends every notification that is due now; returns when all those attempts are over.
  public func drainNotifications() async {
    await courier.drain { [self] in await sendNext() }
  }

  /// Moves the clock forward from event to event and sends what becomes due on the way.
  ///
  /// - Parameters:
  ///   - interval: Seconds.
  ///   - pause: Awaited at each instant at which something happened, so that apps can act.
  public func advance(
    by interval: TimeInterval,
    pausing pause: @Sendable () async -> Void = {}
  ) async {
    await advance(to: clock.now.addingTimeInterval(max(0, interval)), pausing: pause)
  }

  /// Moves the clock forward from event to event and sends what becomes due on the way.
  ///
  /// - Parameters:
  ///   - target: Where the clock shall stand.
  ///   - pause: Awaited at each instant at which something happened, so that apps can act.
  public func advance(
    to target: Date,
    pausing pause: @Sendable () async -> Void = {}
  ) async {
    await drainNotifications()
    while let due = clock.nextDue, due <= target {
      clock.advance(to: due)
      await drainNotifications()
      await pause()
    }
    clock.advance(to: target)
  }

  private func sendNext() async -> Bool {
    guard let sender = outside.withLock({ $0.sender }) else { return false }
    guard let (attempt, record, url) = takeDueAttempt() else { return false }
    let faults = faults
    // A notification that cannot be signed is an attempt without an answer.
    var reply = NotificationReply.failed(faults.notificationFailure ?? .other)
    if faults.notificationFailure == nil, let body = try? notificationBody(record) {
      reply = await sender(url, body)
      if faults.losesNotificationAnswers { reply = .failed(.prematureClose) }
    }
    try? command { core, now throws(SimulatorError) in core.noteAttempt(attempt, reply, at: now) }
    return true
  }

  private func takeDueAttempt() -> (DueAttempt, NotificationRecord, URL)? {
    core.withLock { $0.takeDueAttempt() }
  }
}
