import SwiftSyntax

/// Transactions that nobody finishes.
enum FinishMissing: LintRule {
  static let info = RuleInfo(
    "finish-missing",
    .error,
    .trust,
    title: LintWords("Transactions are never finished", zh: "交易从未结束"),
    why: LintWords(
      """
      A transaction that is not finished comes again at every launch, and on older systems an \
      unfinished consumable blocks the next purchase of the same product.
      """,
      zh: "未结束的交易每次启动都会再次送达；在较旧的系统上，未结束的消耗型商品还会阻止再次购买。"
    ),
    fix: LintWords(
      "After delivery call 'await transaction.finish()', or 'finishTransaction' for StoreKit 1.",
      zh: "交付之后调用“await transaction.finish()”，StoreKit 1 则调用“finishTransaction”。"
    )
  )

  static func places(in project: Project) -> [Place] {
    newAPI(project) + originalAPI(project)
  }

  private static func newAPI(_ project: Project) -> [Place] {
    let starts =
      project.newPurchases.map { ($0.unit, Syntax($0.node)) }
      + project.listeners.map { ($0.unit, Syntax($0.node)) }
    guard let (unit, node) = starts.first else { return [] }
    let finishes = project.calls { unit, call in call.name == "finish" && call.isFinish }
    return finishes.isEmpty ? [unit.place(node)] : []
  }

  private static func originalAPI(_ project: Project) -> [Place] {
    project.updatedTransactions.flatMap { unit, function -> [Place] in
      guard let code = function.body else { return [] }
      let everything = project.namesReachable(from: code.names, depth: 4)
      guard everything.contains("finishTransaction") else { return [unit.place(function.name)] }
      return code.all(SwitchExprSyntax.self).flatMap { choice in
        choice.plainCases.compactMap { branch -> Place? in
          let wanted = branch.labelNames.intersection(["purchased", "restored"])
          guard !wanted.isEmpty, !branch.labelNames.contains("purchasing") else { return nil }
          let reached = project.namesReachable(from: choice.names(from: branch), depth: 4)
          let behind = choice.flow.after.reduce(into: Set<String>()) { $0.formUnion($1.names) }
          guard !reached.contains("finishTransaction"), !behind.contains("finishTransaction")
          else { return nil }
          let names = wanted.sorted().joined(separator: ", ")
          return unit.place(
            branch,
            LintWords("the branch '\(names)' finishes nothing", zh: "分支“\(names)”没有结束交易")
          )
        }
      }
    }
  }
}

extension Project {
  /// The functions that StoreKit 1 tells about transactions.
  var updatedTransactions: [(unit: SourceUnit, function: FunctionDeclSyntax)] {
    appUnits.filter(\.importsStoreKit).flatMap { unit in
      unit.tree.all(FunctionDeclSyntax.self).filter { function in
        function.name.text == "paymentQueue"
          && function.signature.parameterClause.parameters
            .contains { $0.firstName.text == "updatedTransactions" }
      }.map { (unit, $0) }
    }
  }
}
