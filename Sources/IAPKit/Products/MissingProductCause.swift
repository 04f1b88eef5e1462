/// Why the store may not know a product.
public enum MissingProductCause: Hashable, Sendable, CaseIterable {
  /// The id holds characters that no id can have, or is empty or too long.
  case impossibleId
  /// The id is spelled otherwise in App Store Connect.
  case wrongId
  /// The paid-apps agreement, the bank data or a tax form is missing.
  case agreementMissing
  /// The product is not approved, or not cleared for sale.
  case notApproved
  /// The app's identifier lacks the in-app purchase capability.
  case capabilityMissing
  /// No sandbox account is signed in on the device.
  case sandboxAccountMissing
  /// The scheme selects no StoreKit configuration file, or another one.
  case configurationFileNotSelected
  /// The product is not sold in the account's storefront.
  case notSoldInStorefront
  /// The build's bundle id is not that of the app that owns the product.
  case bundleIdMismatch
  /// The build is signed for a wildcard app id.
  case wildcardAppId
  /// The build is signed with a profile or team that is not the app's.
  case buildSigning
  /// The product was set up or changed a short while ago.
  case stillPropagating

  /// The cause in words.
  ///
  /// - Parameter language: The language.
  /// - Returns: A phrase without a full stop.
  public func text(_ language: IAPError.Language) -> String {
    let texts = accountTexts ?? buildTexts
    switch language {
    case .english: return texts.0
    case .simplifiedChinese: return texts.1
    }
  }

  private var accountTexts: (String, String)? {
    switch self {
    case .impossibleId:
      ("ids have letters, digits, hyphens, periods and underscores only", "商品 ID 含有不允许的字符")
    case .wrongId: ("the id is spelled otherwise in App Store Connect", "商品 ID 与后台不一致")
    case .agreementMissing:
      ("the paid-apps agreement, the bank data or a tax form is missing", "付费 App 协议、银行或税务信息未完成")
    case .notApproved: ("the product is not approved or not cleared for sale", "商品未通过审核或未开放销售")
    case .notSoldInStorefront: ("the product is not sold in this storefront", "商品未在该商店地区销售")
    case .stillPropagating:
      ("the product is new or changed, and still propagating", "商品刚创建或修改，尚未同步")
    default: nil
    }
  }

  private var buildTexts: (String, String) {
    switch self {
    case .capabilityMissing: ("the in-app purchase capability is missing", "未启用 App 内购买能力")
    case .sandboxAccountMissing: ("no sandbox account is signed in", "未登录沙盒账户")
    case .configurationFileNotSelected:
      ("no StoreKit configuration file is selected in the scheme", "Scheme 未选择 StoreKit 配置文件")
    case .bundleIdMismatch: ("the bundle id is not the app's", "Bundle ID 不匹配")
    case .wildcardAppId: ("the build is signed for a wildcard app id", "使用了通配符 App ID")
    default: ("the build is signed with another team or profile", "构建签名的团队或描述文件不正确")
    }
  }
}
