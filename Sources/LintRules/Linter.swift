/// Looks at sources with every rule: sources in, findings out.
package struct Linter: Sendable {
  /// What was found.
  package struct Result: Sendable {
    /// What has to be looked at, in the order of places.
    package var findings: [Finding]
    /// What a comment silenced.
    package var silenced: [Silenced]
    /// How many Swift files were read.
    package var fileCount: Int
  }

  private let configuration: LintConfiguration

  package init(configuration: LintConfiguration = LintConfiguration()) {
    self.configuration = configuration
  }

  /// Looks at a project.
  ///
  /// - Parameters:
  ///   - sources: Its Swift and `.storekit` files.
  ///   - hasProjectFile: Whether the sources are a whole project, with its tests.
  /// - Returns: What was found, and what a comment silenced.
  package func run(_ sources: [LintSource], hasProjectFile: Bool = false) -> Result {
    let kept = sources.filter { !configuration.isExcluded($0.path) }
    let project = Project(kept, hasProjectFile: hasProjectFile)
    let units = Dictionary(project.units.map { ($0.path, $0) }) { first, _ in first }
    var all: Set<Finding> = []
    for rule in LintRules.all {
      guard let severity = configuration.severity(of: rule.info) else { continue }
      for place in rule.places(in: project) {
        guard let unit = units[place.path] else { continue }
        all.insert(Self.finding(rule.info, severity, place, unit))
      }
    }
    let outcome = silence(all.sorted(), project)
    return Result(
      findings: outcome.findings.sorted(),
      silenced: outcome.silenced,
      fileCount: project.units.count
    )
  }

  private func silence(
    _ findings: [Finding],
    _ project: Project
  ) -> (findings: [Finding], silenced: [Silenced]) {
    var left: [Finding] = []
    var silenced: [Silenced] = []
    let byPath = Dictionary(grouping: findings, by: \.path)
    for unit in project.units {
      let silences = Silences(unit)
      var used: Set<Int> = []
      for finding in byPath[unit.path] ?? [] {
        if let index = silences.usable.firstIndex(where: { $0.covers(finding) }) {
          used.insert(index)
          silenced.append(Silenced(finding: finding, reason: silences.usable[index].reason))
        } else {
          left.append(finding)
        }
      }
      guard let severity = configuration.severity(of: Silences.info) else { continue }
      // A rule that is switched off cannot be silenced in vain.
      let idle = silences.usable.indices.filter { index in
        let rule = silences.usable[index].rule
        return !used.contains(index)
          && LintRules.info(rule).flatMap { configuration.severity(of: $0) } != nil
      }.map { (silences.usable[$0].line, LintWords("it silences nothing", zh: "没有可静默的内容")) }
      for (line, seen) in silences.wrong.map({ ($0.line, $0.seen) }) + idle {
        let place = Place(path: unit.path, line: line, column: 1, seen: seen)
        left.append(Self.finding(Silences.info, severity, place, unit))
      }
    }
    return (left, silenced)
  }

  private static func finding(
    _ info: RuleInfo,
    _ severity: Severity,
    _ place: Place,
    _ unit: SourceUnit
  ) -> Finding {
    let message = place.seen.map { seen in
      LintWords(
        "\(info.title(.english)): \(seen(.english))",
        zh: "\(info.title(.simplifiedChinese))：\(seen(.simplifiedChinese))"
      )
    }
    return Finding(
      rule: info.name,
      severity: severity,
      path: place.path,
      line: place.line,
      column: place.column,
      message: message ?? info.title,
      excerpt: unit.excerpt(place.line)
    )
  }
}
