import SwiftSyntax

/// Comments that switch a rule off at a place, each with a reason.
///
/// `// iap-lint:disable:next RULE reason` is about the next line, `disable:this` about its own
/// line, `disable:file` about the whole file.
struct Silences: Sendable {
  static let info = RuleInfo(
    "bad-silence",
    .warning,
    .trust,
    title: LintWords(
      "A comment that silences the linter is not usable",
      zh: "用于静默检查的注释无效"
    ),
    why: LintWords(
      """
      Whoever reads the code next year has to know why a mistake about money is none. Without a \
      reason, with an unknown rule, or where there is nothing to silence, the comment says nothing.
      """,
      zh: "以后阅读代码的人需要知道为什么这里不算错误。没有理由、规则名未知或没有可静默的内容时，注释毫无意义。"
    ),
    fix: LintWords(
      "Write '// iap-lint:disable:next RULE reason', or remove the comment.",
      zh: "写成“// iap-lint:disable:next 规则 理由”，或删除该注释。"
    )
  )

  enum Reach: String, Sendable {
    case next
    case this
    case file
  }

  struct Silence: Sendable {
    let rule: RuleName
    let reach: Reach
    let reason: String
    let line: Int

    func covers(_ finding: Finding) -> Bool {
      guard finding.rule == rule else { return false }
      return switch reach {
      case .next: finding.line == line + 1
      case .this: finding.line == line
      case .file: true
      }
    }
  }

  let usable: [Silence]
  /// What cannot be used, with what is wrong about it.
  let wrong: [(line: Int, seen: LintWords)]

  private static let mark = "iap-lint:"

  init(_ unit: SourceUnit) {
    var usable: [Silence] = []
    var wrong: [(line: Int, seen: LintWords)] = []
    for (line, comment) in unit.lineComments {
      guard let start = comment.firstRange(of: Self.mark) else { continue }
      let rest = comment[start.upperBound...].split(separator: " ", maxSplits: 2)
      let order = rest.first.map { $0.split(separator: ":") } ?? []
      guard order.count == 2, order[0] == "disable", let reach = Reach(rawValue: String(order[1]))
      else {
        wrong.append((line, LintWords("the order is not known", zh: "指令未知")))
        continue
      }
      guard rest.count > 1, let info = LintRules.info(RuleName(rawValue: String(rest[1]))) else {
        let name = rest.count > 1 ? String(rest[1]) : ""
        wrong.append(
          (line, LintWords("there is no rule '\(name)'", zh: "没有规则“\(name)”"))
        )
        continue
      }
      let reason = rest.count > 2 ? rest[2].split(separator: " ").joined(separator: " ") : ""
      guard reason.contains(where: \.isLetter) else {
        wrong.append((line, LintWords("the reason is missing", zh: "缺少理由")))
        continue
      }
      usable.append(Silence(rule: info.name, reach: reach, reason: reason, line: line))
    }
    self.usable = usable
    self.wrong = wrong
  }
}

extension SourceUnit {
  /// The line comments with the lines where they begin.
  fileprivate var lineComments: [(line: Int, text: String)] {
    var found: [(line: Int, text: String)] = []
    for token in tree.tokens(viewMode: .sourceAccurate) {
      var line = firstLine(of: token)
      for piece in token.leadingTrivia {
        if case .lineComment(let text) = piece { found.append((line, text)) }
        line += piece.newlines
      }
      for piece in token.trailingTrivia {
        if case .lineComment(let text) = piece { found.append((self.line(of: token), text)) }
      }
    }
    return found
  }

  private func firstLine(of token: TokenSyntax) -> Int {
    line(of: token) - token.leadingTrivia.reduce(0) { $0 + $1.newlines }
  }
}

extension TriviaPiece {
  fileprivate var newlines: Int {
    switch self {
    case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count):
      count
    case .blockComment(let text), .docBlockComment(let text):
      text.count { $0.isNewline }
    default: 0
    }
  }
}

extension String {
  /// The first place of a text in this one.
  func firstRange(of text: String) -> Range<Index>? {
    guard !text.isEmpty else { return nil }
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
