public import IAPKit

/// Everything that a list of products shows, as a value.
public struct PaywallState: Hashable, Sendable {
  /// Whether there is something to show.
  public enum Phase: Hashable, Sendable {
    /// The store is being asked.
    case loading
    /// The rows are there.
    case ready
    /// The store answered, and knows none of the products.
    case empty
    /// The store did not answer.
    case failed(IAPError.Code)
  }

  /// One product.
  public struct Row: Hashable, Sendable, Identifiable {
    /// The product.
    public var product: IAPProduct
    /// Where its purchase stands.
    public var purchase: PurchaseState
    /// Whether it gives access now; consumables never do.
    public var isOwned: Bool
    /// Whether this customer may have its introductory offer.
    public var eligibility: OfferEligibility
    /// What has to be said before it is bought.
    public var terms: ProductTerms
    /// What its button shows.
    public var button: PurchaseButtonState

    /// The product's id.
    public var id: String { product.id }
    /// Whether its button works.
    public var canBuy: Bool { button.isEnabled }
    /// Whether a turning wheel belongs in place of the price.
    public var isBusy: Bool { button.isBusy }
  }

  /// Whether there is something to show.
  public var phase: Phase
  /// The products in the order asked for.
  public var rows: [Row]
  /// What to tell the user; nil for nothing.
  public var message: PaywallMessage?
  /// Whether a restore is under way.
  public var isRestoring: Bool
  /// What the app says above the products; nil for nothing.
  public var headline: PaywallHeadline?
  /// The links to the policies.
  public var policies: [PolicyLink]
  /// The language of all words.
  public var language: IAPError.Language

  /// Makes a state, by default that of a list that was not loaded.
  public init(
    phase: Phase = .loading,
    rows: [Row] = [],
    message: PaywallMessage? = nil,
    isRestoring: Bool = false,
    headline: PaywallHeadline? = nil,
    policies: [PolicyLink] = [],
    language: IAPError.Language = .english
  ) {
    self.phase = phase
    self.rows = rows
    self.message = message
    self.isRestoring = isRestoring
    self.headline = headline
    self.policies = policies
    self.language = language
  }

  /// What to show in place of the rows; nil when they are there.
  public var placeholder: String? {
    switch phase {
    case .loading: Words("Loading…", zh: "正在载入…")(language)
    case .ready: nil
    case .empty: Words("Nothing is for sale here right now.", zh: "暂时没有可购买的商品。")(language)
    case .failed(_): Words("The App Store did not answer.", zh: "App Store 没有响应。")(language)
    }
  }

  /// Whether a button that loads anew belongs beside the placeholder.
  public var canReload: Bool {
    switch phase {
    case .loading, .ready: false
    case .empty, .failed: true
    }
  }

  /// What is written on that button.
  public var reloadTitle: String { Words("Try Again", zh: "重试")(language) }

  /// What is written on the button that restores.
  public var restoreTitle: String { RestoreState.title(isRestoring: isRestoring, language) }

  /// What is written on the button for offer codes.
  public var redeemTitle: String { Words("Redeem Code", zh: "兑换优惠代码")(language) }

  /// What is written on the button that takes the message away.
  public var dismissTitle: String { Words("OK", zh: "好")(language) }

  /// The message in words.
  public var messageText: String? { message?.text(language) }
}
