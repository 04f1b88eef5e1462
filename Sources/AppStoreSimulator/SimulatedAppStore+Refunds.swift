public import IAPModel

// Asking for money back, and what comes of it.
extension SimulatedAppStore {
  /// A customer asks for money back: the app's server is asked for the use of the purchase, and a
  /// subscription stops renewing.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - reason: Why.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`, or `notAllowed` when it was refunded,
  ///   asked for before, or is shared by somebody else.
  public func requestRefund(
    _ id: TransactionID,
    reason: ConsumptionRequestReason = .other
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.requestRefund(id, reason, at: now)
    }
  }

  /// Does not pay back what a customer asked for.
  ///
  /// - Parameter id: The transaction.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`, or `notAllowed` when nothing waits.
  public func declineRefund(_ id: TransactionID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in try core.declineRefund(id, at: now) }
  }

  /// Takes a transaction back and pays for it, asked for or not.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - reason: Why.
  ///   - percentage: How much is paid back, in thousandths of a percent; nil for all of it.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`, or `notAllowed` the second time, for a
  ///   shared copy, and for a percentage outside of 1 to 100000.
  public func refund(
    _ id: TransactionID,
    reason: RevocationReason = .other,
    percentage: Int? = nil
  ) throws(SimulatorError) {
    let revocation = Revocation(
      reason: reason,
      type: percentage == nil ? .refundFull : .refundProrated,
      percentage: percentage
    )
    try command { core, now throws(SimulatorError) in
      try core.refund(id, revocation, at: now)
    }
  }

  /// Takes a refund back: the customer has the transaction again.
  ///
  /// - Parameter id: The transaction.
  /// - Throws: ``SimulatorError`` with `unknownTransaction`, or `notAllowed` without a refund.
  public func reverseRefund(_ id: TransactionID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in try core.reverseRefund(id, at: now) }
  }
}
