import SwiftSyntax

/// A flag on the disk that opens what is sold.
enum LocalOnlyUnlock: LintRule {
  static let info = RuleInfo(
    "local-only-unlock",
    .warning,
    .money,
    title: LintWords(
      "A stored flag unlocks what is sold",
      zh: "用本地存储的标志解锁付费内容"
    ),
    why: LintWords(
      """
      A flag in the user defaults is changed by anybody with a backup editor, survives a refund, \
      and is missing on the user's second device.
      """,
      zh: "用户默认设置中的标志可被备份工具修改，退款后仍然有效，在用户的第二台设备上又不存在。"
    ),
    fix: LintWords(
      "Derive access from verified transactions (or the server) each time; keep a flag only as a "
        + "cache that is written from them.",
      zh: "每次都由已验证的交易（或服务器）推导权限；标志只能作为由其写入的缓存。"
    )
  )

  private static let flags: Set = [
    "premium", "pro", "purchased", "unlocked", "subscribed", "subscriber", "vip", "paid",
    "entitled", "member", "unlock", "unlimited",
  ]
  /// Words that make a key something else than a right.
  private static let others: Set = [
    "seen", "shown", "show", "prompt", "banner", "tip", "date", "count", "last", "dismissed",
    "paywall", "offer", "onboarding", "price", "asked", "reminder", "screen", "hint", "version",
    "plan", "tab", "trial",
  ]
  private static let sources: Set = [
    "currentEntitlements", "currentEntitlement", "entitlements", "purchasedProductIDs",
    "subscriptionStatus", "latestTransaction", "revocationDate", "statuses",
  ]

  static func places(in project: Project) -> [Place] {
    guard !project.sales.isEmpty else { return [] }
    return written(project) + wrapped(project)
  }

  private static func written(_ project: Project) -> [Place] {
    project.calls { _, call in
      call.name == "set" && call.labels == ["_", "forKey"]
        && call.argument("forKey").map(isFlag) == true
        && call.argument(nil)?.text != "false"
    }.filter { !isDerived($0.node, $0.unit, project) }.map { $0.unit.place($0.node) }
  }

  private static func wrapped(_ project: Project) -> [Place] {
    project.appUnits.flatMap { unit in
      unit.tree.all(VariableDeclSyntax.self).filter { variable in
        variable.attributes.contains { attribute in
          guard let attribute = attribute.as(AttributeSyntax.self),
            attribute.attributeName.text == "AppStorage",
            case .argumentList(let arguments) = attribute.arguments,
            let key = arguments.first?.expression
          else { return false }
          return isFlag(key)
        }
      }.filter { variable in
        guard let name = variable.bindings.first?.pattern.text else { return true }
        return !isWrittenFromTransactions(name, project)
      }.map { unit.place($0) }
    }
  }

  private static func isFlag(_ key: ExprSyntax) -> Bool {
    let words = Set((key.literalText ?? key.lastName ?? "").camelWords)
    return !words.isDisjoint(with: flags) && words.isDisjoint(with: others)
      && !words.contains("profile")
  }

  /// Whether the write stands where verified transactions are read.
  private static func isDerived(
    _ node: some SyntaxProtocol,
    _ unit: SourceUnit,
    _ project: Project
  ) -> Bool {
    guard let number = project.body(around: node, in: unit) else { return false }
    let body = project.bodies[number]
    if !body.names.isDisjoint(with: sources) { return true }
    // Or is called from there.
    return body.kind == .function
      && project.appBodies.contains { caller in
        caller.number != number && caller.body.names.contains(body.name)
          && !caller.body.names.isDisjoint(with: sources)
      }
  }

  private static func isWrittenFromTransactions(_ name: String, _ project: Project) -> Bool {
    let writers = project.appBodies.map(\.body).filter { body in
      body.names.contains(name)
        && body.code.all(InfixOperatorExprSyntax.self).contains { operation in
          operation.operator.is(AssignmentExprSyntax.self)
            && operation.leftOperand.lastName == name
        }
    }
    return !writers.isEmpty && writers.allSatisfy { !$0.names.isDisjoint(with: sources) }
  }
}
