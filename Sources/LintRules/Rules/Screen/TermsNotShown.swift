import SwiftSyntax

/// A trial that does not say what comes after it.
enum TermsNotShown: LintRule {
  static let info = RuleInfo(
    "terms-not-shown",
    .error,
    .review,
    title: LintWords(
      "A trial or offer is shown without the price after it",
      zh: "展示试用或优惠时没有说明之后的价格"
    ),
    why: LintWords(
      """
      Before the purchase the app must show length, price and automatic renewal, and the amount \
      billed must be the most prominent price. "Start free trial" alone is refused, and brings \
      refunds.
      """,
      zh: "购买前必须显示时长、价格和自动续订，且实际扣款金额须最醒目；只写“开始免费试用”会被拒，并带来退款。"
    ),
    fix: LintWords(
      """
      Show on the same screen: the price per period after the trial, that it renews until \
      cancelled, and how long the trial lasts.
      """,
      zh: "在同一界面显示：试用后的每期价格、会自动续订直至取消，以及试用时长。"
    )
  )

  static func places(in project: Project) -> [Place] {
    guard !project.sales.isEmpty else { return [] }
    return project.appUnits.flatMap { unit in
      unit.tree.statements.flatMap { screens(Syntax($0), unit, project) }
    }
  }

  /// One place for each screen that speaks of a trial and of no price.
  private static func screens(
    _ item: Syntax,
    _ unit: SourceUnit,
    _ project: Project
  ) -> [Place] {
    let types: [Syntax] =
      item.all(StructDeclSyntax.self).map(Syntax.init)
      + item.all(ClassDeclSyntax.self).map(Syntax.init)
    return types.compactMap { type in
      guard let name = type.declaredTypeName, project.types[name]?.isScreen == true,
        let trial = type.all(StringLiteralExprSyntax.self).first(where: { $0.speaksOfTrial })
      else { return nil }
      if trial.isForPreview { return nil }
      // The views that it is made of may show the price.
      let inner = type.names.filter { project.types[$0]?.isScreen == true && $0 != name }
      let names = project.bodies.filter { inner.contains($0.typeName ?? "") }
        .reduce(into: type.names) { $0.formUnion($1.names) }
      let words = names.reduce(into: Set<String>()) { $0.formUnion($1.camelWords) }
      let showsPrice =
        words.contains("price") || words.contains("pricing")
        || !names.isDisjoint(with: ["SubscriptionStoreView", "ProductView", "StoreView"])
      let isSelling =
        words.contains("purchase") || words.contains("buy")
        || words.contains("subscribe") || words.contains("paywall") || words.contains("trial")
      return !showsPrice && isSelling ? unit.place(trial) : nil
    }
  }
}

extension StringLiteralExprSyntax {
  fileprivate var speaksOfTrial: Bool {
    let text = segments.compactMap { $0.as(StringSegmentSyntax.self)?.content.text }.joined(
      separator: " "
    ).lowercased()
    let phrases = [
      "free trial", "try free", "try it free", "days free", "day free", "week free", "start trial",
      "免费试用", "试用",
    ]
    return phrases.contains { text.contains($0) }
  }
}
