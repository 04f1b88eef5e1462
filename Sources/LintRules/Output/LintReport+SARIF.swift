package import Foundation

extension LintReport {
  /// The schema that the report follows.
  package static let sarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  /// The findings in SARIF 2.1.0, for tools that show them beside the code.
  ///
  /// - Parameters:
  ///   - language: The language of the words.
  ///   - version: The version of the tool.
  /// - Returns: The report, in UTF-8.
  package func sarif(_ language: LintLanguage, version: String) -> Data {
    let rules = LintRules.infos
    let run: [String: Any] = [
      "tool": [
        "driver": [
          "name": "iap-lint",
          "version": version,
          "semanticVersion": version,
          "rules": rules.map { Self.descriptor($0, language) },
        ] as [String: Any]
      ],
      "columnKind": "unicodeCodePoints",
      "language": language == .english ? "en-US" : "zh-CN",
      "invocations": [["executionSuccessful": true]],
      "originalUriBaseIds": [
        Self.base: ["description": ["text": "The folder that was looked at."]]
      ],
      "results": findings.map { Self.result($0, language, rules, reason: nil) }
        + silenced.map { Self.result($0.finding, language, rules, reason: $0.reason) },
    ]
    return Self.encoded(["$schema": Self.sarifSchema, "version": "2.1.0", "runs": [run]])
  }

  private static let base = "SRCROOT"

  private static func descriptor(_ info: RuleInfo, _ language: LintLanguage) -> [String: Any] {
    [
      "id": info.name.rawValue,
      "name": info.name.rawValue.split(separator: "-").map(\.capitalized).joined(),
      "shortDescription": ["text": info.title(language)],
      "fullDescription": ["text": info.why(language)],
      "help": ["text": info.fix(language)],
      "defaultConfiguration": ["level": info.severity.rawValue],
      "properties": ["tags": ["in-app-purchase", info.cost.rawValue]],
    ]
  }

  private static func result(
    _ finding: Finding,
    _ language: LintLanguage,
    _ rules: [RuleInfo],
    reason: String?
  ) -> [String: Any] {
    var result: [String: Any] = [
      "ruleId": finding.rule.rawValue,
      "level": finding.severity.rawValue,
      "message": ["text": finding.message(language)],
      "locations": [
        [
          "physicalLocation": [
            "artifactLocation": ["uri": uri(finding.path), "uriBaseId": base],
            "region": [
              "startLine": finding.line,
              "startColumn": finding.column,
              "snippet": ["text": finding.excerpt],
            ] as [String: Any],
          ] as [String: Any]
        ]
      ],
      "partialFingerprints": ["iapLint/v1": Baseline.key(finding)],
    ]
    if let index = rules.firstIndex(where: { $0.name == finding.rule }) {
      result["ruleIndex"] = index
    }
    if let reason {
      result["suppressions"] = [["kind": "inSource", "justification": reason]]
    }
    return result
  }

  /// A path as a relative URI reference.
  private static func uri(_ path: String) -> String {
    path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
  }
}
