import SwiftSyntax

/// A subscription without its papers.
enum PolicyLinksMissing: LintRule {
  static let info = RuleInfo(
    "policy-links-missing",
    .error,
    .review,
    title: LintWords(
      "Links to the privacy policy or the terms of use are missing",
      zh: "缺少隐私政策或使用条款的链接"
    ),
    why: LintWords(
      """
      Apps that sell subscriptions need working links to both, inside the app and in the metadata \
      (guideline 3.1.2). It is one of the most frequent reasons for a refusal.
      """,
      zh: "销售订阅的应用必须在应用内和元数据中提供两者的有效链接（指南 3.1.2），这是最常见的被拒原因之一。"
    ),
    fix: LintWords(
      """
      Put both links on the screen that sells, or use 'subscriptionStorePolicyDestination' with \
      the system's view.
      """,
      zh: "在销售界面放上两个链接；使用系统视图时用“subscriptionStorePolicyDestination”。"
    )
  )

  static func places(in project: Project) -> [Place] {
    guard let sale = project.sales.first, project.isApp, project.sellsSubscriptions else {
      return []
    }
    var words: Set<String> = []
    for unit in project.appUnits {
      for name in unit.names { words.formUnion(name.camelWords) }
      for literal in unit.tree.all(StringSegmentSyntax.self) {
        let text = literal.content.text
        words.formUnion(text.camelWords)
        if text.contains("隐私") { words.insert("privacy") }
        if text.contains("条款") || text.contains("协议") { words.insert("terms") }
      }
    }
    let hasPrivacy = !words.isDisjoint(with: ["privacy", "datenschutz"])
    let hasTerms = !words.isDisjoint(with: ["terms", "eula", "tos", "nutzungsbedingungen"])
    if hasPrivacy && hasTerms { return [] }
    let seen =
      hasPrivacy
      ? LintWords("the terms of use are not linked", zh: "没有使用条款的链接")
      : hasTerms
        ? LintWords("the privacy policy is not linked", zh: "没有隐私政策的链接")
        : LintWords("neither is linked", zh: "两者都没有链接")
    return [sale.unit.place(sale.node, seen)]
  }
}
