import Foundation
import Testing

@Suite("Help for shells and readers")
struct HelpCommandTests {
  /// The names of all commands, read from the overview.
  private static func names() async throws -> [String] {
    let overview = try await CommandProcess.run(["--help"]).output
    return overview.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("  ") else { return nil }
      return line.dropFirst(2).prefix { $0 != " " }.description
    }
  }

  @Test func everyCommandCanAnswerInJSON() async throws {
    let names = try await Self.names()
    #expect(names.count >= 19)
    for name in names {
      let help = try await CommandProcess.run([name, "--help"]).output
      #expect(help.contains("--json"), "\(name)")
    }
  }

  @Test("bash completes commands, options, choices and nothing after a value's option")
  func bash() async throws {
    let script = try await CommandProcess.run(["completions", "bash"])
    #expect(script.status == 0)
    let asked: [([String], [String])] = [
      (["ba"], ["backup"]),
      (["keys", "re"], ["revoke"]),
      (["keys", "--k"], ["--kind"]),
      (["completions", ""], ["bash", "zsh", "fish"]),
      (["keys", "--kind", "x"], []),
      (["help", "dem"], ["demo"]),
    ]
    for (words, wanted) in asked {
      let line = (["iap"] + words).map { "'\($0)'" }.joined(separator: " ")
      let call = """
        COMP_WORDS=(\(line)); COMP_CWORD=\(words.count); _iap
        for word in "${COMPREPLY[@]}"; do echo "$word"; done
        """
      let found = try Self.shell(script.output + "\n" + call)
      #expect(found == wanted, "\(words)")
    }
  }

  @Test("scripts name every command and option", arguments: ["bash", "zsh", "fish"])
  func scripts(_ shell: String) async throws {
    let script = try await CommandProcess.run(["completions", shell]).output
    for name in try await Self.names() { #expect(script.contains(name), "\(name)") }
    for option in ["insecure-no-keys", "database-file", "no-such"] {
      #expect(script.contains(option) == (option != "no-such"))
    }
  }

  @Test func anUnknownShellIsRefused() async throws {
    let outcome = try await CommandProcess.run(["completions", "csh"])
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("knows bash, zsh, fish, not 'csh'"))
  }

  @Test("the manual has a part for every command, in both languages")
  func manual() async throws {
    let page = try await CommandProcess.run(["man"]).output
    #expect(page.hasPrefix(".TH IAP 1"))
    for name in try await Self.names() { #expect(page.contains("\n.SS iap \(name)\n"), "\(name)") }
    #expect(page.contains(".B \\-\\-insecure\\-no\\-keys\n"))
    let chinese = try await CommandProcess.run(["man"], environment: ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.output.contains("\n.SH 退出状态\n"))
    // A line that begins with a dot is a macro: only those that are meant may be there.
    let macros = Set(
      page.split(separator: "\n").filter { $0.hasPrefix(".") }.map { $0.prefix { $0 != " " } }
    )
    #expect(macros == [".TH", ".SH", ".SS", ".TP", ".B", ".I", ".PP", ".RS", ".RE", ".nf", ".fi"])
  }

  @Test func nothingIsColouredInAFile() async throws {
    let drill = try await CommandProcess.run(["drill", "lost-order", "--no-color"])
    #expect(drill.status == 0)
    #expect(!drill.output.contains("\u{1B}"))
    let json = try await CommandProcess.run(["drill", "lost-order", "--json"])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["good"] as? Bool == true)
    #expect((object?["ways"] as? [Any])?.count == 3)
  }

  /// The lines that a bash script prints.
  private static func shell(_ script: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-s"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
    try input.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
