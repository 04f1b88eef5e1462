import Foundation
import IAPKit
import IAPModel

/// Counts the effects of one process and lets none through after its death.
///
/// A process that was killed goes on running in the test, as a ghost: its calls return, but what
/// they do reaches nothing.
final class Life: Sendable {
  private struct State {
    var effects = 0
    var limit: Int
    var hasTorn = false
  }

  private let state: Guarded<State>
  /// Whether the effect that death prevents is done by half (a torn write).
  let tears: Bool

  init(effects limit: Int = .max, tears: Bool = false) {
    state = Guarded(State(limit: limit))
    self.tears = tears
  }

  /// Whether this effect takes place.
  func takesEffect() -> Bool {
    state.withLock { state in
      guard state.effects < state.limit else { return false }
      state.effects += 1
      return true
    }
  }

  var effects: Int { state.withLock(\.effects) }
  var isDead: Bool { state.withLock { $0.effects >= $0.limit } }

  /// Ends the process here; its ghost tears nothing more, for the next one may have the file.
  func kill() { state.withLock { ($0.limit, $0.hasTorn) = ($0.effects, true) } }

  /// Whether the write that death prevents is done by half; true for the first one only.
  func tearsThisWrite() -> Bool {
    state.withLock { state in
      defer { state.hasTorn = true }
      return tears && !state.hasTorn
    }
  }
}

/// A value behind a lock, for tests.
final class Guarded<State>: @unchecked Sendable {  // A lock makes the access exclusive.
  private let lock = NSLock()
  private var state: State
  init(_ state: State) { self.state = state }
  func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }
}

/// A disk that keeps what was flushed, whichever process wrote it.
final class ScriptedDisk: Sendable {
  struct State {
    var files: [String: [UInt8]] = [:]
    var locks: [String: ObjectIdentifier] = [:]
    /// What the next appends and replacements throw, until it is taken away.
    var fault: StorageProblem?
    /// Whether only replacing fails.
    var failsReplacing = false
    /// How many bytes of a failing append reach the file all the same.
    var partialBytes = 0
    var bytesWritten = 0
    var replacements = 0
  }

  let state = Guarded(State())

  subscript(name: String) -> [UInt8]? {
    get { state.withLock { $0.files[name] } }
    set { state.withLock { $0.files[name] = newValue } }
  }

  func fail(_ problem: StorageProblem?, partialBytes: Int = 0) {
    state.withLock {
      $0.fault = problem
      $0.partialBytes = partialBytes
    }
  }
}

/// The disk as one process sees it.
final class ScriptedFiles: ClientFiles {
  private let disk: ScriptedDisk
  private let life: Life

  init(_ disk: ScriptedDisk, life: Life = Life()) {
    self.disk = disk
    self.life = life
  }

  func lock(_ name: String) throws(IAPError) -> any ClientFileLock {
    let lock = ScriptedLock(disk, name)
    try disk.state.withLock { (state) throws(IAPError) in
      guard state.locks[name] == nil else { throw .storage(.inUse) }
      state.locks[name] = ObjectIdentifier(lock)
    }
    return lock
  }

  func read(_ name: String) throws(IAPError) -> [UInt8]? { disk[name] }

  func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError) {
    // Asked behind the disk's lock, or a ghost could write into the file of the next process.
    try disk.state.withLock { (state) throws(IAPError) in
      let isAlive = life.takesEffect()
      var file = Array((state.files[name] ?? []).prefix(length))
      guard isAlive else {
        // The process died in this call: nothing, or a part, was written.
        if life.tearsThisWrite() { state.files[name] = file + bytes.prefix(bytes.count / 2) }
        return
      }
      precondition(file.count == length, "a journal leaves no holes")
      if let fault = state.fault {
        state.files[name] = file + bytes.prefix(state.partialBytes)
        throw .storage(fault)
      }
      file += bytes
      state.bytesWritten += bytes.count
      state.files[name] = file
    }
  }

  func replace(_ name: String, with bytes: [UInt8]) throws(IAPError) {
    try disk.state.withLock { (state) throws(IAPError) in
      guard life.takesEffect() else { return }
      if let fault = state.fault { throw .storage(fault) }
      if state.failsReplacing { throw .storage(.full) }
      state.files[name] = bytes
      state.bytesWritten += bytes.count
      state.replacements += 1
    }
  }
}

final class ScriptedLock: ClientFileLock {
  private let disk: ScriptedDisk
  private let name: String

  init(_ disk: ScriptedDisk, _ name: String) {
    self.disk = disk
    self.name = name
  }

  deinit { release() }

  func release() {
    disk.state.withLock { state in
      if state.locks[name] == ObjectIdentifier(self) { state.locks[name] = nil }
    }
  }
}

/// A clock that stands still until a test moves it.
final class ScriptedClock: Sendable {
  private struct Sleeper {
    var deadline: Date
    var continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var now = Date(timeIntervalSince1970: 1_700_000_000)
    var sleepers: [Int: Sleeper] = [:]
    var next = 0
    var cancelled: Set<Int> = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())

  var now: Date { state.withLock(\.now) }

  func sleep(until deadline: Date) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
          if state.cancelled.remove(number) != nil {
            continuation.resume(throwing: CancellationError())
            return []
          }
          guard deadline > state.now else {
            continuation.resume()
            return []
          }
          state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          defer { state.watchers = [] }
          return state.watchers
        }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock and wakes whoever is due.
  func advance(by seconds: TimeInterval) { advance(to: now + seconds) }

  /// Somebody sets the clock back; nobody is woken by that.
  func set(back seconds: TimeInterval) { state.withLock { $0.now -= seconds } }

  func advance(to date: Date) {
    let due = state.withLock { state in
      state.now = max(state.now, date)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }.sorted { $0.key < $1.key }
      for (number, _) in due { state.sleepers[number] = nil }
      return due.map(\.value.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  /// Waits until somebody sleeps, then moves to the first deadline. Returns the seconds slept.
  @discardableResult
  func advanceToNextDeadline() async -> TimeInterval {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard state.sleepers.isEmpty else { return true }
        state.watchers.append(continuation)
        return false
      }
      if isReady { continuation.resume() }
    }
    guard let deadline = state.withLock({ $0.sleepers.values.map(\.deadline).min() }) else {
      return await advanceToNextDeadline()
    }
    let before = now
    advance(to: deadline)
    return deadline.timeIntervalSince(before)
  }
}

/// StoreKit, as the account's store knows it; it outlives processes.
final class ScriptedStore: Sendable {
  struct State {
    var paid: [StoreTransaction] = []
    var finished: [StoreReference] = []
    var copies: [StoreTransaction] = []
    var receipt: [UInt8]?
    var mayPay = true
    var requests: [StorePurchaseRequest] = []
    var sheet: @Sendable (StorePurchaseRequest) -> StorePurchaseResult = { _ in .pending }
    var restoreError: IAPError?
  }

  let state = Guarded(State())

  var unfinished: [StoreTransaction] {
    state.withLock { state in state.paid.filter { !state.finished.contains($0.reference) } }
  }
  var finished: [String] { state.withLock { $0.finished.map(\.rawValue) } }

  func pay(_ transaction: StoreTransaction) { state.withLock { $0.paid.append(transaction) } }
}

/// StoreKit, as one process sees it.
final class ScriptedAdapter: StoreAdapter {
  let generation: StoreGeneration
  let store: ScriptedStore
  private let life: Life
  private let sink = Guarded<(@Sendable (StoreSignal) -> Void)?>(nil)
  /// While set, a purchase waits here with its sheet open.
  /// How often the store was asked for a new receipt.
  let receiptRequests = Guarded(0)
  let sheetGate = Guarded<Gate?>(nil)

  init(_ store: ScriptedStore, life: Life = Life(), generation: StoreGeneration = .storekit2) {
    self.store = store
    self.life = life
    self.generation = generation
  }

  func canMakePayments() -> Bool { store.state.withLock(\.mayPay) }

  func purchase(_ request: StorePurchaseRequest) async -> StorePurchaseResult {
    if let gate = sheetGate.withLock({ $0 }) { await gate.pass() }
    guard life.takesEffect() else { return .failed(.unknown, reference: nil) }
    let sheet = store.state.withLock { state in
      state.requests.append(request)
      return state.sheet
    }
    let result = sheet(request)
    if case .transaction(let transaction) = result { store.pay(transaction) }
    return result
  }

  func unfinished() async -> [StoreTransaction] { life.isDead ? [] : store.unfinished }

  func finish(_ reference: StoreReference) async -> StoreFinishAnswer {
    guard life.takesEffect() else { return .finished }
    // StoreKit takes a second finish of the same transaction without a word.
    store.state.withLock { state in
      if !state.finished.contains(reference) { state.finished.append(reference) }
    }
    return .finished
  }

  func restore() async throws(IAPError) -> [StoreTransaction] {
    let (copies, error) = store.state.withLock { ($0.copies, $0.restoreError) }
    if let error { throw error }
    return copies
  }

  func currentEntitlements() async -> [StoreTransaction] { [] }
  func receipt() -> [UInt8]? { store.state.withLock(\.receipt) }
  func refreshedReceipt() async -> [UInt8]? {
    receiptRequests.withLock { $0 += 1 }
    return receipt()
  }
  func start(_ sink: @escaping @Sendable (StoreSignal) -> Void) {
    self.sink.withLock { $0 = sink }
  }
  func stop() { sink.withLock { $0 = nil } }
  func send(_ signal: StoreSignal) { sink.withLock { $0 }?(signal) }
}

/// A door that stays shut until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())

  func pass() async {
    await withCheckedContinuation { continuation in
      let (passes, watchers) = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        defer { state.watchers = [] }
        return (state.isOpen, state.watchers)
      }
      if passes { continuation.resume() }
      for watcher in watchers { watcher.resume() }
    }
  }

  /// Waits until somebody stands before the door.
  func isReached() async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        guard state.waiting.isEmpty else { return true }
        state.watchers.append(continuation)
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// A judge that answers by a script, then accepts.
final class ScriptedValidator: ReceiptValidator {
  enum Answer: Sendable {
    case accept(ReceiptValidationResult)
    case reject
    case unreachable
    case stale
  }

  struct Unreachable: Error {}

  struct State {
    var answers: [Answer] = []
    /// Answers for single products, for ever.
    var always: [String: Answer] = [:]
    var asked: [TransactionEvidence] = []
    /// What was acknowledged, in order.
    var told: [TransactionEvidence] = []
    /// How many acknowledgements get no answer.
    var lostAcknowledgements = 0
    var gates: [String: Gate] = [:]
  }

  let state = Guarded(State())

  var asked: [TransactionEvidence] { state.withLock(\.asked) }
  var told: [String] { state.withLock { $0.told.map(\.transactionId) } }

  func script(_ answers: Answer...) { state.withLock { $0.answers = answers } }

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    throw Unreachable()
  }

  func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    let gate = state.withLock { state in
      state.asked.append(evidence)
      return state.gates[evidence.productId]
    }
    await gate?.pass()
    let answer = state.withLock { state in
      if let answer = state.always[evidence.productId] { return answer }
      return state.answers.isEmpty
        ? .accept(ReceiptValidationResult(isValid: true)) : state.answers.removeFirst()
    }
    switch answer {
    case .accept(let result): return result
    case .reject:
      return ReceiptValidationResult(
        isValid: false,
        reasons: [RejectionReason(rule: "bundle", reason: "another app")]
      )
    case .unreachable: throw Unreachable()
    case .stale: throw IAPError.staleReceipt
    }
  }

  func acknowledge(_ evidence: TransactionEvidence) async throws {
    try state.withLock { state in
      guard state.lostAcknowledgements == 0 else {
        state.lostAcknowledgements -= 1
        throw Unreachable()
      }
      state.told.append(evidence)
    }
  }
}

/// The judge as one process reaches it.
struct LivingValidator: ReceiptValidator {
  let validator: ScriptedValidator
  let life: Life

  func validate(receiptData: Data, isSandbox: Bool) async throws -> ReceiptValidationResult {
    try await validator.validate(receiptData: receiptData, isSandbox: isSandbox)
  }

  func validate(_ evidence: TransactionEvidence) async throws -> ReceiptValidationResult {
    try await validator.validate(evidence)
  }

  func acknowledge(_ evidence: TransactionEvidence) async throws {
    guard life.takesEffect() else { return }
    try await validator.acknowledge(evidence)
  }
}

/// What the app did: it outlives processes.
final class ScriptedApp: Sendable {
  struct State {
    /// Effects by key, in order: each key at most once, as the handler's contract asks.
    var effects: [String] = []
    var calls: [Delivery] = []
    var answers: [DeliveryAnswer] = []
  }

  let state = Guarded(State())

  var effects: [String] { state.withLock(\.effects) }
  var calls: [Delivery] { state.withLock(\.calls) }

  func script(_ answers: DeliveryAnswer...) { state.withLock { $0.answers = answers } }

  func handler(_ life: Life = Life()) -> DeliveryHandler {
    { [state] delivery in
      guard life.takesEffect() else { return .delivered }
      return state.withLock { state in
        state.calls.append(delivery)
        let answer = state.answers.isEmpty ? .delivered : state.answers.removeFirst()
        if answer == .delivered, !state.effects.contains(delivery.idempotencyKey) {
          state.effects.append(delivery.idempotencyKey)
        }
        return answer
      }
    }
  }
}
