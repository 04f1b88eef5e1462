/// Sources with known answers: what the linter is judged by.
///
/// The text of a fixture has files, each behind a line `--- PATH`. A mark `// !! RULE` at the end
/// of a line says that the rule has to object there; on a line of its own it is about the next
/// line. Marks are taken out before the linter reads.
package struct LintFixture: Sendable {
  /// A place where a rule has to object.
  package struct Answer: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let rule: RuleName
    package let path: String
    package let line: Int

    package var description: String { "\(path):\(line) \(rule)" }
    package static func < (left: Answer, right: Answer) -> Bool {
      (left.path, left.line, left.rule) < (right.path, right.line, right.rule)
    }
  }

  /// The path of the fixture's file.
  package let name: String
  /// What it is about: the lines before the first file.
  package let about: String
  package let sources: [LintSource]
  package let expected: Set<Answer>
  /// The only rule that it judges; nil when it judges all of them.
  package let rule: RuleName?

  private static let mark = "// !! "

  /// Reads a fixture.
  ///
  /// - Parameters:
  ///   - name: Its path: `rules/RULE/…` judges one rule, everything else all of them.
  ///   - text: Its contents.
  package init(name: String, text: String) {
    self.name = name
    let parts = name.split(separator: "/")
    let folder = parts.firstIndex(of: "rules").map { parts.index(after: $0) }
    rule = folder.flatMap { $0 < parts.endIndex ? RuleName(rawValue: String(parts[$0])) : nil }
    var about: [String] = []
    var sources: [LintSource] = []
    var expected: Set<Answer> = []
    var path: String?
    var lines: [String] = []
    var waiting: [RuleName] = []
    func close() {
      guard let path else { return }
      while lines.last == "" { lines.removeLast() }
      sources.append(LintSource(path: path, text: lines.joined(separator: "\n") + "\n"))
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("--- ") {
        close()
        path = String(line.dropFirst(4))
        lines = []
        continue
      }
      guard let path else {
        if !line.isEmpty { about.append(String(line)) }
        continue
      }
      var code = String(line)
      if let start = code.firstRange(of: Self.mark) {
        waiting += code[start.upperBound...].split(separator: " ").map {
          RuleName(rawValue: String($0))
        }
        code = String(code[..<start.lowerBound])
        while code.last?.isWhitespace == true { code.removeLast() }
        if code.isEmpty { continue }
      }
      lines.append(code)
      expected.formUnion(waiting.map { Answer(rule: $0, path: path, line: lines.count) })
      waiting = []
    }
    close()
    self.about = about.joined(separator: " ")
    self.sources = sources
    self.expected = expected
  }

  /// What the linter answers, as far as this fixture judges it.
  package func answers() -> Set<Answer> {
    let result = Linter().run(sources)
    return Set(
      result.findings.filter { rule == nil || $0.rule == rule }
        .map { Answer(rule: $0.rule, path: $0.path, line: $0.line) }
    )
  }
}
