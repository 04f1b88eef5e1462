import Foundation
import Testing

@Suite("Testers' guide")
struct TesterGuideTests {
  @Test(
    "the commands of the guide do what it says, from top to bottom in one shell",
    arguments: ["README.md", "README.zh-Hans.md"]
  )
  func commands(_ page: String) async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("docs/testers/" + page)
    let text = try String(contentsOf: file, encoding: .utf8)
    let blocks = text.components(separatedBy: "```sh\n").dropFirst().map { part in
      part.components(separatedBy: "```")[0]
    }
    #expect(blocks.count == 9)
    let tools = CommandProcess.executable.deletingLastPathComponent().path
    // What still runs when a command fails is ended with the shell.
    let start = """
      PATH=\(tools):$PATH
      set -euo pipefail
      trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

      """
    let script = start + blocks.joined(separator: "\n")
    let call = try await CommandProcess.run(
      ["-c", script],
      tool: URL(fileURLWithPath: "/bin/bash")
    )
    #expect(call.status == 0, "\(call.errors)")
    let lines = call.output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("ACCEPTED ") })
    #expect(lines.contains("accepted"))
    #expect(lines.contains("DID_RENEW REFUND SUBSCRIBED"))
    #expect(lines.count { $0.hasSuffix(": good") } == 3)
    #expect(lines.last == "the same, byte for byte")
  }
}
