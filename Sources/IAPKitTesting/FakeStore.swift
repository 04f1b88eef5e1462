public import Foundation
public import IAPKit

/// A store for an app's own tests: no network, no waiting, on every platform.
///
/// ``launch(_:)`` makes the `IAPManager` that the app would make, with everything in it but the
/// App Store, the disk and the clock. What a customer or the App Store does is a call of the test:
/// buy, cancel, approve, renew, refund. Each such call returns when the client is done with it.
///
/// ```swift
/// let store = FakeStore(products: [.fake("com.example.pro", .nonConsumable, price: 9.99)])
/// let manager = store.launch(IAPConfiguration(productIds: ["com.example.pro"]))
/// _ = try await manager.purchase(productId: "com.example.pro")
/// ```
///
/// It is a stand-in, not a simulation: nothing is signed, offers are given to whoever asks unless
/// ``offerProblem`` says otherwise, and a subscription renews at the moment at which its period
/// ends.
///
/// - **Concurrency:** safe from any thread.
public final class FakeStore: Sendable {
  /// What the customer does with a payment sheet.
  public enum SheetAnswer: Sendable {
    /// Pays.
    case buy
    /// Closes it.
    case cancel
    /// Has to ask somebody; see ``FakeStore/approvePurchase(of:)``.
    case askParent
    /// Nothing: the sheet stays open until ``FakeStore/answerSheet(_:)``.
    case later
    /// Pays, and the transaction's signature does not hold.
    case buyUnverified
    /// The store fails.
    case fail(IAPError)
  }

  /// When the clock of a fake store begins, unless the test says otherwise: 2026-01-01.
  public static let standardStart = Date(timeIntervalSince1970: 1_767_225_600)

  /// Which of Apple's two purchase APIs it plays.
  public let generation: StoreGeneration
  /// A server that knows what was bought; give it to the configuration to test with one.
  public let validator: FakeValidator
  /// A server that signs offers; give it to the configuration to sell with promotional offers.
  public let offerSigner = FakeOfferSigner()

  let sheet = FakeSheet()
  let sheets = FakeSheets()
  private let clock: FakeClock
  private let disk = FakeDisk()
  private let ledger: Locked<FakeLedger>
  private let state = Locked(State())

  private struct State {
    weak var manager: IAPManager?
    var process = 0
    var sink: (@Sendable (StoreSignal) -> Void)?
    var isOffline = false
    var canMakePayments = true
    var lines: [LogLine] = []
    var finishWaiters: [CheckedContinuation<Void, Never>] = []
    var nextUUID: UInt64 = 0
  }

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - products: What it sells.
  ///   - generation: Which of Apple's two purchase APIs it plays.
  ///   - start: The time on its clock, which stands still until it is moved.
  public init(
    products: [IAPProduct],
    generation: StoreGeneration = .storekit2,
    start: Date = FakeStore.standardStart
  ) {
    self.generation = generation
    clock = FakeClock(now: start)
    let ledger = Locked(FakeLedger(products: products, generation: generation))
    self.ledger = ledger
    let clock = clock
    validator = FakeValidator(
      find: { id in ledger.withLock { try? $0.transaction(TransactionID(id)) } },
      wait: { seconds in try await clock.sleep(until: clock.now.addingTimeInterval(seconds)) }
    )
  }

  // MARK: The app

  /// Starts the app: makes its manager, over what earlier launches left on the disk.
  ///
  /// An earlier launch is over then, as if the app had been killed.
  ///
  /// - Parameter configuration: How the app sells. Where it stores, and which generation it forces,
  ///   has no meaning here.
  /// - Returns: The manager; keep it as the app does.
  public func launch(_ configuration: IAPConfiguration) -> IAPManager {
    let files = disk.beginProcess()
    let process = state.withLock { state in
      state.process += 1
      state.sink = nil
      return state.process
    }
    sheet.closeAll()
    sheets.beginProcess()
    let adapter = FakeStoreAdapter(store: self, process: process)
    let manager = IAPManager(
      configuration: configuration,
      world: world(files: files, configuration: configuration),
      adapter: adapter,
      readReceipt: { adapter.receipt() }
    )
    state.withLock { $0.manager = manager }
    return manager
  }

  private func world(files: any ClientFiles, configuration: IAPConfiguration) -> IAPWorld {
    let clock = clock
    let (level, handler) = (configuration.logLevel, configuration.logHandler)
    return IAPWorld(
      now: { clock.now },
      sleep: { seconds in try await clock.sleep(until: clock.now.addingTimeInterval(seconds)) },
      sleepUntil: { try await clock.sleep(until: $0) },
      uuid: { [weak self] in self?.nextUUID() ?? UUID(number: 0) },
      random: { 0 },
      files: files,
      http: { _ in throw FakeStoreAdapter.noNetwork },
      log: { [weak self] line in
        guard line.level >= level else { return }
        self?.state.withLock { $0.lines.append(line) }
        handler?(line)
      }
    )
  }

  private func nextUUID() -> UUID {
    state.withLock { state in
      state.nextUUID += 1
      return UUID(number: state.nextUUID)
    }
  }

  /// What the app's manager has logged.
  public var logLines: [LogLine] { state.withLock { $0.lines } }

  // MARK: The world around it

  /// The time on the clock.
  public var now: Date { clock.now }

  /// Whether the network is down.
  ///
  /// The validator has a network of its own: see ``FakeValidator/mood``.
  public var isOffline: Bool {
    get { state.withLock { $0.isOffline } }
    set { state.withLock { $0.isOffline = newValue } }
  }

  /// Whether this device and account may pay.
  public var canMakePayments: Bool {
    get { state.withLock { $0.canMakePayments } }
    set { state.withLock { $0.canMakePayments = newValue } }
  }

  /// Whether nothing can be written any more.
  public var isDiskFull: Bool {
    get { disk.isFull }
    set { disk.isFull = newValue }
  }

  /// Says what the customer will do with the next payment sheets; after that, they pay.
  ///
  /// - Parameter answers: One for each sheet.
  public func willAnswer(_ answers: SheetAnswer...) { sheet.willAnswer(answers) }

  /// Waits until a sheet is open that stays open.
  public func waitUntilSheetIsOpen() async { await sheet.waitUntilOpen() }

  /// Answers a sheet that stayed open.
  ///
  /// - Parameter answer: What the customer does now.
  /// - Throws: ``FakeStoreError`` with `noSheet`.
  public func answerSheet(_ answer: SheetAnswer) throws(FakeStoreError) {
    guard sheet.answer(answer) else { throw FakeStoreError(code: .noSheet, subject: "") }
  }

  // MARK: For the adapter

  /// Looks into the books, or changes them.
  func books<Result, Failure: Error>(
    _ body: (inout FakeLedger) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try ledger.withLock(body)
  }

  func isRunning(_ process: Int) -> Bool { state.withLock { $0.process == process } }

  func listen(_ process: Int, _ sink: (@Sendable (StoreSignal) -> Void)?) {
    state.withLock { state in
      guard state.process == process else { return }
      state.sink = sink
    }
  }

  func noteFinished(_ id: TransactionID) {
    books { $0.finish(id) }
    let waiters = state.withLock { state in
      defer { state.finishWaiters = [] }
      return state.finishWaiters
    }
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Settling

  /// The ids of the transactions that the app has not finished.
  public var unfinishedTransactionIds: [String] {
    books { ledger in ledger.unfinished.map(\.rawValue) }
  }

  /// Waits until the app has finished every transaction.
  public func waitUntilFinished() async {
    // Bound: each round waits for one more transaction to be finished.
    while !unfinishedTransactionIds.isEmpty {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard books({ !$0.unfinished.isEmpty }) else { return true }
          state.finishWaiters.append(continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    }
  }

  /// Waits until the client is done with everything that happened, or waits for the clock, the app
  /// or the customer.
  public func settle() async {
    guard let manager = runningManager else { return }
    tellStatuses()
    await manager.settled { signal in send(signal) }
    await sheets.statuses.whenIdle()
  }

  var runningManager: IAPManager? { state.withLock { $0.manager } }

  /// Tells an app on StoreKit 2 where the subscriptions stand.
  func tellStatuses() {
    guard generation == .storekit2 else { return }
    let now = now
    for status in books({ $0.statuses(at: now) }) { sheets.statuses.send(status) }
  }

  /// Moves the clock; what was to happen meanwhile happens, in order: retries and renewals.
  ///
  /// - Parameter seconds: By how much, not negative.
  public func advance(by seconds: TimeInterval) async {
    let end = now.addingTimeInterval(seconds)
    await settle()
    for _ in 0..<Self.momentsMax {
      let moments = [clock.nextWaking, books { $0.nextRenewal }].compactMap { $0 }
      guard let moment = moments.min(), moment <= end else { break }
      clock.move(to: moment)
      let now = now
      for renewed in books({ $0.renewDue(at: now) }) { send(.transaction(renewed)) }
      await settle()
    }
    clock.move(to: end)
    await settle()
  }

  /// Moves the clock and waits for nothing, where something of the client sleeps on the clock
  /// itself: a slow validator, for example.
  ///
  /// - Parameter seconds: By how much, not negative.
  public func moveClock(by seconds: TimeInterval) {
    clock.move(to: now.addingTimeInterval(seconds))
  }

  /// The most moments at which something may happen in one ``advance(by:)``.
  static let momentsMax = 10_000

  /// Announces something to the app, when it runs; otherwise it waits for the next launch.
  func send(_ signal: StoreSignal) {
    if let sink = state.withLock({ $0.sink }) { return sink(signal) }
    if case .mark(let reached) = signal { reached() }
  }
}

extension UUID {
  /// A UUID that is made of a number, so that two runs of a test are the same.
  init(number: UInt64) {
    let low = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    self.init(
      uuid: (
        0xFA, 0xCE, 0, 0, 0, 0, 0x40, 0, 0x80, low[1], low[2], low[3], low[4], low[5], low[6],
        low[7]
      )
    )
  }
}
