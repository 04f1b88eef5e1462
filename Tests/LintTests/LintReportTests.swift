import Foundation
import LintRules
import Testing

@Suite("Lint reports")
struct LintReportTests {
  private static let result = Linter().run([
    LintSource(
      path: "Sources/My Shop.swift",
      text: """
        import IAPKit

        func buy(_ manager: IAPManager) async {
          _ = try? await manager.purchase(productId: Products.pro)
          // iap-lint:disable:next try-question-purchase The list shows it.
          _ = try? await manager.purchase(productId: Products.pro)
          _ = await manager.restoreSummary()
        }

        """
    )
  ])
  private let report = LintReport(result, baseline: nil)

  @Test func textNamesPlaceReasonAndRemedy() {
    let text = report.text(.english)
    #expect(
      text.hasPrefix(
        "Sources/My Shop.swift:4:7: warning: 'try?' swallows the outcome of a purchase "
          + "[try-question-purchase]\n"
      )
    )
    #expect(text.contains("\n  why: "))
    #expect(text.contains("\n  fix: "))
    #expect(
      text.hasSuffix(
        "1 Swift file: 0 errors, 1 warning, 0 notes; 1 silenced, 0 in the baseline"
      )
    )
    #expect(report.text(.simplifiedChinese).contains("：警告：") == false)
    #expect(report.text(.simplifiedChinese).contains("警告: “try?”吞掉了购买的结果"))
  }

  @Test func jsonHasStableKeys() throws {
    let root = try object(report.json(.english))
    #expect(Set(root.keys) == ["version", "files", "known", "findings", "silenced"])
    let finding = try #require((root["findings"] as? [[String: Any]])?.first)
    #expect(
      Set(finding.keys) == [
        "rule", "severity", "path", "line", "column", "message", "excerpt", "why", "fix", "page",
      ]
    )
    let page = try #require(finding["page"] as? String)
    #expect(FileManager.default.fileExists(atPath: LintFixtures.root.path + "/" + page))
    let silenced = try #require((root["silenced"] as? [[String: Any]])?.first)
    #expect(silenced["reason"] as? String == "The list shows it.")
  }

  /// The shape that the published schema asks for, as far as this report uses it.
  @Test func sarifHasThePublishedShape() throws {
    let root = try object(report.sarif(.english, version: "0.1.0"))
    #expect(Set(root.keys) == ["$schema", "version", "runs"])
    #expect(root["version"] as? String == "2.1.0")
    let run = try #require((root["runs"] as? [[String: Any]])?.first)
    let tool = try #require(run["tool"] as? [String: Any])
    let driver = try #require(tool["driver"] as? [String: Any])
    #expect(driver["name"] as? String == "iap-lint")
    let rules = try #require(driver["rules"] as? [[String: Any]])
    #expect(rules.count == LintRules.infos.count)
    for rule in rules {
      #expect(rule["id"] is String)
      for key in ["shortDescription", "fullDescription", "help"] {
        #expect((rule[key] as? [String: Any])?["text"] is String)
      }
      let level = (rule["defaultConfiguration"] as? [String: Any])?["level"] as? String
      #expect(["none", "note", "warning", "error"].contains(level))
    }
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == 2)
    for result in results {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
      #expect((result["message"] as? [String: Any])?["text"] is String)
      let location = try #require((result["locations"] as? [[String: Any]])?.first)
      let physical = try #require(location["physicalLocation"] as? [String: Any])
      let artifact = try #require(physical["artifactLocation"] as? [String: Any])
      #expect(artifact["uri"] as? String == "Sources/My%20Shop.swift")
      let region = try #require(physical["region"] as? [String: Any])
      #expect((region["startLine"] as? Int ?? 0) >= 1)
      #expect((region["startColumn"] as? Int ?? 0) >= 1)
    }
    let suppressed = results.compactMap { $0["suppressions"] as? [[String: Any]] }
    #expect(suppressed.first?.first?["kind"] as? String == "inSource")
    #expect(suppressed.count == 1)
  }

  /// Every object has the members that the specification requires, and none that it does not know.
  @Test(arguments: [LintLanguage.english, .simplifiedChinese])
  func sarifHasNoMembersButThoseOfTheSpecification(language: LintLanguage) throws {
    let root = try object(report.sarif(language, version: "0.1.0"))
    #expect(SARIFShape.faults(of: root, as: .object(SARIFShape.log)) == [])
  }

  @Test func aReportThatLeavesTheSpecificationIsNoticed() throws {
    var root = try object(report.sarif(.english, version: "0.1.0"))
    root["version"] = "2.0.0"
    root["comment"] = "none of the members"
    root["runs"] = [["tool": ["driver": ["version": "1"]], "results": [["level": "fatal"]]]]
    #expect(
      SARIFShape.faults(of: root, as: .object(SARIFShape.log)).sorted() == [
        "log.runs[0].results[0].level: no word of \(SARIFShape.levels)",
        "log.runs[0].results[0]: no message", "log.runs[0].tool.driver: no name",
        "log.version: no word of [\"2.1.0\"]", "log: comment is no member",
      ]
    )
  }

  @Test func ruleListNamesEveryRule() throws {
    for info in LintRules.infos {
      #expect(RuleList.text(.english).contains(info.name.rawValue))
    }
    let rules = try object(RuleList.json(.simplifiedChinese))["rules"] as? [[String: Any]]
    #expect(rules?.count == LintRules.infos.count)
  }

  private func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}
