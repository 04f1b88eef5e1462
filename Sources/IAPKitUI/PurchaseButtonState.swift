public import IAPKit

/// What a button that buys a product shows.
public struct PurchaseButtonState: Hashable, Sendable {
  /// What is written on it.
  public var title: String
  /// What stands below it: why it looks as it does, or nil.
  public var caption: String?
  /// Whether it works.
  public var isEnabled: Bool
  /// Whether a turning wheel belongs on it.
  public var isBusy: Bool

  /// Puts the state of a purchase on a button.
  ///
  /// - Parameters:
  ///   - product: The product.
  ///   - purchase: Where its purchase stands.
  ///   - isOwned: Whether it gives access now.
  ///   - language: The language.
  public init(
    _ product: IAPProduct,
    purchase: PurchaseState,
    isOwned: Bool,
    language: IAPError.Language
  ) {
    isBusy = !purchase.canBuy
    isEnabled = purchase.canBuy && !isOwned
    title = Self.title(product, purchase, isOwned)(language)
    caption = isOwned ? nil : Self.caption(purchase)?(language)
  }

  private static func title(
    _ product: IAPProduct,
    _ purchase: PurchaseState,
    _ isOwned: Bool
  ) -> Words {
    if isOwned {
      return product.subscriptionPeriod == nil
        ? Words("Purchased", zh: "已购买") : Words("Subscribed", zh: "已订阅")
    }
    if purchase == .verifying { return Words("Checking…", zh: "正在核实…") }
    if purchase == .inProgress { return Words("Buying…", zh: "正在购买…") }
    return product.subscriptionPeriod == nil
      ? Words("Buy", zh: "购买") : Words("Subscribe", zh: "订阅")
  }

  private static func caption(_ purchase: PurchaseState) -> Words? {
    switch purchase {
    case .pending: Words("Waiting for approval.", zh: "正在等待批准。")
    case .verifying, .processing:
      Words("We are checking your purchase.", zh: "正在核实您的购买。")
    case .idle, .inProgress, .complete, .cancelled, .failed, .failedVerification, .unknown: nil
    }
  }
}
