import SwiftSyntax

/// StoreKit 1 in code that could use its successor.
enum OriginalAPI: LintRule {
  static let info = RuleInfo(
    "original-api-in-new-code",
    .note,
    .money,
    title: LintWords("The original StoreKit API is used", zh: "使用了旧版 StoreKit API"),
    why: LintWords(
      """
      StoreKit 1 is deprecated since iOS 18. It has no signature for each transaction, does not \
      announce refunds, and leaves the proof of a purchase to a receipt that may be missing.
      """,
      zh: "StoreKit 1 自 iOS 18 起弃用：没有逐笔交易的签名，不会通知退款，购买凭证依赖可能缺失的收据。"
    ),
    fix: LintWords(
      "Use StoreKit 2 from iOS 15 on; keep the old API only behind '#available'.",
      zh: "iOS 15 起使用 StoreKit 2；旧 API 只在“#available”之后为更早的系统保留。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let hasFallback = !project.newPurchases.isEmpty || !project.listeners.isEmpty
    return project.appUnits.filter(\.importsStoreKit).compactMap { unit in
      let uses = unit.tree.tokens(viewMode: .sourceAccurate).filter { token in
        guard case .identifier(let name) = token.tokenKind else { return false }
        return Vocabulary.originalTypes.contains(name) && !isForOldSystems(token)
      }
      guard let first = uses.first(where: { _ in true }) else { return nil }
      // Beside StoreKit 2 a whole type for older systems is a fallback when it says so somewhere.
      if hasFallback, project.choosesByAvailability { return nil }
      return unit.place(first)
    }
  }

  /// Whether the code runs only where StoreKit 2 is missing.
  private static func isForOldSystems(_ token: TokenSyntax) -> Bool {
    for around in token.ancestors {
      let attributes: AttributeListSyntax? =
        around.as(ClassDeclSyntax.self)?.attributes ?? around.as(FunctionDeclSyntax.self)?
        .attributes
        ?? around.as(StructDeclSyntax.self)?.attributes
        ?? around.as(ExtensionDeclSyntax.self)?.attributes
      let text = attributes?.text ?? ""
      if text.contains("available"), text.contains("deprecated") || text.contains("obsoleted") {
        return true
      }
      guard let branch = around.as(IfExprSyntax.self) else { continue }
      let condition = branch.conditions.text
      if condition.contains("#unavailable"), token.isInside(branch.body) { return true }
      if condition.contains("#available"), let other = branch.elseBody, token.isInside(other) {
        return true
      }
    }
    return false
  }
}

extension Project {
  /// Whether some code decides at run time between old and new systems.
  var choosesByAvailability: Bool {
    appUnits.filter(\.importsStoreKit).contains { unit in
      !unit.tree.all(AvailabilityConditionSyntax.self).isEmpty
    }
  }
}
