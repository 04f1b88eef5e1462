/// Marks and words that must not be left in the project, and tests that prove nothing.
let textRules: [TidyRule] = [
  TidyRule(
    name: "texts.unfinished",
    remedy: "finish it, or answer with a typed error and write down what is missing",
    bad: ["Sources/IAPKit/A.swift": "// \("TO" + "DO"): later\n"],
    good: ["Sources/IAPKit/A.swift": "// Later renewals are read by the next fold.\n"]
  ) { tree in
    tree.files.filter { $0.isSource || $0.isTest && $0.target != "TidyTests" }.flatMap { file in
      unfinished.matches(in: file.text).map { .init(file, line: $0.line, $0.groups[0]) }
    }
  },
  TidyRule(
    name: "texts.machine-paths",
    remedy: "a path from the project's folder, an environment variable or a temporary folder",
    bad: ["README.md": "see \("/ho" + "me")/somebody/project\n"],
    good: ["README.md": "see docs/ARCHITECTURE.md and https://example.com/home/page\n"]
  ) { tree in
    tree.files.flatMap { file in
      machinePaths.matches(in: file.text).map { .init(file, line: $0.line, $0.groups[0].trimmed) }
    }
  },
  TidyRule(
    name: "texts.registries",
    remedy: "the package has no dependency to download; system packages come by their own tool",
    bad: ["Scripts/a": "curl https://\("registry" + ".np" + "mjs.org")/left-pad\n"],
    good: ["Scripts/a": "apt-get install make\n"]
  ) { tree in
    tree.files.flatMap { file in
      registries.matches(in: file.text).map { .init(file, line: $0.line, $0.groups[0]) }
    }
  },
  .ban(
    "tests.no-sleeping",
    #"\b(?:Task|Thread)\s*\.\s*sleep\b|(?<![\w.])(?:usleep|nanosleep)\(|(?<![\w.])sleep\(\d"#,
    in: { $0.isTest },
    instead: "await the event, or move the virtual clock",
    bad: ["Tests/IAPKitTests/A.swift": "try await Task.\("sleep")(nanoseconds: 1)\n"],
    good: ["Tests/IAPKitTests/A.swift": "await store.drainNotifications()\n"]
  ),
  TidyRule(
    name: "tests.no-empty-tests",
    remedy: "assert an outcome, or remove the test",
    bad: ["Tests/IAPKitTests/A.swift": "@Test func nothing() {\n}\n"],
    good: ["Tests/IAPKitTests/A.swift": "@Test func one() {\n  #expect(one() == 1)\n}\n"]
  ) { tree in
    tree.tests.flatMap { file in
      emptyTests.matches(in: file.swift?.code ?? "").map {
        .init(file, line: $0.line, $0.groups[0].trimmed)
      }
    }
  },
]

private let unfinished = Pattern(
  #"\b(?:TO"# + #"DO|FIX"# + #"ME|XX"# + #"X)\b|\b[Nn]ot"#
    + #" implemented|fatalError\("(?:un|not )"#
)
private let machinePaths = Pattern(
  #"(?<![\w.\-/}])/(?:wo"# + #"rk|fa"# + #"rm|ho"# + #"me|ro"# + #"ot|Us"# + #"ers)/\w"#
)
private let registries = Pattern(
  #"\b(?:registry\.[a-z]+\.[a-z]+|(?:files\.)?pypi"# + #"\.org|npm"# + #"js\.\w+|crates"#
    + #"\.io|proxy\.gol"#
    + #"ang\.org|deb\.deb"# + #"ian\.org|archive\.ubu"# + #"ntu\.com|docker"# + #"\.io|ghcr"#
    + #"\.io)\b"#
)
private let emptyTests = Pattern(
  #"#expect\(\s*(?:true|Bool\(true\))\s*\)|XCTAssertTrue\(\s*true|@Test\b[^{}]*\bfunc\b[^{}]*\{\s*\}"#
)
