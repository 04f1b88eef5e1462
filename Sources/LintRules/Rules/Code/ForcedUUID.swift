import SwiftSyntax

/// An account token that crashes, or that is somebody else's.
enum ForcedUUID: LintRule {
  static let info = RuleInfo(
    "forced-uuid",
    .warning,
    .money,
    title: LintWords(
      "The account token is forced from a text, or replaced by a random one",
      zh: "账户令牌由文本强制转换，或用随机值代替"
    ),
    why: LintWords(
      """
      A user id that is no UUID crashes the app at the moment of buying; a random replacement \
      makes a purchase that belongs to nobody.
      """,
      zh: "用户 id 不是 UUID 时，应用会在购买的一刻崩溃；用随机值代替则使购买不属于任何人。"
    ),
    fix: LintWords(
      """
      Keep a UUID for each user on the server, or derive a stable one; refuse to buy with a clear \
      message when it is missing.
      """,
      zh: "在服务器为每个用户保存一个 UUID，或推导出稳定的值；缺失时给出明确提示并拒绝购买。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.appUnits.filter { $0.importsStoreKit || $0.importsFacade }.flatMap { unit -> [Place] in
      let forced = unit.tree.all(ForceUnwrapExprSyntax.self).filter { force in
        isReading(force.expression) && isToken(force, in: unit)
      }.map { unit.place($0) }
      let replaced = unit.tree.all(InfixOperatorExprSyntax.self).filter { operation in
        operation.operator.text == "??" && isReading(operation.leftOperand)
          && isRandom(operation.rightOperand) && isToken(operation, in: unit)
      }.map { unit.place($0) }
      return forced + replaced
    }
  }

  private static func isReading(_ expression: ExprSyntax) -> Bool {
    guard let call = expression.bare.as(FunctionCallExprSyntax.self) else { return false }
    return call.name == "UUID" && call.labels == ["uuidString"]
      && call.argument("uuidString")?.literalText == nil
  }

  private static func isRandom(_ expression: ExprSyntax) -> Bool {
    guard let call = expression.bare.as(FunctionCallExprSyntax.self) else { return false }
    return call.name == "UUID" && call.arguments.isEmpty && call.trailingClosure == nil
  }

  /// Whether the value travels with a purchase.
  private static func isToken(_ node: some SyntaxProtocol, in unit: SourceUnit) -> Bool {
    for around in node.ancestors {
      if let call = around.as(FunctionCallExprSyntax.self) {
        if call.name == "appAccountToken" { return true }
        let label = call.arguments.first { node.isInside($0) }?.label?.text
        if let label, label.camelWords.contains("token") { return true }
      }
      if let binding = around.as(PatternBindingSyntax.self) {
        let name = binding.pattern.text
        let used = binding.flowBoundary?.names ?? []
        return name.camelWords.contains("token") || used.contains("appAccountToken")
      }
      if around.is(CodeBlockItemSyntax.self) { break }
    }
    let boundary = node.flowBoundary?.names ?? []
    return boundary.contains("appAccountToken")
  }
}
