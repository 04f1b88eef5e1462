import SwiftSyntax

/// Access that is looked up once and then believed.
enum EntitlementsCheckedOnce: LintRule {
  static let info = RuleInfo(
    "entitlements-checked-once",
    .warning,
    .money,
    title: LintWords(
      "Entitlements are read once and never again",
      zh: "权益只读取一次，之后不再更新"
    ),
    why: LintWords(
      """
      Subscriptions renew, end and are refunded while the app runs. An answer from the launch \
      keeps a paying user out after a renewal, and lets everybody else in after a refund.
      """,
      zh: "应用运行期间订阅会续订、到期和退款；只用启动时的结果，会把续订的付费用户挡在门外，也会让已退款的用户继续使用。"
    ),
    fix: LintWords(
      "Read them again on every transaction update, status update and return to the foreground.",
      zh: "每次交易更新、状态更新以及回到前台时重新读取。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let reads = project.appUnits.filter(\.importsStoreKit).flatMap { unit in
      unit.tree.all(MemberAccessExprSyntax.self).filter { node in
        ["currentEntitlements", "currentEntitlement"].contains(node.declName.baseName.text)
          && (node.base?.isTransactionType == true || node.base != nil)
      }.map { (unit, $0) }
    }
    guard let (unit, node) = reads.first else { return [] }
    let readers = Set(reads.compactMap { project.body(around: $0.1, in: $0.0) })
    let again = project.appUnits.contains { isReadAgain(in: $0, readers, project) }
    return again ? [] : [unit.place(node)]
  }

  private static func isReadAgain(
    in unit: SourceUnit,
    _ readers: Set<Int>,
    _ project: Project
  ) -> Bool {
    // Loops over updates, views that follow changes, and moments of coming back.
    if unit.names.contains("currentEntitlementTask") { return true }
    let loops = unit.tree.all(ForStmtSyntax.self).filter { loop in
      loop.awaitKeyword != nil && !loop.sequence.names.isDisjoint(with: ["updates"])
    }.map { $0.body.names }
    let changes = unit.calls.filter { call in
      ["onChange", "onReceive", "subscriptionStatusTask", "onInAppPurchaseCompletion"]
        .contains(call.name)
    }.map(\.names)
    let returns = project.bodies.filter { body in
      project.unit(of: body).path == unit.path
        && !body.names.union([body.name]).isDisjoint(with: Vocabulary.comingBack)
    }.map(\.names)
    return (loops + changes + returns).contains { names in
      if !names.isDisjoint(with: Vocabulary.entitlementReads) { return true }
      return !project.reachable(from: names, depth: 4).isDisjoint(with: readers)
    }
  }
}
