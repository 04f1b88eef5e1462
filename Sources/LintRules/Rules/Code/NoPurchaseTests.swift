import SwiftSyntax

/// A shop that nobody tries before the users do.
enum NoPurchaseTests: LintRule {
  static let info = RuleInfo(
    "no-purchase-tests",
    .note,
    .money,
    title: LintWords("No test buys anything", zh: "没有任何购买测试"),
    why: LintWords(
      """
      Renewals, refunds, Ask to Buy and interrupted purchases hardly happen on the developer's \
      desk. Without tests the users find what is broken, with their money.
      """,
      zh: "续订、退款、“请求购买”和中断的购买在开发时几乎不会发生；没有测试，就由用户用自己的钱去发现问题。"
    ),
    fix: LintWords(
      """
      Test with a '.storekit' file and StoreKitTest, or with IAPKitTesting on any machine: bought, \
      cancelled, pending, refunded.
      """,
      zh: "用“.storekit”文件和 StoreKitTest，或用可在任何机器上运行的 IAPKitTesting 测试：购买、取消、待处理、退款。"
    )
  )

  static func places(in project: Project) -> [Place] {
    // Some files of an app say nothing about its tests.
    guard let sale = project.sales.first, project.hasProjectFile || !project.testUnits.isEmpty
    else { return [] }
    let tries = project.testUnits.contains { unit in
      if !unit.imports.isDisjoint(with: ["StoreKitTest", "IAPKitTesting"]) { return true }
      let words = unit.names.reduce(into: Set<String>()) { $0.formUnion($1.camelWords) }
      return !words.isDisjoint(with: ["purchase", "purchases", "purchased", "buy", "paywall"])
    }
    return tries ? [] : [sale.unit.place(sale.node)]
  }
}
