import Foundation

/// Where the purchase of each product stands in this run of the app.
final class PurchaseStates: Sendable {
  let changes = Broadcast<PurchaseStateChange>()
  private let states = Locked<[String: PurchaseState]>([:])

  func state(_ productId: String) -> PurchaseState { states.withLock { $0[productId] ?? .idle } }

  /// Marks the beginning of a purchase; false when one is running.
  func begin(_ productId: String) -> Bool {
    move(productId, to: .inProgress) { $0.canBuy }
  }

  func end(_ productId: String, _ outcome: PurchaseOutcome) {
    _ = move(productId, to: PurchaseState(outcome)) { _ in true }
  }

  /// Takes up what an earlier run of the app left behind.
  func recall(_ orders: [Order]) {
    for order in orders {
      guard let state = PurchaseState(waiting: order) else { continue }
      _ = move(order.productId.rawValue, to: state) { $0 == .idle }
    }
  }

  /// Follows a purchase past the moment at which its caller was answered.
  func follow(_ event: FunnelEvent) {
    switch event {
    case .saved(let record):
      _ = move(record.productId, to: .verifying) { $0 == .inProgress }
    case .ready(let kind, let result) where kind != .clawback:
      _ = move(result.productId, to: .complete) { $0 == .pending || $0 == .processing }
    case .quarantined(let record):
      _ = move(record.productId, to: .failedVerification) { $0 == .processing }
    case .ready, .held, .accepted, .rejected, .retryScheduled, .finished, .purchaseFailed, .order,
      .restoreEnded, .storageFailed, .journalRepaired:
      break
    }
  }

  private func move(
    _ productId: String,
    to state: PurchaseState,
    when condition: (PurchaseState) -> Bool
  ) -> Bool {
    let isMoved = states.withLock { states in
      let present = states[productId] ?? .idle
      guard condition(present), present != state else { return false }
      states[productId] = state
      return true
    }
    if isMoved { changes.send(PurchaseStateChange(productId: productId, state: state)) }
    return isMoved
  }
}

extension PurchaseState {
  /// Where an order of an earlier run stands; nil when its end is not known.
  init?(waiting order: Order) {
    switch order.state {
    case .pending: self = .pending
    case .paid: self = .processing
    case .opened, .scheduled, .delivered, .cancelled, .failed, .quarantined, .refused: return nil
    }
  }
}
