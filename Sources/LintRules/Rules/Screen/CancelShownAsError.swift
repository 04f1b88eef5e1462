import SwiftSyntax

/// An alert for somebody who changed their mind.
enum CancelShownAsError: LintRule {
  static let info = RuleInfo(
    "cancel-shown-as-error",
    .warning,
    .trust,
    title: LintWords("A cancelled purchase is shown as an error", zh: "把取消购买当作错误显示"),
    why: LintWords(
      """
      Closing the payment sheet is a decision, not a failure. An alert after it looks like a \
      broken shop, and the user does not come back.
      """,
      zh: "关闭付款界面是用户的决定而不是故障；随后弹出错误提示会让商店显得有问题，用户不会再来。"
    ),
    fix: LintWords(
      """
      Treat the cancellation first and silently ('.userCancelled', 'SKError.paymentCancelled', \
      'IAPError.userCancelled'), then show other errors.
      """,
      zh: "先静默处理取消（“.userCancelled”“SKError.paymentCancelled”“IAPError.userCancelled”），再显示其他错误。"
    )
  )

  private static let cancelled: Set = [
    "userCancelled", "cancelled", "paymentCancelled", "isCancelled", "isUserCancelled", "userText",
  ]

  static func places(in project: Project) -> [Place] {
    queue(project)
      + project.appUnits.filter { $0.importsStoreKit || $0.importsFacade }.flatMap { unit in
        branches(unit) + catches(unit)
      }
  }

  private static func branches(_ unit: SourceUnit) -> [Place] {
    let cases = unit.tree.all(SwitchCaseSyntax.self).filter { branch in
      !branch.labelNames.isDisjoint(with: ["userCancelled", "cancelled", "paymentCancelled"])
        && branch.statements.showsError
    }.map { unit.place($0) }
    let caught = unit.tree.all(CatchClauseSyntax.self).filter { clause in
      !clause.catchItems.names.isDisjoint(with: ["userCancelled", "paymentCancelled"])
        && clause.body.showsError
    }.map { unit.place($0) }
    return cases + caught
  }

  private static func queue(_ project: Project) -> [Place] {
    project.updatedTransactions.flatMap { unit, function in
      function.all(SwitchCaseSyntax.self).compactMap { branch -> Place? in
        guard branch.labelNames.contains("failed") else { return nil }
        let called = project.reachable(from: branch.statements.names, depth: 1)
        let names = called.reduce(into: branch.statements.names) {
          $0.formUnion(project.bodies[$1].names)
        }
        let shows =
          branch.statements.showsError
          || called.contains { project.bodies[$0].code.showsError }
        return shows && names.isDisjoint(with: cancelled) ? unit.place(branch) : nil
      }
    }
  }

  /// The facade throws when the user cancels.
  private static func catches(_ unit: SourceUnit) -> [Place] {
    guard unit.importsFacade else { return [] }
    return unit.tree.all(DoStmtSyntax.self).compactMap { attempt in
      let buys = attempt.body.all(FunctionCallExprSyntax.self).contains {
        $0.isFacadePurchase(in: unit) && $0.name == "purchase"
      }
      guard buys, let last = attempt.catchClauses.last, last.body.showsError else { return nil }
      let names = attempt.catchClauses.names
      return names.isDisjoint(with: cancelled.subtracting(["userText"])) ? unit.place(last) : nil
    }
  }
}
