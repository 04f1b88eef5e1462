/// No global state, and few unchecked claims about it.
let stateRules: [TidyRule] = [
  .ban(
    "state.shared",
    #"\bstatic\s+(?:let|var)\s+shared\b"#,
    in: { $0.isSource && !["StoreKit", "IAPKitCallbacks"].contains($0.target ?? "") },
    instead: "compose it in main or in one 'live' function and pass it on",
    bad: ["Sources/IAPKit/A.swift": "enum A {\n  static let shared = B()\n}\n"],
    good: ["Sources/IAPKitCallbacks/A.swift": "enum A {\n  static let shared = B()\n}\n"]
  ),
  .ban(
    "state.static-var",
    #"^[ \t]*(?:[a-z]+(?:\([a-z]+\))?[ \t]+)*(?:static|class)[ \t]+var[ \t]+\w+[^{=]*="#,
    in: { $0.isSource },
    instead: "a computed property, a constant, or state that is owned by a value",
    bad: ["Sources/IAPKit/A.swift": "enum A {\n  static var count = 0\n}\n"],
    good: ["Sources/IAPKit/A.swift": "enum A {\n  static var count: Int { 0 }\n}\n"]
  ),
  .ban(
    "state.top-level-var",
    #"^(?:@\w+(?:\([^)\n]*\))?[ \t]+|(?:public|package|internal|private|fileprivate|nonisolated\(unsafe\)|nonisolated)[ \t]+)*var\b(?![^=\n]*\{)"#,
    in: { $0.isSource },
    instead: "a constant, or state that is owned by a value",
    bad: ["Sources/IAPKit/A.swift": "private var count = 0\n"],
    good: [
      "Sources/IAPKit/A.swift": "struct A {\n  var count = 0\n}\n",
      "Sources/StoreKit/A.swift": "public var SKUnknown: Double { -1 }\n",
    ]
  ),
  TidyRule(
    name: "state.unchecked-reason",
    remedy: "write on the line above why the compiler need not check it, or let it check",
    bad: ["Sources/IAPKit/A.swift": "final class A: @unchecked Sendable {}\n"],
    good: [
      "Sources/IAPKit/A.swift":
        "// The lock below guards every field.\nfinal class A: @unchecked Sendable {}\n"
    ]
  ) { tree in
    tree.sources.flatMap { file in
      unchecked.matches(in: file.swift?.code ?? "").compactMap { match in
        let above = (file.swift?.lines ?? []).prefix(match.line - 1).reversed()
          .map { $0.drop { $0 == " " } }.first { !$0.hasPrefix("@") }
        return above?.hasPrefix("//") ?? false
          ? nil : .init(file, line: match.line, "\(match.groups[0]) without a reason above")
      }
    }
  },
  TidyRule(
    name: "state.unchecked-budget",
    remedy: "the whole project may claim \(uncheckedMax) times what the compiler cannot check",
    bad: [
      "Sources/IAPKit/A.swift": String(
        repeating: "// reason\nfinal class A: @unchecked Sendable {}\n",
        count: uncheckedMax + 1
      )
    ],
    good: [
      "Sources/IAPKit/A.swift": String(
        repeating: "// reason\nfinal class A: @unchecked Sendable {}\n",
        count: uncheckedMax
      )
    ]
  ) { tree in
    let found = tree.sources.flatMap { file in
      unchecked.matches(in: file.swift?.code ?? "").map {
        TidyRule.Finding(file, line: $0.line, $0.groups[0])
      }
    }
    return found.count > uncheckedMax ? found : []
  },
  TidyRule(
    name: "state.verified-made-once",
    remedy: "only the verifier's verdict makes a verified value; everything else receives one",
    bad: [
      "Sources/IAPSignatures/Verdict.swift": "self = .accepted(Verified(evidence))\n",
      "Sources/EntitlementServer/A.swift": "let trusted = Verified<Payload>(evidence)\n",
    ],
    good: [
      "Sources/IAPSignatures/Verdict.swift": "self = .accepted(Verified(evidence))\n",
      "Sources/IAPSignatures/B.swift": "Verified.Evidence(payload)\nlet a: Verified<Payload>\n",
    ]
  ) { tree in
    let found = tree.sources.flatMap { file in
      verifiedCalls.matches(in: file.swift?.code ?? "").map {
        TidyRule.Finding(file, line: $0.line, $0.groups[0])
      }
    }
    return found.count > 1 ? found : []
  },
  TidyRule(
    name: "state.endless-loops",
    remedy: "bound the loop, or say above it what bounds it: '// Bound: …'",
    bad: ["Sources/IAPKit/A.swift": "while true { step() }\n"],
    good: ["Sources/IAPKit/A.swift": "// Bound: ends with the input.\nwhile true { step() }\n"]
  ) { tree in
    tree.sources.flatMap { file in
      endless.matches(in: file.swift?.code ?? "").compactMap { match in
        let lines = file.swift?.lines ?? []
        let near = lines[max(match.line - 3, 0)..<match.line]
        return near.contains { $0.lowercased().contains("bound:") }
          ? nil : .init(file, line: match.line, match.groups[0])
      }
    }
  },
]

private let uncheckedMax = 5
private let unchecked = Pattern(#"@unchecked\s+Sendable|nonisolated\(unsafe\)"#)
private let verifiedCalls = Pattern(#"(?<![\w.])Verified(?:<[\w.]+>)?\("#)
private let endless = Pattern(#"\bwhile\s+true\b|\bfor\s*\(\s*;\s*;\s*\)"#)
