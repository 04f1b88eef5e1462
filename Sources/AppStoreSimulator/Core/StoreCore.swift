import Foundation
import IAPModel

/// The store without clock, keys and network: a value that takes commands and says what to do.
///
/// Every command is told the instant. What has to happen outside is collected in ``effects``.
struct StoreCore: Sendable {
  let environment: StoreEnvironment
  let options: StoreOptions
  let calendar: BillingCalendar
  private(set) var state: StoreState
  private(set) var history: [LedgerEntry] = []
  var identifiers: IdentifierSource
  private(set) var faults = StoreFaults()
  private(set) var views: [DeviceID: FrozenView] = [:]
  private(set) var effects: [StoreEffect] = []
  var dueAttempts: [DueAttempt] = []
  var notificationURLs: [BundleID: URL] = [:]
  var notificationVersions: [BundleID: NotificationVersion] = [:]

  /// What a device sees that cannot reach the store.
  struct FrozenView: Sendable {
    let state: StoreState
    var finished: [TransactionID] = []
    var missed: [StoreEvent] = []
  }

  init(environment: StoreEnvironment, options: StoreOptions, seed: UInt64) {
    self.environment = environment
    self.options = options
    let pace = options.pace ?? .realTime
    calendar = BillingCalendar(pace: pace)
    state = StoreState(terms: options.terms, grace: options.grace, pace: pace)
    identifiers = IdentifierSource(seed: seed, environment: environment)
  }

  /// Writes into the ledger and takes it into the state.
  mutating func append(_ event: LedgerEvent, at now: Date) {
    let entry = LedgerEntry(
      sequence: history.count,
      date: now,
      stamp: event.isSigned ? state.nextStamp(at: now) : state.lastStamp,
      event: event
    )
    history.append(entry)
    state.apply(entry)
  }

  mutating func perform(_ effect: StoreEffect) { effects.append(effect) }

  mutating func takeEffects() -> [StoreEffect] {
    defer { effects = [] }
    return effects
  }

  /// Tells a device, or remembers it until the device can be reached.
  mutating func tell(_ device: DeviceID, _ event: StoreEvent) {
    if views[device] != nil {
      views[device]?.missed.append(event)
    } else {
      perform(.tell(device, event))
    }
  }

  /// Tells all devices of the account that have the app, but one.
  mutating func tellDevices(
    of account: AccountID,
    with app: BundleID,
    except device: DeviceID? = nil,
    _ event: StoreEvent
  ) {
    for other in state.devices(of: account, with: app) where other != device {
      tell(other, event)
    }
  }

  /// Changes what goes wrong; devices that come back hear what they missed.
  mutating func setFaults(_ new: StoreFaults, at now: Date) throws(SimulatorError) {
    let old = faults
    faults = new
    for device in state.devices {
      switch (old.reaches(device.id), new.reaches(device.id)) {
      case (true, false): views[device.id] = FrozenView(state: state)
      case (false, true): try reconnect(device.id, at: now)
      case (true, true), (false, false): break
      }
    }
  }

  private mutating func reconnect(_ device: DeviceID, at now: Date) throws(SimulatorError) {
    guard let view = views.removeValue(forKey: device) else { return }
    for transaction in view.finished { try finish(transaction, on: device, at: now) }
    for event in view.missed { tell(device, event) }
  }

  /// The store as the device knows it.
  func view(of device: DeviceID) -> StoreState { views[device]?.state ?? state }

  mutating func noteFinishedOffline(_ transaction: TransactionID, on device: DeviceID) -> Bool {
    guard views[device] != nil else { return false }
    views[device]?.finished.append(transaction)
    return true
  }

  /// The records with what the device finished while it was away.
  func overlaid(
    _ records: [StoreTransactionRecord],
    on device: DeviceID
  ) -> [StoreTransactionRecord] {
    guard let view = views[device], !view.finished.isEmpty else { return records }
    return records.map { record in
      guard view.finished.contains(record.transactionID) else { return record }
      var record = record
      record.isFinished = true
      return record
    }
  }
}

/// What has to happen outside of the store's lock.
enum StoreEffect: Sendable {
  /// Come back at the instant.
  case wake(Date, Wake)
  /// Tell a device.
  case tell(DeviceID, StoreEvent)
  /// A notification can be sent.
  case attemptDue

  /// What to come back for.
  enum Wake: Hashable, Sendable {
    case subscription(OriginalTransactionID)
    case pending(PendingID)
    case notification(NotificationUUID)
    case massExtension(RequestIdentifier)
    case familyCopy(TransactionID, AccountID)
  }
}

/// A notification whose time has come.
struct DueAttempt: Hashable, Sendable {
  let uuid: NotificationUUID
  let date: Date
}

// MARK: Finding

extension StoreCore {
  func app(_ id: BundleID) throws(SimulatorError) -> AppRecord {
    guard let app = state.app(id) else {
      throw SimulatorError(.unknownApp, "there is no app \"\(id)\"")
    }
    return app
  }

  func account(_ id: AccountID) throws(SimulatorError) -> AccountRecord {
    guard let account = state.account(id) else {
      throw SimulatorError(.unknownAccount, "there is no account \"\(id)\"")
    }
    return account
  }

  func device(_ id: DeviceID) throws(SimulatorError) -> DeviceRecord {
    guard let device = state.device(id) else {
      throw SimulatorError(.unknownDevice, "there is no device \"\(id)\"")
    }
    return device
  }

  func transaction(_ id: TransactionID) throws(SimulatorError) -> StoreTransactionRecord {
    guard let record = state.transaction(id) ?? state.copy(id) else {
      throw SimulatorError(.unknownTransaction, "there is no transaction \(id)")
    }
    return record
  }

  func subscription(_ id: OriginalTransactionID) throws(SimulatorError) -> SubscriptionRecord {
    guard let record = state.subscription(id) else {
      throw SimulatorError(.unknownSubscription, "there is no subscription \(id)")
    }
    return record
  }

  /// Says why the device gets no answer, when it gets none.
  func failureOfReach(_ device: DeviceID) -> StoreFailure? {
    if faults.isStoreUnreachable { return .storeUnreachable }
    return faults.offlineDevices.contains(device) ? .networkUnavailable : nil
  }

  func requireReach(_ device: DeviceID) throws(SimulatorError) {
    guard let failure = failureOfReach(device) else { return }
    throw SimulatorError(.unreachable, "\(device): \(failure.rawValue)")
  }
}
