#if canImport(Combine)
public import Combine
#endif
import Foundation
public import IAPKit

/// A list of products that can be bought: what its screen shows, and what its buttons do.
///
/// It follows purchases and access from the moment at which it is made, also those that this screen
/// did not start: a renewal, an approval, a refund. The listening itself is the manager's, which
/// the app makes at its start.
@MainActor
public final class PaywallModel {
  /// What the screen shows now.
  public private(set) var state = PaywallState() {
    willSet { announce(newValue) }
  }

  private let manager: IAPManager
  private let productIds: [String]
  private let language: IAPError.Language
  private var listeners: [Int: AsyncStream<PaywallState>.Continuation] = [:]
  private var nextListener = 0
  private var following: [Task<Void, Never>] = []

  /// Makes a model and lets it follow the manager.
  ///
  /// - Parameters:
  ///   - manager: The client.
  ///   - productIds: What to show, in this order; nil for the products of the configuration.
  ///   - language: The language of texts; nil for the user's.
  public init(
    manager: IAPManager,
    productIds: [String]? = nil,
    language: IAPError.Language? = nil
  ) {
    self.manager = manager
    self.productIds = productIds ?? manager.configuration.productIds
    self.language = language ?? .best(of: Locale.preferredLanguages)
    let purchases = manager.purchaseStateStream
    let owned = manager.entitlements.purchasedProductIDStream
    following = [
      Task { [weak self] in for await _ in purchases { self?.refresh() } },
      Task { [weak self] in for await _ in owned { self?.refresh() } },
    ]
  }

  deinit { for task in following { task.cancel() } }

  /// What the screen shows, now and after each change; for views without SwiftUI.
  public var states: AsyncStream<PaywallState> {
    AsyncStream { continuation in
      let number = nextListener
      nextListener += 1
      listeners[number] = continuation
      continuation.yield(state)
      continuation.onTermination = { [weak self] _ in
        Task { @MainActor in self?.listeners[number] = nil }
      }
    }
  }

  /// Loads the products.
  public func load() async {
    state.phase = .loading
    do throws(IAPError) {
      let answer = try await manager.products(ids: productIds)
      state.rows = answer.products.map { row($0) }
      state.phase = answer.products.isEmpty ? .empty : .ready
    } catch {
      // What was there stays: old prices are better than none.
      state.phase = state.rows.isEmpty ? .failed(error.code) : .ready
      state.message = .failed(error.code, text: error.userText(language))
    }
  }

  /// Buys a product.
  ///
  /// - Parameters:
  ///   - id: The product's id.
  ///   - options: What the app says beside it.
  public func buy(_ id: String, options: PurchaseOptions = PurchaseOptions()) async {
    state.message = nil
    let outcome = await manager.buy(id, options: options)
    state.message = PaywallMessage(outcome, language: language)
    refresh()
  }

  /// Restores purchases; for the user's tap only.
  public func restore() async {
    guard !state.isRestoring else { return }
    state.isRestoring = true
    state.message = nil
    let summary = await manager.restoreSummary()
    state.message = PaywallMessage(summary, language: language)
    state.isRestoring = false
    refresh()
  }

  /// Takes the message away: the user has read it.
  public func dismissMessage() { state.message = nil }

  private func refresh() {
    let rows = state.rows.map { row($0.product) }
    if rows != state.rows { state.rows = rows }
  }

  private func row(_ product: IAPProduct) -> PaywallState.Row {
    PaywallState.Row(
      product: product,
      purchase: manager.purchaseState(product.id),
      isOwned: manager.entitlements.purchasedProductIDs.contains(product.id)
    )
  }

  private func announce(_ state: PaywallState) {
    #if canImport(Combine)
    objectWillChange.send()
    #endif
    for listener in listeners.values { listener.yield(state) }
  }
}

#if canImport(Combine)
extension PaywallModel: ObservableObject {}
#endif
