/// How well the rules do on fixtures with known answers.
package struct LintTable: Sendable {
  /// The counts of one rule.
  package struct Row: Sendable, Equatable {
    package var wrongCases = 0
    package var rightCases = 0
    package var found = 0
    package var missed = 0
    package var falseAlarms = 0

    package var precision: Double? { Self.share(found, of: found + falseAlarms) }
    package var recall: Double? { Self.share(found, of: found + missed) }

    private static func share(_ part: Int, of whole: Int) -> Double? {
      whole == 0 ? nil : Double(part) / Double(whole)
    }

    mutating func add(_ other: Row) {
      wrongCases += other.wrongCases
      rightCases += other.rightCases
      found += other.found
      missed += other.missed
      falseAlarms += other.falseAlarms
    }
  }

  package private(set) var rows: [RuleName: Row] = [:]
  /// What was missed or said too much, for people: fixture and place.
  package private(set) var mistakes: [String] = []

  package init(_ fixtures: [LintFixture]) {
    for fixture in fixtures.sorted(by: { $0.name < $1.name }) {
      let answers = fixture.answers()
      let judged = fixture.rule.map { [$0] } ?? LintRules.infos.map(\.name)
      for rule in judged {
        let expected = fixture.expected.filter { $0.rule == rule }
        let given = answers.filter { $0.rule == rule }
        var row = rows[rule] ?? Row()
        row.wrongCases += expected.isEmpty ? 0 : 1
        row.rightCases += expected.isEmpty ? 1 : 0
        row.found += expected.intersection(given).count
        row.missed += expected.subtracting(given).count
        row.falseAlarms += given.subtracting(expected).count
        rows[rule] = row
        mistakes += expected.subtracting(given).sorted().map { "\(fixture.name): missed \($0)" }
        mistakes += given.subtracting(expected).sorted().map { "\(fixture.name): said \($0)" }
      }
    }
  }

  package var total: Row {
    rows.values.reduce(into: Row()) { $0.add($1) }
  }

  /// The table in Markdown.
  package var markdown: String {
    var lines = [
      "| Rule | Wrong | Right | Found | Missed | False alarms | Precision | Recall |",
      "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for info in LintRules.infos {
      guard let row = rows[info.name] else { continue }
      lines.append(Self.line("[\(info.name)](\(info.name).md)", row))
    }
    lines.append(Self.line("**all**", total))
    return lines.joined(separator: "\n")
  }

  private static func line(_ name: String, _ row: Row) -> String {
    let cells =
      [row.wrongCases, row.rightCases, row.found, row.missed, row.falseAlarms].map(String.init)
      + [percent(row.precision), percent(row.recall)]
    return "| \(name) | " + cells.joined(separator: " | ") + " |"
  }

  private static func percent(_ share: Double?) -> String {
    guard let share else { return "–" }
    let tenths = Int((share * 1000).rounded(.down))
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
