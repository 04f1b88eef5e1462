package import Foundation

/// The list that `--rules` prints.
package enum RuleList {
  package static func text(_ language: LintLanguage) -> String {
    let width = LintRules.infos.map(\.name.rawValue.count).max() ?? 0
    return LintRules.infos.map { info in
      let name = info.name.rawValue
      let gap = String(repeating: " ", count: width - name.count + 2)
      let severity = LintReport.word(info.severity)(language)
      return "\(name)\(gap)\(severity)  \(info.title(language))"
    }.joined(separator: "\n")
  }

  package static func json(_ language: LintLanguage) -> Data {
    LintReport.encoded([
      "version": 1,
      "rules": LintRules.infos.map { info in
        [
          "rule": info.name.rawValue, "severity": info.severity.rawValue,
          "cost": info.cost.rawValue, "title": info.title(language), "why": info.why(language),
          "fix": info.fix(language), "page": RulePage.path(info),
        ]
      },
    ])
  }
}
