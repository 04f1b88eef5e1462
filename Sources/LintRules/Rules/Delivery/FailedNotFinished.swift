import SwiftSyntax

/// StoreKit 1's failed transactions, which have to be finished too.
enum FailedNotFinished: LintRule {
  static let info = RuleInfo(
    "failed-not-finished",
    .warning,
    .trust,
    title: LintWords("A failed transaction is not finished", zh: "失败的交易没有结束"),
    why: LintWords(
      """
      In StoreKit 1 a failed transaction stays in the queue until it is finished: it is announced \
      at every launch, and its error is shown again and again.
      """,
      zh: "在 StoreKit 1 中，失败的交易在结束之前一直留在队列里：每次启动都会再次送达并重复报错。"
    ),
    fix: LintWords(
      "Call 'finishTransaction' in the branch '.failed' as well.",
      zh: "在“.failed”分支中同样调用“finishTransaction”。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.updatedTransactions.flatMap { unit, function -> [Place] in
      guard let code = function.body else { return [] }
      return code.all(SwitchExprSyntax.self).compactMap { choice in
        guard choice.plainCase(["purchased", "restored"]) != nil else { return nil }
        let behind = choice.flow.after.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        if behind.contains("finishTransaction") { return nil }
        guard
          let branch = choice.plainCase(["failed"]) ?? choice.plainCases.first(where: \.isDefault)
        else { return nil }
        let reached = project.namesReachable(from: choice.names(from: branch), depth: 4)
        return reached.contains("finishTransaction") ? nil : unit.place(branch)
      }
    }
  }
}
