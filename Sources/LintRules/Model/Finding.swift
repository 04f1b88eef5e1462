/// A mistake in a source.
package struct Finding: Hashable, Sendable, Comparable {
  package let rule: RuleName
  package let severity: Severity
  package let path: String
  /// From 1.
  package let line: Int
  /// In Unicode scalars from 1.
  package let column: Int
  /// What is wrong there.
  package let message: LintWords
  /// The line of the source without white space at its ends.
  package let excerpt: String

  package static func < (left: Finding, right: Finding) -> Bool {
    (left.path, left.line, left.column, left.rule) < (
      right.path, right.line, right.column, right.rule
    )
  }
}

/// A finding that a comment in the source silenced.
package struct Silenced: Hashable, Sendable {
  package let finding: Finding
  /// What the comment gives as its reason.
  package let reason: String
}
