/// What is known about a rule without looking at a source.
package struct RuleInfo: Hashable, Sendable {
  /// What a mistake costs.
  package enum Cost: String, Sendable {
    /// Purchases are lost, or given away.
    case money
    /// The review may refuse the app.
    case review
    /// The person who pays is misled or kept waiting.
    case trust
  }

  package let name: RuleName
  package let severity: Severity
  package let cost: Cost
  /// What is wrong, in a few words.
  package let title: LintWords
  /// Why it matters.
  package let why: LintWords
  /// What to write instead.
  package let fix: LintWords

  package init(
    _ name: RuleName,
    _ severity: Severity,
    _ cost: Cost,
    title: LintWords,
    why: LintWords,
    fix: LintWords
  ) {
    self.name = name
    self.severity = severity
    self.cost = cost
    self.title = title
    self.why = why
    self.fix = fix
  }
}

/// A mistake that sources can be searched for.
protocol LintRule: Sendable {
  /// What is known about the rule.
  static var info: RuleInfo { get }
  /// Looks at a whole project.
  ///
  /// - Parameter project: The parsed sources.
  /// - Returns: The places, in any order.
  static func places(in project: Project) -> [Place]
}

/// Where a rule found its mistake, before it is put into words.
struct Place: Hashable, Sendable {
  let path: String
  let line: Int
  let column: Int
  /// What was seen there, when the rule's title alone would not say it.
  let seen: LintWords?
}
