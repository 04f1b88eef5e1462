import Testing

/// Every rule, whoever it belongs to.
private let rules: [TidyRule] =
  importRules + purityRules + stateRules + errorRules + namingRules + sizeRules + textRules
  + deliveryRules
  + documentRules

@Suite("Tidy")
struct TidyTests {
  @Test("the project keeps the rule", arguments: rules)
  func projectKeeps(_ rule: TidyRule) {
    let findings = rule.check(.project)
    #expect(
      findings.isEmpty,
      """
      \(rule.name): \(findings.count) places.
      \(findings.prefix(40).map(\.description).joined(separator: "\n"))
      Instead: \(rule.remedy)
      """
    )
  }

  @Test("the rule objects to its bad sample", arguments: rules)
  func objects(_ rule: TidyRule) {
    #expect(!rule.check(SourceTree(rule.bad)).isEmpty)
  }

  @Test("the rule accepts its good sample", arguments: rules)
  func accepts(_ rule: TidyRule) {
    #expect(rule.check(SourceTree(rule.good)).map(\.description) == [])
  }

  @Test func everyRuleHasANameOfItsOwn() {
    #expect(Set(rules.map(\.name)).count == rules.count)
  }

  @Test func theProjectWasFound() {
    #expect(SourceTree.project.file("Package.swift") != nil)
    #expect(SourceTree.project.sources.count > 10)
  }
}
