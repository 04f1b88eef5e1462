import SwiftSyntax

/// A transaction that is finished before its goods are handed over.
enum FinishBeforeDelivery: LintRule {
  static let info = RuleInfo(
    "finish-before-delivery",
    .error,
    .money,
    title: LintWords(
      "The transaction is finished before the goods are handed over",
      zh: "在交付商品之前就结束了交易"
    ),
    why: LintWords(
      """
      A finished transaction is never announced again. If the app is killed, or delivery fails, \
      between finish and delivery, the user has paid and gets nothing.
      """,
      zh: "交易结束后不会再次送达。若应用在结束与交付之间被终止或交付失败，用户付了钱却什么也得不到。"
    ),
    fix: LintWords(
      "Verify, save, deliver, and finish as the very last step, only when delivery succeeded.",
      zh: "先验证、保存、交付，确认交付成功后，最后一步才结束交易。"
    )
  )

  static func places(in project: Project) -> [Place] {
    project.calls { unit, call in unit.importsStoreKit && call.isFinish }.compactMap { call in
      if let deferred = call.node.ancestor(DeferStmtSyntax.self) {
        return afterFailure(deferred, in: call.unit, project)
      }
      // The failed branch has nothing to deliver.
      if let branch = call.node.ancestor(SwitchCaseSyntax.self),
        branch.labelNames.contains("failed")
      {
        return nil
      }
      let (before, after) = call.node.flow
      guard before.allSatisfy({ effects(in: $0, project).isEmpty }),
        after.contains(where: { !effects(in: $0, project).isEmpty })
      else { return nil }
      return call.unit.place(call.node)
    }
  }

  /// `defer` runs when delivery threw as well.
  private static func afterFailure(
    _ node: DeferStmtSyntax,
    in unit: SourceUnit,
    _ project: Project
  ) -> Place? {
    let after = node.flow.after.flatMap { effects(in: $0, project) }
    let mayFail = after.contains { effect in
      effect.ancestors.contains { $0.is(TryExprSyntax.self) }
    }
    guard mayFail else { return nil }
    return unit.place(
      node,
      LintWords(
        "'defer' finishes the transaction even when delivery throws",
        zh: "“defer”会在交付抛出错误时也结束交易"
      )
    )
  }

  /// What hands goods over, here or in a function of the project that is called here.
  ///
  /// Reading the current entitlements again is no delivery: it can be repeated at any time.
  private static func effects(in code: Syntax, _ project: Project) -> [Syntax] {
    let calls = code.all(FunctionCallExprSyntax.self)
    let again = Set(calls.filter { project.onlyReadsEntitlements($0.name) }.map(\.id))
    let direct = Effects.all(in: code).filter { !again.contains($0.id) }
    let called = calls.filter { call in
      call.isFinish == false && !again.contains(call.id)
        && call.arguments.contains {
          $0.expression.lastName?.camelWords.contains("transaction") ?? false
        }
        && project.functions(named: call.name).contains { !Effects.all(in: $0.code).isEmpty }
    }
    return direct + called.map(Syntax.init)
  }
}

extension Project {
  /// The functions with a name.
  func functions(named name: String) -> [CodeBody] {
    appBodies.map(\.body).filter { $0.kind == .function && $0.name == name }
  }

  /// Whether the functions with a name take access from what the store says now.
  func onlyReadsEntitlements(_ name: String) -> Bool {
    let found = functions(named: name)
    return !found.isEmpty
      && found.allSatisfy {
        let names = namesReachable(from: $0.names, depth: 2)
        return names.contains("currentEntitlements") || names.contains("currentEntitlement")
          || names.isSuperset(of: ["subscription", "status"])
      }
  }
}
