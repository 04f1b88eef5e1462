public import IAPModel

// What Xcode's test session does and Apple's store never would.
extension SimulatedAppStore {
  /// Deletes a transaction, with its renewals and its copies; receipts forget them too.
  ///
  /// - Parameter id: A transaction or a restored copy.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`, or `notAllowed` outside of Xcode's
  ///   environment.
  public func deleteTransaction(_ id: TransactionID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in try core.delete(id, at: now) }
  }

  /// Deletes everything that was bought in an app, and what waits for an answer.
  ///
  /// - Parameter app: The app; nil for the first one.
  /// - Throws: ``SimulatorError`` with `unknownApp`, or `notAllowed` outside of Xcode's
  ///   environment.
  public func clearTransactions(app: BundleID? = nil) throws(SimulatorError) {
    let bundleID = app ?? configuration.bundleID
    try command { core, now throws(SimulatorError) in try core.clear(bundleID, at: now) }
  }
}
