import Foundation
import Testing

@Suite("Symptom pages")
struct SymptomPageTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/symptoms")
  private static let pages =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".md") && !$0.hasPrefix("README") }.sorted()
  private static let hasLinter = FileManager.default.isExecutableFile(
    atPath: CommandProcess.executable.deletingLastPathComponent().path + "/iap-lint"
  )

  @Test("the commands of a page print what it says", arguments: pages)
  func commands(_ page: String) async throws {
    let commands = try blocks("sh", of: page).joined(separator: "\n")
    // The linter is built where the toolchain brings SwiftSyntax; elsewhere its pages are read
    // only.
    guard Self.hasLinter || !commands.contains("iap lint") else { return }
    let tools = CommandProcess.executable.deletingLastPathComponent().path
    let start = """
      PATH=\(tools):$PATH
      set -euo pipefail
      trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

      """
    let call = try await CommandProcess.run(
      ["-c", start + blocks("sh", of: "README.md")[0] + commands],
      tool: URL(fileURLWithPath: "/bin/bash")
    )
    #expect(call.status == 0, "\(call.errors)")
    #expect(call.output + "\n" == (try blocks("text", of: page))[0])
  }

  @Test("both indexes name every page and start alike")
  func indexes() throws {
    #expect(Self.pages.count >= 15)
    for index in ["README.md", "README.zh-Hans.md"] {
      let text = try text(index)
      for page in Self.pages { #expect(text.contains("(\(page))"), "\(index)") }
    }
    #expect(try blocks("sh", of: "README.md") == blocks("sh", of: "README.zh-Hans.md"))
  }

  private func text(_ page: String) throws -> String {
    try String(contentsOf: Self.folder.appendingPathComponent(page), encoding: .utf8)
  }

  /// The contents of the fenced blocks of a kind.
  private func blocks(_ kind: String, of page: String) throws -> [String] {
    try text(page).components(separatedBy: "```\(kind)\n").dropFirst().map { part in
      part.components(separatedBy: "```")[0]
    }
  }
}
