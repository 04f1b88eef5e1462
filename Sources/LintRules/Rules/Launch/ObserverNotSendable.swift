import SwiftSyntax

/// State that the store's callbacks change without protection.
enum ObserverNotSendable: LintRule {
  static let info = RuleInfo(
    "observer-not-sendable",
    .warning,
    .money,
    title: LintWords(
      "The observer's state is not protected",
      zh: "观察者的状态没有并发保护"
    ),
    why: LintWords(
      """
      Transactions arrive in the background while screens read the same variables. A race here \
      loses a delivery or repeats it, once in a thousand launches.
      """,
      zh: "交易在后台送达，界面同时读取相同变量；数据竞争会在偶尔的启动中丢失或重复交付。"
    ),
    fix: LintWords(
      "Make it an actor, isolate it to the main actor, or make it Sendable with protected state.",
      zh: "改为 actor、隔离到主 actor，或让它成为状态受保护的 Sendable 类型。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let listening = Set(
      project.listeners.filter { unit, node in
        // A task that is not bound to an actor shares what it captures.
        node.ancestors.contains { around in
          around.as(FunctionCallExprSyntax.self).map { $0.calledExpression.text == "Task.detached" }
            ?? false
        }
      }.compactMap { $0.node.enclosingTypeName }
    )
    return project.appUnits.flatMap { unit in
      unit.tree.all(ClassDeclSyntax.self).filter { type in
        let facts = project.types[type.name.text]
        let observes = facts?.inherited.contains("SKPaymentTransactionObserver") ?? false
        return (observes || listening.contains(type.name.text))
          && !isProtected(type, facts) && hasOpenState(type)
      }.map { unit.place($0.name) }
    }
  }

  private static func isProtected(_ type: ClassDeclSyntax, _ facts: TypeFacts?) -> Bool {
    guard let facts else { return false }
    return facts.attributes.contains { $0.hasSuffix("Actor") }
      || !facts.inherited.isDisjoint(with: ["Sendable", "@unchecked"])
  }

  /// Whether a stored variable of the class has no isolation of its own.
  private static func hasOpenState(_ type: ClassDeclSyntax) -> Bool {
    type.memberBlock.members.contains { member in
      guard let variable = member.decl.as(VariableDeclSyntax.self),
        variable.bindingSpecifier.tokenKind == .keyword(.var),
        variable.bindings.contains(where: { $0.accessorBlock == nil })
      else { return false }
      let isIsolated = variable.attributes.contains { attribute in
        attribute.as(AttributeSyntax.self)?.attributeName.text.hasSuffix("Actor") ?? false
      }
      // References that are set once by somebody else are not what races.
      let isPlain = !variable.modifiers.contains {
        ["weak", "lazy", "static"].contains($0.name.text)
      }
      let holdsTask = variable.text.contains("Task<")
      return !isIsolated && isPlain && !holdsTask
    }
  }
}
