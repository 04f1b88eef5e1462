import SwiftSyntax

/// A purchase whose outcome is thrown away.
enum TryQuestionPurchase: LintRule {
  static let info = RuleInfo(
    "try-question-purchase",
    .warning,
    .trust,
    title: LintWords("'try?' swallows the outcome of a purchase", zh: "“try?”吞掉了购买的结果"),
    why: LintWords(
      """
      Not allowed to pay, no network, verification failed: all become nil. The user sees a button \
      that does nothing, and support learns nothing.
      """,
      zh: "不允许付款、没有网络、验证失败都变成了 nil：用户看到按钮毫无反应，客服也无从得知原因。"
    ),
    fix: LintWords(
      "Catch the error: stay silent on cancellation, explain pending, show the rest.",
      zh: "捕获错误：取消时静默，待处理时说明，其余的显示出来。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.appUnits.flatMap { unit in
      unit.tree.all(TryExprSyntax.self).filter { attempt in
        attempt.questionOrExclamationMark != nil
          && attempt.expression.all(FunctionCallExprSyntax.self).contains { call in
            (call.isNewPurchase(in: unit) || call.isFacadePurchase(in: unit))
              && call.ancestor(TryExprSyntax.self)?.id == attempt.id
          }
      }.map { unit.place($0) }
    }
  }
}
