import SwiftSyntax

/// No way to get back what was bought.
enum RestoreMissing: LintRule {
  static let info = RuleInfo(
    "restore-missing",
    .error,
    .review,
    title: LintWords("There is no way to restore purchases", zh: "没有恢复购买的入口"),
    why: LintWords(
      """
      The review asks for a visible control that restores purchases (guideline 3.1.1). Without it \
      the app is refused, and users on a new phone ask for refunds.
      """,
      zh: "审核要求有可见的恢复购买入口（指南 3.1.1）；没有会被拒，换手机的用户也会要求退款。"
    ),
    fix: LintWords(
      """
      Add a "Restore Purchases" button that calls 'AppStore.sync()' and reads the entitlements \
      again, 'restoreCompletedTransactions()', or 'restore()' of the IAPManager.
      """,
      zh:
        "添加“恢复购买”按钮：调用“AppStore.sync()”、“restoreCompletedTransactions()”或“restore()”。"
    )
  )

  static func places(in project: Project) -> [Place] {
    guard let sale = project.sales.first, project.isApp, !project.catalog.hasOnlyConsumables,
      !project.sellsOnlyConsumables
    else { return [] }
    let restores = project.appUnits.contains { unit in
      unit.calls.contains { call in
        if call.name == "sync" { return call.baseText.hasSuffix("AppStore") }
        if call.name == "storeButton" { return call.names.contains("restorePurchases") }
        return Vocabulary.restoring.contains(call.name)
      }
    }
    return restores ? [] : [sale.unit.place(sale.node)]
  }
}

extension Project {
  /// Whether the sources say that nothing but consumables is sold.
  var sellsOnlyConsumables: Bool {
    let kinds = appUnits.filter { $0.importsStoreKit || $0.importsFacade }
      .reduce(into: Set<String>()) { $0.formUnion($1.names) }
      .intersection(["consumable", "nonConsumable", "autoRenewable", "nonRenewable"])
    return kinds == ["consumable"] && !sellsSubscriptions
  }
}
