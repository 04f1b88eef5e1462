import SwiftSyntax

/// A listener that lives as long as a screen.
enum ObserverAddedInView: LintRule {
  static let info = RuleInfo(
    "observer-added-in-view",
    .error,
    .money,
    title: LintWords(
      "The listener or observer belongs to a screen",
      zh: "监听或观察者属于某个界面"
    ),
    why: LintWords(
      """
      It begins when the screen is shown and ends with it. Transactions that arrive before or \
      after are not handled, and two screens handle the same one twice.
      """,
      zh: "它随界面出现而开始、随界面消失而结束；之前或之后送达的交易无人处理，两个界面又会重复处理同一笔交易。"
    ),
    fix: LintWords(
      "Move it to an object that the app makes at launch and keeps for its whole life.",
      zh: "把它移到应用启动时创建并始终存在的对象中。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let listeners = project.listeners.map { ($0.unit, Syntax($0.node)) }
    let observers = project.observers.map { ($0.unit, Syntax($0.node)) }
    let facade = project.calls { unit, call in
      unit.importsFacade && ["startTransactionListener", "startObserving"].contains(call.name)
    }.map { ($0.unit, Syntax($0.node)) }
    return (listeners + observers + facade).compactMap { unit, node in
      guard let type = node.enclosingTypeName.flatMap({ project.types[$0] }),
        type.isScreen, !type.isApp
      else { return nil }
      return unit.place(node)
    }
  }
}
