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
  public private(set) var state: PaywallState {
    willSet { announce(newValue) }
  }

  private let manager: IAPManager
  private let productIds: [String]
  private let feed = StateFeed<PaywallState>()
  private var eligibility: [String: OfferEligibility] = [:]
  private var following: [Task<Void, Never>] = []

  /// Makes a model and lets it follow the manager.
  ///
  /// - Parameters:
  ///   - manager: The client.
  ///   - productIds: What to show, in this order; nil for the products of the configuration.
  ///   - headline: What the app says above them.
  ///   - policies: Where the app's policies are; a list with subscriptions has to show them.
  ///   - language: The language of texts; nil for the user's.
  public init(
    manager: IAPManager,
    productIds: [String]? = nil,
    headline: PaywallHeadline? = nil,
    policies: PolicyLinks? = nil,
    language: IAPError.Language? = nil
  ) {
    self.manager = manager
    self.productIds = productIds ?? manager.effectiveConfiguration.productIds
    let language = language ?? .best(of: Locale.preferredLanguages)
    state = PaywallState(
      headline: headline,
      policies: policies?.links(language) ?? [],
      language: language
    )
    let purchases = manager.purchaseStateStream
    let owned = manager.entitlements.purchasedProductIDStream
    following = [
      Task { [weak self] in for await _ in purchases { self?.refresh() } },
      Task { [weak self] in
        for await _ in owned {
          self?.refresh()
          await self?.readEligibility()
        }
      },
    ]
  }

  deinit { for task in following { task.cancel() } }

  /// What the screen shows, now and after each change; for views without SwiftUI.
  public var states: AsyncStream<PaywallState> { feed.stream(from: state) }

  private var language: IAPError.Language { state.language }

  /// Loads the products.
  public func load() async {
    state.phase = .loading
    do throws(IAPError) {
      let answer = try await manager.products(ids: productIds)
      state.rows = answer.products.map { row($0) }
      state.phase = answer.products.isEmpty ? .empty : .ready
      await readEligibility()
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

  /// Lets the customer enter an offer code; what it gives arrives by itself.
  ///
  /// - Parameter anchor: Where the sheet is shown.
  public func redeemCode(in anchor: StoreAnchor? = nil) async {
    state.message = nil
    do throws(IAPError) {
      try await manager.redeemOfferCode(in: anchor)
    } catch .userCancelled {
    } catch {
      state.message = .failed(error.code, text: error.userText(language))
    }
  }

  /// Takes the message away: the user has read it.
  public func dismissMessage() { state.message = nil }

  private func refresh() {
    let rows = state.rows.map { row($0.product) }
    if rows != state.rows { state.rows = rows }
  }

  /// Asks which introductory offers the customer may have; until then nobody knows.
  private func readEligibility() async {
    for row in state.rows where row.product.introductoryOffer != nil {
      eligibility[row.id] = await manager.introductoryOfferEligibility(row.id)
    }
    refresh()
  }

  private func row(_ product: IAPProduct) -> PaywallState.Row {
    let purchase = manager.purchaseState(product.id)
    let isOwned = manager.entitlements.purchasedProductIDs.contains(product.id)
    let eligibility = eligibility[product.id] ?? .unknown
    let configuration = manager.effectiveConfiguration
    return PaywallState.Row(
      product: product,
      purchase: purchase,
      isOwned: isOwned,
      eligibility: eligibility,
      terms: ProductTerms(
        product,
        type: configuration.productTypes[product.id],
        accessPeriod: configuration.accessPeriods[product.id],
        eligibility: eligibility,
        language: language
      ),
      button: PurchaseButtonState(
        product,
        purchase: purchase,
        isOwned: isOwned,
        language: language
      )
    )
  }

  private func announce(_ state: PaywallState) {
    #if canImport(Combine)
    objectWillChange.send()
    #endif
    feed.send(state)
  }
}

#if canImport(Combine)
extension PaywallModel: ObservableObject {}
#endif
