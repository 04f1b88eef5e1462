import SwiftSyntax

/// A purchase that waits for somebody, and nobody is told.
enum PendingIgnored: LintRule {
  static let info = RuleInfo(
    "pending-ignored",
    .warning,
    .trust,
    title: LintWords("A pending purchase is ignored", zh: "忽略了待处理的购买"),
    why: LintWords(
      """
      Ask to Buy and bank authentication end as pending. Who says nothing lets the user tap again, \
      or shows an endless spinner; approval comes later through the listener.
      """,
      zh: "“请求购买”和银行验证会返回待处理状态；不作提示，用户会反复点按或一直看到加载动画，而批准稍后才由监听送达。"
    ),
    fix: LintWords(
      "Say that the purchase waits for approval, free the button, and deliver when it arrives.",
      zh: "提示购买正在等待批准，恢复按钮，并在交易送达时交付。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.appUnits.filter { $0.importsStoreKit || $0.importsFacade }.flatMap { unit in
      switches(unit) + conditions(unit)
    }
  }

  private static func switches(_ unit: SourceUnit) -> [Place] {
    unit.tree.all(SwitchExprSyntax.self).compactMap { choice -> Place? in
      let names = choice.plainCases.reduce(into: Set<String>()) { $0.formUnion($1.labelNames) }
      let isResult =
        names.contains("success") && !names.isDisjoint(with: ["userCancelled", "pending"])
      let isBuying =
        isResult && isOfPurchase(choice, unit)
        || names.contains("success") && !names.contains("failure") && isBehindPurchase(choice, unit)
      let isOutcome =
        unit.importsFacade && names.contains("delivered")
        && !names.isDisjoint(with: ["processing", "cancelled", "alreadyOwned"])
      let isQueue =
        unit.importsStoreKit && !names.isDisjoint(with: ["purchased", "restored"])
        && !names.isDisjoint(with: ["failed", "purchasing"])
      guard isBuying || isOutcome || isQueue else { return nil }
      let waiting: Set = isQueue ? ["deferred"] : ["pending"]
      if let branch = choice.plainCase(waiting) {
        return branch.isIgnored ? unit.place(branch) : nil
      }
      guard let rest = choice.plainCases.first(where: \.isDefault) else {
        return unit.place(choice)
      }
      return rest.isIgnored ? unit.place(rest) : nil
    }
  }

  private static func isOfPurchase(_ choice: SwitchExprSyntax, _ unit: SourceUnit) -> Bool {
    // The result of a refund sheet has 'success' and 'userCancelled' as well.
    let names = choice.plainCases.reduce(into: Set<String>()) { $0.formUnion($1.labelNames) }
    if names.contains("pending") { return true }
    let around = choice.flowBoundary.map(\.names) ?? []
    return around.contains("purchase") && unit.importsStoreKit
  }

  /// Whether the function buys, and the switch is about a name or the purchase itself.
  private static func isBehindPurchase(_ choice: SwitchExprSyntax, _ unit: SourceUnit) -> Bool {
    guard let around = choice.flowBoundary else { return false }
    let purchases = around.all(FunctionCallExprSyntax.self).filter { $0.isNewPurchase(in: unit) }
    return purchases.contains { purchase in
      if purchase.isInside(choice.subject) { return true }
      guard let result = purchase.ancestor(PatternBindingSyntax.self) else { return false }
      return result.pattern.text == choice.subject.text
    }
  }

  /// `if case .success = try await product.purchase()` without a word about the rest.
  private static func conditions(_ unit: SourceUnit) -> [Place] {
    guard unit.importsStoreKit else { return [] }
    return unit.tree.all(MatchingPatternConditionSyntax.self).compactMap { condition in
      guard condition.pattern.names.contains("success"),
        condition.initializer.value.all(FunctionCallExprSyntax.self)
          .contains(where: { $0.isNewPurchase(in: unit) })
      else { return nil }
      let around = condition.flowBoundary.map(\.names) ?? []
      return around.contains("pending") ? nil : unit.place(condition)
    }
  }
}
