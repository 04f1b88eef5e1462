import SwiftSyntax

/// Another way to pay for digital goods.
enum ThirdPartyPayment: LintRule {
  static let info = RuleInfo(
    "third-party-payment",
    .warning,
    .review,
    title: LintWords(
      "Another payment or a hint at a website stands beside in-app purchases",
      zh: "应用内购买之外还有其他支付方式或引导到网站"
    ),
    why: LintWords(
      """
      Digital goods are sold by in-app purchase (guideline 3.1.1); only some storefronts allow \
      links outside, with an entitlement. Elsewhere the app is refused or removed.
      """,
      zh: "数字商品须通过应用内购买销售（指南 3.1.1）；只有部分地区凭授权允许外部链接，其他地区会被拒或下架。"
    ),
    fix: LintWords(
      """
      Remove it, or offer it only where it is allowed: behind a look at the storefront and Apple's \
      interface for external purchases.
      """,
      zh: "移除它，或只在允许的地区提供：先检查商店地区，并使用 Apple 的外部购买接口。"
    )
  )

  private static let modules: Set = [
    "Stripe", "StripePaymentSheet", "StripePayments", "PayPalCheckout", "PayPalNativePayments",
    "PayPalWebPayments", "Braintree", "BraintreePayPal", "BraintreeDropIn", "Razorpay",
    "AlipaySDK", "SquareInAppPaymentsSDK", "Adyen", "Paddle", "CheckoutSDK",
  ]
  private static let phrases = [
    "subscribe on our website", "subscribe on the web", "buy on our website", "on our website",
    "cheaper on the web", "cheaper on our", "visit our website", "pay on the web",
    "purchase on our site", "在官网购买", "官网订阅", "前往官网", "网页端购买",
  ]
  private static let paths = ["/checkout", "/pricing", "/subscribe", "/upgrade", "/buy"]
  /// What shows that the storefront is respected.
  private static let allowed: Set = [
    "Storefront", "SKStorefront", "storefront", "countryCode", "ExternalPurchase",
    "ExternalPurchaseLink", "ExternalPurchaseCustomLink", "ExternalLinkAccount", "isEligible",
  ]

  static func places(in project: Project) -> [Place] {
    guard !project.sales.isEmpty else { return [] }
    return project.appUnits.filter { !$0.isManifest }.flatMap { unit in
      imports(unit) + hints(unit)
    }
  }

  private static func imports(_ unit: SourceUnit) -> [Place] {
    guard unit.names.isDisjoint(with: allowed) else { return [] }
    return unit.tree.all(ImportDeclSyntax.self).filter { found in
      found.path.first.map { modules.contains($0.name.text) } ?? false
    }.map { unit.place($0) }
  }

  private static func hints(_ unit: SourceUnit) -> [Place] {
    unit.literals.filter { literal in
      let text = literal.segments.compactMap { $0.as(StringSegmentSyntax.self)?.content.text }
        .joined(separator: " ").lowercased()
      let isHint = phrases.contains { text.contains($0) }
      let isLink =
        text.hasPrefix("http") && !text.contains("apple.com")
        && paths.contains {
          text.hasSuffix($0) || text.contains($0 + "?") || text.contains($0 + "/")
        }
        && literal.opensLink
      guard isHint || isLink else { return false }
      let around = literal.flowBoundary.map(\.names) ?? []
      let type = literal.ancestors.first { $0.declaredTypeName != nil }.map(\.names) ?? []
      return around.union(type).isDisjoint(with: allowed)
    }.map { unit.place($0) }
  }
}

extension StringLiteralExprSyntax {
  /// Whether a person is sent there, rather than a request of the app.
  fileprivate var opensLink: Bool {
    let around = ancestors.prefix { !$0.is(CodeBlockItemSyntax.self) }
    let here = around.contains { !$0.names.isDisjoint(with: Self.openers) }
    return here || (flowBoundary.map { !$0.names.isDisjoint(with: Self.openers) } ?? false)
  }

  private static let openers: Set = [
    "Link", "openURL", "open", "UIApplication", "SFSafariViewController", "WKWebView",
    "NSWorkspace",
  ]
}
