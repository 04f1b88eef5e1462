/// One thing that happened to a purchase, for the app's analytics.
///
/// It holds nothing about the customer.
public struct AnalyticsEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An order was opened, and the payment sheet with it.
    case started
    /// The customer closed the sheet.
    case cancelled
    /// It waits for a parent or the bank.
    case pending
    /// It did not work.
    case failed
    /// Goods became the app's; a renewal too.
    case purchased
    /// Goods came back with a restore.
    case restored
  }

  /// What happened.
  public let kind: Kind
  /// The product; nil while only a code is known.
  public let productId: String?
  /// By what it began or arrived.
  public let source: TransactionSource
  /// The order, when there is one.
  public let orderNumber: String?
  /// Why it failed.
  public let error: IAPError.Code?
}

/// Tells the app's analytics what happened: the one place that does.
struct AnalyticsFeed: Sendable {
  let hook: (@Sendable (AnalyticsEvent) -> Void)?
  let store: TransactionStore

  /// A purchase that ended before it had an order.
  func refused(_ productId: String, _ origin: Order.Origin, _ error: IAPError) {
    hook?(event(.failed, productId, origin.source, nil, error.code))
  }

  /// What an event of the funnel means, when it means anything.
  func follow(_ event: FunnelEvent) {
    guard let hook else { return }
    switch event {
    case .order(let order): if let event = told(of: order) { hook(event) }
    case .ready(let kind, let result) where kind != .clawback:
      let order = result.orderNumber.flatMap { store.order($0) }
      let isRestored = result.source == .restore
      hook(
        self.event(
          isRestored ? .restored : .purchased,
          result.productId,
          isRestored ? .restore : order?.origin.source ?? result.source,
          result.orderNumber,
          nil
        )
      )
    case .ready, .saved, .held, .accepted, .rejected, .retryScheduled, .finished, .quarantined,
      .purchaseFailed, .restoreEnded, .storageFailed, .journalRepaired:
      break
    }
  }

  private func told(of order: Order) -> AnalyticsEvent? {
    let kind: AnalyticsEvent.Kind
    switch order.state {
    case .opened: kind = .started
    case .cancelled: kind = .cancelled
    case .pending: kind = .pending
    case .failed: kind = .failed
    case .scheduled, .paid, .delivered, .quarantined, .refused: return nil
    }
    let productId = order.productId.rawValue
    return event(
      kind,
      productId.isEmpty ? nil : productId,
      order.origin.source,
      order.displayNumber,
      order.failure.map { IAPError.Code(rawValue: $0) }
    )
  }

  private func event(
    _ kind: AnalyticsEvent.Kind,
    _ productId: String?,
    _ source: TransactionSource,
    _ order: String?,
    _ error: IAPError.Code?
  ) -> AnalyticsEvent {
    AnalyticsEvent(
      kind: kind,
      productId: productId,
      source: source,
      orderNumber: order,
      error: kind == .failed ? error : nil
    )
  }
}

extension Order.Origin {
  var source: TransactionSource {
    switch self {
    case .purchase: .purchase
    case .promoted: .promoted
    case .offerCode: .offerCode
    }
  }
}
