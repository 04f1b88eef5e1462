/// The page of a rule, made from what the rule says about itself and from its fixtures.
package enum RulePage {
  /// Where the page lies, from the project's folder.
  package static func path(_ info: RuleInfo) -> String { "docs/lint/\(info.name).md" }

  /// Every page of the folder: name and contents.
  ///
  /// - Parameter fixtures: The fixtures with known answers.
  /// - Returns: The contents by name.
  package static func all(_ fixtures: [LintFixture]) -> [String: String] {
    var pages: [String: String] = [:]
    for info in LintRules.infos { pages["\(info.name).md"] = page(info, fixtures) }
    let table = LintTable(fixtures).markdown
    pages["README.md"] = LintIndex.english(table)
    pages["README.zh-Hans.md"] = LintIndex.chinese(table)
    return pages
  }

  private static func page(_ info: RuleInfo, _ fixtures: [LintFixture]) -> String {
    let own = fixtures.filter { $0.rule == info.name }
    let wrong = own.first { $0.name.hasSuffix("wrong-1.txt") }
    let right = own.first { $0.name.hasSuffix("right-1.txt") }
    let word = LintReport.word(info.severity)
    return """
      # \(info.name)

      \(info.title(.english)). Severity: \(word(.english)); \(cost(info)(.english)).

      **Why.** \(info.why(.english))

      **What to do.** \(info.fix(.english))

      ## Wrong

      \(example(wrong))

      ## Right

      \(example(right))

      ## To silence it

      \(silence(info))

      ## 中文

      \(info.title(.simplifiedChinese))。级别：\(word(.simplifiedChinese))；\
      \(cost(info)(.simplifiedChinese))。

      **原因。** \(info.why(.simplifiedChinese))

      **做法。** \(info.fix(.simplifiedChinese))

      [All rules](README.md) · [所有规则](README.zh-Hans.md)

      """
  }

  private static func cost(_ info: RuleInfo) -> LintWords {
    switch info.cost {
    case .money: LintWords("it loses money or goods", zh: "会损失金钱或商品")
    case .review: LintWords("the review may refuse the app", zh: "应用可能被拒")
    case .trust: LintWords("it costs trust", zh: "会失去用户信任")
    }
  }

  private static func silence(_ info: RuleInfo) -> String {
    guard info.name != Silences.info.name else {
      return "It cannot be silenced; `.iap-lint.json` can switch it off."
    }
    return """
      One line above the place, with a reason; without a reason it is a
      [finding of its own](bad-silence.md).

      ```text
      // iap-lint:disable:next \(info.name) Why this place is right as it is.
      ```
      """
  }

  /// The files of a fixture as one block of code; lines with a mistake say so.
  private static func example(_ fixture: LintFixture?) -> String {
    guard let fixture else { return "" }
    let blocks = fixture.sources.filter { $0.path.hasSuffix(".swift") }.map { source in
      let lines = source.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let marked = lines.enumerated().map { index, line in
        let isWrong = fixture.expected.contains { $0.path == source.path && $0.line == index + 1 }
        return isWrong ? "\(line)  // <- here" : String(line)
      }
      let code = marked.joined(separator: "\n")
      return "`\(source.path)`\n\n```swift\n\(code)\n```"
    }
    return ([fixture.about] + blocks).filter { !$0.isEmpty }.joined(separator: "\n\n")
  }
}
