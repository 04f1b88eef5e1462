import Foundation
import ServerStorage
import Testing

@Suite struct PastRuleTests {
  /// Every kind of document that the sources declare has a rule for restoring to an instant.
  @Test func everyKindOfDocumentHasARule() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var kinds: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for block in text.components(separatedBy: "\n}\n")
      where block.contains("extension DocumentKind {") || block.contains("struct DocumentKind:") {
        for line in block.split(separator: "\n") where line.contains("static let") {
          guard let begin = line.range(of: #"Self(rawValue: ""#) else { continue }
          kinds.insert(String(line[begin.upperBound...].prefix { $0 != "\"" }))
        }
      }
    }
    #expect(kinds.count > 30)
    #expect(kinds == Set(PastRule.words.keys))
  }

  @Test func aKindThatIsNotKnownIsKept() {
    #expect(PastRule.of(DocumentKind(rawValue: "of next year")) == .kept)
    #expect(PastRule.of(.debit) == .madeBy)
    #expect(PastRule.left.kinds().contains("event"))
    #expect(PastRule.allCases.flatMap { $0.kinds() }.count == PastRule.words.count)
  }
}
