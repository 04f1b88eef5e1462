import SwiftSyntax

/// Transactions that give goods although they may be refunds.
enum MissingRevocationCheck: LintRule {
  static let info = RuleInfo(
    "missing-revocation-check",
    .error,
    .money,
    title: LintWords(
      "Transactions are handed over without a look at their revocation",
      zh: "交付前没有检查交易是否已撤销"
    ),
    why: LintWords(
      """
      Refunds and the end of family sharing arrive as the same transaction with a revocation date. \
      Who does not look at it delivers a second time what was just refunded.
      """,
      zh: "退款和家庭共享终止会以带撤销日期的同一交易送达；不检查就会把刚退款的商品再交付一次。"
    ),
    fix: LintWords(
      "Take access away when 'revocationDate' is set, or recompute it from currentEntitlements.",
      zh: "“revocationDate”有值时收回权限，或根据 currentEntitlements 重新计算。"
    )
  )

  private static let looks: Set = [
    "revocationDate", "revocationReason", "isRevoked", "revoked", "currentEntitlements",
    "currentEntitlement", "revocation",
  ]

  static func places(in project: Project) -> [Place] {
    let read = project.sequences(["updates", "all"]).filter { _, node in
      node.ancestor(ForStmtSyntax.self)?.sequence.isAround(node) == true
    }
    let loops = read.compactMap { unit, node -> Place? in
      guard let loop = node.ancestor(ForStmtSyntax.self) else { return nil }
      return place(loop.body, whole: loop, node, unit, project)
    }
    let latest = project.calls { unit, call in
      unit.importsStoreKit && call.name == "latest" && call.base?.isTransactionType == true
        && call.labels == ["for"]
    }.compactMap { call -> Place? in
      guard let around = call.node.flowBoundary else { return nil }
      return project.namesReachable(from: around.names, depth: 4).isDisjoint(with: looks)
        ? call.unit.place(call.node) : nil
    }
    return loops + latest
  }

  private static func place(
    _ code: some SyntaxProtocol,
    whole: ForStmtSyntax,
    _ node: MemberAccessExprSyntax,
    _ unit: SourceUnit,
    _ project: Project
  ) -> Place? {
    let names = whole.names.subtracting(["updates", "all", "Transaction"])
    let reached = project.reachable(from: names, depth: 4)
    let seen = reached.reduce(into: names) { $0.formUnion(project.bodies[$1].names) }
    guard seen.isDisjoint(with: looks) else { return nil }
    let gives =
      !Effects.all(in: code).isEmpty
      || reached.contains { !Effects.all(in: project.bodies[$0].code).isEmpty }
    return gives ? unit.place(node) : nil
  }
}

extension ExprSyntax {
  fileprivate func isAround(_ node: some SyntaxProtocol) -> Bool { node.isInside(self) }
}
