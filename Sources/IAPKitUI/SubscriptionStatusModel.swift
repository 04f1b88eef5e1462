#if canImport(Combine)
public import Combine
#endif
public import Foundation
public import IAPKit
import IAPModel

/// The customer's subscriptions, and what can be done about them.
@MainActor
public final class SubscriptionStatusModel {
  /// Where the customer changes how the App Store charges them.
  public static let billingURL = URL(string: "https://apps.apple.com/account/billing")

  /// What the screen shows now.
  public private(set) var state: SubscriptionStatusState {
    willSet {
      #if canImport(Combine)
      objectWillChange.send()
      #endif
      feed.send(newValue)
    }
  }

  private let manager: IAPManager
  private let groupId: String?
  private let days: DayFormat
  private let feed = StateFeed<SubscriptionStatusState>()
  private var following: Task<Void, Never>?

  /// Makes a model and lets it follow the manager.
  ///
  /// - Parameters:
  ///   - manager: The client.
  ///   - groupId: Shows one group only; nil for all.
  ///   - timeZone: The time zone of dates.
  ///   - language: The language of texts; nil for the user's.
  public init(
    manager: IAPManager,
    groupId: String? = nil,
    timeZone: TimeZone = .current,
    language: IAPError.Language? = nil
  ) {
    self.manager = manager
    self.groupId = groupId
    let language = language ?? .best(of: Locale.preferredLanguages)
    days = DayFormat(language, timeZone: timeZone)
    state = SubscriptionStatusState(language: language)
    let changes = manager.entitlements.subscriptionStream
    following = Task { [weak self] in
      for await _ in changes { self?.refresh() }
    }
    refresh()
  }

  deinit { following?.cancel() }

  /// What the screen shows, now and after each change.
  public var states: AsyncStream<SubscriptionStatusState> { feed.stream(from: state) }

  /// Loads the products, whose names are shown; without them ids are.
  public func load() async {
    _ = try? await manager.products()
    refresh()
  }

  /// Does what the button of a row says.
  ///
  /// - Parameters:
  ///   - id: The row.
  ///   - anchor: Where a sheet is shown.
  /// - Returns: An address to open, where there is no sheet for it.
  public func act(on id: String, in anchor: StoreAnchor? = nil) async -> URL? {
    guard let row = state.rows.first(where: { $0.id == id }) else { return nil }
    switch row.action {
    case .fixPayment: return Self.billingURL
    case .manage:
      do throws(IAPError) {
        try await manager.manageSubscriptions(groupId: row.groupId, in: anchor)
        return nil
      } catch .userCancelled {
        return nil
      } catch {
        return IAPManager.manageSubscriptionsURL
      }
    case nil: return nil
    }
  }

  /// Lets the customer ask for the money of the newest period back.
  ///
  /// - Parameters:
  ///   - id: The row.
  ///   - anchor: Where the sheet is shown.
  public func requestRefund(of id: String, in anchor: StoreAnchor? = nil) async {
    guard let row = state.rows.first(where: { $0.id == id }) else { return }
    let words: Words?
    do throws(IAPError) {
      switch try await manager.requestRefund(ofNewest: row.productId, in: anchor) {
      case .success:
        words = Words("The App Store has your request.", zh: "App Store 已收到您的退款请求。")
      case .duplicate:
        words = Words(
          "You have asked for this refund before.",
          zh: "您已经为此购买项目申请过退款。"
        )
      case .cancelled: words = nil
      default: words = Words("The request was not taken.", zh: "退款请求未被受理。")
      }
      state.message = words?(state.language)
    } catch {
      state.message = error.userText(state.language)
    }
  }

  /// Takes the message away: the user has read it.
  public func dismissMessage() { state.message = nil }

  private func refresh() {
    let manager = manager
    let shown = manager.entitlements.subscriptions.filter { subscription in
      groupId == nil || subscription.groupID?.rawValue == groupId
    }
    let rows = shown.map { subscription in
      SubscriptionStatusState.Row(
        subscription,
        product: { manager.loadedProduct($0.rawValue) },
        days: days,
        language: state.language
      )
    }
    if rows != state.rows { state.rows = rows }
  }
}

#if canImport(Combine)
extension SubscriptionStatusModel: ObservableObject {}
#endif
