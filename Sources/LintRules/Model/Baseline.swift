package import Foundation

/// Findings that a project has decided to live with for now.
///
/// A finding is known by its rule, its file and the text of its line, so that it stays known when
/// lines are added above it; the second same line of a file is another finding.
package struct Baseline: Sendable, Equatable {
  private var counts: [String: Int] = [:]

  package init(_ findings: [Finding]) {
    for finding in findings { counts[Self.key(finding), default: 0] += 1 }
  }

  /// Reads a baseline.
  ///
  /// - Parameter json: What ``json`` gave.
  /// - Throws: ``LintError`` with code `configuration` when it is none.
  package init(json: Data) throws(LintError) {
    guard let root = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any],
      root["version"] as? Int == Self.version, let known = root["findings"] as? [String: Int]
    else {
      throw LintError(
        .configuration,
        LintWords(
          "The baseline cannot be read: --write-baseline makes one.",
          zh: "无法读取基线文件：可用 --write-baseline 生成。"
        )
      )
    }
    counts = known
  }

  private static let version = 1

  package var json: Data {
    let root: [String: Any] = ["version": Self.version, "findings": counts]
    return
      (try? JSONSerialization.data(
        withJSONObject: root,
        options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      )) ?? Data()
  }

  /// The findings that are new, and how many are known.
  package func new(among findings: [Finding]) -> (new: [Finding], knownCount: Int) {
    var left = counts
    let new = findings.filter { finding in
      let key = Self.key(finding)
      guard let count = left[key], count > 0 else { return true }
      left[key] = count - 1
      return false
    }
    return (new, findings.count - new.count)
  }

  static func key(_ finding: Finding) -> String {
    "\(finding.rule) \(finding.path) \(finding.excerpt)"
  }
}
