import SwiftSyntax

extension SyntaxProtocol {
  /// The function, closure or accessor that this code belongs to.
  var flowBoundary: Syntax? {
    for node in ancestors {
      switch node.kind {
      case .functionDecl, .closureExpr, .initializerDecl, .deinitializerDecl, .accessorDecl,
        .accessorBlock, .sourceFile:
        return node
      default: continue
      }
    }
    return nil
  }

  /// The statements that run before and after this node in its function, without other branches.
  var flow: (before: [Syntax], after: [Syntax]) {
    var before: [Syntax] = []
    var after: [Syntax] = []
    var isLeft = false
    var node = Syntax(self)
    let boundary = flowBoundary
    while let parent = node.parent {
      if let list = parent.as(CodeBlockItemListSyntax.self) {
        let items = Array(list)
        if let index = items.firstIndex(where: { $0.id == node.id }) {
          before = items[..<index].map(Syntax.init) + before
          if !isLeft {
            let rest = items[(index + 1)...]
            after += rest.map(Syntax.init)
            isLeft = rest.contains { $0.item.leavesFlow }
          }
        }
      }
      if parent == boundary { break }
      // The condition of a branch runs before it.
      if let branch = parent.as(IfExprSyntax.self) { before.append(Syntax(branch.conditions)) }
      node = parent
    }
    return (before, after)
  }

  /// The nearest `switch` case, `catch` or branch around this node, within its function.
  func enclosing<Node: SyntaxProtocol>(_ kind: Node.Type, within limit: Syntax?) -> Node? {
    for node in ancestors {
      if let match = node.as(kind) { return match }
      if node == limit { return nil }
    }
    return nil
  }
}

extension CodeBlockItemSyntax.Item {
  /// Whether nothing behind this statement runs.
  var leavesFlow: Bool {
    switch self {
    case .stmt(let statement):
      [.returnStmt, .throwStmt, .breakStmt, .continueStmt].contains(statement.kind)
    case .decl, .expr: false
    @unknown default: false
    }
  }
}

extension SwitchExprSyntax {
  /// The cases, without those behind `#if`.
  var plainCases: [SwitchCaseSyntax] {
    cases.compactMap { element in
      if case .switchCase(let one) = element { return one }
      return nil
    }
  }

  /// The names in a case, and in those that it falls through to.
  func names(from branch: SwitchCaseSyntax) -> Set<String> {
    let cases = plainCases
    guard let start = cases.firstIndex(where: { $0.id == branch.id }) else { return [] }
    var names: Set<String> = []
    for one in cases[start...] {
      names.formUnion(one.statements.names)
      if one.statements.all(FallThroughStmtSyntax.self).isEmpty { break }
    }
    return names
  }

  /// The case whose label names one of some members.
  func plainCase(_ names: Set<String>) -> SwitchCaseSyntax? {
    plainCases.first { !$0.labelNames.isDisjoint(with: names) }
  }
}

extension SwitchCaseSyntax {
  /// The names of enum cases in the label; empty for `default`.
  var labelNames: Set<String> {
    guard case .case(let label) = label else { return [] }
    return label.names
  }

  var isDefault: Bool {
    if case .default = label { return true }
    return false
  }

  /// Whether the case does nothing that a person could notice.
  var isIgnored: Bool {
    statements.allSatisfy { item in
      if case .stmt(let statement) = item.item {
        if statement.is(BreakStmtSyntax.self) || statement.is(ContinueStmtSyntax.self) {
          return true
        }
        if let exit = statement.as(ReturnStmtSyntax.self) {
          return exit.expression.map { Self.nothing.contains($0.text) } ?? true
        }
        return false
      }
      if case .expr(let expression) = item.item {
        if let call = expression.bare.as(FunctionCallExprSyntax.self) {
          return Self.logging.contains(call.name)
        }
        return Self.nothing.contains(expression.text)
      }
      return false
    }
  }

  private static let nothing: Set = ["nil", "false", "()", "[]"]
  private static let logging: Set = ["print", "debugPrint", "NSLog", "os_log", "debug", "log"]
}
