public import AppStoreSimulator
public import IAPModel
import Synchronization

/// The payment sheets that the person left open, the oldest first.
///
/// - **Concurrency:** safe from any thread.
public final class PaymentSheet: Sendable {
  private struct Opened {
    let number: Int
    let product: ProductID
    let close: @Sendable (PersonAnswer) -> Void
  }

  private struct State {
    var numberNext = 0
    var opened: [Opened] = []
    var isLocked = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  init() {}

  /// What the open sheets ask money for, the oldest first.
  public var openProducts: [ProductID] { state.withLock { $0.opened.map(\.product) } }

  /// Waits until a sheet is open.
  public func waitUntilOpen() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.opened.isEmpty { state.waiters.append(continuation) }
        return !state.opened.isEmpty
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Pays at the oldest open sheet.
  ///
  /// - Throws: ``DeviceError`` with `noSheet` when none is open, `locked` while the device is.
  public func confirm() throws(DeviceError) { try close(.confirm) }

  /// Closes the oldest open sheet without paying.
  ///
  /// - Throws: ``DeviceError`` with `noSheet` when none is open, `locked` while the device is.
  public func cancel() throws(DeviceError) { try close(.cancel) }

  /// Asks a parent at the oldest open sheet.
  ///
  /// - Throws: ``DeviceError`` with `noSheet` when none is open, `locked` while the device is.
  public func askParent() throws(DeviceError) { try close(.askParent) }

  /// Tries to pay at the oldest open sheet, and the store refuses.
  ///
  /// - Parameter failure: Why.
  /// - Throws: ``DeviceError`` with `noSheet` when none is open, `locked` while the device is.
  public func fail(_ failure: StoreFailure) throws(DeviceError) { try close(.fail(failure)) }

  private func close(_ answer: PersonAnswer) throws(DeviceError) {
    let oldest = try state.withLock { state throws(DeviceError) in
      if state.isLocked { throw DeviceError(.locked, "the device is locked") }
      return state.opened.isEmpty ? nil : state.opened.removeFirst()
    }
    guard let oldest else { throw DeviceError(.noSheet, "no payment sheet is open") }
    oldest.close(answer)
  }

  func setLocked(_ isLocked: Bool) { state.withLock { $0.isLocked = isLocked } }

  /// Closes all sheets without paying.
  func closeAll() {
    let opened = state.withLock { state in
      defer { state.opened = [] }
      return state.opened
    }
    for sheet in opened { sheet.close(.cancel) }
  }

  /// Opens a sheet and waits for what is done at it; nil when the process ends first.
  func open(for product: ProductID, life: ProcessLife) async -> PersonAnswer? {
    await withCheckedContinuation { (continuation: CheckedContinuation<PersonAnswer?, Never>) in
      let number = state.withLock { state in
        state.numberNext += 1
        return state.numberNext
      }
      let once = Once { continuation.resume(returning: $0) }
      let watch = life.onKill { [weak self] in
        self?.forget(number)
        once.call(nil)
      }
      guard let watch else { return once.call(nil) }
      let waiters = state.withLock { state in
        state.opened.append(
          Opened(number: number, product: product) { answer in
            if life.endWatch(watch) { once.call(answer) }
          }
        )
        defer { state.waiters = [] }
        return state.waiters
      }
      if !life.isAlive { forget(number) }
      for waiter in waiters { waiter.resume() }
    }
  }

  private func forget(_ number: Int) {
    state.withLock { $0.opened.removeAll { $0.number == number } }
  }
}

/// Passes on the first call only.
private final class Once: Sendable {
  private let body: @Sendable (PersonAnswer?) -> Void
  private let isSpent = Mutex(false)

  init(_ body: @escaping @Sendable (PersonAnswer?) -> Void) {
    self.body = body
  }

  func call(_ answer: PersonAnswer?) {
    let isFirst = isSpent.withLock { spent in
      defer { spent = true }
      return !spent
    }
    if isFirst { body(answer) }
  }
}
