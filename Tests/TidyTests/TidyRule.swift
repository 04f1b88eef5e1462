import Testing

/// One rule of the project's style that a machine can check.
struct TidyRule: Sendable, CustomTestStringConvertible {
  /// A place that breaks a rule.
  struct Finding: Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let what: String

    init(_ file: ProjectFile, line: Int = 1, _ what: String) {
      path = file.path
      self.line = line
      self.what = what
    }

    init(path: String, _ what: String) {
      self.path = path
      line = 1
      self.what = what
    }

    var description: String { "\(path):\(line): \(what)" }
  }

  /// A stable name, for `--filter` and for talking about it.
  let name: String
  /// What to write instead.
  let remedy: String
  /// A small tree that the rule must object to: path to contents.
  let bad: [String: String]
  /// A small tree that the rule must accept.
  let good: [String: String]
  let check: @Sendable (SourceTree) -> [Finding]

  var testDescription: String { name }
}

extension TidyRule {
  /// A rule that bans a pattern in the code of some files.
  static func ban(
    _ name: String,
    _ pattern: String,
    in files: @escaping @Sendable (ProjectFile) -> Bool,
    instead remedy: String,
    bad: [String: String],
    good: [String: String]
  ) -> TidyRule {
    let pattern = Pattern(pattern)
    return TidyRule(name: name, remedy: remedy, bad: bad, good: good) { tree in
      tree.files.filter(files).flatMap { file in
        pattern.matches(in: file.swift?.code ?? file.text).map { match in
          Finding(file, line: match.line, match.groups[0].trimmed)
        }
      }
    }
  }
}

extension String {
  /// The text without white space at its ends, on one line.
  var trimmed: String { split { $0.isWhitespace }.joined(separator: " ") }
}
