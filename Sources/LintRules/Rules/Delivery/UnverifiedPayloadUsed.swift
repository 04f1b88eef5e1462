import SwiftSyntax

/// Payloads whose signature nobody believed.
enum UnverifiedPayloadUsed: LintRule {
  static let info = RuleInfo(
    "unverified-payload-used",
    .error,
    .money,
    title: LintWords(
      "A transaction that failed verification is used",
      zh: "使用了未通过验证的交易"
    ),
    why: LintWords(
      """
      '.unverified' means that the signature or the device does not match. Whoever forges a \
      purchase ends up there; using the payload gives the goods away.
      """,
      zh: "“.unverified”表示签名或设备不符，伪造的购买正是这种结果；使用其内容等于白送商品。"
    ),
    fix: LintWords(
      "Use only '.verified'. Leave the other unfinished and report it; it may verify later.",
      zh: "只使用“.verified”；未通过验证的交易不要结束，记录并上报，之后可能会通过验证。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.appUnits.filter(\.importsStoreKit).flatMap { unit -> [Place] in
      let unsafe = unit.tree.all(MemberAccessExprSyntax.self)
        .filter { $0.declName.baseName.text == "unsafePayloadValue" }
        .map { unit.place($0.declName) }
      let cases = unit.tree.all(SwitchCaseSyntax.self).filter(isUsed).map { unit.place($0) }
      let branches = unit.tree.all(IfExprSyntax.self).filter { branch in
        branch.conditions.contains { condition in
          guard let match = condition.condition.as(MatchingPatternConditionSyntax.self) else {
            return false
          }
          return binds(match.pattern) && gives(branch.body)
        }
      }.map { unit.place($0) }
      return unsafe + cases + branches
    }
  }

  private static func isUsed(_ branch: SwitchCaseSyntax) -> Bool {
    guard case .case(let label) = branch.label else { return false }
    let patterns = label.caseItems.map(\.pattern)
    guard patterns.contains(where: binds) else { return false }
    if patterns.contains(where: { $0.names.contains("verified") }) { return true }
    return gives(branch.statements)
  }

  /// Whether a pattern names the payload of `.unverified`.
  private static func binds(_ pattern: PatternSyntax) -> Bool {
    let text = pattern.text.filter { !$0.isWhitespace }
    guard let start = text.firstRange(of: ".unverified(") else { return false }
    let first = text[start.upperBound...].prefix { $0 != "," && $0 != ")" }
    let isBound = first.hasPrefix("let") || first.hasPrefix("var") || text.hasPrefix("let")
    return isBound && !first.hasSuffix("_")
  }

  /// Whether code hands goods over, finishes, or passes the payload on.
  private static func gives(_ code: some SyntaxProtocol) -> Bool {
    if !Effects.all(in: code).isEmpty { return true }
    if code.all(FunctionCallExprSyntax.self).contains(where: \.isFinish) { return true }
    return code.all(ReturnStmtSyntax.self).contains { exit in
      guard let value = exit.expression?.bare else { return false }
      return value.is(DeclReferenceExprSyntax.self) && value.text != "nil"
    }
  }
}
