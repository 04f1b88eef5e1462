/// Why the linter could not look.
package struct LintError: Error, Equatable, Sendable {
  /// What went wrong, as a stable word.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The call cannot be understood.
    package static let usage = Code(rawValue: "usage")
    /// A file or folder cannot be read or written.
    package static let file = Code(rawValue: "file")
    /// The configuration or the baseline says something that is not known.
    package static let configuration = Code(rawValue: "configuration")
  }

  package let code: Code
  /// One sentence that says what was seen and what was expected.
  package let reason: LintWords

  package init(_ code: Code, _ reason: LintWords) {
    self.code = code
    self.reason = reason
  }

  package static func == (left: LintError, right: LintError) -> Bool { left.code == right.code }
}
