import Foundation
import Testing

@Suite("Operators' guide")
struct OperatorGuideTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let pages: [String] = {
    let folder = root.appendingPathComponent("docs/operators")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/operators/" + $0 }
      + ["docs/configuration.md"]
  }()

  private static func blocks(_ page: String, _ fence: String) throws -> [String] {
    let file = root.appendingPathComponent(page)
    let text = try String(contentsOf: file, encoding: .utf8)
    return text.components(separatedBy: fence).dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  @Test func theProcedureOfTheLostOrderRunsFromTopToBottom() async throws {
    let blocks = try Self.blocks("docs/operators/support.md", "```sh\n")
    #expect(blocks.count == 6)
    let tools = CommandProcess.executable.deletingLastPathComponent().path
    // What still runs when a command fails is ended with the shell.
    let start = """
      PATH=\(tools):$PATH
      set -euo pipefail
      trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

      """
    let call = try await CommandProcess.run(
      ["-c", start + blocks.joined(separator: "\n")],
      tool: URL(fileURLWithPath: "/bin/bash")
    )
    #expect(call.status == 0, "\(call.errors)")
    let lines = call.output.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasPrefix("com.example.demo.coins ") }, "\(call.output)")
    #expect(lines.contains { $0.contains("missing=0") })
  }

  @Test("every iap command of a page is one, with options that there are", arguments: Self.pages)
  func commands(_ page: String) async throws {
    var helps: [String: String] = [:]
    for block in try Self.blocks(page, "```") {
      let whole = block.replacingOccurrences(of: "\\\n", with: " ")
      for line in whole.split(separator: "\n") {
        // Only what a shell would run: words of prose and JSON are left alone.
        let words = line.split(separator: " ").map(String.init)
        let isUser = { (index: Int) in index > 0 && words[index - 1] == "-u" }
        guard let place = words.indices.first(where: { words[$0] == "iap" && !isUser($0) }),
          place + 1 < words.count,
          words[..<place].allSatisfy({ Self.mayPrecede($0) })
        else { continue }
        let command = words[place + 1]
        if helps[command] == nil {
          helps[command] = try await CommandProcess.run(["help", command]).output
        }
        let help = helps[command] ?? ""
        #expect(help.hasPrefix("usage: iap \(command)"), "\(page): \(line)")
        for option in words[(place + 2)...] where option.hasPrefix("--") {
          #expect(help.contains("  \(option)"), "\(page): \(option) in \(line)")
        }
      }
    }
  }

  /// What stands in front of a command: variables, another user.
  private static func mayPrecede(_ word: String) -> Bool {
    ["runuser", "-u", "iap", "--"].contains(word) || word.contains("=") || word == ""
  }
}
