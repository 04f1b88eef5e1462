import SwiftParser
import SwiftSyntax

extension SyntaxProtocol {
  /// Every node of a kind below and including this one, in source order.
  func all<Node: SyntaxProtocol>(_ kind: Node.Type) -> [Node] {
    var found: [Node] = []
    func look(_ node: Syntax) {
      if let match = node.as(kind) { found.append(match) }
      for child in node.children(viewMode: .sourceAccurate) { look(child) }
    }
    look(Syntax(self))
    return found
  }

  /// The nodes around this one, nearest first.
  var ancestors: some Sequence<Syntax> {
    sequence(first: Syntax(self), next: \.parent).dropFirst()
  }

  /// The nearest node of a kind around this one.
  func ancestor<Node: SyntaxProtocol>(_ kind: Node.Type) -> Node? {
    for node in ancestors {
      if let match = node.as(kind) { return match }
    }
    return nil
  }

  /// The source without white space and comments at its ends.
  var text: String { trimmedDescription }

  /// Every name that is used or declared below: variables, members, types, labels of enum cases.
  var names: Set<String> {
    var found: Set<String> = []
    for token in tokens(viewMode: .sourceAccurate) {
      if case .identifier(let name) = token.tokenKind {
        found.insert(name.trimmingBackticks)
      }
    }
    return found
  }

  /// Whether this node lies inside another one.
  func isInside(_ other: some SyntaxProtocol) -> Bool {
    other.position <= position && endPosition <= other.endPosition
  }
}

extension String {
  var trimmingBackticks: String {
    hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
  }

  /// The words of a name: `isProUser` gives is, pro, user; digits and marks divide.
  var camelWords: [String] {
    var words: [String] = []
    var word = ""
    let letters = Array(self)
    for (index, letter) in letters.enumerated() {
      guard letter.isLetter else {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      let previousIsUpper = index > 0 && letters[index - 1].isUppercase
      let nextIsLower = index + 1 < letters.count && letters[index + 1].isLowercase
      if letter.isUppercase, !word.isEmpty, !previousIsUpper || nextIsLower {
        words.append(word)
        word = ""
      }
      word += letter.lowercased()
    }
    return word.isEmpty ? words : words + [word]
  }
}

extension ExprSyntax {
  /// The expression inside parentheses, `try` and `await`.
  var bare: ExprSyntax {
    if let inner = self.as(TryExprSyntax.self) { return inner.expression.bare }
    if let inner = self.as(AwaitExprSyntax.self) { return inner.expression.bare }
    if let inner = self.as(ForceUnwrapExprSyntax.self) { return inner.expression.bare }
    if let inner = self.as(OptionalChainingExprSyntax.self) { return inner.expression.bare }
    if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first
    {
      return only.expression.bare
    }
    return self
  }

  /// The last name of a chain: `c` of `a.b.c` and of `c`.
  var lastName: String? {
    if let member = bare.as(MemberAccessExprSyntax.self) {
      return member.declName.baseName.text.trimmingBackticks
    }
    if let name = bare.as(DeclReferenceExprSyntax.self) {
      return name.baseName.text.trimmingBackticks
    }
    if let call = bare.as(FunctionCallExprSyntax.self) { return call.name }
    return nil
  }

  /// The text of a literal without interpolation.
  var literalText: String? {
    bare.as(StringLiteralExprSyntax.self)?.representedLiteralValue
  }
}

extension FunctionCallExprSyntax {
  /// The last name of what is called: `finish` of `transaction.finish()`.
  var name: String {
    var callee = calledExpression
    if let special = callee.as(GenericSpecializationExprSyntax.self) { callee = special.expression }
    return callee.lastName ?? ""
  }

  /// What stands before the last dot; nil for a plain call.
  var base: ExprSyntax? {
    calledExpression.bare.as(MemberAccessExprSyntax.self)?.base
  }

  /// The base without white space; empty for a plain call or an implicit member.
  var baseText: String { base?.text.filter { !$0.isWhitespace } ?? "" }

  var labels: [String] { arguments.map { $0.label?.text ?? "_" } }

  /// The argument with a label; the first one when the label is nil.
  func argument(_ label: String?) -> ExprSyntax? {
    guard let label else { return arguments.first?.expression }
    return arguments.first { $0.label?.text == label }?.expression
  }

  var isAwaited: Bool {
    var node = Syntax(self)
    while let parent = node.parent,
      parent.is(ExprSyntax.self) || parent.is(TupleExprElementish.self)
    {
      if parent.is(AwaitExprSyntax.self) { return true }
      if parent.is(ClosureExprSyntax.self) { return false }
      node = parent
    }
    return false
  }
}

/// What may stand between a call and its `await`.
private typealias TupleExprElementish = LabeledExprSyntax
