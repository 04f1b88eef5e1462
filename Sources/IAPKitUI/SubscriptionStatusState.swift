import Foundation
public import IAPKit
import IAPModel

/// What a screen about the customer's subscriptions shows.
public struct SubscriptionStatusState: Hashable, Sendable {
  /// What the customer can do about a subscription.
  public enum Action: Hashable, Sendable {
    /// Change or cancel it.
    case manage
    /// Change how it is paid.
    case fixPayment
  }

  /// One subscription.
  public struct Row: Hashable, Sendable, Identifiable {
    /// The subscription: its first transaction.
    public var id: String
    /// The product.
    public var productId: String
    /// The group, when it is known.
    public var groupId: String?
    /// The product's name.
    public var title: String
    /// What it is in, in two or three words.
    public var headline: String
    /// What else is to be said, a sentence each.
    public var lines: [String]
    /// Whether there is access.
    public var isActive: Bool
    /// What can be done; nil for nothing.
    public var action: Action?
    /// What is written on the button for it.
    public var actionTitle: String?
  }

  /// The subscriptions.
  public var rows: [Row]
  /// What became of what the customer did; nil for nothing to say.
  public var message: String?
  /// The language of all words.
  public var language: IAPError.Language

  /// Makes a state.
  public init(rows: [Row] = [], message: String? = nil, language: IAPError.Language) {
    self.rows = rows
    self.message = message
    self.language = language
  }

  /// What to show in place of the rows; nil when there are some.
  public var placeholder: String? {
    rows.isEmpty
      ? Words("There is no subscription here yet.", zh: "这里还没有订阅。")(language) : nil
  }
}

extension SubscriptionStatusState.Row {
  /// Puts a subscription into words.
  ///
  /// - Parameters:
  ///   - subscription: The subscription.
  ///   - product: A product that was loaded.
  ///   - days: Writes dates.
  ///   - language: The language.
  init(
    _ subscription: IAPSubscription,
    product: @escaping (ProductID) -> IAPProduct?,
    days: DayFormat,
    language: IAPError.Language
  ) {
    let name = { (id: ProductID) in product(id)?.displayName ?? id.rawValue }
    id = subscription.id.rawValue
    productId = subscription.productID.rawValue
    groupId = subscription.groupID?.rawValue
    title = name(subscription.productID)
    isActive = subscription.accessUntil != nil
    headline = subscription.headline(product(subscription.productID))(language)
    lines = subscription.lines(name, days, language)
    action = subscription.action
    switch action {
    case .manage: actionTitle = Words("Manage Subscription", zh: "管理订阅")(language)
    case .fixPayment: actionTitle = Words("Update Payment", zh: "更新付款方式")(language)
    case nil: actionTitle = nil
    }
  }
}

extension IAPSubscription {
  fileprivate var isShared: Bool { ownership == .familyShared }

  fileprivate var action: SubscriptionStatusState.Action? {
    // Only who pays can change something.
    guard !isShared else { return nil }
    switch state {
    case .inGracePeriod, .inBillingRetry: return .fixPayment
    case .revoked: return nil
    default: return .manage
    }
  }

  fileprivate func headline(_ product: IAPProduct?) -> Words {
    switch state {
    case .subscribed where isFreeTrial(product): Words("Free trial", zh: "免费试用中")
    case .subscribed: Words("Active", zh: "已订阅")
    case .inGracePeriod, .inBillingRetry: Words("Payment problem", zh: "付款遇到问题")
    case .expired: Words("Ended", zh: "已结束")
    case .revoked: Words("Taken back", zh: "已收回")
    default: Words("Being looked up", zh: "正在查询")
    }
  }

  /// Whether nothing is paid for the present period; older signed data does not say how an offer is
  /// paid, and then the product does.
  private func isFreeTrial(_ product: IAPProduct?) -> Bool {
    guard let offer else { return false }
    if let payment = offer.payment { return payment == .freeTrial }
    return offer.type == .introductory && product?.introductoryOffer?.paymentMode == .freeTrial
  }

  fileprivate func lines(
    _ name: (ProductID) -> String,
    _ days: DayFormat,
    _ language: IAPError.Language
  ) -> [String] {
    var words = [period(days)]
    if state == .subscribed || state == .inGracePeriod {
      if let next = pendingProductID, willAutoRenew != false {
        words.append(
          Words("Changes to \(name(next)) at the next renewal.", zh: "下次续订时变更为\(name(next))。")
        )
      }
      if priceIncreaseStatus == .pending {
        words.append(
          Words("A new price waits for your consent.", zh: "新价格正在等待您的同意。")
        )
      }
    }
    if isShared { words.append(Words("Shared by your family.", zh: "由家人共享。")) }
    return words.compactMap { $0?(language) }
  }

  private func period(_ days: DayFormat) -> Words? {
    switch state {
    case .subscribed:
      guard let date = (renewalDate ?? expiresDate).map(days.text) else { return nil }
      switch willAutoRenew {
      case true?: return Words("Renews on \(date).", zh: "将于 \(date)续订。")
      case false?: return Words("Ends on \(date); it does not renew.", zh: "\(date)到期，不再续订。")
      case nil: return Words("Paid until \(date).", zh: "已付费至 \(date)。")
      }
    case .inGracePeriod:
      guard let date = accessUntil.map(days.text) else { return nil }
      return Words(
        "The last charge failed. You keep access until \(date): please check how you pay.",
        zh: "上次扣款失败。您可以使用到 \(date)，请检查付款方式。"
      )
    case .inBillingRetry:
      return Words(
        "The last charge failed. Access comes back as soon as it succeeds.",
        zh: "上次扣款失败。扣款成功后将恢复使用。"
      )
    case .expired:
      return expiresDate.map(days.text).map { Words("Ended on \($0).", zh: "已于 \($0)结束。") }
    case .revoked:
      return isShared
        ? Words("It is no longer shared with you.", zh: "家人已停止与您共享。")
        : Words("The App Store has refunded it.", zh: "App Store 已退款。")
    default: return nil
    }
  }
}
