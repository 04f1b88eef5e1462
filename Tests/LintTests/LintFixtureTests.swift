import Foundation
import LintRules
import Testing

@Suite("Lint fixtures")
struct LintFixtureTests {
  @Test("the linter gives the known answers", arguments: LintFixtures.all.map(\.name))
  func answers(_ name: String) throws {
    let fixture = try #require(LintFixtures.all.first { $0.name == name })
    #expect(fixture.answers().sorted() == fixture.expected.sorted())
  }

  @Test("every rule has wrong and right cases", arguments: LintRules.infos.map(\.name.rawValue))
  func cases(_ name: String) {
    let own = LintFixtures.all.filter { $0.rule?.rawValue == name }
    #expect(own.contains { $0.name.hasSuffix("wrong-1.txt") && !$0.expected.isEmpty })
    #expect(own.contains { $0.name.hasSuffix("right-1.txt") })
    for fixture in own {
      #expect(fixture.expected.isEmpty == fixture.name.contains("/right-"), "\(fixture.name)")
    }
  }

  @Test func expectationsNameRulesThatExist() {
    let known = Set(LintRules.infos.map(\.name))
    let strange = LintFixtures.all.flatMap(\.expected).filter { !known.contains($0.rule) }
    #expect(strange == [])
  }

  @Test func marksAreTakenOutOfWhatIsRead() {
    let fixture = LintFixture(
      name: "apps/a.txt",
      text: "About\n--- A.swift\nlet a = 1 // !! hard-coded-price\n// !! ids-scattered\nlet b = 2\n"
    )
    #expect(fixture.about == "About")
    #expect(fixture.sources == [LintSource(path: "A.swift", text: "let a = 1\nlet b = 2\n")])
    #expect(
      fixture.expected.map(\.description).sorted()
        == ["A.swift:1 hard-coded-price", "A.swift:2 ids-scattered"]
    )
  }

  /// `make lint-table` writes them.
  @Test func pagesAreUpToDate() {
    let folder = LintFixtures.root.appendingPathComponent("docs/lint")
    let written = Dictionary(
      uniqueKeysWithValues: LintFixtures.read(folder, ending: "md").map { ($0.path, $0.text) }
    )
    let pages = RulePage.all(LintFixtures.all)
    #expect(Set(written.keys) == Set(pages.keys))
    for (name, text) in pages { #expect(written[name] == text, "docs/lint/\(name)") }
  }
}
