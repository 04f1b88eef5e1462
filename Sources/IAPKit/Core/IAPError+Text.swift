public import Foundation

extension IAPError {
  /// A language that texts for users exist in.
  public enum Language: String, Hashable, Sendable, CaseIterable {
    /// English.
    case english = "en"
    /// Simplified Chinese.
    case simplifiedChinese = "zh-Hans"

    /// The language for a list of preferred languages, most wanted first.
    ///
    /// - Parameter preferred: Language tags, for example `zh-Hans-CN`.
    /// - Returns: The first that exists here, else English.
    public static func best(of preferred: [String]) -> Language {
      for tag in preferred {
        let tag = tag.lowercased()
        if tag.hasPrefix("en") { return .english }
        if tag.hasPrefix("zh"), !tag.hasPrefix("zh-hant") { return .simplifiedChinese }
      }
      return .english
    }
  }

  /// What to tell the user, in words without technical terms.
  ///
  /// Nothing is shown for ``userCancelled``; there is a text all the same.
  ///
  /// - Parameter language: The language.
  /// - Returns: One or two sentences.
  public func userText(_ language: Language) -> String {
    let texts = texts
    switch language {
    case .english: return texts.english
    case .simplifiedChinese: return texts.chinese
    }
  }

  /// What the developer should look at.
  public var developerHint: String { texts.hint }

  private struct Texts {
    var english: String
    var chinese: String
    var hint: String

    init(_ english: String, _ chinese: String, _ hint: String) {
      self.english = english
      self.chinese = chinese
      self.hint = hint
    }
  }

  private var texts: Texts {
    switch self {
    case .productLoadFailed, .productNotFound, .network: connectionTexts
    case .userCancelled, .pending, .purchaseInProgress, .paymentsNotAllowed: sheetTexts
    case .verificationFailed, .receiptValidationFailed, .staleReceipt: checkTexts
    case .unsupported, .offerRefused: offerTexts
    case .storage, .store, .invalidOrder, .invalidConfiguration, .unknown: failureTexts
    }
  }

  private var connectionTexts: Texts {
    switch self {
    case .productLoadFailed:
      Texts(
        "The App Store could not be reached. Please try again.",
        "无法连接 App Store，请稍后重试。",
        "The products request failed; look at the underlying error."
      )
    case .productNotFound:
      Texts(
        "This item is not available at the moment.",
        "该商品暂时无法购买。",
        "Check the identifier, agreements and tax forms, the product's state and its storefronts."
      )
    default:
      Texts(
        "There is no connection. Please check your network and try again.",
        "网络连接失败，请检查网络后重试。",
        "No answer from the network; look at the underlying error."
      )
    }
  }

  private var sheetTexts: Texts {
    switch self {
    case .userCancelled:
      Texts(
        "The purchase was cancelled.",
        "已取消购买。",
        "The customer closed the sheet: show nothing."
      )
    case .pending:
      Texts(
        "Your purchase is waiting for approval. You will receive it automatically.",
        "购买正在等待批准，批准后将自动到账。",
        "Ask to Buy or the bank's confirmation: the transaction arrives later by itself."
      )
    case .purchaseInProgress:
      Texts(
        "A purchase is already in progress.",
        "正在购买中，请稍候。",
        "A purchase of this product is in flight; see OrderPolicy."
      )
    default:
      Texts(
        "Purchases are not allowed on this device.",
        "此设备不允许购买，请检查“屏幕使用时间”设置。",
        "canMakePayments is false: restrictions or a managed device."
      )
    }
  }

  private var checkTexts: Texts {
    switch self {
    case .verificationFailed:
      Texts(
        "Your purchase could not be verified yet. It will be checked again automatically.",
        "暂时无法验证您的购买，系统会自动重新验证。",
        "The signature does not hold on this device: the transaction is held, not lost."
      )
    case .staleReceipt:
      Texts(
        "Your purchase is still being confirmed. You will receive it automatically.",
        "正在确认您的购买，确认后将自动到账。",
        "The receipt does not show the purchase yet; it is refreshed and asked about again."
      )
    default:
      Texts(
        "Your purchase could not be confirmed. If you were charged, please contact support.",
        "无法确认您的购买。如果已扣款，请联系客服。",
        "The server refused explicitly; its reasons are in the record and in the review queue."
      )
    }
  }

  private var offerTexts: Texts {
    switch self {
    case .offerRefused:
      Texts(
        "This offer is not available for your account.",
        "您的账户无法使用此优惠。",
        "The offer was not signed, or the store does not take it; the problem says why."
      )
    default:
      Texts(
        "This is not possible on this device.",
        "此设备不支持该操作。",
        "This generation of StoreKit, or this system, cannot do it; the reason says what."
      )
    }
  }

  private var failureTexts: Texts {
    switch self {
    case .storage:
      Texts(
        "There is not enough storage, or the data cannot be read. Please free some space.",
        "存储空间不足或数据无法读取，请清理空间后重试。",
        "The journal cannot be read or written; the problem says why. Nothing was finished."
      )
    case .store:
      Texts(
        "The App Store reported an error. Please try again later.",
        "App Store 出现错误，请稍后重试。",
        "StoreKit failed; the number is StoreKit's own."
      )
    case .invalidOrder:
      Texts(
        "This purchase cannot be started.",
        "无法发起此次购买。",
        "The order's number, token, quantity or context cannot be used; the reason says why."
      )
    case .invalidConfiguration:
      Texts(
        "Purchases are not set up correctly in this version of the app.",
        "此版本的应用内购买设置有误。",
        "The Info.plist, the configuration file or the catalog has bad keys; each is named."
      )
    default:
      Texts(
        "Something went wrong. Please try again later.",
        "发生未知错误，请稍后重试。",
        "The system gave a reason that is not known here."
      )
    }
  }
}

extension IAPError: LocalizedError {
  /// The text for the user in the device's language.
  public var errorDescription: String? {
    userText(.best(of: Locale.preferredLanguages))
  }

  /// What the developer should look at.
  public var failureReason: String? { developerHint }
}
