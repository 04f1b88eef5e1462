import SwiftSyntax

/// A loop over transactions that one element can end.
enum ListenerEnds: LintRule {
  static let info = RuleInfo(
    "listener-ends",
    .error,
    .money,
    title: LintWords(
      "One transaction can end the listener",
      zh: "一笔交易就可能终止监听"
    ),
    why: LintWords(
      """
      'return', 'break' or an error that leaves the loop ends listening until the next launch. One \
      transaction that cannot be verified then hides every later one.
      """,
      zh: "循环中的“return”“break”或抛出的错误会让监听停止到下次启动；一笔无法验证的交易就会挡住之后的所有交易。"
    ),
    fix: LintWords(
      "Handle each element in a function of its own, use 'continue', and catch errors in the loop.",
      zh: "用单独的函数处理每个元素；使用“continue”，并在循环内捕获错误。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.listeners.flatMap { unit, node -> [Place] in
      guard let loop = node.ancestor(ForStmtSyntax.self), node.isInside(loop.sequence) else {
        return []
      }
      return ends(of: loop).map { unit.place($0) }
    }
  }

  private static func ends(of loop: ForStmtSyntax) -> [Syntax] {
    let body = Syntax(loop.body)
    let returns = loop.body.all(ReturnStmtSyntax.self).filter {
      $0.isDirectly(in: body) && !$0.isBecauseNobodyListens(in: body)
    }
    let breaks = loop.body.all(BreakStmtSyntax.self).filter { leave in
      guard leave.label == nil, leave.isDirectly(in: body),
        !leave.isBecauseNobodyListens(in: body)
      else { return false }
      // A break inside a switch or an inner loop leaves only that.
      return !leave.ancestors.prefix { $0 != body }.contains {
        [.switchExpr, .forStmt, .whileStmt, .repeatStmt].contains($0.kind)
      }
    }
    let throwing = loop.body.all(TryExprSyntax.self).filter { attempt in
      attempt.questionOrExclamationMark == nil && attempt.isDirectly(in: body)
        && !attempt.ancestors.prefix { $0 != body }.contains { inner in
          inner.as(DoStmtSyntax.self).map { !$0.catchClauses.isEmpty } ?? false
        }
    }
    return
      (returns.map(Syntax.init) + breaks.map(Syntax.init) + throwing.prefix(1).map(Syntax.init))
      .sorted { $0.position < $1.position }
  }
}

extension SyntaxProtocol {
  /// Whether the loop is left because its owner is gone or its task is cancelled.
  fileprivate func isBecauseNobodyListens(in code: Syntax) -> Bool {
    for node in ancestors {
      if node == code { return false }
      let conditions =
        node.as(GuardStmtSyntax.self)?.conditions ?? node.as(IfExprSyntax.self)?.conditions
      guard let conditions else { continue }
      let words = Set(
        conditions.tokens(viewMode: .sourceAccurate).map(\.text)
      )
      return words.contains("isCancelled") || (words.contains("self") && !words.contains("case"))
    }
    return false
  }

  /// Whether this runs in some code itself, not in a closure or function inside it.
  fileprivate func isDirectly(in code: Syntax) -> Bool {
    for node in ancestors {
      if node == code { return true }
      if node.is(ClosureExprSyntax.self) || node.is(FunctionDeclSyntax.self) { return false }
    }
    return false
  }
}
