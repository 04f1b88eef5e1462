import SwiftSyntax

/// Restoring at launch, which asks for a password.
enum RestoreWithoutTap: LintRule {
  static let info = RuleInfo(
    "restore-without-tap",
    .warning,
    .review,
    title: LintWords(
      "Purchases are restored although nobody asked",
      zh: "未经用户要求就恢复购买"
    ),
    why: LintWords(
      """
      'AppStore.sync()', 'restoreCompletedTransactions' and a receipt refresh may ask for the \
      password of the App Store account. At launch that is a sign-in prompt out of nowhere.
      """,
      zh:
        "“AppStore.sync()”“restoreCompletedTransactions”和刷新收据可能要求输入 App Store 账户密码；在启动时调用会凭空弹出登录提示。"
    ),
    fix: LintWords(
      "Read current entitlements at launch; sync or restore only behind a button.",
      zh: "启动时读取当前权益；仅在用户点按按钮时同步或恢复。"
    )
  )

  private static let moments: Set = [
    "viewDidLoad", "viewWillAppear", "viewDidAppear", "sceneDidBecomeActive",
    "applicationDidBecomeActive", "applicationWillEnterForeground",
  ]

  static func places(in project: Project) -> [Place] {
    project.calls { unit, call in
      if unit.importsFacade, ["restore", "restoreSummary"].contains(call.name), call.isAwaited {
        return true
      }
      guard unit.importsStoreKit else { return false }
      if call.name == "sync" { return call.baseText.hasSuffix("AppStore") }
      return call.name == "restoreCompletedTransactions"
    }.compactMap { call in
      if isOnAppearing(call.node) { return call.unit.place(call.node) }
      guard let number = project.body(around: call.node, in: call.unit) else { return nil }
      let body = project.bodies[number]
      if moments.contains(body.name) { return call.unit.place(call.node) }
      let isStart =
        body.kind == .initializer || body.kind == .script
        || body.name == "application" || body.name == "applicationDidFinishLaunching"
      let isTapped = call.node.ancestors.contains { around in
        around.as(FunctionCallExprSyntax.self).map { $0.name == "Button" } ?? false
      }
      return isStart && !isTapped && project.launched.contains(number)
        ? call.unit.place(call.node) : nil
    }
  }

  /// Whether a node stands in `.task`, `.onAppear` or `.onReceive`.
  private static func isOnAppearing(_ node: some SyntaxProtocol) -> Bool {
    for around in node.ancestors {
      guard let call = around.as(FunctionCallExprSyntax.self) else { continue }
      if ["Button", "onTapGesture", "refreshable"].contains(call.name) { return false }
      if ["task", "onAppear"].contains(call.name), call.base != nil || call.trailingClosure != nil,
        call.calledExpression.is(MemberAccessExprSyntax.self)
      {
        return true
      }
    }
    return false
  }
}
