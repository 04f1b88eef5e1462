import SwiftSyntax

/// Buying at several places that know nothing of each other.
enum StoreKitOutsideFacade: LintRule {
  static let info = RuleInfo(
    "storekit-outside-facade",
    .warning,
    .money,
    title: LintWords("StoreKit is used outside the facade", zh: "在外观层之外使用了 StoreKit"),
    why: LintWords(
      """
      A purchase beside the facade has no order, is verified and finished by other code, and \
      competes for the same transactions: the same payment is handled twice or not at all.
      """,
      zh: "绕过外观层的购买没有订单，由另一段代码验证和结束，还会争抢同一笔交易：同一付款可能处理两次，也可能无人处理。"
    ),
    fix: LintWords(
      "Buy, restore and read entitlements through the one object that owns them.",
      zh: "统一通过负责的那个对象进行购买、恢复和读取权益。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let uses = project.appUnits.filter(\.importsStoreKit).flatMap { unit in
      moneyNodes(unit).map { (unit, $0) }
    }
    if project.usesFacade { return firstOfEachFile(uses) }
    // Without the facade: screens that talk to the store beside an object that does.
    let owners = uses.filter { !isScreen($0.1, project) && $0.1.enclosingTypeName != nil }
    guard !owners.isEmpty else { return [] }
    return firstOfEachFile(uses.filter { isScreen($0.1, project) })
  }

  private static func isScreen(_ node: Syntax, _ project: Project) -> Bool {
    let type = node.enclosingTypeName.flatMap { project.types[$0] }
    return type?.isScreen == true && type?.isApp == false
  }

  private static func firstOfEachFile(_ uses: [(SourceUnit, Syntax)]) -> [Place] {
    var paths: Set<String> = []
    return uses.compactMap { unit, node in
      paths.insert(unit.path).inserted ? unit.place(node) : nil
    }
  }

  /// What moves money or transactions, in source order.
  private static func moneyNodes(_ unit: SourceUnit) -> [Syntax] {
    let calls = unit.calls.filter { call in
      if call.isNewPurchase(in: unit) || call.isFinish { return true }
      if ["SKPayment", "SKMutablePayment", "SKProductsRequest"].contains(call.name) { return true }
      if call.name == "products" { return call.baseText == "Product" && call.labels == ["for"] }
      if ["add", "restoreCompletedTransactions"].contains(call.name) {
        return call.isOnPaymentQueue
      }
      return call.name == "sync" && call.baseText == "AppStore"
    }.map(Syntax.init)
    let reads = unit.tree.all(MemberAccessExprSyntax.self).filter { node in
      ["updates", "currentEntitlements", "all", "unfinished"]
        .contains(node.declName.baseName.text) && node.base?.isTransactionType == true
    }.map(Syntax.init)
    return (calls + reads).sorted { $0.position < $1.position }
  }
}
