import Foundation

/// What the papers beside the sources must say, and the formatter's own settings.
let documentRules: [TidyRule] = [
  TidyRule(
    name: "documents.readme",
    remedy: "README.md names 'make demo' and 'make test', so that a newcomer can begin",
    bad: ["README.md": "# A\n`make test`\n"],
    good: ["README.md": "# A\n`make demo`, `make test`\n"]
  ) { tree in
    guard let readme = tree.file("README.md") else {
      return [.init(path: "README.md", "missing")]
    }
    return ["make demo", "make test"].filter { !readme.text.contains($0) }
      .map { .init(readme, "does not name \($0)") }
  },
  TidyRule(
    name: "documents.decisions",
    remedy:
      "list every decision in docs/decisions/README.md; a number is used once; write 'Status:'",
    bad: [
      "docs/decisions/README.md": "- [0001](0001-one.md)\n",
      "docs/decisions/0001-one.md": "# One\nStatus: accepted\n",
      "docs/decisions/0002-two.md": "# Two\nStatus: accepted\n",
    ],
    good: [
      "docs/decisions/README.md": "- [0001](0001-one.md)\n",
      "docs/decisions/0001-one.md": "# One\n\nStatus: accepted\n",
    ],
    check: decisionFindings
  ),
  TidyRule(
    name: "documents.snippets",
    remedy:
      "put the example into Snippets/, where it is built, and copy it from there; for code that"
      + " cannot be built, '<!-- not built: the reason -->' stands on the line above it",
    bad: [
      "README.md": "```swift\nlet a = 1\n```\n",
      "docs/A.md": "<!-- not built: -->\n```swift\nlet a = 3\n```\n",
      "Snippets/A.swift": "let a = 2\n",
    ],
    good: [
      "README.md": "```swift\nlet a = 1\n```\n",
      "docs/A.md": "<!-- not built: it calls another package -->\n```swift\nlet a = 3\n```\n",
      "Snippets/A.swift": "func f() {\n  let a = 1\n}\n",
    ],
    check: snippetFindings
  ),
  TidyRule(
    name: "documents.links",
    remedy: "point at a file that is there",
    bad: ["README.md": "[a](docs/NONE.md)\n"],
    good: ["README.md": "[a](docs/A.md#part) [b](https://example.com)\n", "docs/A.md": "a\n"]
  ) { tree in
    let paths = tree.others.union(tree.files.map(\.path))
    return tree.files.filter { $0.path.hasSuffix(".md") }.flatMap { file in
      localLinks.matches(in: file.text).compactMap { match -> TidyRule.Finding? in
        let folder = file.path.split(separator: "/").dropLast().map(String.init)
        let target = resolve(match.groups[1], from: folder)
        let isThere = paths.contains(target) || paths.contains { $0.hasPrefix(target + "/") }
        return isThere ? nil : .init(file, line: match.line, "nothing at \(target)")
      }
    }
  },
  TidyRule(
    name: "documents.format-keys",
    remedy:
      "spell the key as 'swift format dump-configuration' does: a wrong one is ignored silently",
    bad: [".swift-format": #"{"version": 1, "lineLenght": 100, "rules": {}}"#],
    good: [
      ".swift-format": #"{"version": 1, "lineLength": 100, "rules": {"NeverForceUnwrap": true}}"#
    ]
  ) { tree in
    let files = tree.files.filter { $0.name == ".swift-format" }
    guard let known = FormatterKeys.known else {
      return files.map { .init($0, "'swift format dump-configuration' gave no answer") }
    }
    return files.flatMap { file -> [TidyRule.Finding] in
      guard let used = FormatterKeys(json: Data(file.text.utf8)) else {
        return [.init(file, "no JSON object")]
      }
      let wrong = used.settings.subtracting(known.settings).union(
        used.rules.subtracting(known.rules)
      )
      return wrong.sorted().map { .init(file, "unknown key \($0)") }
    }
  },
]

private let localLinks = Pattern(#"\]\((?![a-z]+:|#)([^)#\s]+)(?:#[^)]*)?\)"#)
private let decisionName = Pattern(#"^docs/decisions/(\d{4})-[a-z0-9-]+\.md$"#)
private let statusLine = Pattern(
  #"^(?:[-*] )?\**Status:?\**:?\s+(?:accepted|proposed|superseded|rejected)"#
)
private let reasonLine = Pattern(#"^<!-- not built: \S.*-->$"#)
private let swiftBlocks = Pattern(#"^```swift\n([\s\S]*?)^```"#)

private func decisionFindings(_ tree: SourceTree) -> [TidyRule.Finding] {
  let folder = tree.files.filter {
    $0.isIn("docs/decisions") && $0.name != "README.md" && $0.name.hasSuffix(".md")
  }
  let index = tree.file("docs/decisions/README.md")?.text ?? ""
  var numbers: Set<String> = []
  return folder.flatMap { file -> [TidyRule.Finding] in
    guard let match = decisionName.matches(in: file.path).first else {
      return [.init(file, "is not called NNNN-some-words.md")]
    }
    var findings: [TidyRule.Finding] = []
    if !numbers.insert(match.groups[1]).inserted {
      findings.append(.init(file, "the number \(match.groups[1]) is used twice"))
    }
    if !index.contains("(\(file.name))") { findings.append(.init(file, "not in the index")) }
    if !statusLine.isFound(in: file.text.lowercased().replacing("status", with: "Status")) {
      findings.append(.init(file, "no line 'Status: accepted' (proposed, superseded, rejected)"))
    }
    return findings
  }
}

private func snippetFindings(_ tree: SourceTree) -> [TidyRule.Finding] {
  // What is built: snippets, and tests that are written as examples.
  let built = tree.files.filter { $0.isIn("Snippets") || $0.name.hasSuffix("ExampleTests.swift") }
  let snippets = built.map { plainLines($0.text) }
  // The linter's pages show its fixtures, wrong ones too; its own tests compare them.
  let documents = tree.files.filter { $0.path.hasSuffix(".md") && !$0.isIn("docs/lint") }
  return documents.flatMap { file in
    swiftBlocks.matches(in: file.text).compactMap { match in
      let block = plainLines(match.groups[1])
      let above =
        file.text.split(separator: "\n", omittingEmptySubsequences: false)
        .prefix(max(match.line - 1, 0)).last ?? ""
      return snippets.contains { $0.contains(block) } || reasonLine.isFound(in: String(above))
        ? nil
        : .init(file, line: match.line, "an example that nothing compiles: put it into Snippets/")
    }
  }
}

/// The lines without indentation and without blank ones.
private func plainLines(_ text: String) -> String {
  text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    .filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
}

private func resolve(_ link: String, from folder: [String]) -> String {
  var parts = folder
  for part in link.split(separator: "/") {
    if part == ".." {
      _ = parts.popLast()
    } else if part != "." {
      parts.append(String(part))
    }
  }
  return parts.joined(separator: "/")
}

/// The names of the formatter's settings and rules.
private struct FormatterKeys: Sendable {
  let settings: Set<String>
  let rules: Set<String>

  init?(json: Data) {
    guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else {
      return nil
    }
    settings = Set(object.keys)
    rules = Set((object["rules"] as? [String: Any])?.keys.map { $0 } ?? [])
  }

  /// What the installed formatter knows; nil when it cannot be asked.
  static let known: FormatterKeys? = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "format", "dump-configuration"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return FormatterKeys(json: data)
  }()
}
