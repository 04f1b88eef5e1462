import Foundation
import LintRules
import Testing

@Suite("Lint calls")
struct LintCallTests {
  @Test func wordsBecomeACall() throws {
    let call = try LintCall([
      "--json", "--rule", "forced-uuid", "--rule=ids-scattered", "--exclude", "Old", "--config=c",
      "--baseline", "b", "Sources", "--", "-odd",
    ])
    #expect(call.format == .json)
    #expect(call.rules == ["forced-uuid", "ids-scattered"])
    #expect(call.excludes == ["Old"])
    #expect(call.configuration == "c")
    #expect(call.baseline == "b")
    #expect(call.paths == ["Sources", "-odd"])
    #expect(call.task == .look)
  }

  @Test(
    "a call that cannot be understood is refused",
    arguments: [
      ["--jsn"], ["--rule"], ["--rule", "none"], ["--json", "--sarif"], ["--config="], ["-x"],
    ]
  )
  func wrongCall(_ words: [String]) {
    #expect(throws: LintError(.usage, LintWords("", zh: ""))) { try LintCall(words) }
  }

  @Test(
    "the tool ends with 0, 1 or 2",
    arguments: [
      (["Tests/LintFixtures/none"], 2, "There is no"), (["--jsn"], 2, "There is no option"),
      (["docs"], 2, "There are no Swift files"), (["--rules"], 0, "finish-before-delivery"),
      (["--version"], 0, "iap-lint "), (["--help"], 0, "usage: iap-lint"),
      (["Snippets/Selling.swift"], 0, "1 Swift file: 0 errors"),
      (["--config", "README.md", "Snippets"], 2, "it is no JSON object"),
    ]
  )
  func status(_ words: [String], _ status: Int32, _ said: String) throws {
    let outcome = try Self.run(words, in: LintFixtures.root)
    #expect(outcome.status == status)
    #expect(outcome.text.contains(said))
  }

  @Test func findingsAreStatusOneUntilTheyAreInTheBaseline() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-lint-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source =
      "import IAPKit\nfunc f(_ m: IAPManager) async {\n"
      + "  _ = try? await m.purchase(productId: p)\n  _ = await m.restoreSummary()\n}\n"
    try Data(source.utf8).write(to: folder.appendingPathComponent("A.swift"))
    let first = try Self.run(["."], in: folder)
    #expect(first.status == 1)
    #expect(first.text.contains("A.swift:3:7: warning"))
    #expect(try Self.run(["--write-baseline", "known.json", "."], in: folder).status == 0)
    #expect(try Self.run(["--baseline", "known.json", "."], in: folder).status == 0)
    try Data(#"{"baseline": "known.json"}"#.utf8)
      .write(to: folder.appendingPathComponent(".iap-lint.json"))
    #expect(try Self.run([folder.path], in: LintFixtures.root).status == 0)
    try Data(#"{"exclude": ["A.swift"]}"#.utf8)
      .write(to: folder.appendingPathComponent(".iap-lint.json"))
    #expect(try Self.run(["."], in: folder).status == 2)
  }

  @Test("a source is read up to its limit", arguments: [(0, Int32(0)), (1, Int32(2))])
  func sourceLimit(_ above: Int, _ status: Int32) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("iap-lint-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let limit = 4 * 1024 * 1024
    try Data(repeating: UInt8(ascii: "\n"), count: limit + above)
      .write(to: folder.appendingPathComponent("A.swift"))
    #expect(try Self.run(["."], in: folder).status == status)
  }

  @Test func chineseIsSpokenWhenTheLocaleAsks() throws {
    let outcome = try Self.run(["--rules"], in: LintFixtures.root, ["LANG": "zh_CN.UTF-8"])
    #expect(outcome.text.contains("源代码中写死了价格"))
  }

  /// Runs the built tool.
  private static func run(
    _ words: [String],
    in folder: URL,
    _ environment: [String: String] = [:]
  ) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("iap-lint")
    process.arguments = words
    process.currentDirectoryURL = folder
    var variables = ProcessInfo.processInfo.environment
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] { variables[name] = nil }
    process.environment = variables.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
