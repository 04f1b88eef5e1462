/// What a call of `iap-lint` asks for.
package struct LintCall: Sendable, Equatable {
  /// What is to be done.
  package enum Task: Sendable, Equatable {
    case help
    case version
    case rules
    case look
    case ids
    /// Writes the pages of the rules and the table over the fixtures into a folder.
    case pages(String)
  }

  /// How findings are written.
  package enum Format: Sendable, Equatable {
    case text
    case json
    case sarif
  }

  package var task: Task = .look
  package var format: Format = .text
  /// What is looked at; the current folder when none is named.
  package var paths: [String] = []
  package var excludes: [String] = []
  package var rules: Set<RuleName> = []
  package var configuration: String?
  package var baseline: String?
  package var newBaseline: String?

  /// Reads the words of a call.
  ///
  /// - Parameter words: The words without the process's own name.
  /// - Throws: ``LintError`` with code `usage`.
  package init(_ words: [String]) throws(LintError) {
    var open = words[...]
    var isPlain = false
    while let word = open.popFirst() {
      if isPlain || word == "-" || !word.hasPrefix("-") {
        paths.append(word)
        continue
      }
      if word == "--" {
        isPlain = true
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      if try take(flag: word) { continue }
      guard Self.values.contains(parts[0]) else {
        throw .usage("There is no option \(word).", zh: "没有选项 \(word)。")
      }
      guard let value = parts.count > 1 ? parts[1] : open.popFirst(), !value.isEmpty else {
        throw .usage("\(parts[0]) needs a value.", zh: "\(parts[0]) 需要一个值。")
      }
      try take(parts[0], value)
    }
  }

  private static let values: Set = [
    "--exclude", "--rule", "--config", "--baseline", "--write-baseline", "--pages",
  ]

  private mutating func take(flag: String) throws(LintError) -> Bool {
    switch flag {
    case "--help", "-h": task = .help
    case "--version": task = .version
    case "--rules": task = .rules
    case "--ids": task = .ids
    case "--json": try choose(.json)
    case "--sarif": try choose(.sarif)
    default: return false
    }
    return true
  }

  private mutating func choose(_ new: Format) throws(LintError) {
    guard format == .text || format == new else {
      throw .usage("Choose --json or --sarif, not both.", zh: "--json 与 --sarif 只能选一个。")
    }
    format = new
  }

  private mutating func take(_ option: String, _ value: String) throws(LintError) {
    switch option {
    case "--exclude": excludes.append(value)
    case "--config": configuration = value
    case "--baseline": baseline = value
    case "--write-baseline": newBaseline = value
    case "--pages": task = .pages(value)
    default:
      let name = RuleName(rawValue: value)
      guard LintRules.info(name) != nil else {
        throw .usage(
          "There is no rule '\(value)'; --rules lists them.",
          zh: "没有规则“\(value)”；--rules 可列出全部规则。"
        )
      }
      rules.insert(name)
    }
  }

  /// What `--help` prints.
  package static let help = LintWords(
    """
    usage: iap-lint [OPTIONS] [PATH]...

    Looks for in-app-purchase mistakes in an app's Swift sources.

      --json                 findings as JSON
      --sarif                findings as SARIF 2.1.0
      --rule RULE            only this rule; may be repeated
      --rules                lists the rules and ends
      --ids                  prints the product identifiers that the sources name, and ends
      --exclude PATTERN      leaves out paths: 'Generated', 'Sources/Old/**'; may be repeated
      --config FILE          the configuration; otherwise .iap-lint.json in PATH, if it is there
      --baseline FILE        findings to live with; only new ones count
      --write-baseline FILE  writes what is found now as the baseline
      --pages FOLDER         writes the pages of the rules, from the fixtures in PATH
      --version, --help

    Exit status: 0 nothing found, 1 something found, 2 could not look.
    """,
    zh: """
      用法：iap-lint [选项] [路径]...

      检查应用 Swift 源代码中的应用内购买错误。

        --json                 以 JSON 输出
        --sarif                以 SARIF 2.1.0 输出
        --rule 规则            只检查该规则；可重复
        --rules                列出规则后退出
        --ids                  输出源代码中的商品标识符后退出
        --exclude 模式         排除路径，如 Generated、Sources/Old/**；可重复
        --config 文件          配置文件；默认读取路径中的 .iap-lint.json（如存在）
        --baseline 文件        已接受的问题；只统计新问题
        --write-baseline 文件  把当前问题写成基线
        --pages 文件夹         根据路径中的样例生成规则页面
        --version、--help

      退出状态：0 没有发现，1 有发现，2 无法检查。
      """
  )
}

extension LintError {
  static func usage(_ english: String, zh chinese: String) -> LintError {
    LintError(.usage, LintWords(english, zh: chinese))
  }
}
