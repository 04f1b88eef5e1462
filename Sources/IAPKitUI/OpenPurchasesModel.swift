#if canImport(Combine)
public import Combine
#endif
public import Foundation
public import IAPKit
import IAPModel

/// Purchases that are not with the user yet: waiting for a parent, being checked, or lost.
///
/// Show it wherever the user looks for something that was paid, and on a support screen.
@MainActor
public final class OpenPurchasesModel {
  /// What the screen shows now.
  public private(set) var state: OpenPurchasesState {
    willSet {
      #if canImport(Combine)
      objectWillChange.send()
      #endif
      feed.send(newValue)
    }
  }

  private let manager: IAPManager
  private let days: DayFormat
  private let feed = StateFeed<OpenPurchasesState>()
  private var busy: Set<String> = []
  private var following: Task<Void, Never>?

  /// Makes a model and lets it follow the manager.
  ///
  /// - Parameters:
  ///   - manager: The client.
  ///   - timeZone: The time zone of dates.
  ///   - language: The language of texts; nil for the user's.
  public init(
    manager: IAPManager,
    timeZone: TimeZone = .current,
    language: IAPError.Language? = nil
  ) {
    self.manager = manager
    let language = language ?? .best(of: Locale.preferredLanguages)
    days = DayFormat(language, timeZone: timeZone)
    state = OpenPurchasesState(language: language)
    let events = manager.events(replaying: false)
    following = Task { [weak self] in
      for await _ in events { self?.refresh() }
    }
    refresh()
  }

  deinit { following?.cancel() }

  /// What the screen shows, now and after each change.
  public var states: AsyncStream<OpenPurchasesState> { feed.stream(from: state) }

  /// Loads the products, whose names are shown; without them ids are.
  public func load() async {
    _ = try? await manager.products()
    refresh()
  }

  /// Looks at a purchase again at once.
  ///
  /// - Parameter id: The row.
  public func retry(_ id: String) async {
    guard let row = state.rows.first(where: { $0.id == id }), row.canRetry,
      busy.insert(id).inserted
    else { return }
    state.message = nil
    refresh()
    let outcome = await manager.retryNow(id)
    busy.remove(id)
    state.message = outcome.flatMap { PaywallMessage($0, language: state.language) }
    refresh()
  }

  /// What a user sends to support about a purchase: no proof, no token, nothing of the account.
  ///
  /// - Parameter id: The row.
  /// - Returns: A few lines; nil when there is no such row.
  public func supportText(_ id: String) -> String? {
    guard let row = state.rows.first(where: { $0.id == id }) else { return nil }
    let attention = manager.ordersNeedingAttention.first { $0.transactionId == id }
    let lines = [
      row.title + " (\(row.productId))",
      row.reference.map { "\(state.referenceTitle): \($0)" },
      row.day,
      attention.map { "\($0.reason.rawValue), \($0.attempts)" },
    ]
    return lines.compactMap { $0 }.joined(separator: "\n")
  }

  /// Everything that the app's own support needs to deliver a purchase by hand.
  ///
  /// It holds the proof of the purchase: send it to the app's own support only, over its own
  /// connection.
  ///
  /// - Parameter id: The row.
  /// - Returns: JSON, as `IAPManager.exportOrder(_:)` has it.
  /// - Throws: `IAPError` when there is nothing of it on this device.
  public func report(_ id: String) throws(IAPError) -> Data { try manager.exportOrder(id) }

  /// Takes the message away: the user has read it.
  public func dismissMessage() { state.message = nil }

  private func refresh() {
    let attention = manager.ordersNeedingAttention
    let rows = waiting + checking(beside: attention) + attention.map { row($0) }
    if rows != state.rows { state.rows = rows }
  }

  private var waiting: [OpenPurchasesState.Row] {
    manager.store.orders.filter { $0.state == .pending }.map { order in
      row(
        order.id,
        .waiting,
        order.productId.rawValue,
        PaywallMessage.pending.text(state.language)
      )
    }
  }

  /// Paid, on its way, and nothing is wrong with it.
  private func checking(beside attention: [OrderNeedingAttention]) -> [OpenPurchasesState.Row] {
    let shown = Set(attention.map(\.transactionId))
    let records = manager.store.pendingRecords().filter { record in
      !shown.contains(record.transactionId) && record.revocationDate == nil
        && !record.isAcknowledged
    }
    return records.map { record in
      var row = row(
        record.transactionId,
        .checking,
        record.productId,
        PaywallMessage.processing.text(state.language)
      )
      row.day = days.text(record.purchaseDate)
      return row
    }
  }

  private func row(_ order: OrderNeedingAttention) -> OpenPurchasesState.Row {
    var row = row(
      order.transactionId,
      order.reason.kind,
      order.productId,
      order.userText(state.language)
    )
    row.day = days.text(order.purchaseDate)
    row.reference = order.contactReference
    row.canRetry = order.reason != .anotherAccount
    return row
  }

  private func row(
    _ id: String,
    _ kind: OpenPurchasesState.Kind,
    _ productId: String,
    _ text: String
  ) -> OpenPurchasesState.Row {
    OpenPurchasesState.Row(
      id: id,
      kind: kind,
      productId: productId,
      title: manager.loadedProduct(productId)?.displayName ?? productId,
      text: text,
      day: nil,
      reference: nil,
      canRetry: false,
      isBusy: busy.contains(id)
    )
  }
}

extension OrderNeedingAttention.Reason {
  fileprivate var kind: OpenPurchasesState.Kind {
    switch self {
    case .held, .unanswered, .handlerSilent: .checking
    case .rejected, .failedChecks, .refused, .anotherAccount: .lost
    }
  }
}

#if canImport(Combine)
extension OpenPurchasesModel: ObservableObject {}
#endif
