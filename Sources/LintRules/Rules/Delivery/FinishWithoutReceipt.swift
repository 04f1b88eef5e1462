import SwiftSyntax

/// Finishing because the receipt is not there.
enum FinishWithoutReceipt: LintRule {
  static let info = RuleInfo(
    "finish-without-receipt",
    .error,
    .money,
    title: LintWords(
      "The transaction is finished although the receipt is missing",
      zh: "收据缺失时仍结束了交易"
    ),
    why: LintWords(
      """
      A receipt can be missing for a while: a fresh sandbox or TestFlight install has none, and a \
      refresh may fail. Finishing then throws away the only proof of a payment.
      """,
      zh: "收据可能暂时不存在：沙盒或 TestFlight 新装的应用没有收据，刷新也可能失败。此时结束交易等于丢掉付款的唯一凭证。"
    ),
    fix: LintWords(
      "Leave the transaction unfinished, refresh the receipt, and check again later.",
      zh: "不要结束交易；先刷新收据，稍后再验证。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.calls { unit, call in unit.importsStoreKit && call.isFinish }.compactMap { call in
      let limit = call.node.flowBoundary
      if let check = call.node.enclosing(GuardStmtSyntax.self, within: limit),
        call.node.isInside(check.body), isReceipt(check.conditions)
      {
        return call.unit.place(call.node)
      }
      if let branch = call.node.enclosing(IfExprSyntax.self, within: limit),
        isInFailure(call.node, of: branch)
      {
        return call.unit.place(call.node)
      }
      return nil
    }
  }

  private static func isInFailure(_ node: some SyntaxProtocol, of branch: IfExprSyntax) -> Bool {
    let condition = branch.conditions.text
    if condition.contains("== nil") || condition.contains("isEmpty") {
      return isReceipt(branch.conditions) && node.isInside(branch.body)
    }
    guard let other = branch.elseBody else { return false }
    return isReceipt(branch.conditions) && condition.contains("let ") && node.isInside(other)
  }

  private static func isReceipt(_ conditions: ConditionElementListSyntax) -> Bool {
    conditions.names.contains { name in
      let words = name.camelWords
      return words.contains("receipt") && !words.contains("valid")
    }
  }
}
