public import AppStoreSimulator

// What a test does to the device.
extension SimulatedDevice {
  /// Makes a call of StoreKit fail on this device until it is told otherwise.
  ///
  /// - Parameters:
  ///   - failure: How; nil for no longer.
  ///   - call: Which call.
  /// - Throws: ``DeviceError`` with `notPossible` when the call cannot fail like that.
  public func setFailure(
    _ failure: ForcedFailure?,
    of call: FailableCall
  ) throws(DeviceError) {
    if let failure, !call.canFail(with: failure) {
      throw DeviceError(.notPossible, "\(call.rawValue) does not fail with \(failure)")
    }
    controls.setFailure(failure, of: call)
  }

  /// How a call of StoreKit fails on this device; nil when it does as it can.
  ///
  /// - Parameter call: Which call.
  /// - Returns: How.
  public func failure(of call: FailableCall) -> ForcedFailure? { controls.failure(of: call) }

  /// The language that products are described in, for example `zh_Hans`; nil for the catalog's.
  public var locale: String? {
    get { controls.locale }
    set { controls.locale = newValue }
  }

  /// Sets the person, the failures, the language and the connection back to what they were at
  /// first; purchases, the disk and the app stay as they are.
  public func resetControls() {
    controls.reset()
    person.reset()
    connection.delay = 0
    connection.answersToLose = 0
  }
}

// The person leaves the app, or the device.
extension SimulatedDevice {
  /// The person leaves the app: none of its code runs before ``enterForeground()``.
  ///
  /// An open sheet stays open, and what the person does at it is done; the app hears of it when it
  /// runs again, or after its next launch. Nothing happens when the app is not running.
  public func enterBackground() { livingHost?.suspend() }

  /// Whether the device is locked.
  public var isLocked: Bool { controls.isLocked }

  /// Locks the device: the app is suspended, and open payment sheets are closed without paying,
  /// unless the device's options keep them.
  public func lock() {
    guard !controls.isLocked else { return }
    controls.isLocked = true
    livingHost?.suspend()
    sheet.setLocked(true)
    if !options.keepsSheetWhenLocked { sheet.closeAll() }
  }

  /// Unlocks the device, and the person comes back to the app.
  public func unlock() {
    guard controls.isLocked else { return }
    controls.isLocked = false
    sheet.setLocked(false)
    enterForeground()
  }

  /// The person settles what had interrupted purchases on this device: they are charged now.
  ///
  /// - Returns: What came of each, the oldest first.
  /// - Throws: `SimulatorError` with `unreachable`, or `notAllowed` when nothing waits.
  @discardableResult
  public func settlePayment() throws(SimulatorError) -> [PurchaseOutcome] {
    try line.requireReach()
    let waiting = controls.takeInterrupted()
    guard !waiting.isEmpty else {
      throw SimulatorError(.notAllowed, "no purchase on \(id) was interrupted")
    }
    person.paymentNeedsAction = false
    var outcomes: [PurchaseOutcome] = []
    for request in waiting {
      let outcome = try store.purchase(request)
      livingHost?.hearOutside(outcome, .resumed)
      outcomes.append(outcome)
    }
    return outcomes
  }
}
