import SwiftSyntax

/// Products that are asked for when it is too late.
enum ProductsLoadedAtTap: LintRule {
  static let info = RuleInfo(
    "products-loaded-at-tap",
    .warning,
    .trust,
    title: LintWords("Products are loaded only when somebody taps", zh: "点按购买时才加载商品"),
    why: LintWords(
      """
      The user waits for the network before the payment sheet, and a slow or empty answer loses \
      the sale; the screen cannot show a price before.
      """,
      zh: "用户要先等网络才能看到付款界面，响应慢或为空就失去这笔交易；此前界面也无法显示价格。"
    ),
    fix: LintWords(
      "Load the products when the screen (or the app) starts, keep them, and buy what is loaded.",
      zh: "在界面（或应用）启动时加载并保留商品，购买已加载的商品。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let loads = project.calls { unit, call in
      if unit.importsStoreKit, call.name == "products", call.labels == ["for"] {
        return call.baseText.hasSuffix("Product")
      }
      return unit.importsFacade && call.name == "loadProducts" && call.isAwaited
    }
    let late = loads.filter { call in
      guard let boundary = call.node.flowBoundary else { return false }
      return boundary.all(FunctionCallExprSyntax.self).contains { other in
        other.position > call.node.position
          && (other.isNewPurchase(in: call.unit) || other.isFacadePurchase(in: call.unit))
      }
    }
    return project.isApp && late.count == loads.count ? late.map { $0.unit.place($0.node) } : []
  }
}
