import Foundation
import LintRules
import Testing

@Suite("Linter")
struct LinterTests {
  private static let shop = LintSource(
    path: "Shop.swift",
    text: """
      import IAPKit

      func buy(_ manager: IAPManager) async {
        _ = try? await manager.purchase(productId: Products.pro)
        _ = await manager.restoreSummary()
      }

      """
  )

  private func run(
    _ text: String,
    _ configuration: LintConfiguration = LintConfiguration()
  ) -> Linter.Result {
    Linter(configuration: configuration).run([LintSource(path: "Shop.swift", text: text)])
  }

  @Test func everyRuleHasANameOfItsOwn() {
    let names = LintRules.infos.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test func everyRuleSpeaksBothLanguages() {
    for info in LintRules.infos {
      for words in [info.title, info.why, info.fix] {
        #expect(!words(.english).isEmpty)
        let isChinese = words(.simplifiedChinese).unicodeScalars.contains {
          ("\u{4E00}"..."\u{9FFF}").contains($0)
        }
        #expect(isChinese, "\(info.name)")
      }
    }
  }

  @Test func aFindingSaysWhereAndWhat() {
    let result = Linter().run([Self.shop])
    let places = result.findings.map {
      "\($0.path):\($0.line):\($0.column) \($0.rule) \($0.severity)"
    }
    #expect(places == ["Shop.swift:4:7 try-question-purchase warning"])
    #expect(
      result.findings.first?.excerpt == "_ = try? await manager.purchase(productId: Products.pro)"
    )
    #expect(result.fileCount == 1)
  }

  @Test(
    "text that is no Swift is read without harm",
    arguments: ["", "}{", "import", "// \u{0}", "let a = \""]
  )
  func brokenText(_ text: String) {
    #expect(run(text).findings == [])
  }

  @Test func deepAndLongTextsAreReadWithoutHarm() {
    let chain = "let sum = 1" + String(repeating: " + 1", count: 500)
    for text in [
      String(repeating: "(", count: 5_000), String(repeating: "{ if a ", count: 500), chain,
    ] {
      #expect(run(text).findings == [])
    }
  }

  @Test func columnsCountCharactersAndNotBytes() {
    let result = run(
      "import IAPKit\nfunc f() async { let 价格 = \"¥6\"; _ = await m.buy(p) }\n"
    )
    let places = result.findings.map { "\($0.line):\($0.column) \($0.rule)" }
    #expect(places == ["2:27 hard-coded-price"])
  }

  @Test func aSilenceWithAReasonHidesAndIsCounted() {
    let text = Self.shop.text.replacingOccurrences(
      of: "  _ = try?",
      with: "  // iap-lint:disable:next try-question-purchase The list shows it.\n  _ = try?"
    )
    let result = run(text)
    #expect(result.findings == [])
    #expect(result.silenced.map(\.reason) == ["The list shows it."])
  }

  @Test func aSilenceWithoutAReasonHidesNothing() {
    let text = Self.shop.text.replacingOccurrences(
      of: "  _ = try?",
      with: "  // iap-lint:disable:next try-question-purchase\n  _ = try?"
    )
    #expect(run(text).findings.map(\.rule) == ["bad-silence", "try-question-purchase"])
  }

  @Test func aRuleThatIsSwitchedOffSaysNothing() throws {
    let json = #"{"rules": {"try-question-purchase": "off"}}"#
    #expect(run(Self.shop.text, try LintConfiguration(json: Data(json.utf8))).findings == [])
  }

  @Test func theSeverityOfARuleIsTheProjects() throws {
    let json = #"{"rules": {"try-question-purchase": "error"}}"#
    let result = run(Self.shop.text, try LintConfiguration(json: Data(json.utf8)))
    #expect(result.findings.map(\.severity) == [.error])
  }

  @Test(
    "a configuration that says something unknown is refused",
    arguments: [
      "", "[]", #"{"rule": {}}"#, #"{"rules": {"no-such-rule": "off"}}"#,
      #"{"rules": {"hard-coded-price": "loud"}}"#, #"{"exclude": "a"}"#, #"{"baseline": 1}"#,
      #"{"rules": []}"#,
    ]
  )
  func wrongConfiguration(_ json: String) {
    #expect(throws: LintError(.configuration, LintWords("", zh: ""))) {
      try LintConfiguration(json: Data(json.utf8))
    }
  }

  @Test(
    "patterns leave out paths",
    arguments: [
      ("Generated", "Sources/Generated/A.swift", true), ("Generated", "Sources/A.swift", false),
      ("*.generated.swift", "Sources/A.generated.swift", true),
      ("Sources/Old/**", "Sources/Old/A/B.swift", true),
      ("Sources/Old", "Sources/Old/B.swift", true),
      ("Sources/*/B.swift", "Sources/A/B.swift", true),
      ("Sources/*/B.swift", "Sources/A/C/B.swift", false), ("**/B.swift", "B.swift", true),
      ("", "A.swift", false), ("/", "A.swift", false),
    ]
  )
  func excludes(_ pattern: String, _ path: String, _ isExcluded: Bool) {
    var configuration = LintConfiguration()
    configuration.excludes = [pattern]
    #expect(configuration.isExcluded(path) == isExcluded)
  }

  @Test func aBaselineKnowsAFindingWhoseLineMoved() throws {
    let old = Linter().run([Self.shop])
    let baseline = try Baseline(json: Baseline(old.findings).json)
    let moved = run("// A new line.\n" + Self.shop.text)
    #expect(baseline.new(among: moved.findings).new == [])
    let line = "  _ = try? await manager.purchase(productId: Products.pro)\n"
    let twice = run(Self.shop.text.replacingOccurrences(of: line, with: line + line))
    #expect(baseline.new(among: twice.findings).new.map(\.line) == [5])
    #expect(LintReport(moved, baseline: baseline).isClean)
  }

  @Test(
    "what is no baseline is refused",
    arguments: ["", "{}", #"{"version": 2, "findings": {}}"#]
  )
  func wrongBaseline(_ json: String) {
    #expect(throws: LintError(.configuration, LintWords("", zh: ""))) {
      try Baseline(json: Data(json.utf8))
    }
  }

  @Test func ourSnippetsAndOurDemoAreClean() {
    let demo = ["swift", "storekit"].flatMap { ending in
      LintFixtures.read(LintFixtures.root.appendingPathComponent("Demo"), ending: ending)
    }
    #expect(Linter().run(demo, hasProjectFile: false).findings.map(\.description) == [])
    // Each snippet is a program of its own.
    let snippets = LintFixtures.read(
      LintFixtures.root.appendingPathComponent("Snippets"),
      ending: "swift"
    )
    #expect(snippets.count > 3)
    // Those about moving show the code before the move, with its mistakes.
    for snippet in snippets where !snippet.path.hasPrefix("Moving") {
      let rules = Linter().run([snippet]).findings.map(\.description)
      #expect(rules == [])
    }
  }

  @Test func identifiersAreListedWithTheirPlaces() throws {
    let list = ProductIDList([
      LintSource(path: "P.swift", text: "enum Products {\n  static let pro = \"a.b.pro\"\n}\n"),
      LintSource(
        path: "S.swift",
        text: "import IAPKit\nlet x = IAPConfiguration(productIds: [\"a.b.pro\", \"coins\"])\n"
      ),
    ])
    #expect(list.text == "a.b.pro\n  P.swift:2\n  S.swift:2\ncoins\n  S.swift:2")
    let root = try JSONSerialization.jsonObject(with: list.json) as? [String: Any]
    let products = root?["products"] as? [[String: Any]]
    #expect(products?.compactMap { $0["id"] as? String } == ["a.b.pro", "coins"])
  }

  @Test(
    "an identifier has the store's characters and length",
    arguments: [
      (String(repeating: "a", count: 100), 1), (String(repeating: "a", count: 101), 0),
      ("a b", 0), ("", 0), ("a-b_c.1", 1), ("产品", 0),
    ]
  )
  func identifierLimits(_ product: String, _ count: Int) {
    let text = "import IAPKit\nlet x = IAPConfiguration(productIds: [\"\(product)\"])\n"
    let list = ProductIDList([LintSource(path: "S.swift", text: text)])
    #expect(list.text.split(separator: "\n").count == count * 2)
  }
}

extension Finding {
  fileprivate var description: String { "\(path):\(line) \(rule)" }
}
