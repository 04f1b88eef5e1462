public import Foundation
import IAPKit
import IAPModel

// What becomes of the customer's subscriptions. Each call returns when the client knows.
extension FakeStore {
  /// The clock moves to the end of the subscription's period, and it renews.
  ///
  /// - Parameter productId: The subscription.
  /// - Throws: ``FakeStoreError``.
  public func renew(_ productId: String) async throws(FakeStoreError) {
    try change(productId) { $0.renews = true }
    await advanceToEnd(of: try line(of: productId))
  }

  /// The customer turns renewal off, or on again.
  ///
  /// - Parameters:
  ///   - productId: The subscription.
  ///   - isOn: Whether it renews at the end of its period.
  /// - Throws: ``FakeStoreError``.
  public func setRenewal(of productId: String, isOn: Bool) throws(FakeStoreError) {
    try change(productId) { line in
      line.renews = isOn
      line.ended = nil
    }
  }

  /// The clock moves past the end of the subscription's period, and it does not renew.
  ///
  /// - Parameter productId: The subscription.
  /// - Throws: ``FakeStoreError``.
  public func expire(_ productId: String) async throws(FakeStoreError) {
    try setRenewal(of: productId, isOn: false)
    await advanceToEnd(of: try line(of: productId), past: 1)
  }

  // MARK: Charges that fail

  /// The clock moves to the end of the subscription's period, and the charge for the next one
  /// fails; it is tried again until ``payOverdue(_:)``.
  ///
  /// - Parameters:
  ///   - productId: The subscription.
  ///   - graceSeconds: For how long access goes on all the same.
  /// - Throws: ``FakeStoreError``.
  public func failRenewal(
    of productId: String,
    graceSeconds: TimeInterval = 0
  ) async throws(FakeStoreError) {
    try change(productId) { line in
      line.renews = true
      line.failure = FakeLedger.ChargeFailure(grace: graceSeconds)
    }
    await advanceToEnd(of: try line(of: productId))
  }

  /// The charge that failed succeeds now: within the grace period the next period begins where the
  /// last one ended, after it now.
  ///
  /// - Parameter productId: The subscription.
  /// - Throws: ``FakeStoreError`` with `nothingOverdue`.
  public func payOverdue(_ productId: String) async throws(FakeStoreError) {
    let now = now
    let sold = try books { (ledger) throws(FakeStoreError) in
      let line = try ledger.line(of: ProductID(productId))
      guard line.isInRetry,
        let sold = ledger.renew(line, from: line.graceUntil == nil ? now : line.expires, at: now)
      else { throw FakeStoreError(code: .nothingOverdue, subject: productId) }
      return sold
    }
    send(.transaction(sold))
    await settle()
  }

  // MARK: Prices

  /// The next period costs another price, and the customer has to agree; without an answer the
  /// subscription ends with its period.
  ///
  /// The App Store tells with `StoreMessage.priceIncreaseConsent`.
  ///
  /// - Parameters:
  ///   - productId: The subscription.
  ///   - price: The new price.
  /// - Throws: ``FakeStoreError``.
  public func raisePrice(of productId: String, to price: Decimal) async throws(FakeStoreError) {
    try change(productId) { $0.increase = (price, .pending) }
    await sendMessage(.priceIncreaseConsent)
    await settle()
  }

  /// The customer answers ``raisePrice(of:to:)``; who does not agree turns renewal off.
  ///
  /// - Parameters:
  ///   - productId: The subscription.
  ///   - agrees: Whether the new price is agreed to.
  /// - Throws: ``FakeStoreError`` with `nothingPending`.
  public func answerPriceIncrease(
    of productId: String,
    agrees: Bool
  ) async throws(FakeStoreError) {
    guard let increase = try line(of: productId).increase, increase.status == .pending else {
      throw FakeStoreError(code: .nothingPending, subject: productId)
    }
    try change(productId) { line in
      if agrees {
        line.increase = (increase.price, .agreed)
      } else {
        line.increase = nil
        line.renews = false
        line.ended = .didNotConsentToPriceIncrease
      }
    }
    await settle()
  }

  // MARK: Lines

  private func line(of productId: String) throws(FakeStoreError) -> FakeLedger.Line {
    try books { (ledger) throws(FakeStoreError) in try ledger.line(of: ProductID(productId)) }
  }

  private func change(
    _ productId: String,
    _ body: (inout FakeLedger.Line) -> Void
  ) throws(FakeStoreError) {
    let now = now
    try books { (ledger) throws(FakeStoreError) in
      var line = try ledger.line(of: ProductID(productId))
      body(&line)
      ledger.setLine(line, at: now)
    }
    tellStatuses()
  }

  private func advanceToEnd(of line: FakeLedger.Line, past seconds: TimeInterval = 0) async {
    await advance(by: max(0, line.expires.timeIntervalSince(now)) + seconds)
  }
}
