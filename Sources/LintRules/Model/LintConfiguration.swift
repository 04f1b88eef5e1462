package import Foundation

/// What a project decides about the linter, from `.iap-lint.json` and the call.
package struct LintConfiguration: Sendable {
  /// The name of the file that is read from the folder that is looked at.
  package static let fileName = ".iap-lint.json"
  /// The biggest configuration or baseline, in bytes.
  package static let fileBytesMax = 16 * 1024 * 1024

  /// Patterns of paths that are not looked at: `*` within a name, `**` across folders.
  package var excludes: [String] = []
  /// Severities other than the rules' own; nil switches a rule off.
  package var severities: [RuleName: Severity?] = [:]
  /// Only these rules, when it is not empty.
  package var onlyRules: Set<RuleName> = []
  /// The path of the baseline, from the folder that is looked at.
  package var baseline: String?

  package init() {}

  /// Reads the file.
  ///
  /// - Parameter json: Its contents.
  /// - Throws: ``LintError`` with code `configuration` when a key, a rule or a severity is unknown.
  package init(json: Data) throws(LintError) {
    guard let root = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] else {
      throw Self.wrong("it is no JSON object", zh: "不是 JSON 对象")
    }
    for key in root.keys.sorted() where !["exclude", "rules", "baseline"].contains(key) {
      throw Self.wrong("the key '\(key)' is not known", zh: "未知的键“\(key)”")
    }
    if let value = root["exclude"] {
      guard let patterns = value as? [String] else {
        throw Self.wrong("'exclude' is no list of texts", zh: "“exclude”不是文本列表")
      }
      excludes = patterns
    }
    if let value = root["baseline"] {
      guard let path = value as? String else {
        throw Self.wrong("'baseline' is no text", zh: "“baseline”不是文本")
      }
      baseline = path
    }
    if let value = root["rules"] { severities = try Self.severities(value) }
  }

  private static func severities(
    _ value: Any
  ) throws(LintError) -> [RuleName: Severity?] {
    guard let rules = value as? [String: String] else {
      throw wrong("'rules' does not name a severity for each rule", zh: "“rules”须为每条规则给出级别")
    }
    var found: [RuleName: Severity?] = [:]
    for (key, word) in rules.sorted(by: { $0.key < $1.key }) {
      let name = RuleName(rawValue: key)
      guard LintRules.info(name) != nil else {
        throw wrong("there is no rule '\(key)'", zh: "没有规则“\(key)”")
      }
      let severity = Severity(rawValue: word)
      guard severity != nil || word == "off" else {
        throw wrong(
          "'\(word)' is none of off, note, warning, error",
          zh: "“\(word)”不是 off、note、warning、error 之一"
        )
      }
      found[name] = .some(severity)
    }
    return found
  }

  private static func wrong(_ english: String, zh chinese: String) -> LintError {
    LintError(
      .configuration,
      LintWords("\(fileName): \(english).", zh: "\(fileName)：\(chinese)。")
    )
  }

  /// How bad a mistake is in this project; nil when the rule is switched off.
  func severity(of info: RuleInfo) -> Severity? {
    if !onlyRules.isEmpty, !onlyRules.contains(info.name) { return nil }
    return severities[info.name] ?? info.severity
  }

  /// Whether a path is not looked at.
  package func isExcluded(_ path: String) -> Bool {
    excludes.contains { PathPattern($0).matches(path) }
  }
}
