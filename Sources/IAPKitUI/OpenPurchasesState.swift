public import IAPKit

/// What a screen about purchases that are not with the user yet shows.
public struct OpenPurchasesState: Hashable, Sendable {
  /// Why a purchase is not with the user yet.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// A parent or the bank has to agree first.
    case waiting
    /// Paid, and being checked.
    case checking
    /// Paid, and not coming by itself: somebody has to look at it.
    case lost
  }

  /// One purchase.
  public struct Row: Hashable, Sendable, Identifiable {
    /// The transaction, or the order while nothing was paid.
    public var id: String
    /// Why it is not with the user yet.
    public var kind: Kind
    /// The product.
    public var productId: String
    /// The product's name.
    public var title: String
    /// What to tell the user.
    public var text: String
    /// The day of the purchase; nil while nothing was paid.
    public var day: String?
    /// The short code that the user can read out to support.
    public var reference: String?
    /// Whether a button that checks again belongs beside it.
    public var canRetry: Bool
    /// Whether it is being checked at the user's wish.
    public var isBusy: Bool
  }

  /// The purchases.
  public var rows: [Row]
  /// How the last check ended; nil for nothing to say.
  public var message: PaywallMessage?
  /// The language of all words.
  public var language: IAPError.Language

  /// Makes a state.
  public init(rows: [Row] = [], language: IAPError.Language) {
    self.rows = rows
    self.language = language
  }

  /// The rows of one kind.
  public func rows(_ kind: Kind) -> [Row] { rows.filter { $0.kind == kind } }

  /// The kinds that there is something of, in the order in which they are shown.
  public var kinds: [Kind] { Kind.allCases.filter { !rows($0).isEmpty } }

  /// The heading above the rows of a kind.
  public func title(_ kind: Kind) -> String {
    switch kind {
    case .waiting: Words("Waiting for approval", zh: "等待批准")(language)
    case .checking: Words("We are checking your purchase", zh: "正在核实您的购买")(language)
    case .lost: Words("Your purchase needs attention", zh: "您的购买需要处理")(language)
    }
  }

  /// What to show in place of the rows; nil when there are some.
  public var placeholder: String? {
    rows.isEmpty ? Words("Nothing is open.", zh: "没有待处理的购买。")(language) : nil
  }

  /// What is written on the button that checks again.
  public var retryTitle: String { Words("Check Again", zh: "重新核实")(language) }

  /// What is written on the button that writes to support.
  public var contactTitle: String { Words("Contact Support", zh: "联系客服")(language) }

  /// What stands before the short code.
  public var referenceTitle: String { Words("Code", zh: "代码")(language) }

  /// How the last check ended, in words.
  public var messageText: String? { message?.text(language) }
}
