import SwiftSyntax

/// A build setting that stands in for the store's environment.
enum DebugAsEnvironment: LintRule {
  static let info = RuleInfo(
    "debug-as-environment",
    .error,
    .review,
    title: LintWords(
      "'#if DEBUG' decides between sandbox and production",
      zh: "用“#if DEBUG”区分沙盒与生产环境"
    ),
    why: LintWords(
      """
      The review and TestFlight run release builds in the sandbox. A release build that insists on \
      production refuses the reviewer's purchase, and the app with it.
      """,
      zh: "审核和 TestFlight 用发布版本在沙盒中运行；坚持使用生产环境的发布版本会拒绝审核员的购买，应用也就被拒。"
    ),
    fix: LintWords(
      """
      Let signed data decide: the transaction's 'environment', or production first and the sandbox \
      after status 21007, on the server.
      """,
      zh: "由签名数据决定：读取交易的“environment”；服务器先验证生产环境，遇到 21007 再验证沙盒。"
    )
  )

  private static let names: Set = [
    "isSandbox", "sandbox", "useSandbox", "verifyReceiptURL", "isSandboxEnvironment",
  ]

  static func places(in project: Project) -> [Place] {
    project.appUnits.flatMap { unit in
      unit.tree.all(IfConfigDeclSyntax.self).filter { choice in
        guard let first = choice.clauses.first, first.condition?.text.contains("DEBUG") == true
        else { return false }
        return choice.clauses.contains(where: isAboutEnvironment)
          && (choice.clauses.count > 1 || isAboutEnvironment(first))
      }.map { unit.place($0) }
    }
  }

  private static func isAboutEnvironment(_ clause: IfConfigClauseSyntax) -> Bool {
    guard let code = clause.elements else { return false }
    if code.all(StringSegmentSyntax.self).contains(where: {
      let text = $0.content.text.lowercased()
      return text.contains("sandbox.itunes") || text.contains("buy.itunes")
        || text.contains("verifyreceipt")
    }) {
      return true
    }
    let used = code.names
    guard !used.isDisjoint(with: names) else { return false }
    // A stand-in for tests may mention the sandbox; what counts is a value that is chosen.
    return code.all(FunctionCallExprSyntax.self).contains { call in
      call.arguments.contains { $0.label.map { names.contains($0.text) } ?? false }
    } || !code.all(PatternBindingSyntax.self).filter { isChosen($0.pattern.text) }.isEmpty
      || code.all(InfixOperatorExprSyntax.self).contains { operation in
        operation.operator.is(AssignmentExprSyntax.self)
          && (operation.leftOperand.lastName.map(isChosen) ?? false)
      }
      || code.all(ReturnStmtSyntax.self).contains { exit in
        exit.expression?.lastName.map(isChosen) ?? false
      }
  }

  private static func isChosen(_ name: String) -> Bool {
    names.contains(name) || name.camelWords.contains("sandbox")
      || name.camelWords.suffix(1) == ["environment"]
  }
}
