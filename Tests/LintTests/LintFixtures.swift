import Foundation
import LintRules

/// The fixtures beside the tests.
enum LintFixtures {
  /// The project's folder.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let folder = root.appendingPathComponent("Tests/LintFixtures")

  static let all: [LintFixture] = read(folder, ending: "txt").map {
    LintFixture(name: $0.path, text: $0.text)
  }

  /// Every text file with an ending below a folder, by its path from there.
  static func read(_ folder: URL, ending: String) -> [LintSource] {
    let walker = FileManager.default.enumerator(atPath: folder.path)
    var found: [LintSource] = []
    while let path = walker?.nextObject() as? String {
      guard path.hasSuffix("." + ending),
        let data = FileManager.default.contents(atPath: folder.appendingPathComponent(path).path)
      else { continue }
      found.append(LintSource(path: path, text: String(decoding: data, as: UTF8.self)))
    }
    return found.sorted { $0.path < $1.path }
  }
}
