import SwiftSyntax

/// An observer that leaves before the app does.
enum ObserverRemoved: LintRule {
  static let info = RuleInfo(
    "observer-removed",
    .warning,
    .money,
    title: LintWords(
      "The observer is removed while the app runs",
      zh: "应用运行期间移除了观察者"
    ),
    why: LintWords(
      """
      Without an observer the queue does not synchronise: an interrupted purchase that is charged \
      later, an approval or a renewal is not seen until some later launch.
      """,
      zh: "没有观察者时队列不会同步：稍后才扣款的中断购买、批准或续订，要到以后某次启动才能看到。"
    ),
    fix: LintWords(
      "Add the observer once at launch and keep it; remove it at most when the app terminates.",
      zh: "启动时添加一次并一直保留；最多在应用终止时移除。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let removed = project.calls { unit, call in
      unit.importsStoreKit && call.name == "remove" && call.isOnPaymentQueue
        && call.labels == ["_"]
    }.filter { !isAtTheEnd($0.node, project) }
    let stopped = project.calls { unit, call in
      unit.importsFacade && ["stop", "stopObserving"].contains(call.name) && call.arguments.isEmpty
        && call.baseText.lowercased().contains("listener")
    }.filter { call in
      call.node.enclosingTypeName.flatMap { project.types[$0] }?.isScreen == true
    }
    return (removed + stopped).map { $0.unit.place($0.node) }
  }

  private static func isAtTheEnd(_ node: FunctionCallExprSyntax, _ project: Project) -> Bool {
    if let function = node.ancestor(FunctionDeclSyntax.self),
      function.name.text.lowercased().contains("terminate")
    {
      return true
    }
    // An object that lives as long as the app may say goodbye in its deinit; a screen may not.
    let type = node.enclosingTypeName.flatMap { project.types[$0] }
    return node.ancestor(DeinitializerDeclSyntax.self) != nil && type?.isScreen != true
  }
}
