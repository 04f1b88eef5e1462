import Foundation
import IAPModel

/// Where the purchase of each product stands in this run of the app.
///
/// The caller of a purchase and the events of the funnel come here by different ways, in any order:
/// what becomes of a purchase before its caller was answered is kept until then.
final class PurchaseStates: Sendable {
  fileprivate struct Entry {
    var state = PurchaseState.idle
    /// The order of the purchase that runs, or ran last.
    var order: Order?
    /// What became of it while its caller was not answered yet.
    var meanwhile: PurchaseState?
  }

  let changes = Broadcast<PurchaseStateChange>()
  private let entries = Locked<[String: Entry]>([:])

  func state(_ productId: String) -> PurchaseState {
    entries.withLock { $0[productId]?.state ?? .idle }
  }

  /// Marks the beginning of a purchase; false when one is running.
  func begin(_ productId: String) -> Bool {
    change(productId) { entry in
      guard entry.state.canBuy else { return }
      entry = Entry(state: .inProgress)
    }
  }

  func end(_ productId: String, _ outcome: PurchaseOutcome) {
    change(productId) { entry in
      let state = PurchaseState(outcome)
      // What was told meanwhile is newer than an answer that says that something is awaited.
      entry.state = state.awaitsMore ? entry.meanwhile ?? state : state
      entry.meanwhile = nil
    }
  }

  /// Takes up what an earlier run of the app left behind.
  func recall(_ orders: [Order]) {
    for order in orders {
      guard let state = PurchaseState(waiting: order) else { continue }
      change(order.productId.rawValue) { if $0.state == .idle { $0.state = state } }
    }
  }

  /// Follows a purchase past the moment at which its caller was answered.
  func follow(_ event: FunnelEvent) {
    switch event {
    case .order(let order) where order.state == .opened:
      // Perhaps of a purchase that has ended by now; never an older one in place of a newer.
      change(order.productId.rawValue) { entry in
        if order.createdAt >= entry.order?.createdAt ?? .distantPast { entry.order = order }
      }
    case .saved(let record):
      change(record.productId) { if $0.state == .inProgress { $0.state = .verifying } }
    case .ready(let kind, let result) where kind != .clawback:
      change(result.productId) { entry in
        let isItsOwn = result.orderNumber != nil && result.orderNumber == entry.order?.displayNumber
        entry.learn(.complete, isItsOwn: isItsOwn)
      }
    // One that nobody has answered about is still being checked.
    case .quarantined(let record) where record.quarantine != .unanswered:
      change(record.productId) { entry in
        let isItsOwn = record.order != nil && record.order == entry.order?.number
        entry.learn(.failedVerification, isItsOwn: isItsOwn)
      }
    case .ready, .held, .accepted, .rejected, .retryScheduled, .finished, .quarantined,
      .purchaseFailed, .order, .restoreEnded, .storageFailed, .journalRepaired:
      break
    }
  }

  /// Whether the state is another one now; then everybody is told.
  @discardableResult
  private func change(_ productId: String, _ body: (inout Entry) -> Void) -> Bool {
    // Told under the lock: nobody hears of two changes in another order.
    entries.withLock { entries in
      var entry = entries[productId] ?? Entry()
      let before = entry.state
      body(&entry)
      entries[productId] = entry
      guard entry.state != before else { return false }
      changes.send(PurchaseStateChange(productId: productId, state: entry.state))
      return true
    }
  }
}

extension PurchaseStates.Entry {
  /// Takes what became of a purchase of the product: of the one that runs or ran last, or of an
  /// earlier one.
  fileprivate mutating func learn(_ end: PurchaseState, isItsOwn: Bool) {
    switch state {
    case .inProgress, .verifying: if isItsOwn { meanwhile = end }
    case .pending, .processing: state = end
    // A purchase that ended without the goods goes on when it was paid all the same.
    case .cancelled, .failed, .failedVerification, .unknown: if isItsOwn { state = end }
    case .idle, .complete: break
    }
  }
}

extension PurchaseState {
  /// Whether more is to come after the answer that ended this way.
  fileprivate var awaitsMore: Bool {
    switch self {
    case .pending, .processing, .cancelled, .failed, .failedVerification, .unknown: true
    case .idle, .inProgress, .verifying, .complete: false
    }
  }

  /// Where an order of an earlier run stands; nil when its end is not known.
  init?(waiting order: Order) {
    switch order.state {
    case .pending: self = .pending
    case .paid: self = .processing
    case .opened, .scheduled, .delivered, .cancelled, .failed, .quarantined, .refused: return nil
    }
  }
}
