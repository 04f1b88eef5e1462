package import Foundation

/// What a run found, ready to be written in one of the formats.
package struct LintReport: Sendable {
  let findings: [Finding]
  let silenced: [Silenced]
  let fileCount: Int
  let knownCount: Int

  /// - Parameters:
  ///   - result: What the linter found.
  ///   - baseline: What the project lives with; nil when there is no baseline.
  package init(_ result: Linter.Result, baseline: Baseline?) {
    let (new, known) = baseline?.new(among: result.findings) ?? (result.findings, 0)
    findings = new
    knownCount = known
    silenced = result.silenced
    fileCount = result.fileCount
  }

  package var isClean: Bool { findings.isEmpty }

  /// One paragraph for each finding, and a line that counts.
  package func text(_ language: LintLanguage) -> String {
    let paragraphs = findings.map { finding in
      let info = LintRules.info(finding.rule)
      let fix = LintWords("fix", zh: "修复")(language)
      let why = LintWords("why", zh: "原因")(language)
      return """
        \(finding.path):\(finding.line):\(finding.column): \
        \(Self.word(finding.severity)(language)): \(finding.message(language)) [\(finding.rule)]
            \(finding.excerpt)
          \(why): \(info?.why(language) ?? "")
          \(fix): \(info?.fix(language) ?? "")

        """
    }
    return (paragraphs + [summary(language)]).joined(separator: "\n")
  }

  private func summary(_ language: LintLanguage) -> String {
    let counts = Severity.allCases.reversed().map { severity in
      (severity, findings.count { $0.severity == severity })
    }
    let english = counts.map { "\($1) \($0.rawValue)\($1 == 1 ? "" : "s")" }.joined(separator: ", ")
    let chinese = counts.map { "\($1) 个\(Self.word($0)(.simplifiedChinese))" }
      .joined(separator: "，")
    let noun = fileCount == 1 ? "file" : "files"
    let files = LintWords("\(fileCount) Swift \(noun): ", zh: "\(fileCount) 个 Swift 文件：")
    let asides = LintWords(
      "; \(silenced.count) silenced, \(knownCount) in the baseline",
      zh: "；\(silenced.count) 个已静默，\(knownCount) 个在基线中"
    )
    let hasAsides = silenced.count + knownCount > 0
    return files(language) + LintWords(english, zh: chinese)(language)
      + (hasAsides ? asides(language) : "")
  }

  static func word(_ severity: Severity) -> LintWords {
    switch severity {
    case .note: LintWords("note", zh: "提示")
    case .warning: LintWords("warning", zh: "警告")
    case .error: LintWords("error", zh: "错误")
    }
  }

  /// The findings as one JSON object; the words follow the language, the keys do not.
  package func json(_ language: LintLanguage) -> Data {
    let root: [String: Any] = [
      "version": 1,
      "files": fileCount,
      "known": knownCount,
      "findings": findings.map { row($0, language) },
      "silenced": silenced.map { silence in
        row(silence.finding, language).merging(["reason": silence.reason]) { $1 }
      },
    ]
    return Self.encoded(root)
  }

  private func row(_ finding: Finding, _ language: LintLanguage) -> [String: Any] {
    let info = LintRules.info(finding.rule)
    return [
      "rule": finding.rule.rawValue,
      "severity": finding.severity.rawValue,
      "path": finding.path,
      "line": finding.line,
      "column": finding.column,
      "message": finding.message(language),
      "excerpt": finding.excerpt,
      "why": info?.why(language) ?? "",
      "fix": info?.fix(language) ?? "",
      "page": info.map(RulePage.path) ?? "",
    ]
  }

  static func encoded(_ root: [String: Any]) -> Data {
    let data = try? JSONSerialization.data(
      withJSONObject: root,
      options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    )
    return (data ?? Data()) + Data("\n".utf8)
  }
}
